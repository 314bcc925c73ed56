"""What the definitions of a plain schema refer to; they may be many, and a long chain."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from aigen.runtime.wire.plain import Place, parts

Inside: TypeAlias = Callable[[Mapping[str, Any]], Iterator[tuple[Place, Any]]]
"""Gives the parts of a schema that are followed."""


def name_of(node: Mapping[str, Any]) -> str:
    """The definition that a schema refers to; empty where it refers to none."""
    return str(node.get("$ref", "")).removeprefix("#/$defs/")


def references(schema: Any, defs: Mapping[str, Any], inside: Inside = parts) -> Iterator[str]:
    """The definitions that a schema itself refers to, in the order written.

    Args:
        schema: plain.
        defs: all of them.
        inside: the parts of a schema that are followed.
    """
    pending = [schema]
    while pending:
        node = pending.pop()
        if isinstance(node, Mapping):
            if (name := name_of(node)) in defs:
                yield name
            pending += [part for place, part in inside(node) if place[0] != "$defs"][::-1]


def inner_first(names: Iterable[str], to: Callable[[str], Iterable[str]]) -> Iterator[str]:
    """Definitions and all that they lead to, each after those that it leads to.

    Args:
        names: of the definitions.
        to: gives those that one refers to.
    """
    seen: set[str] = set()
    path = [("", iter(names))]
    while path:
        name, following = path[-1]
        found = next((each for each in following if each not in seen), None)
        if found is not None:
            seen.add(found)
            path.append((found, iter(to(found))))
        else:
            path.pop()
            if path:
                yield name


def circles(defs: Mapping[str, Any], inside: Inside = parts) -> dict[str, str]:
    """One of the definitions that each is in a circle with: those have the same.

    Args:
        defs: all of them.
        inside: the parts of a schema that are followed.
    """
    to = {name: [*references(schema, defs, inside)] for name, schema in defs.items()}
    back: dict[str, list[str]] = {name: [] for name in defs}
    for name, others in to.items():
        for other in others:
            back[other].append(name)
    found: dict[str, str] = {}
    # Kosaraju's: from the last one, what leads back to it and is in no other circle is in its own.
    for name in [*inner_first(defs, to.__getitem__)][::-1]:
        pending = [name]
        while pending:
            if (each := pending.pop()) not in found:
                found[each] = name
                pending += back[each]
    return found


def recursive_in(defs: Mapping[str, Any]) -> str | None:
    """A definition that contains itself; None where there is none."""
    circle = circles(defs)
    return next(
        (
            name
            for name in defs
            if any(circle[each] == circle[name] for each in references(defs[name], defs))
        ),
        None,
    )


__all__ = ["Inside", "circles", "inner_first", "name_of", "recursive_in", "references"]
