"""The generated samples, which these tests call, and modules of specs of their own."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from aigen.building import build
from aigen.project import Project

SAMPLES = Path(__file__).resolve().parents[3] / "samples"
sys.path.insert(0, str(SAMPLES))


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting of the machine's reaches a test, and no way that a server refused is kept."""
    import os

    from aigen.runtime.wire import learned

    for name in list(os.environ):
        if name.startswith("AIGEN_"):
            monkeypatch.delenv(name)
    learned.forget()


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], ModuleType]:
    """Builds the functions of a spec and imports them."""

    def built(spec: str) -> ModuleType:
        (tmp_path / "specs").mkdir()
        (tmp_path / "specs" / "own.yaml").write_text(spec, encoding="utf-8")
        (tmp_path / "aigen.toml").write_text('specs = ["specs"]\nout = "own_ai"\n')
        project = Project.load(tmp_path, named=[])
        build(project)
        assert not project.diagnostics.failed, [found.message for found in project.diagnostics]
        for name in ("own_ai", "own_ai.own"):
            monkeypatch.delitem(sys.modules, name, raising=False)
        monkeypatch.syspath_prepend(str(tmp_path))
        return importlib.import_module("own_ai.own")

    return built
