"""Anthropic's messages: https://platform.claude.com/docs/en/build-with-claude/structured-outputs.

Its strict subset differs from OpenAI's: members may be absent, but nothing may be recursive, and
numbers and texts have no bounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from aigen.runtime.dialects.form import Form, Problem, Reply, Schema, ToolForm, wire_names
from aigen.runtime.dialects.moved import moved
from aigen.runtime.dialects.openai_chat import gathered
from aigen.runtime.wire.overlap import all_apart
from aigen.runtime.wire.plain import parts, to_plain
from aigen.runtime.wire.references import recursive_in

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
_MOST_TOOLS = 20
_MOST_OPTIONAL = 24
_MOST_UNIONS = 16
"""Of all strict schemas of a request together."""

_SEARCH: Final = {"type": "tool_search_tool_bm25_20251119", "name": "tool_search_tool_bm25"}
_CODE: Final = {"type": "code_execution_20260120", "name": "code_execution"}
"""The provider's own tools that find others, and that run code which calls them."""

_WORDS: Final = frozenset({"description", "title", "default", "examples", "deprecated"})


def tool(form: ToolForm) -> Form:
    """`name, description, input_schema, strict, defer_loading, allowed_callers, input_examples`.

    `cache_control`, for which a spec has no key, stands where `metadata` has it.
    """
    return _tool(form, tuple(why_not(form.parameters)))


def _tool(form: ToolForm, reasons: tuple[str, ...]) -> Form:
    """A tool that is strict unless something speaks against it."""
    if form.in_code:
        reasons = ("the schema: a tool that code calls has no strict form", *reasons)
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
    if form.in_code:
        body["allowed_callers"] = [_CODE["type"]]
    if form.options.get("examples"):
        body["input_examples"] = form.options["examples"]
    cached = (form.options.get("metadata") or {}).get("cache_control")
    if isinstance(cached, Mapping) and not form.deferred:  # which is refused
        body["cache_control"] = cached
    return Form(body, wanted, reasons, (*form.unmet(reasons), *_going_round(form)))


def _going_round(form: ToolForm) -> Iterator[Problem]:
    """The problem that code is to call a tool whose parameters contain themselves."""
    recursive = recursive_in(form.parameters.get("$defs", {})) if form.in_code else None
    if recursive is not None:
        words = f"{form.name}: $defs/{recursive} contains itself, and Anthropic refuses that where"
        yield Problem("AIG606", f"{words} code calls the tool", "make it direct, or flatter")


def tools(forms: Sequence[ToolForm]) -> Form:
    """The array of a request; as many tools are strict as one request may have.

    Those that say `strict: true` come first, then the others in their order.
    """
    names, problems = wire_names(list(forms))
    named = [replace(form, name=names[at]) for at, form in enumerate(forms)]
    made = [tool(form) for form in named]
    sums = [0, 0, 0]
    for at in sorted(range(len(made)), key=lambda at: named[at].wants_strict is not True):
        if made[at].strict:
            after = [
                sum(pair) for pair in zip(sums, (1, *_costs(named[at].parameters)), strict=True)
            ]
            reason = _over(after)
            if reason is None:
                sums = after
            else:
                made[at] = _tool(named[at], (f"{named[at].name}: {reason}",))
    found = gathered(made, problems)
    own = [_SEARCH] * any(form.deferred for form in forms)
    own += [_CODE] * any(form.in_code for form in forms)
    return replace(found, body=[*found.body, *own])


def _over(sums: Sequence[int]) -> str | None:
    """Which limit the strict tools of a request would be over."""
    most = (_MOST_TOOLS, _MOST_OPTIONAL, _MOST_UNIONS)
    nouns = ("strict tools", "members that may be absent", "unions")
    for count, limit, noun in zip(sums, most, nouns, strict=True):
        if count > limit:
            return f"with it the request has {count} {noun}, and strict takes {limit}"
    return None


def reply(reply: Reply) -> Form:
    """`output_config.format`: `{type: json_schema, schema}`; it is always enforced."""
    schema = to_plain(reply.schema)
    reasons = tuple(why_not(schema))
    if reasons:
        return Form(None, False, reasons)
    return Form({"type": "json_schema", "schema": strict_form(schema)}, True)


def strict_form(schema: Schema) -> Schema:
    """A plain schema in the strict subset."""

    def takes(key: str, value: Any, schema: Mapping[str, Any]) -> bool:
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
    if recursive := recursive_in(defs):
        yield f"$defs/{recursive}: it contains itself"
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
        if "object" in kinds and node.get("additionalProperties", True) is not False:
            yield f"{place}: an object with members of any name has no strict form"
        if "array" in kinds and "items" not in node and "prefixItems" not in node:
            yield f"{place}: an array whose items are not typed has no strict form"
        if any(isinstance(value, list | dict) for value in node.get("enum", [node.get("const")])):
            yield f"{place}: a choice of lists or records has no strict form"
        if any("$ref" in part for part in node.get("allOf", ()) if isinstance(part, Mapping)):
            yield f"{place}: allOf with $ref has no strict form"
        if "oneOf" in node and not _all_apart(node["oneOf"], defs):
            yield f"{place}: oneOf whose options may overlap has no strict form"
        pending += [
            (f"{path}/{'/'.join(step[1:] if step[0] == 'properties' else step)}", part)
            for step, part in parts(node)
            if step != ("additionalProperties",) or part is not False
        ]
    optional, unions = _costs(schema)
    if optional > _MOST_OPTIONAL:
        yield f"the schema: {optional} members may be absent, and strict takes {_MOST_OPTIONAL}"
    if unions > _MOST_UNIONS:
        yield f"the schema: it has {unions} unions, and strict takes {_MOST_UNIONS}"


def _costs(schema: Schema) -> tuple[int, int]:
    """The members of a plain schema that may be absent, and its unions."""
    optional = unions = 0
    pending: list[Any] = [schema]
    while pending:
        node = pending.pop()
        if isinstance(node, Mapping):
            optional += len(node.get("properties", {}).keys() - set(node.get("required", ())))
            unions += isinstance(node.get("type"), list) or "anyOf" in node or "oneOf" in node
            pending += [part for _, part in parts(node)]
    return optional, unions


def _all_apart(options: list[Any], defs: Mapping[str, Any]) -> bool:
    def look(ref: str) -> Any:
        return defs.get(ref.removeprefix("#/$defs/"))

    return all_apart(options, look)
