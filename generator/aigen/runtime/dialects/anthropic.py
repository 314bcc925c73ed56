"""Anthropic's messages: https://platform.claude.com/docs/en/build-with-claude/structured-outputs.

Its strict subset differs from OpenAI's: members may be absent, but nothing may be recursive, and
numbers and texts have no bounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from aigen.runtime.dialects.form import Form, Reply, Schema, ToolForm, wire_names
from aigen.runtime.dialects.moved import moved
from aigen.runtime.dialects.openai_chat import gathered
from aigen.runtime.wire.overlap import apart
from aigen.runtime.wire.plain import parts, to_plain

_FORMATS: Final = frozenset(
    {
        *("date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6"),
        "uuid",
    }
)
_REFUSED: Final = (
    *("not", "if", "patternProperties", "propertyNames", "dependentRequired", "dependentSchemas"),
    *("dependencies", "contains", "prefixItems", "unevaluatedProperties", "unevaluatedItems"),
    "$dynamicRef",
)
_MOST_OPTIONAL = 24
_MOST_UNIONS = 16
_WORDS: Final = frozenset({"description", "title", "default", "examples", "deprecated"})


def tool(form: ToolForm) -> Form:
    """`name, description, input_schema, strict, defer_loading, input_examples`."""
    reasons = tuple(why_not(form.parameters))
    wanted = form.wants_strict is not False and not reasons
    schema = strict_form(form.parameters) if wanted else form.parameters
    body: dict[str, Any] = {
        "name": form.name,
        "description": form.description,
        "input_schema": schema,
    }
    if wanted:
        body["strict"] = True
    if form.deferred:
        body["defer_loading"] = True
    if form.options.get("examples"):
        body["input_examples"] = form.options["examples"]
    return Form(body, wanted, reasons, form.unmet(reasons))


def tools(forms: Sequence[ToolForm]) -> Form:
    """The array of a request."""
    names, problems = wire_names(list(forms))
    made = [tool(replace(form, name=names[at])) for at, form in enumerate(forms)]
    return gathered(made, problems)


def reply(reply: Reply) -> Form:
    """`output_config.format`: `{type: json_schema, schema}`; it is always enforced."""
    schema = to_plain(reply.schema)
    reasons = tuple(why_not(schema))
    if reasons:
        return Form(None, False, reasons)
    return Form({"type": "json_schema", "schema": strict_form(schema)}, True)


def strict_form(schema: Schema) -> Schema:
    """A plain schema in the strict subset."""

    def takes(key: str, value: Any) -> bool:
        if key == "format":
            return value in _FORMATS
        return key == "minItems" and value in (0, 1)

    found: Schema = _any_of(moved(schema, takes))
    return found


def _any_of(schema: Any) -> Any:
    if not isinstance(schema, Mapping):
        return schema
    made = dict(schema)
    for place, part in parts(schema):
        inner = _any_of(part)
        if len(place) == 1:
            made[place[0]] = inner
        elif isinstance(schema[place[0]], list):
            made[place[0]] = [
                inner if at == int(place[1]) else each for at, each in enumerate(made[place[0]])
            ]
        else:
            made[place[0]] = {**made[place[0]], place[1]: inner}
    if "oneOf" in made:
        made["anyOf"] = made.pop("oneOf")
    return made


def why_not(schema: Schema) -> Iterator[str]:
    """Why a plain schema is not in the strict subset, each with its path."""
    defs = schema.get("$defs", {})
    if recursive := next((name for name in defs if _reaches(name, name, defs)), None):
        yield f"$defs/{recursive}: it contains itself"
    optional = unions = 0
    pending: list[tuple[str, Any]] = [("", schema)]
    while pending:
        path, node = pending.pop(0)
        place = path.lstrip("/") or "the schema"
        if not isinstance(node, Mapping) or not (node.keys() - _WORDS):
            yield f"{place}: any JSON value has no strict form"
            continue
        for word in _REFUSED:
            if word in node:
                yield f"{place}: {word} has no strict form"
        kinds = node.get("type")
        kinds = kinds if isinstance(kinds, list) else [kinds]
        if "object" in kinds:
            if node.get("additionalProperties", True) is not False:
                yield f"{place}: an object with members of any name has no strict form"
            optional += len(node.get("properties", {}).keys() - set(node.get("required", ())))
        if "array" in kinds and "items" not in node and "prefixItems" not in node:
            yield f"{place}: an array whose items are not typed has no strict form"
        if any(isinstance(value, list | dict) for value in node.get("enum", [node.get("const")])):
            yield f"{place}: a choice of lists or records has no strict form"
        if any("$ref" in part for part in node.get("allOf", ()) if isinstance(part, Mapping)):
            yield f"{place}: allOf with $ref has no strict form"
        if "oneOf" in node and not _all_apart(node["oneOf"], defs):
            yield f"{place}: oneOf whose options may overlap has no strict form"
        unions += len(kinds) > 1 or "anyOf" in node or "oneOf" in node
        pending += [
            (f"{path}/{'/'.join(step[1:] if step[0] == 'properties' else step)}", part)
            for step, part in parts(node)
            if step != ("additionalProperties",) or part is not False
        ]
    if optional > _MOST_OPTIONAL:
        yield f"the schema: {optional} members may be absent, and strict takes {_MOST_OPTIONAL}"
    if unions > _MOST_UNIONS:
        yield f"the schema: it has {unions} unions, and strict takes {_MOST_UNIONS}"


def _all_apart(options: list[Any], defs: Mapping[str, Any]) -> bool:
    def look(ref: str) -> Any:
        return defs.get(ref.removeprefix("#/$defs/"))

    return all(
        apart(first, second, look)
        for at, first in enumerate(options)
        for second in options[at + 1 :]
    )


def _reaches(start: str, goal: str, defs: Mapping[str, Any]) -> bool:
    """Whether a definition refers to another, directly or not."""
    seen: set[str] = set()
    pending: list[Any] = [defs[start]]
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
        pending.extend(part for _, part in parts(node))
    return False
