"""A Python module of the user's own: its functions as tools, or its classes as types.

The module is read and never run. What a spec needs to say is little: the source has the rest, and
each build reads it again. The classes that functions take and give come with them, so only a
module without functions has its classes named.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

from aigen.diagnostics import Diagnostics
from aigen.importers.proof import built, faults
from aigen.importers.yaml_text import yaml_text
from aigen.resolve import ResolveContext
from aigen.source.parameters import with_defaults
from aigen.spec.python_names import module_name
from aigen.spec.python_syntax import Syntax, parse
from aigen.spec.reading import Reading
from aigen.spec.source import load, whole

_Definition: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef

_NO_TYPE: Final = "AIG503"
"""A class that is no type of values, as most classes are."""


def import_python(
    path: Path, diagnostics: Diagnostics, *, python_path: Sequence[Path] = (Path(),)
) -> str | None:
    """The spec of a module's functions and classes.

    Args:
        path: of the module's file.
        diagnostics: takes what is wrong and what is left out, at its place in that file.
        python_path: the folders that modules are imported from.

    Returns:
        A spec that builds, as YAML; None where a finding is an error.
    """
    shown = path.as_posix()
    if path.exists() and path.suffix not in (".py", ".pyi"):
        diagnostics.report(
            "AIG121", whole(shown), f"{shown} is no Python module", hint="name a .py"
        )
        return None
    source = load(path, shown, diagnostics)
    if source is None:
        return None
    tree = parse(Reading(source, path.parent, path.parent, diagnostics))
    roots = [root.resolve() for root in python_path]
    name = _module(path.resolve(), roots)
    if tree is not None and name is None:
        diagnostics.report(
            "AIG121",
            whole(shown),
            f"{shown} is a module of none of the folders in python_path, so no spec can name it",
            hint="add its folder to python_path in [tool.aigen]",
        )
    if tree is None or name is None:
        return None
    if _is_spec(tree):
        diagnostics.report(
            "AIG121", whole(shown), f"{shown} is a spec already", hint="build it as it is"
        )
        return None
    context = ResolveContext(python_path=tuple(roots))
    return _Import(tree, name, Syntax(source), context, diagnostics).spec(shown)


class _Import:
    def __init__(
        self,
        tree: ast.Module,
        module: str,
        syntax: Syntax,
        context: ResolveContext,
        diagnostics: Diagnostics,
    ) -> None:
        self._module = module
        self._syntax = syntax
        self._context = context
        self._diagnostics = diagnostics
        self._words = ast.get_docstring(tree)
        offered = {node.name: node for node in _public(tree)}
        functions = {k: n for k, n in offered.items() if not isinstance(n, ast.ClassDef)}
        self._found = functions or offered
        self._untyped: dict[str, list[str]] = {}
        self._left: set[str] = set()

    def spec(self, shown: str) -> str | None:
        """The spec without what cannot be known; None where nothing is left."""
        while True:
            made = self._made(shown)
            text = yaml_text(made)
            file, errors = built(made, text, self._context)
            wrong = {*faults(file, errors)} & self._found.keys()
            if not errors:
                break
            if not wrong:
                for each in errors:
                    said = f"no spec can hold this: {each.message}"
                    self._diagnostics.report("AIG121", whole(shown), said)
                return None
            for name in sorted(wrong):
                told = [each for each in errors if name in faults(file, [each])]
                self._mend(name, told[0].code, told[0].message)
        if self._found.keys() <= self._left:
            said = f"{shown} has no function and no type that a spec can name"
            self._diagnostics.report("AIG121", whole(shown), said)
            return None
        return text

    def _made(self, shown: str) -> dict[str, Any]:
        kept = {name: node for name, node in self._found.items() if name not in self._left}
        named = {name: {"python": f"{self._module}:{name}"} for name in kept}
        tools: dict[str, Any] = {
            name: {**named[name], **self._listed(name)}
            for name, node in kept.items()
            if not isinstance(node, ast.ClassDef)
        }
        types = {name: named[name] for name, node in kept.items() if isinstance(node, ast.ClassDef)}
        words = (self._words or f"Functions of {shown}.").partition("\n\n")[0]
        spec = {"aigen": 1, "description": words, "types": types, "tools": tools}
        return {key: value for key, value in spec.items() if value != {}}

    def _listed(self, name: str) -> Mapping[str, Any]:
        untyped = self._untyped.get(name)
        return {"parameters": {each: {"type": "json"} for each in untyped}} if untyped else {}

    def _mend(self, name: str, code: str, message: str) -> None:
        """Gives parameters without a type any; leaves out what is wrong in another way."""
        node = self._found[name]
        span = self._syntax.span(node)._replace(end_line=node.lineno, end_column=1)
        if isinstance(node, ast.ClassDef):
            self._left.add(name)
            if code != _NO_TYPE:
                self._diagnostics.report("AIG140", span, f"{name} is left out: {message}")
            return
        untyped = [each for each in _untyped(node) if name not in self._untyped]
        if code == "AIG411" and untyped:
            self._untyped[name] = [each.arg for each in untyped]
            for each in untyped:
                said = f"{each.arg} of {name} has no type, so it takes any value"
                place = self._syntax.span(each)
                self._diagnostics.report("AIG140", place, said, hint="annotate it")
            return
        self._left.add(name)
        self._diagnostics.report("AIG140", span, f"{name} is left out: {message}")


def _module(path: Path, roots: Sequence[Path]) -> str | None:
    name = module_name(path, roots)
    if name is None or name == "__init__":
        return None
    return name.removesuffix(".__init__")


def _public(tree: ast.Module) -> Iterator[_Definition]:
    """The functions and classes that a module offers: those of its `__all__`, if it has one."""
    offered = _offered(tree)
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        if node.name in offered if offered is not None else not node.name.startswith("_"):
            yield node


def _offered(tree: ast.Module) -> set[str] | None:
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        if any(isinstance(each, ast.Name) and each.id == "__all__" for each in targets):
            assert isinstance(node, ast.Assign)
            try:
                return {str(each) for each in ast.literal_eval(node.value)}
            except (ValueError, TypeError):
                return None
    return None


def _untyped(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.arg]:
    """The parameters without annotation, but for those that a literal default gives a type."""
    return [
        each
        for each, default in with_defaults(node.args)
        if each.annotation is None and not _says_type(default)
    ]


def _says_type(default: ast.expr | None) -> bool:
    if isinstance(default, ast.Constant):
        return isinstance(default.value, bool | int | float | str)
    return isinstance(default, ast.Tuple | ast.UnaryOp)


def _is_spec(tree: ast.Module) -> bool:
    return any(
        isinstance(node, ast.ImportFrom) and node.module == "aigen.declare" for node in tree.body
    )


__all__ = ["import_python"]
