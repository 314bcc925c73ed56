"""Functions at hand, and what the compiler makes of the same source."""

from __future__ import annotations

import importlib
import itertools
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from aigen.diagnostics import Diagnostics
from aigen.emit.definition import define_tool
from aigen.resolve import ResolveContext, resolve
from aigen.spec import read_file

_numbers = itertools.count()


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Callable[[str], ModuleType]]:
    """Imports a module of this source."""
    names = []

    def made(source: str) -> ModuleType:
        name = f"tooling_app_{next(_numbers)}"
        names.append(name)
        (tmp_path / f"{name}.py").write_text(source, encoding="utf-8", newline="")
        sys.path.insert(0, str(tmp_path))
        importlib.invalidate_caches()
        try:
            return importlib.import_module(name)
        finally:
            sys.path.remove(str(tmp_path))

    yield made
    for name in names:
        sys.modules.pop(name, None)


@pytest.fixture
def built(tmp_path: Path) -> Callable[[ModuleType, str], Any]:
    """The definition that the compiler makes of a function of a module, read and not run."""

    def read(module: ModuleType, func: str) -> Any:
        spec = tmp_path / "spec.yaml"
        spec.write_text(f"aigen: 1\ntools:\n  t:\n    python: '{module.__name__}:{func}'\n")
        found = Diagnostics()
        file = read_file(spec, root=tmp_path, shown="spec.yaml", module="spec", diagnostics=found)
        assert file is not None
        program = resolve([file], ResolveContext((tmp_path,), (), {}), found)
        assert not found.failed, [one.message for one in found]
        home = program.modules["spec"]
        return define_tool(home.tools[0], home, program)

    return read
