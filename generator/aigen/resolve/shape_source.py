"""A JSON Schema as a spec gave it: checked keyword by keyword, and made to refer to itself only.

What comes out is a schema of draft 2020-12 whose references are all `#/…` pointers: ids and
anchors are resolved, tuples written as older drafts wrote them are rewritten, and what an older
draft ignores beside `$ref` is gone. Nothing is fetched.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from aigen.diagnostics import Diagnostics, Span, nearest
from aigen.resolve.constraints import pattern_problem
from aigen.resolve.shape_circles import circles
from aigen.resolve.shape_keywords import (
    ELSEWHERE,
    KEYWORDS,
    PAIRS,
    TYPES,
    WORDS_ASIDE,
    schema_for,
    wrong_value,
)
from aigen.resolve.shape_references import References, Steps, is_old
from aigen.resolve.words import quoted
from aigen.runtime.wire.plain import BY_NAME, HOLDING, MANY, ONE, everything, pointed
from aigen.spec import nodes
from aigen.spec.nodes import Node

Schema = dict[str, Any]

DYNAMIC: Final = frozenset({"$dynamicRef", "$recursiveRef"})
_NAMING: Final = frozenset({"$id", "id", "$anchor", "$dynamicAnchor"})
_WORDS: Final = frozenset({"title", "description", "default", "examples", "deprecated"})
_META: Final = re.compile(r"https?://json-schema\.org/(draft|specification|schema)")


class Source:
    """A schema, its places, and what its references mean.

    Attributes:
        given: the schema as it was given.
        schema: the schema, as the module's docstring says.
        good: whether nothing in it is wrong.
        outside: whether it refers to a metaschema, which stays outside.
        everything: the schema and all schemas inside it that are mappings.
    """

    def __init__(self, schema: Any, node: Node, diagnostics: Diagnostics) -> None:
        self.good = True
        self.outside = False
        self.given = schema
        self._diagnostics = diagnostics
        self._node = node
        self._nodes: dict[int, Node] = {}
        self._origins: dict[int, Any] = {}
        self._kept: list[Any] = []  # so that no id is used twice
        self._old = is_old(schema)
        self._references = References(old=self._old)
        self._found: dict[str, Any] = {}  # what references mean
        self._referring: list[tuple[Schema, str, Span]] = []  # each with its base
        self.schema: Any = self._read(schema, node, "", ())
        for made, base, span in self._referring:
            made["$ref"] = self._reference(made["$ref"], base, span)
        self.everything: list[Schema] = everything(self.schema)
        for names, place in circles(self.schema, self.everything):
            self.report(
                "AIG232",
                self.at(place, "$ref"),
                f"references go in a circle: {' → '.join(names)}",
                hint="say what one of them is",
            )

    # ------------------------------------------------------------------------- asking

    def says(self, schema: Any) -> bool:
        """Whether another schema says the same as the one given, but for words of the whole."""
        return bool(_without_words(schema) == _without_words(self.given))

    def span(self, schema: Any) -> Span:
        """Where a schema stands; the whole where it was put together."""
        return self._nodes.get(id(schema), self._node).span

    def at(self, schema: Any, key: str) -> Span:
        """Where a keyword's value stands."""
        node = self._nodes.get(id(schema))
        if isinstance(node, nodes.Mapping) and key in node.entries:
            return node.entries[key].value.span
        return self.span(schema)

    def node(self, schema: Any) -> Node | None:
        """The node that a schema was read from."""
        return self._nodes.get(id(schema))

    def stands_for(self, made: Any, schema: Any) -> None:
        """Says that a schema put together stands where another was read."""
        node = self._nodes.get(id(schema))
        if node is not None:
            self._nodes[id(made)] = node
        self._kept.append(made)
        self._origins[id(made)] = self.origin(schema)

    def origin(self, schema: Any) -> Any:
        """The schema as read, in whose place one was put together."""
        return self._origins.get(id(schema), schema)

    def replace(self, made: Schema) -> None:
        """Takes another schema that means the same for the whole."""
        self.stands_for(made, self.schema)
        self.schema = made
        self.everything = everything(made)
        self._found.clear()

    def target(self, ref: str) -> Any:
        """What a reference means; None for one that leads outside."""
        if ref not in self._found:
            self._found[ref] = pointed(self.schema, ref) if ref.startswith("#") else None
        return self._found[ref]

    def report(self, code: str, span: Span, message: str, **more: Any) -> None:
        """Reports a fault of the schema."""
        self.good = False
        self._diagnostics.report(code, span, message, **more)

    def warn(self, code: str, span: Span, message: str, **more: Any) -> None:
        """Reports what is odd, and no fault."""
        self._diagnostics.report(code, span, message, **more)

    def _reference(self, ref: str, base: str, span: Span) -> str:
        """A reference as a pointer from the root; one that leads nowhere as it is."""
        pointer = self._references.pointer(ref, base)
        if pointer is not None and pointed(self.given, pointer) is not None:
            return pointer
        if pointer is None and _META.match(ref):
            self.outside = True
            return ref
        if pointer is None and not ref.startswith("#"):
            wrong = f"$ref {quoted(ref)} leads out of the schema, and nothing is fetched"
            hint = "copy what it means into $defs and refer to that"
        else:
            meant = self._references.nearest(ref, self.given)
            wrong = f"$ref {quoted(ref)} leads to nothing"
            hint = f'did you mean "{meant}"?' if meant else "define it under $defs"
        self.report("AIG231", span, wrong, hint=hint)
        return ref

    # ------------------------------------------------------------------------ reading

    def _read(self, schema: Any, node: Node, base: str, steps: Steps) -> Any:
        """A schema checked and copied; its references mean something once all of it is read."""
        if isinstance(schema, bool):
            return schema
        if not isinstance(schema, dict):
            self.report(
                "AIG230",
                node.span,
                f"a schema is a mapping, true or false, not {quoted(schema)}",
                hint=schema_for(schema),
            )
            return True
        entries = node.entries if isinstance(node, nodes.Mapping) else {}
        if not steps or not _NAMING.isdisjoint(schema):
            base = self._references.note(schema, base, steps)
        made: Schema = {}
        for key, value in schema.items():
            at, place = entries.get(key) or (node, node)
            if self._keyword(schema, key, value, place, at):
                holds = key in HOLDING
                made[key] = self._inside(key, value, place, base, steps) if holds else value
        if self._old and "$ref" in schema:
            made = self._only_ref(made, schema, entries, node)
        if isinstance(made.get("items"), list):
            self._tuples(made)
        self._nodes[id(made)] = node
        self._bounds(made, entries)
        if "$ref" in made:
            place = entries["$ref"].value if "$ref" in entries else node
            self._referring.append((made, base, place.span))
        return made

    def _inside(self, key: str, value: Any, place: Node, base: str, steps: Steps) -> Any:
        """The value of a keyword that holds schemas."""
        if key in BY_NAME:
            inner = place.entries if isinstance(place, nodes.Mapping) else {}
            return {
                name: part
                if isinstance(part, list) and key == "dependencies"
                else self._read(
                    part, inner[name].value if name in inner else place, base, (steps, key, name)
                )
                for name, part in value.items()
            }
        if isinstance(value, list) and (key in MANY or key == "items"):
            items = place.items if isinstance(place, nodes.Sequence) else ()
            return [
                self._read(
                    part, items[at] if at < len(items) else place, base, (steps, key, str(at))
                )
                for at, part in enumerate(value)
            ]
        return self._read(value, place, base, (steps, key)) if key in ONE else value

    def _only_ref(
        self,
        made: Schema,
        schema: Mapping[str, Any],
        entries: Mapping[str, nodes.Entry],
        node: Node,
    ) -> Schema:
        kept = {"$ref", "$schema", "$id", "id", "definitions", "$defs", "$comment", *_WORDS}
        for key in schema.keys() - kept:
            if key in KEYWORDS and key not in WORDS_ASIDE - {"enum", "const", "required"}:
                self.warn(
                    "AIG237",
                    entries[key].key.span if key in entries else node.span,
                    f"{key} beside $ref is ignored in this draft of JSON Schema",
                    hint="put both into allOf, or write draft 2020-12",
                )
        return {key: made[key] for key in made if key in kept}

    def _tuples(self, made: Schema) -> None:
        heads, rest = made.pop("items"), made.pop("additionalItems", True)
        made["prefixItems"], made["items"] = heads, rest
        if rest is True:
            del made["items"]

    # ----------------------------------------------------------------------- keywords

    def _keyword(
        self, schema: Mapping[str, Any], key: str, value: Any, place: Node, at: Node
    ) -> bool:
        """Whether a keyword is kept; reports it where its value is wrong."""
        if key == "type":
            return self._type(value, place)
        if key not in KEYWORDS:
            self._unknown(key, at.span)
            return not key.startswith("x-aigen-")
        if key in ("$comment", "example"):
            return key == "example"
        wrong = wrong_value(schema, key, value)
        if wrong:
            message, hint = wrong
            self.report("AIG230", place.span, f"{key} {message}", hint=hint)
            return False
        if key == "pattern":
            return self._pattern(value, place.span)
        if key == "patternProperties":
            inner = place.entries if isinstance(place, nodes.Mapping) else {}
            places = [inner[name].key.span if name in inner else at.span for name in value]
            problems = [not self._pattern(*each) for each in zip(value, places, strict=True)]
            return not any(problems)
        return True

    def _unknown(self, key: str, at: Span) -> None:
        if key.startswith(("x-", "$")):
            return
        # Unknown keywords are words by the rules of JSON Schema; a misspelt one is a trap.
        close = nearest(
            key, [word for word in KEYWORDS - WORDS_ASIDE if len(word) > 4] + ["required"]
        )
        alike = close is not None and abs(len(close) - len(key)) < 3
        if alike and close != key:
            self.warn(
                "AIG236",
                at,
                f"JSON Schema has no keyword {quoted(key)}",
                hint=f"did you mean {close}?",
            )

    def _pattern(self, pattern: str, span: Span) -> bool:
        problem = pattern_problem(pattern)
        if problem:
            self.report(
                "AIG208", span, f"pattern {quoted(pattern)} is no regular expression: {problem}"
            )
        return problem is None

    def _type(self, value: Any, place: Node) -> bool:
        if isinstance(value, str) and value in TYPES:
            return True
        names = value if isinstance(value, list) else [value]
        items = place.items if isinstance(place, nodes.Sequence) else [place] * len(names)
        good = True
        for at, name in enumerate(names):
            if name in TYPES:
                continue
            good = False
            if name in ("any", "Any"):
                hint: str | None = "leave type out"
            else:
                close = ELSEWHERE.get(name.lower()) if isinstance(name, str) else None
                close = close or (nearest(name, TYPES) if isinstance(name, str) else None)
                hint = f"did you mean {close}?" if close else f"write one of {', '.join(TYPES)}"
            span = items[at].span if at < len(items) else place.span
            self.report("AIG233", span, f"{quoted(name)} is no type of JSON Schema", hint=hint)
        if good and not names:
            self.report("AIG233", place.span, "type is an empty list", hint="name a type")
        return good and bool(names)

    def _bounds(self, made: Schema, entries: Mapping[str, nodes.Entry]) -> None:
        for low, high in PAIRS:
            if low in made and high in made and made[low] > made[high]:
                places = [
                    entries[key].value.span if key in entries else None for key in (low, high)
                ]
                self.report(
                    "AIG235",
                    places[1] or self.span(made),
                    f"no value has {low} {made[low]} and {high} {made[high]}",
                    related=[(places[0], f"{low} is here")] if places[0] else (),
                )


def _without_words(schema: Any) -> Any:
    if not isinstance(schema, dict):
        return schema
    return {key: schema[key] for key in schema if key not in ("description", "default")}


__all__ = ["DYNAMIC", "Source"]
