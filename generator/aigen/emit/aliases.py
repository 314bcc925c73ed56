"""Private names for annotations that are too long, or of no use, where they would stand."""

from __future__ import annotations

from dataclasses import dataclass, field

from aigen.emit.layout import COLUMNS, Group, Node, Options, assigned
from aigen.emit.scope import ModuleScope
from aigen.emit.widths import width

LONGEST = 56
"""Columns of an annotation in a signature; a longer one gets a name."""
_TOGETHER = COLUMNS - len("    ) -> AsyncStream[, ]:")


@dataclass(slots=True)
class Aliases:
    """The private names that one function or tool declares above its class.

    What has got a name stands under it everywhere after: in further annotations, and in those that
    are values.

    Attributes:
        texts: the declarations, whole statements.
    """

    scope: ModuleScope
    texts: list[str] = field(default_factory=list)
    _names: dict[str, str] = field(default_factory=dict)

    def named(self, node: Node, wanted: str, room: int = LONGEST) -> str:
        """An annotation on one line; one longer than `room` gets the private name `wanted`."""
        node = self._short(node)
        if width(node) <= room or node.isidentifier():
            return str(node)
        return self._declared(node, wanted)

    def answers(self, answer: Node, part: Node, owner: str) -> tuple[str, str]:
        """The annotations of an answer and its partial, which must stand together on one line."""
        together = len(answer) + len(part)
        room = LONGEST if together <= _TOGETHER else _TOGETHER // 2
        first = self.named(answer, f"{owner}Answer", room)
        return first, self.named(part, f"{owner}Partial", room)

    def valued(self, node: Node, wanted: str) -> Node:
        """An annotation that stands as a value: an argument of a call.

        Type checkers take a union of `Annotated` types in annotations only, so one gets a name.
        """
        node = self._short(node)
        marked = f"{self.scope.imports.get(('typing', 'Annotated'))}["
        if isinstance(node, Options) and any(each.startswith(marked) for each in node.items):
            return self._declared(node, wanted)
        return node

    def _declared(self, node: Node, wanted: str) -> str:
        name = self.scope.private(wanted)
        self.texts.append(assigned(f"{name}: {self.scope.use('typing', 'TypeAlias')}", node))
        self._names[node] = name
        return name

    def _short(self, node: Node) -> Node:
        """The node with names for the parts that have one."""
        if not self._names:
            return node
        name = self._names.get(node)
        if name is not None:
            return name
        if isinstance(node, Options):
            *others, last = node.items
            whole = self._names.get(" | ".join(others)) if last == "None" else None
            return Options((whole, last) if whole else tuple(map(self._short, node.items)))
        if isinstance(node, Group):
            return Group(node.head, tuple(map(self._short, node.items)), node.close, node.body)
        return node
