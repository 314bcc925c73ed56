"""Functions and tools of the specs as the runtime calls them, without their generated modules."""

from __future__ import annotations

import json
import sys
from functools import cached_property
from importlib import import_module
from typing import Any, ClassVar, cast

from aigen.cli.packages import package_name
from aigen.emit.definition import define, define_tool
from aigen.ir import Function, Module, Program
from aigen.project import Project
from aigen.runtime.function import AIFunction
from aigen.runtime.function_like import FunctionLike
from aigen.runtime.tool import AITool
from aigen.runtime.tools.named import with_own
from aigen.runtime.tools.offered import Tool, offered


class SpecTool(AITool[Any]):
    """A tool of the specs; what it gives is judged by its schema."""

    _adapter: ClassVar[Any] = None

    def __call__(self, **arguments: Any) -> Any:
        """Runs it with arguments by name."""
        return self._call(arguments)


class SpecFunction(AIFunction[Any, Any]):
    """A function of the specs; its answer is plain JSON, but for checks where its module is built.

    Args:
        project: its configuration.
        program: where its tools are.
        module: where it is.
        function: itself.
    """

    def __init__(
        self, project: Project, program: Program, module: Module, function: Function
    ) -> None:
        self._project, self._program = project, program
        definition = define(function, module, program, project.configuration.settings)
        checked = "checks" in definition  # only a check sees more of an answer than its JSON
        kind = _built_answer(project, module, definition) if checked else Any
        super().__init__(json.dumps(definition), kind, Any)

    def stream(self, inputs: dict[str, Any]) -> Any:
        """A call that is watched, from a mapping."""
        return self._stream(*self._split(inputs))

    @cached_property
    def _tools(self) -> tuple[Tool, ...]:
        names = self.definition.get("tools", ())
        return with_own(offered([self._named(name) for name in names])) if names else ()

    def _named(self, dotted: str) -> SpecTool | SpecFunction:
        """A tool, or an AI function that is one, by its module and its name in Python."""
        home, _, name = dotted.rpartition(".")
        module = self._program.modules[home]
        for tool in module.tools:
            definition = define_tool(tool, module, self._program)
            if name in (tool.key, definition.get("function", definition["name"])):
                return SpecTool(json.dumps(definition), None, Any)
        function = next(one for one in module.functions if one.name == name)
        return SpecFunction(self._project, self._program, module, function)


def _built_answer(project: Project, module: Module, definition: Any) -> Any:
    """The type of a function's answers, of the built module; Any where that is of another spec."""
    if project.out is None or not (project.out / "__init__.py").is_file():
        return Any
    package = package_name(project.configuration, project.out)
    try:
        built = import_module(f"{package}.{module.name}")
    except Exception:  # whatever is wrong there, the answer has a JSON form
        return Any
    for each in vars(built).values():
        if isinstance(each, FunctionLike) and each.definition == definition:
            return cast("AIFunction[Any, Any]", each)._answer
    return Any


def find_callables(project: Project) -> None:
    """Lets Python import the callables that specs name: tools, checks and defaults."""
    for folder in reversed(project.configuration.python_path):
        path = str((project.root / folder).absolute())
        if path not in sys.path:
            sys.path.insert(0, path)


__all__ = ["SpecFunction", "SpecTool", "find_callables"]
