"""References of a schema that come back to themselves with no list or member between."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from aigen.runtime.wire.plain import pointed

Schema = Mapping[str, Any]


def circles(
    schema: Any, everything: Iterable[Mapping[str, Any]]
) -> Iterator[tuple[list[str], Schema]]:
    """Each circle of references: the references, the first again at the end, and the last's place.

    Args:
        schema: whose references are `#/…` pointers into itself, or lead outside.
        everything: the schema and all schemas inside it.
    """
    done: set[int] = set()
    for start in everything:
        if "$ref" in start and id(start) not in done:
            yield from _circle(schema, start, done)


def _circle(root: Any, start: Schema, done: set[int]) -> Iterator[tuple[list[str], Schema]]:
    path: dict[int, Schema] = {id(start): start}
    stack: list[tuple[Schema, Iterator[Schema]]] = [(start, _applied(root, start))]
    while stack:
        schema, inner = stack[-1]
        following = next(inner, None)
        if following is None:
            stack.pop()
            del path[id(schema)]
            done.add(id(schema))
        elif id(following) in path:
            steps = list(path.values())[list(path).index(id(following)) :]
            circle = [step for step in steps if "$ref" in step]
            names = [step["$ref"] for step in circle]
            yield [*names, names[0]], circle[-1]
            done.update(path)
            return
        elif id(following) not in done:
            path[id(following)] = following
            stack.append((following, _applied(root, following)))


def _applied(root: Any, schema: Schema) -> Iterator[Schema]:
    """The schemas that judge the same value."""
    ref = schema.get("$ref")
    found: list[Any] = [pointed(root, ref)] if ref is not None and ref.startswith("#") else []
    for word in ("allOf", "anyOf", "oneOf"):
        found += schema.get(word, [])
    found += [schema[word] for word in ("not", "if", "then", "else") if word in schema]
    return iter([part for part in found if isinstance(part, dict)])
