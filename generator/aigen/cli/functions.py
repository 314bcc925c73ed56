"""Functions of the specs as the runtime calls them, without a build."""

from __future__ import annotations

import json
import sys
from functools import cached_property
from typing import Any

from aigen.cli.finding import find
from aigen.emit.definition import define, define_tool
from aigen.ir import Function, Module, Program
from aigen.project import Project
from aigen.runtime.definition import Definition
from aigen.runtime.function import AIFunction
from aigen.runtime.tool import AITool
from aigen.runtime.tools.named import with_own
from aigen.runtime.tools.offered import Tool, offered


def callable_function(
    project: Project, program: Program, name: str
) -> tuple[AIFunction[Any, Any], Definition]:
    """A function of the specs as the runtime calls it; its answer is plain JSON.

    What specs name (tools, checks, defaults) is found on the project's `python_path` from then on.
    """
    module, function = find(program, name)
    assert isinstance(function, Function)
    for folder in reversed(project.configuration.python_path):
        base = str((project.root / folder).absolute())
        if base not in sys.path:
            sys.path.insert(0, base)
    called = _SpecFunction(function, module, program, project)
    return called, called.definition


class _SpecFunction(AIFunction[Any, Any]):
    """A function of the specs, whose tools are those of the specs too."""

    def __init__(
        self, function: Function, module: Module, program: Program, project: Project
    ) -> None:
        definition = define(function, module, program, project.configuration.settings)
        super().__init__(json.dumps(definition), Any, Any)
        self._program = program
        self._project = project

    @cached_property
    def _tools(self) -> tuple[Tool, ...]:
        names = self.definition.get("tools", ())
        return with_own(offered([self._named(name) for name in names])) if names else ()

    def _named(self, dotted: str) -> AIFunction[Any, Any] | AITool[Any]:
        """A tool, or a function, by the name under which the definition has it."""
        home, _, key = dotted.rpartition(".")
        module = self._program.modules[home]
        for tool in module.tools:
            if tool.key == key:
                return _SpecTool(json.dumps(define_tool(tool, module, self._program)), None, Any)
        function = next(each for each in module.functions if each.name == key)
        return _SpecFunction(function, module, self._program, self._project)


class _SpecTool(AITool[Any]):
    """A tool of the specs: its result is judged by its schema, for no class is generated here."""

    _adapter = None

    def __call__(self, **arguments: Any) -> Any:
        """Runs the tool with arguments by name."""
        return self._call(arguments)
