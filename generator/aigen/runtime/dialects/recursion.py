"""Definitions of a plain schema that contain themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from aigen.runtime.wire.plain import Place, parts

Inside: TypeAlias = Callable[[Mapping[str, Any]], Iterator[tuple[Place, Any]]]


def recursive_in(defs: Mapping[str, Any]) -> str | None:
    """A definition that contains itself; None where there is none."""
    return next((name for name in defs if leads_to(defs[name], name, defs)), None)


def leads_to(schema: Any, goal: str, defs: Mapping[str, Any], inside: Inside = parts) -> bool:
    """Whether a schema refers to a definition, directly or not.

    Args:
        schema: where it begins.
        goal: the name of the definition.
        defs: all of them.
        inside: the parts of a schema that are followed.
    """
    seen: set[str] = set()
    pending: list[Any] = [schema]
    while pending:
        node = pending.pop()
        if not isinstance(node, Mapping):
            continue
        ref = node.get("$ref")
        if isinstance(ref, str):
            name = ref.removeprefix("#/$defs/")
            if name == goal:
                return True
            if name in defs and name not in seen:
                seen.add(name)
                pending.append(defs[name])
        pending.extend(part for _, part in inside(node))
    return False


__all__ = ["leads_to", "recursive_in"]
