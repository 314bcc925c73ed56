"""Modules built from specs, beside the app code that they name."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from aigen.building import build
from aigen.project import Project


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], ModuleType]:
    """Builds a spec beside the app code that it names, and imports it."""

    def built(spec: str, app: str = "") -> ModuleType:
        (tmp_path / "specs").mkdir()
        (tmp_path / "specs" / "desk.yaml").write_text(f"aigen: 1\n{spec}", encoding="utf-8")
        (tmp_path / "aigen.toml").write_text('specs = ["specs"]\nout = "own_tools"\n')
        (tmp_path / "own_app.py").write_text(app, encoding="utf-8")
        project = Project.load(tmp_path, named=[])
        build(project)
        assert not project.diagnostics.failed, [found.message for found in project.diagnostics]
        for name in ("own_tools", "own_tools.desk", "own_app"):
            monkeypatch.delitem(sys.modules, name, raising=False)
        monkeypatch.syspath_prepend(str(tmp_path))
        return importlib.import_module("own_tools.desk")

    return built
