"""A schema, ready to direct repairs: what stands where, and what is only judged.

The canonical vocabulary is understood; whatever else a schema of a spec's own says makes that part
`opaque`: a value there is taken as it is, and judged.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from aigen.runtime.values import Judge
from aigen.runtime.values.shape import ALL_FORMATS, Scope, resolve
from aigen.runtime.wire.repair.words import Levels, folded

Form = Literal["opaque", "any", "union", "choice", "record", "list", "scalar"]

_WORDS = frozenset(
    (
        *("title", "description", "format", "default", "examples", "deprecated", "$comment"),
        *("readOnly", "writeOnly", "$defs", "$schema", "$id", "x-aigen-shape"),
    )
)
_KNOWN = {
    "record": frozenset({"type", "properties", "required", "additionalProperties"}),
    "list": frozenset({"type", "items", "prefixItems"}),
    "scalar": frozenset({"type"}),
    "choice": frozenset({"type", "enum", "const"}),
    "union": frozenset({"anyOf"}),
}
_LIMITS = frozenset(
    (
        *("minLength", "maxLength", "pattern", "format", "minItems", "maxItems", "uniqueItems"),
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
        *("minProperties", "maxProperties", "x-aigen-given"),
    )
)


class Node:
    """One place of a schema.

    Attributes:
        form: how a value is fitted to it.
        kind: the JSON type of a scalar.
        check: what the place wants beside its form; None where that is nothing.
        options: of a union.
        members: of a record, by name; `needed` are required, `others` is what the rest must be
            (None: there is no rest), `keys` are the names by their letters.
        heads, item: of a list; None: no more items.
        values: the levels of a choice that are no text; `levels` finds those that are.
    """

    __slots__ = (
        "check",
        "form",
        "heads",
        "item",
        "keys",
        "kind",
        "levels",
        "members",
        "needed",
        "options",
        "others",
        "values",
    )

    def __init__(self) -> None:
        self.form: Form = "opaque"
        self.kind = ""
        self.check: Judge | None = None
        self.options: list[Node] = []
        self.members: dict[str, Node] = {}
        self.needed: frozenset[str] = frozenset()
        self.others: Node | None = None
        self.keys: dict[str, str] = {}
        self.heads: list[Node] = []
        self.item: Node | None = None
        self.values: list[Any] = []
        self.levels: Levels | None = None


class Nodes:
    """Compiles schemas to nodes; a recursive one refers back to its node.

    Args:
        defs: what `#/$defs/<name>` means.
    """

    def __init__(self, defs: Mapping[str, Any]) -> None:
        self._scope = Scope(defs, ALL_FORMATS)
        self._made: dict[tuple[int, int], Node] = {}
        self._kept: list[Any] = []

    def of(self, schema: Any, scope: Scope | None = None) -> Node:
        """The node of a schema."""
        scope = scope or self._scope
        key = (id(schema), id(scope.root))
        node = self._made.get(key)
        if node is None:
            node = self._made[key] = Node()
            self._kept.append(schema)
            self._fill(node, schema, scope)
        return node

    def _fill(self, node: Node, schema: Any, scope: Scope) -> None:
        if not isinstance(schema, Mapping):
            node.form, node.check = ("any", None) if schema else ("opaque", Judge(False, None))
            return
        scope = scope.inside(schema)
        if "$ref" in schema and not schema.keys() - _WORDS - {"$ref"}:
            target, inner = resolve(schema["$ref"], scope)
            # One option alone is that option; a reference to itself has none that fits.
            node.form, node.options = "union", [self.of(target, inner)]
            return
        node.form = _form(schema, scope)
        if node.form == "opaque":
            node.check = self._judge(schema, scope)
            return
        limits = {word: schema[word] for word in schema.keys() & _LIMITS}
        if node.form not in ("union", "any") and limits:
            node.check = self._judge(limits, scope)
        getattr(self, f"_{node.form}")(node, schema, scope)

    def _judge(self, schema: Mapping[str, Any], scope: Scope) -> Judge:
        if scope.root is None:
            return Judge(schema, scope.defs)
        held = scope.root.get("$defs") if isinstance(scope.root, Mapping) else None
        own = {"$defs": held} if isinstance(held, Mapping) else {}
        return Judge({**schema, **own, "x-aigen-shape": True}, scope.defs)

    def _any(self, node: Node, schema: Mapping[str, Any], scope: Scope) -> None:
        """Nothing more is known of it."""

    def _scalar(self, node: Node, schema: Mapping[str, Any], scope: Scope) -> None:
        node.kind = schema["type"]

    def _union(self, node: Node, schema: Mapping[str, Any], scope: Scope) -> None:
        if "anyOf" in schema:
            node.options = [self.of(option, scope) for option in _merged(schema["anyOf"])]
        else:
            parts = [{**schema, "type": kind} for kind in schema["type"]]
            node.options = [self.of(part, scope) for part in parts]

    def _choice(self, node: Node, schema: Mapping[str, Any], scope: Scope) -> None:
        levels = list(schema["enum"] if "enum" in schema else [schema["const"]])
        texts = [level for level in levels if isinstance(level, str)]
        node.values = [level for level in levels if not isinstance(level, str)]
        node.check = self._judge(
            {word: schema[word] for word in schema.keys() & {"type", "enum", "const"}}, scope
        )
        if texts:
            node.levels = Levels(texts, _meanings(texts, schema.get("description")))

    def _record(self, node: Node, schema: Mapping[str, Any], scope: Scope) -> None:
        properties = schema.get("properties", {})
        node.members = {name: self.of(inner, scope) for name, inner in properties.items()}
        node.needed = frozenset(schema.get("required", ()))
        # A record of our own is closed; under JSON Schema's own rules it is open.
        open_ = scope.root is not None or "properties" not in schema
        others = schema.get("additionalProperties", open_)
        node.others = None if others is False else self.of(others, scope)
        for name in properties:
            key = folded(name)
            node.keys[key] = "" if key in node.keys else name

    def _list(self, node: Node, schema: Mapping[str, Any], scope: Scope) -> None:
        node.heads = [self.of(head, scope) for head in schema.get("prefixItems", ())]
        items = schema.get("items", True)
        node.item = None if items is False else self.of(items, scope)


def _form(schema: Mapping[str, Any], scope: Scope) -> Form:
    said = schema.keys() - _WORDS - _LIMITS
    kind = schema.get("type")
    form: Form
    if not said:
        return "opaque" if schema.keys() & _LIMITS else "any"
    if "enum" in schema or "const" in schema:
        form = "choice"
    elif "anyOf" in schema or isinstance(kind, list):
        form = "union"
        if isinstance(kind, list) and "anyOf" not in schema:
            return form
    elif kind == "object" or (kind is None and "properties" in schema and scope.root is None):
        form = "record"
    elif kind == "array":
        form = "list"
    elif isinstance(kind, str):
        form = "scalar"
    else:
        return "opaque"
    return form if said <= _KNOWN[form] else "opaque"


def _merged(options: list[Any]) -> list[Any]:
    """Options with all choices as one, so that a sentence that names two of them names two."""
    choices = [
        one for one in options if isinstance(one, Mapping) and ("enum" in one or "const" in one)
    ]
    if len(choices) < 2 or any(one.keys() - _KNOWN["choice"] - _WORDS for one in choices):
        return options
    levels = [level for one in choices for level in one.get("enum", [one.get("const")])]
    said = "\n".join(str(one["description"]) for one in choices if "description" in one)
    return [{"enum": levels, "description": said}, *(one for one in options if one not in choices)]


def _meanings(levels: list[str], description: Any) -> dict[str, str]:
    """What a choice's description says of its levels, a line each."""
    found = {}
    for line in description.splitlines() if isinstance(description, str) else ():
        for level in levels:
            if line.startswith(f"{level}: "):
                found[level] = line[len(level) + 2 :]
    return found
