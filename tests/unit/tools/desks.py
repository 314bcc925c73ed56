"""A module of AI functions and tools, and the app code that its spec names."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest
from aigen.building import build
from aigen.project import Project
from aigen.runtime import callables


def build_desk(folder: Path, spec: str, app: str) -> None:
    """Builds the module `own_tools.desk` in a folder, beside the module `own_app`."""
    (folder / "specs").mkdir(exist_ok=True)
    (folder / "specs" / "desk.yaml").write_text(f"aigen: 1\n{spec}", encoding="utf-8")
    (folder / "aigen.toml").write_text('specs = ["specs"]\nout = "own_tools"\n')
    (folder / "own_app.py").write_text(app, encoding="utf-8")
    project = Project.load(folder, named=[])
    build(project)
    assert not project.diagnostics.failed, [found.message for found in project.diagnostics]


def imported(folder: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module of a folder, anew, until the test ends."""
    callables.imported.cache_clear()  # another test's `own_app` had the same names
    for name in ("own_tools", "own_tools.desk", "own_app"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.syspath_prepend(str(folder))
    return importlib.import_module("own_tools.desk")
