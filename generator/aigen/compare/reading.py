"""The files of `schemas/`, read and checked: they come from other revisions and other hands."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from aigen.emit.schemas import SCHEMAS


class Unreadable(Exception):
    """A file of `schemas/` cannot be compared; the message says which, why and what to do."""


def read(files: Mapping[str, str | bytes]) -> dict[str, Mapping[str, Any]]:
    """The modules of some files.

    Args:
        files: texts by path; files of a dialect (`support.tools.mcp.json`) are passed over.

    Returns:
        What they hold, by the module's name.

    Raises:
        Unreadable: a file is no JSON, not in this format, or in a newer one.
    """
    found = {}
    for path, text in sorted(files.items()):
        name = path.rpartition("/")[2]
        if name.endswith(".json") and name.count(".") == 1:
            data = _module(path, text)
            found[str(data["module"])] = data
    return found


def _module(path: str, text: str | bytes) -> Mapping[str, Any]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise Unreadable(f"{path} is no JSON ({problem}); build it again") from None
    if not isinstance(data, dict) or "aigen_schemas" not in data:
        raise Unreadable(f"{path} has no aigen_schemas: it was not written by aigen build")
    version = data["aigen_schemas"]
    if version != SCHEMAS or isinstance(version, bool):
        newer = isinstance(version, int) and version > SCHEMAS
        mend = "use the aigen that wrote it" if newer else "build it again"
        said = json.dumps(version)[:40]
        raise Unreadable(f"{path} is in format {said}, and this aigen reads {SCHEMAS}; {mend}")
    for fault in _faults(data):
        raise Unreadable(f"{path} is damaged: {fault}; build it again")
    return data


def _faults(data: Mapping[str, Any]) -> Iterator[str]:
    """What a comparison relies on and is not so."""
    if not isinstance(data.get("module"), str):
        yield "module is no text"
    if not _texts(data.get("callables", [])):
        yield "callables is no list of texts"
    for key in ("functions", "tools", "$defs"):
        table = data.get(key, {})
        if not isinstance(table, dict) or not all(isinstance(one, dict) for one in table.values()):
            yield f"{key} is no table of objects"
            return
    for name, schema in data.get("$defs", {}).items():
        yield from _in_schema(schema, f"$defs.{name}")
    for name, entry in data.get("functions", {}).items():
        yield from _in_function(entry, f"functions.{name}")
    for name, entry in data.get("tools", {}).items():
        if not isinstance(entry.get("input_schema"), dict):
            yield f"tools.{name} has no input_schema"
        for key in ("input_schema", "output_schema"):
            yield from _in_schema(entry.get(key, {}), f"tools.{name}.{key}")
        if not _texts(entry.get("description", [])):
            yield f"tools.{name}.description is no list of texts"


def _in_function(entry: Mapping[str, Any], place: str) -> Iterator[str]:
    interface, ids = entry.get("interface"), entry.get("ids")
    if not isinstance(interface, dict) or not isinstance(ids, dict):
        yield f"{place} lacks its interface or ids"
        return
    for key in ("instruction", "given", "tools"):
        if not _texts(entry.get(key, [])):
            yield f"{place}.{key} is no list of texts"
    for key in ("demos", "checks"):
        if not isinstance(entry.get(key, []), list):
            yield f"{place}.{key} is no list"
    defaults = entry.get("defaults", {})
    if not isinstance(defaults, dict) or not all(
        isinstance(one, dict) for one in defaults.values()
    ):
        yield f"{place}.defaults is no table of objects"
    for side in ("inputs", "outputs"):
        fields = interface.get(side, [])
        if not isinstance(fields, list):
            yield f"{place}.interface.{side} is no list"
            return
        for field in fields:
            if not isinstance(field, dict) or not isinstance(field.get("name"), str):
                yield f"a field of {place}.interface.{side} has no name"
                return
            yield from _in_schema(field.get("shape"), f"{place}.interface.{side}.{field['name']}")


def _in_schema(schema: Any, place: str) -> Iterator[str]:
    """Keywords that hold schemas hold schemas, and `required` holds names."""
    if isinstance(schema, bool):
        return
    if not isinstance(schema, dict):
        yield f"{place} is no schema"
        return
    if not _texts(schema.get("required", [])):
        yield f"{place}.required is no list of texts"
    if not isinstance(schema.get("enum", []), list):
        yield f"{place}.enum is no list"
    for key in ("items", "additionalProperties"):
        yield from _in_schema(schema.get(key, True), f"{place}.{key}")
    for key in ("anyOf", "prefixItems"):
        several = schema.get(key, [])
        for one in several if isinstance(several, list) else [None]:
            yield from _in_schema(one, f"{place}.{key}")
    for key in ("properties", "$defs"):
        named = schema.get(key, {})
        for one in named.values() if isinstance(named, dict) else [None]:
            yield from _in_schema(one, f"{place}.{key}")


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)
