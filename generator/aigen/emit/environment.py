"""The environments that templates run in: aigen's own, and a sandbox for those of a project."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Final

from jinja2 import (
    BaseLoader,
    ChoiceLoader,
    Environment,
    FileSystemLoader,
    FunctionLoader,
    PrefixLoader,
    StrictUndefined,
    nodes,
)
from jinja2.sandbox import ImmutableSandboxedEnvironment

from aigen.emit.templates import files, folder

OWN: Final = "aigen/"
"""What stands before the name of one of aigen's templates where a project's extends it."""


@cache
def environment() -> Environment:
    """The environment of aigen's own templates."""
    made = _Flat(loader=_own(), **_OPTIONS)
    made.globals.clear()  # every module's text would begin with a copy of them; none is used
    return made


def sandbox(read: Callable[[str], tuple[str, str] | None]) -> Environment:
    """An environment in which a project's templates come before aigen's.

    They see only texts and lists of them: no attribute that leads into Python, nothing they could
    change.

    Args:
        read: the source and the path of a project's template; None where it has none of this name.
    """

    def load(name: str) -> tuple[str, str, Callable[[], bool]] | None:
        found = read(name)
        return None if found is None else (*found, lambda: True)

    return ImmutableSandboxedEnvironment(
        loader=ChoiceLoader([FunctionLoader(load), _own()]), **_OPTIONS
    )


@cache
def blocks() -> dict[str, tuple[str, ...]]:
    """The blocks that a project may override, by aigen's template, in their order."""
    plain = Environment(**_OPTIONS)
    found = {}
    for path in files(folder()):
        tree = plain.parse(path.read_text(encoding="utf-8"), filename=str(path))
        names = tuple(block.name for block in tree.find_all(nodes.Block))
        if names:
            found[path.name] = names
    return found


class _Flat(Environment):
    """Writes blocks and includes in their places: nobody overrides them here.

    Each would be a generator of its own, through which every piece of text is handed up; without
    them a module is rendered three times as fast.
    """

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        tree = super()._parse(source, name, filename)
        self._flatten(tree)
        return tree

    def _flatten(self, node: nodes.Node) -> None:
        for value in vars(node).values():
            if isinstance(value, nodes.Node):
                self._flatten(value)
            elif isinstance(value, list) and value and isinstance(value[0], nodes.Stmt):
                value[:] = self._in_place(value)

    def _in_place(self, body: list[nodes.Node]) -> list[nodes.Node]:
        found: list[nodes.Node] = []
        for node in body:
            if isinstance(node, nodes.Block):
                found += self._in_place(node.body)
            elif isinstance(node, nodes.Include) and isinstance(node.template, nodes.Const):
                found += self._included(node.template.value)
            elif isinstance(node, nodes.Output) and found and isinstance(found[-1], nodes.Output):
                found[-1].nodes += node.nodes  # one text where there were two
            else:
                self._flatten(node)
                found.append(node)
        return found

    def _included(self, name: str) -> list[nodes.Node]:
        assert self.loader is not None, "it has aigen's own templates"
        source, filename, _ = self.loader.get_source(self, name)
        return self._parse(source, name, filename).body


def _own() -> BaseLoader:
    """Loads aigen's templates, by their own names and by those that stay theirs."""
    own = FileSystemLoader(folder())
    return ChoiceLoader([own, PrefixLoader({OWN.rstrip("/"): own})])


_OPTIONS: Final[dict[str, Any]] = {
    "undefined": StrictUndefined,
    "trim_blocks": True,
    "lstrip_blocks": True,
    "keep_trailing_newline": True,
    "auto_reload": False,
}
