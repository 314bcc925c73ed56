"""Members of a reply that the answer lacks: nobody asked for them, or their null means *absent*.

A strict form tells null for *absent* from any other null by its plan (`decode`). Here nothing was
agreed, so a null is taken for *absent* only where it cannot be a value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from aigen.runtime.wire.decode import key_of
from aigen.runtime.wire.overlap import Look, kinds_of


def drop(value: Any, schema: Mapping[str, Any]) -> list[str]:
    """Removes members that closed objects do not name, and nulls for what may be absent.

    Args:
        value: JSON; it is changed.
        schema: every reference in it is to its own `$defs`, as `to_plain` makes it.

    Returns:
        Each removal, as the repair that it is.
    """
    defs = schema.get("$defs", {})
    return list(_dropped(value, schema, lambda ref: defs.get(key_of(ref) or ""), ""))


def _dropped(value: Any, schema: Any, look: Look, at: str) -> Iterator[str]:
    if not isinstance(schema, Mapping) or not isinstance(value, (dict, list)):
        return
    if "$ref" in schema:
        yield from _dropped(value, look(schema["$ref"]), look, at)
    options = [one for one in schema.get("anyOf", ()) if _may_be_meant(value, one, look)]
    if len(options) == 1:
        yield from _dropped(value, options[0], look, at)
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from _dropped(item, schema.get("items"), look, f"{at}{number}.")
    elif isinstance(schema.get("properties"), Mapping):
        yield from _members_dropped(value, schema, look, at)


def _members_dropped(
    value: dict[str, Any], schema: Mapping[str, Any], look: Look, at: str
) -> Iterator[str]:
    properties, required = schema["properties"], schema.get("required", ())
    for name, member in list(value.items()):
        if name not in properties:
            if schema.get("additionalProperties") is False:
                del value[name]
                yield f"dropped {at}{name}"
        elif member is not None:
            yield from _dropped(member, properties[name], look, f"{at}{name}.")
        elif name not in required and "null" not in kinds_of(properties[name], look):
            del value[name]
            yield f"took null for absent {at}{name}"


def _may_be_meant(value: dict[str, Any] | list[Any], option: Any, look: Look) -> bool:
    """Whether a value may be of an option, by its kind and by its members that are choices."""
    if ("array" if isinstance(value, list) else "object") not in kinds_of(option, look):
        return False
    while isinstance(option, Mapping) and "$ref" in option:
        option = look(option["$ref"])
    properties = option.get("properties") if isinstance(option, Mapping) else None
    if not isinstance(properties, Mapping) or not isinstance(value, dict):
        return True
    return all(
        value[name] is None or value[name] in _levels(properties[name], value[name])
        for name in properties.keys() & value.keys()
    )


def _levels(schema: Any, value: Any) -> list[Any]:
    """The levels of a choice; of what is no choice, the value itself."""
    if isinstance(schema, Mapping) and "enum" in schema:
        return list(schema["enum"])
    return [schema["const"]] if isinstance(schema, Mapping) and "const" in schema else [value]
