"""The schema that is sent: self-contained, and in the strict subset where it has one.

`to_plain` makes any canonical schema one that a provider can read: its own keywords gone, every
reference a `#/$defs/<name>` of the schema itself. `to_strict` rewrites it further into the subset
of structured outputs (every object closed, every property required) without changing what it
means: what may be absent becomes null, and `from_strict` turns that null back. Whatever was sent,
what comes back is judged by the canonical schema.

The subset is OpenAI's, the narrowest of the providers':
https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from aigen.runtime.wire.decode import (
    AnyOf,
    Decode,
    Items,
    Named,
    Plan,
    Record,
    from_strict,
    key_of,
)
from aigen.runtime.wire.overlap import all_apart, kinds_of, type_of
from aigen.runtime.wire.phrases import phrase, phrases
from aigen.runtime.wire.plain import is_schema, to_plain
from aigen.runtime.wire.strict_limits import over_limits

Schema: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Strict:
    """The strict form of a schema, or why it has none.

    Attributes:
        schema: the form; None where there is none.
        decode: what `from_strict` needs; None where the value stays as it is.
        reasons: why it cannot be strict, each `<path>: <reason>`; empty where it is.
    """

    schema: Schema | None
    decode: Decode | None
    reasons: tuple[str, ...]


def to_strict(schema: Mapping[str, Any]) -> Strict:
    """The strict form of a canonical schema.

    Args:
        schema: an object at its root (of outputs, or a tool's parameters); `$ref`s are to its own
            `$defs`, or inside a `x-aigen-shape` to that.

    Returns:
        The form and how to read what comes back.
    """
    plain = to_plain(schema)
    writer = _Writer(plain.get("$defs", {}))
    root, plan = writer.schema({key: plain[key] for key in plain if key != "$defs"}, "")
    if root and root.get("type") != "object":
        writer.refuse("", "the root of a strict schema is an object")
    defs, plans = {}, {}
    for key, part in plain.get("$defs", {}).items():
        defs[key], plans[key] = writer.schema(part, f"$defs/{key}")
    strict = {**root, "$defs": defs} if defs else root
    reasons = (*dict.fromkeys(writer.reasons), *over_limits(strict))
    if reasons:
        return Strict(None, None, reasons)
    decode = Decode(plan, plans, defs) if writer.nulls else None
    return Strict(strict, decode, ())


# ------------------------------------------------------------------------ the strict form

_FORMATS = frozenset(
    {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
)
_LOOKAROUND = re.compile(r"\(\?(?:[=!]|<[=!])|\\[1-9]")
_REFUSED = {
    "not": "not",
    "if": "if",
    "dependentRequired": "dependentRequired",
    "dependentSchemas": "dependentSchemas",
    "dependencies": "dependencies",
    "contains": "contains",
    "propertyNames": "propertyNames",
    "patternProperties": "patternProperties",
    "unevaluatedProperties": "unevaluatedProperties",
    "unevaluatedItems": "unevaluatedItems",
    "additionalItems": "additionalItems",
    "$dynamicRef": "$dynamicRef",
}
_WORDS = frozenset({"description", "default", "examples", "deprecated"})
_OPTIONS = ("anyOf", "oneOf")
_BY_TYPE = {
    "string": ("minLength", "maxLength", "pattern", "format"),
    "integer": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    "array": ("items", "prefixItems", "minItems", "maxItems", "uniqueItems"),
    "object": ("properties", "required", "additionalProperties", "minProperties", "maxProperties"),
}
_NARROWING = frozenset(word for words in _BY_TYPE.values() for word in words)


class _Writer:
    """Writes strict schemas; gathers why one has no strict form.

    Attributes:
        reasons: as `Strict.reasons`.
        nulls: whether any null means absent.
    """

    def __init__(self, defs: Mapping[str, Schema]) -> None:
        self.reasons: list[str] = []
        self.nulls = False
        self._defs = defs

    def _look(self, ref: str) -> Schema | None:
        return self._defs.get(key_of(ref) or "")

    def refuse(self, path: str, reason: str) -> tuple[Schema, Plan]:
        self.reasons.append(f"{path.lstrip('/') or 'the schema'}: {reason}")
        return {}, None

    def schema(self, node: Any, path: str) -> tuple[Schema, Plan]:
        """The strict form of a schema, and the plan of its values."""
        if not isinstance(node, Mapping) or not (node.keys() - _WORDS):
            return self.refuse(path, "any JSON value has no strict form")
        if refused := [word for word in _REFUSED if word in node]:
            return self.refuse(path, f"{refused[0]} has no strict form")
        made, plan, notes = self._form(dict(node), path)
        return _described(made, node, notes), plan

    def _form(self, node: Schema, path: str) -> tuple[Schema, Plan, list[str]]:
        if isinstance(node.get("allOf"), list):
            return self._all_of(node, path)
        if "$ref" in node:
            return self._reference(node, path)
        if "enum" in node or "const" in node:
            return self._levels(node, path)
        if any(word in node for word in _OPTIONS):
            return self._options(node, path)
        kinds = node.get("type")
        if isinstance(kinds, list):
            if len(kinds) != 1:
                return self._types(node, kinds, path)
            kinds = kinds[0]
        match kinds:
            case "string":
                return (*_text(node),)
            case "integer" | "number":
                return _number(node, kinds), None, []
            case "boolean" | "null":
                return {"type": kinds}, None, []
            case "array":
                return self._array(node, path)
            case "object":
                return self._object(node, path)
        return (*self.refuse(path, "a value whose type is not said has no strict form"), [])

    def _all_of(self, node: Schema, path: str) -> tuple[Schema, Plan, list[str]]:
        whole = [part for part in node["allOf"] if part is not True and part != {}]
        others = node.keys() - _WORDS - {"allOf"}
        if len(whole) == 1 and isinstance(whole[0], Mapping) and not others:
            inner, plan = self.schema(whole[0], path)
            return _wrapped(inner), plan, []
        return (*self.refuse(path, "allOf has no strict form"), [])

    def _reference(self, node: Schema, path: str) -> tuple[Schema, Plan, list[str]]:
        key = key_of(node["$ref"])
        others = node.keys() - _WORDS - {"$ref"}
        if key is None or key not in self._defs:
            return (*self.refuse(path, f"$ref {node['$ref']} is to nothing in the schema"), [])
        if others:
            return (*self.refuse(path, f"{min(others)} beside $ref has no strict form"), [])
        return {"$ref": node["$ref"]}, Named(key), []

    def _levels(self, node: Schema, path: str) -> tuple[Schema, Plan, list[str]]:
        values = list(node.get("enum", [node.get("const")]))
        others = node.keys() - _WORDS - {"enum", "const", "type"} - _NARROWING
        if others or ("enum" in node and "const" in node):
            return (*self.refuse(path, "enum beside other keywords has no strict form"), [])
        if any(isinstance(value, dict | list) for value in values):
            return (*self.refuse(path, "a choice of lists or records has no strict form"), [])
        from aigen.runtime.values import fits

        rest = {key: node[key] for key in node if key in _NARROWING or key == "type"}
        values = [value for value in values if fits(value, {**rest, "x-aigen-shape": True}) is None]
        if not values:
            return (*self.refuse(path, "no value fits"), [])
        kinds = list(dict.fromkeys(type_of(value) for value in values))
        return {"type": kinds[0] if len(kinds) == 1 else kinds, "enum": values}, None, []

    def _options(self, node: Schema, path: str) -> tuple[Schema, Plan, list[str]]:
        word = next(word for word in _OPTIONS if word in node)
        others = node.keys() - _WORDS - {word}
        if others == {"type"}:
            kinds = {node["type"]} if isinstance(node["type"], str) else set(node["type"])
            if all(kinds_of(option, self._look) <= kinds for option in node[word]):
                others = set()
        if others:
            return (*self.refuse(path, f"{min(others)} beside {word} has no strict form"), [])
        made, options = [], []
        for place, option in enumerate(node[word]):
            inner, plan = self.schema(option, f"{path}/{word}/{place}")
            for single in inner["anyOf"] if inner.keys() == {"anyOf"} else [inner]:
                if single not in made:
                    made.append(single)
            options.append((inner, plan))
        if word == "oneOf" and not all_apart(node[word], self._look):
            clash = "oneOf whose options may overlap has no strict form"
            return (*self.refuse(path, clash), [])
        return {"anyOf": made}, _any_of(options), []

    def _types(self, node: Schema, kinds: list[Any], path: str) -> tuple[Schema, Plan, list[str]]:
        words = [key for key in node if key in _WORDS]
        shared = node.keys() - _NARROWING - {"type", *words}
        if shared or not kinds:
            return (*self.refuse(path, "a list of types beside others has no strict form"), [])
        options = []
        for kind in kinds:
            own = {key: node[key] for key in _BY_TYPE.get(kind, ()) if key in node}
            options.append(self.schema({"type": kind, **own}, path))
        if all(made.keys() == {"type"} for made, _ in options):
            return {"type": list(kinds)}, None, []
        return {"anyOf": [made for made, _ in options]}, _any_of(options), []

    def _array(self, node: Schema, path: str) -> tuple[Schema, Plan, list[str]]:
        notes = ["the items are all different"] if node.get("uniqueItems") is True else []
        heads, items = node.get("prefixItems", []), node.get("items", True)
        bounds: Schema = {key: node[key] for key in ("minItems", "maxItems") if key in node}
        if heads:
            full = items is False and node.get("minItems", 0) >= len(heads)
            if not full or any(head != heads[0] for head in heads):
                return (*self.refuse(path, "a tuple of different types has no strict form"), [])
            items, bounds = heads[0], {"minItems": len(heads), "maxItems": len(heads)}
        if not is_schema(items) or isinstance(items, bool) or not items:
            return (*self.refuse(path, "an array whose items are not typed has no strict form"), [])
        made, plan = self.schema(items, f"{path}/items")
        return (
            {"type": "array", "items": made, **bounds},
            None if plan is None else Items(plan),
            notes,
        )

    def _object(self, node: Schema, path: str) -> tuple[Schema, Plan, list[str]]:
        properties, required = node.get("properties", {}), node.get("required", [])
        notes = phrases(node, ("minProperties", "maxProperties"))
        if node.get("additionalProperties", True) is not False:
            return (*self.refuse(path, "an object with members of any name has no strict form"), [])
        if missing := [name for name in required if name not in properties]:
            return (*self.refuse(path, f"member {missing[0]} is required and not described"), [])
        made: dict[str, Schema] = {}
        plans: dict[str, Plan] = {}
        absent = set()
        for name, member in properties.items():
            inner, plan = self.schema(member, f"{path}/{name}")
            if name not in required and "null" not in kinds_of(member, self._look):
                absent.add(name)
                default = member.get("default") if isinstance(member, Mapping) else None
                inner = _nullable(inner, default)
            made[name] = inner
            if plan is not None:
                plans[name] = plan
        self.nulls = self.nulls or bool(absent)
        form = {
            "type": "object",
            "properties": made,
            "required": list(made),
            "additionalProperties": False,
        }
        return form, Record(frozenset(absent), plans) if absent or plans else None, notes


def _any_of(options: list[tuple[Schema, Plan]]) -> Plan:
    if all(plan is None for _, plan in options):
        return None
    return AnyOf(tuple(options))


def _text(node: Schema) -> tuple[Schema, Plan, list[str]]:
    made: Schema = {"type": "string"}
    notes = phrases(node, ("minLength", "maxLength"))
    pattern, form = node.get("pattern"), node.get("format")
    if isinstance(pattern, str):
        if _LOOKAROUND.search(pattern):
            notes.append(f"matches the pattern {pattern}")
        else:
            made["pattern"] = pattern
    if form in _FORMATS:
        made["format"] = form
    elif isinstance(form, str):
        notes.append(phrase("format", form))
    if form == "decimal":
        notes += phrases(node, ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"))
    return made, None, notes


def _number(node: Schema, kind: str) -> Schema:
    made = {"type": kind, **{key: node[key] for key in _BY_TYPE["number"] if key in node}}
    for key, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if isinstance(made.get(key), bool) and made.pop(key) and bound in made:  # draft 4
            made[key] = made.pop(bound)
    return made


def _wrapped(node: Schema) -> Schema:
    """A schema that words can stand beside."""
    return {"anyOf": [node]} if "description" in node else node


def _described(made: Schema, node: Mapping[str, Any], notes: list[str]) -> Schema:
    """The strict form with the words of the schema, and what moved into them."""
    lines = [node["description"]] if isinstance(node.get("description"), str) else []
    if notes:
        lines.append(", ".join(notes))
    if "default" in node:
        lines.append(f"default: {json.dumps(node['default'], ensure_ascii=False)}")
    if isinstance(node.get("examples"), list) and node["examples"]:
        shown = ", ".join(json.dumps(each, ensure_ascii=False) for each in node["examples"])
        lines.append(f"examples: {shown}")
    if node.get("deprecated") is True:
        lines.append("deprecated")
    if not lines:
        return made
    if "$ref" in made:
        made = {"anyOf": [made]}
    return {**made, "description": "\n".join(lines)}


def _nullable(made: Schema, default: Any) -> Schema:
    """The schema that takes null too; null stands for the default where there is one."""
    words = made.get("description")
    if default is not None:
        words = f"{words}\nnull: the default" if words else "null: the default"
    bare = {key: value for key, value in made.items() if key != "description"}
    kinds = bare.get("type")
    if "anyOf" in bare:
        found = {"anyOf": [*bare["anyOf"], {"type": "null"}]}
    elif isinstance(kinds, list) or kinds in ("string", "integer", "number", "boolean"):
        found = {**bare, "type": [*([kinds] if isinstance(kinds, str) else kinds), "null"]}
        if "enum" in bare:
            found["enum"] = [*bare["enum"], None]
    else:
        found = {"anyOf": [bare, {"type": "null"}]}
    return {**found, "description": words} if words else found


__all__ = ["Decode", "Strict", "from_strict", "to_plain", "to_strict"]
