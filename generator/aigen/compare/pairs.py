"""Two sets of modules, their functions and tools laid side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, Literal

from aigen.compare.model import Comparison, Field, Fields, Pair
from aigen.compare.shapes import Difference, Node, differences
from aigen.compare.words import quoted

Module = Mapping[str, Any]
Defs = Mapping[str, Any]


def comparison(before: Mapping[str, Module], after: Mapping[str, Module]) -> Comparison:
    """Lays two versions side by side.

    Args:
        before: the earlier modules by name, as `reading.read` gives them.
        after: the later ones.
    """
    both = sorted(before.keys() & after.keys())
    pairs = chain.from_iterable(_pairs(name, before[name], after[name]) for name in both)
    return Comparison(before, after, tuple(pairs))


def _pairs(module: str, before: Module, after: Module) -> Iterator[Pair]:
    was, now = before.get("$defs", {}), after.get("$defs", {})
    same = quoted(was) == quoted(now)
    defs = (now if same else was, now)
    kinds: tuple[tuple[str, Literal["function", "tool"]], ...] = (
        ("functions", "function"),
        ("tools", "tool"),
    )
    for table, kind in kinds:
        olds, news = before.get(table, {}), after.get(table, {})
        for name in sorted(olds.keys() & news.keys()):
            if same and quoted(olds[name]) == quoted(news[name]):
                continue
            make = _function if kind == "function" else _tool
            yield make(module, name, olds[name], news[name], defs)


def _function(
    module: str, name: str, before: Module, after: Module, defs: tuple[Defs, Defs]
) -> Pair:
    sides = [
        (_interface(before, side, defs[0]), _interface(after, side, defs[1]))
        for side in ("inputs", "outputs")
    ]
    new_form = _is_value(sides[1][0]) != _is_value(sides[1][1])
    outputs = Fields({}, {}, ()) if new_form else _fields(*sides[1])
    return Pair(module, "function", name, before, after, _fields(*sides[0]), outputs, new_form)


def _interface(entry: Module, side: str, defs: Defs) -> dict[str, Field]:
    defaults = entry.get("defaults", {}) if side == "inputs" else {}
    return {
        field["name"]: Field(
            field["name"],
            Node(_undefaulted(field["shape"]), defs),
            bool(field.get("optional")),
            defaults.get(field["name"]),
        )
        for field in entry["interface"].get(side, [])
    }


def _is_value(outputs: Mapping[str, Field]) -> bool:
    """Whether an answer is one value, and no model of several."""
    return list(outputs) == ["result"]


def _tool(module: str, name: str, before: Module, after: Module, defs: tuple[Defs, Defs]) -> Pair:
    shaped = any(entry["input_schema"].get("x-aigen-shape") for entry in (before, after))
    parameters = _shape if shaped else _parameters
    inputs = _fields(parameters(before, defs[0]), parameters(after, defs[1]))
    outputs = _fields(_returned(before, defs[0]), _returned(after, defs[1]))
    return Pair(module, "tool", name, before, after, inputs, outputs)


def _parameters(entry: Module, defs: Defs) -> dict[str, Field]:
    schema = entry["input_schema"]
    required = schema.get("required", ())
    return {
        name: Field(
            name,
            Node(_undefaulted(member), defs),
            name not in required,
            {"value": member["default"]} if "default" in member else None,
        )
        for name, member in schema.get("properties", {}).items()
        if isinstance(member, Mapping)
    }


def _shape(entry: Module, defs: Defs) -> dict[str, Field]:
    """The parameters as one schema, where a spec wrote that itself."""
    return {"": Field("", Node(entry["input_schema"], defs))}


def _returned(entry: Module, defs: Defs) -> dict[str, Field]:
    """What a tool returns; any JSON, where its spec does not say."""
    return {"result": Field("result", Node(entry.get("output_schema", True), defs))}


def _undefaulted(schema: Any) -> Any:
    """A schema without its default, which is compared with the field."""
    if not isinstance(schema, Mapping) or "default" not in schema:
        return schema
    return {key: value for key, value in schema.items() if key != "default"}


def _fields(before: Mapping[str, Field], after: Mapping[str, Field]) -> Fields:
    found: list[Difference] = []
    for name, field in after.items():
        if name in before:
            found += differences(before[name].node, field.node, name)
    return Fields(before, after, tuple(found))


def only_in(
    ours: Mapping[str, Module], theirs: Mapping[str, Module], table: str
) -> Iterator[tuple[str, str]]:
    """The entries of a table that one version lacks, with their modules."""
    for module in sorted(ours):
        known = theirs.get(module, {}).get(table, {})
        for name in sorted(ours[module].get(table, {})):
            if name not in known:
                yield module, name
