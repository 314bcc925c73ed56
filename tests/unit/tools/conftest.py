"""Modules built from specs, and a runner over their tools."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from aigen.building import build
from aigen.project import Project
from aigen.runtime.layers import Settings
from aigen.runtime.tools.offered import Outcome, offered
from aigen.runtime.tools.running import Runner
from aigen.runtime.wire.exchange import Deadline
from aigen.runtime.wire.messages import ToolCall


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


def ran(*targets: Any, name: str, arguments: str = "{}", **settings: Any) -> Outcome:
    """What becomes of one call."""
    (outcome,) = runner(*targets, **settings).run([ToolCall("call_1", name, arguments)], 1, True)
    return outcome


def runner(*targets: Any, timeout: float = 30, **settings: Any) -> Runner:
    return Runner(offered(targets), "desk/answer", Settings(**settings), Deadline(timeout))
