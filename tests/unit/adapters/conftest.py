"""Functions of a spec, as the runtime calls them; their answers are plain JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from aigen.diagnostics import Diagnostics
from aigen.emit.definition import define
from aigen.resolve import ResolveContext, resolve
from aigen.runtime import AIFunction
from aigen.runtime.wire import learned
from aigen.spec import read_file

Compile = Callable[[str], dict[str, AIFunction[Any, Any]]]


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting of the machine's reaches a test, and nothing that a server refused is kept."""
    for name in list(os.environ):
        if name.startswith("AIGEN_"):
            monkeypatch.delenv(name)
    learned.forget()


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Compile:
    """Compiles the text of a spec to its functions, by name."""

    def compile(text: str) -> dict[str, AIFunction[Any, Any]]:
        folder = tmp_path_factory.mktemp("spec")
        (folder / "desk.yaml").write_text(text, encoding="utf-8")
        found = Diagnostics()
        spec = read_file(
            folder / "desk.yaml", root=folder, shown="desk.yaml", module="desk", diagnostics=found
        )
        assert spec is not None, list(found)
        program = resolve([spec], ResolveContext((Path(folder),), (), {}), found)
        assert not found.failed, [one.message for one in found]
        module = program.modules["desk"]
        return {
            function.name: AIFunction(json.dumps(define(function, module, program, {})), Any, Any)
            for function in module.functions
        }

    return compile
