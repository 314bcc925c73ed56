"""How two schemas differ: which takes more, which less, and where.

Values that only the schema before takes make a difference `narrower`; those that only the one after
takes, `wider`. Where neither holds, or where the Python type is another, it is `other`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

from aigen.compare.constraints import constraints
from aigen.compare.words import listed, quoted, type_name

Facet = Literal["type", "level", "constraint", "member", "default", "words"]
Way = Literal["wider", "narrower", "added", "other"]


class Difference(NamedTuple):
    """One difference between two schemas.

    Attributes:
        path: where, such as `order.lines[].quantity`.
        facet: what of the schema.
        way: `added` is a member that may be absent: no code breaks at it.
    """

    path: str
    facet: Facet
    way: Way
    words: str


@dataclass(frozen=True, slots=True)
class Node:
    """A schema and the definitions that its `$ref`s mean.

    Attributes:
        name: of the definition that it is, where a `$ref` led to it.
    """

    schema: Any
    defs: Mapping[str, Any]
    name: str = ""

    def inner(self, schema: Any) -> Node:
        """A part of it."""
        return Node(schema, self.defs)

    def target(self) -> Node:
        """What a `$ref` leads to; itself where it is none, or leads nowhere."""
        here, passed = self._scoped(), set[str]()
        while isinstance(here.schema, Mapping) and "$ref" in here.schema:
            name = str(here.schema["$ref"]).removeprefix("#/$defs/")
            if name in passed or name not in here.defs:
                return here
            passed.add(name)
            here = Node(here.defs[name], here.defs, name)._scoped()
        return Node(_ANY, here.defs) if here.schema is True else here

    def _scoped(self) -> Node:
        """A schema that a spec wrote itself brings its own definitions."""
        if isinstance(self.schema, Mapping) and self.schema.get("x-aigen-shape"):
            return Node(self.schema, self.schema.get("$defs", {}), self.name)
        return self

    def options(self) -> list[Node]:
        """The types that it is one of, all of them targets."""
        here = self.target()
        if not isinstance(here.schema, Mapping) or set(here.schema) - _BESIDE != {"anyOf"}:
            return [here]
        return [one for option in here.schema["anyOf"] for one in here.inner(option).options()]


def differences(before: Node, after: Node, path: str) -> list[Difference]:
    """All differences between two schemas, in the order of the first.

    Args:
        before: the earlier schema.
        after: the later one.
        path: where they stand, for the paths of what is found.
    """
    return list(_Walk().node(before, after, path))


_BESIDE: Final = frozenset(
    ("description", "default", "examples", "deprecated", "title", "x-aigen-shape", "$defs")
)
"""Keywords that take and refuse nothing."""

_ANY: Final[Mapping[str, Any]] = {}
"""What `true` means; one object, for what was compared is known by its identity."""

_PYTHON: Final = frozenset(("date", "date-time", "time", "duration", "decimal", "uuid"))
"""Formats whose values have a Python type of their own."""


class _Walk:
    """One walk; a pair of schemas is compared once, so types may name themselves."""

    def __init__(self) -> None:
        self._seen: set[tuple[int, int]] = set()

    def node(self, before: Node, after: Node, path: str) -> Iterator[Difference]:
        yield from _beside(before, after, path)
        old, new = before.target(), after.target()
        key = (id(old.schema), id(new.schema))
        if key in self._seen or (old.defs is new.defs and old.schema is new.schema):
            return
        self._seen.add(key)
        pairs, gone, come = _matched(old.options(), new.options())
        for one, other in pairs:
            yield from self._same_kind(one, other, path)
        yield from _replaced(gone, come, path)

    def _same_kind(self, old: Node, new: Node, path: str) -> Iterator[Difference]:
        if not isinstance(old.schema, Mapping) or not isinstance(new.schema, Mapping):
            return
        yield from _levels(old.schema, new.schema, path)
        for way, words in constraints(old.schema, new.schema):
            yield Difference(path, "constraint", way, words)
        yield from self._items(old, new, path)
        if "properties" in old.schema or "properties" in new.schema:
            yield from self._members(old, new, path)
        yield from self._others(old, new, path)

    def _items(self, old: Node, new: Node, path: str) -> Iterator[Difference]:
        if "items" in old.schema or "items" in new.schema:
            before, after = (one.inner(one.schema.get("items", True)) for one in (old, new))
            yield from self.node(before, after, f"{path}[]")
        olds, news = old.schema.get("prefixItems", []), new.schema.get("prefixItems", [])
        if len(olds) != len(news):
            words = f"it had {len(olds)} items and has {len(news)}"
            yield Difference(path, "type", "other", words)
            return
        for index, (one, other) in enumerate(zip(olds, news, strict=True)):
            yield from self.node(old.inner(one), new.inner(other), f"{path}[{index}]")

    def _members(self, old: Node, new: Node, path: str) -> Iterator[Difference]:
        before, after = old.schema.get("properties", {}), new.schema.get("properties", {})
        needed, needs = old.schema.get("required", ()), new.schema.get("required", ())
        for name, schema in before.items():
            place = _joined(path, name)
            if name not in after:
                yield Difference(place, "member", "other", "the member is gone")
                continue
            if name in needs and name not in needed:
                yield Difference(place, "member", "narrower", "the member is required now")
            if name in needed and name not in needs:
                yield Difference(place, "member", "wider", "the member may be absent now")
            yield from self.node(old.inner(schema), new.inner(after[name]), place)
        for name in after:
            if name not in before:
                way: Way = "narrower" if name in needs else "added"
                words = "a required member is new" if name in needs else "an optional member is new"
                yield Difference(_joined(path, name), "member", way, words)

    def _others(self, old: Node, new: Node, path: str) -> Iterator[Difference]:
        """Members that a schema does not name."""
        before, after = (one.schema.get("additionalProperties", True) for one in (old, new))
        if before is False and after is not False:
            yield Difference(path, "member", "wider", "it takes members that it does not name")
        elif after is False and before is not False:
            words = "it takes no members but those that it names"
            yield Difference(path, "member", "narrower", words)
        elif before is not after:
            yield from self.node(old.inner(before), new.inner(after), f"{path}.*")


def _beside(before: Node, after: Node, path: str) -> Iterator[Difference]:
    """Defaults and words, which stand beside a `$ref` or where it leads."""
    for keyword in ("default", "description", "examples"):
        old, new = _said(before, keyword), _said(after, keyword)
        if old is new or quoted(old) == quoted(new):
            continue
        if keyword == "default":
            words = f"the default {quoted(old)} is now {quoted(new)}"
            if old is None:
                words = f"the default {quoted(new)} is new"
            elif new is None:
                words = f"the default {quoted(old)} is gone"
            yield Difference(path, "default", "other", words)
        else:
            yield Difference(path, "words", "other", f"the {keyword} is another")


def _said(node: Node, keyword: str) -> Any:
    for one in (node, node.target()):
        if isinstance(one.schema, Mapping) and keyword in one.schema:
            return one.schema[keyword]
    return None


def _levels(old: Mapping[str, Any], new: Mapping[str, Any], path: str) -> Iterator[Difference]:
    before, after = _enum(old), _enum(new)
    if before is None and after is not None:
        yield Difference(path, "type", "narrower", f"it is now one of {listed(after)}")
    elif after is None and before is not None:
        yield Difference(path, "type", "wider", f"it is no longer one of {listed(before)}")
    elif before is not None and after is not None:
        # 1 and true are equal in Python and two levels here.
        lefts, rights = map(quoted, before), map(quoted, after)
        olds, news = dict.fromkeys(lefts), dict.fromkeys(rights)
        for level in olds:
            if level not in news:
                yield Difference(path, "level", "narrower", f"the level {level} is gone")
        for level in news:
            if level not in olds:
                yield Difference(path, "level", "wider", f"the level {level} is new")


def _enum(schema: Mapping[str, Any]) -> list[Any] | None:
    if "const" in schema:
        return [schema["const"]]
    found: list[Any] | None = schema.get("enum")
    return found


def _matched(
    before: list[Node], after: list[Node]
) -> tuple[list[tuple[Node, Node]], list[Node], list[Node]]:
    """Options of the same kind in pairs, equal ones first; and those that only one side has."""
    if len(before) == len(after) == 1 and _alike(before[0], after[0]):
        return [(before[0], after[0])], [], []
    pairs, gone, come = [], list(before), list(after)
    for alike in (_equal, _namesakes, _alike):
        for one in tuple(gone):
            other = next((node for node in come if alike(one, node)), None)
            if other is not None:
                pairs.append((one, other))
                gone = [node for node in gone if node is not one]
                come = [node for node in come if node is not other]
    return pairs, gone, come


def _equal(one: Node, other: Node) -> bool:
    return quoted(one.schema) == quoted(other.schema)


def _namesakes(one: Node, other: Node) -> bool:
    return one.name == other.name != "" and _alike(one, other)


def _alike(one: Node, other: Node) -> bool:
    return _kind(one.schema) == _kind(other.schema)


def _kind(schema: Any) -> tuple[str, ...]:
    """What decides which Python type a schema's values have."""
    if not isinstance(schema, Mapping):
        return ("nothing",)
    kind = schema.get("type")
    if kind is None and (levels := _enum(schema)):
        kinds = {type(level).__name__ for level in levels}
        kind = {"str": "string", "int": "integer", "bool": "boolean"}.get("".join(kinds))
    match kind:
        case "string" if schema.get("format") in _PYTHON:
            return ("string", schema["format"])
        case "string":
            return ("string", schema.get("x-aigen-media", ""))
        case "array":
            form = "set" if schema.get("uniqueItems") else "list"
            return ("array", "tuple" if "prefixItems" in schema else form)
        case "object":
            return ("object", "record" if "properties" in schema else "map")
        case None:
            return ("any",) if not set(schema) - _BESIDE else ("mixed",)
        case _:
            return (quoted(kind),)


_INTEGER, _NUMBER = ('"integer"',), ('"number"',)


def _replaced(gone: list[Node], come: list[Node], path: str) -> Iterator[Difference]:
    """Types that one side alone takes."""
    if gone and come:
        words = f"{_named(gone)} is now {_named(come)}"
        olds, news = ({_kind(node.schema) for node in nodes} for nodes in (gone, come))
        if news == {("any",)} or (olds, news) == ({_INTEGER}, {_NUMBER}):
            yield Difference(path, "type", "wider", words)
        elif olds == {("any",)} or (olds, news) == ({_NUMBER}, {_INTEGER}):
            yield Difference(path, "type", "narrower", words)
        else:
            yield Difference(path, "type", "other", words)
    elif gone:
        yield Difference(path, "type", "narrower", f"it is no longer {_named(gone)}")
    elif come:
        yield Difference(path, "type", "wider", f"it may also be {_named(come)}")


def _named(nodes: list[Node]) -> str:
    return " or ".join(node.name or type_name(node.schema) for node in nodes)


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
