"""Google's Gemini: https://ai.google.dev/api/caching#FunctionDeclaration.

`parametersJsonSchema` takes JSON Schema and ignores keywords it does not know; those are said in
words, and what no words can say is a warning. What it takes is listed under
https://ai.google.dev/api/generate-content#FIELDS.response_json_schema: choices of texts and
numbers only, nothing beside a `$ref`, and recursion only in members that may be left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from aigen.runtime.dialects.form import Form, Problem, Reply, Schema, ToolForm, wire_names
from aigen.runtime.dialects.moved import moved
from aigen.runtime.wire.overlap import type_of
from aigen.runtime.wire.plain import BY_NAME, MANY, ONE, Place, parts, to_plain
from aigen.runtime.wire.references import circles, references
from aigen.runtime.wire.sizes import sizes

_TAKEN: Final = frozenset({"format", "minimum", "maximum", "minItems", "maxItems"})
_MOST_NESTED: Final = 5
"""Records and lists inside one another. Google says that very deep schemas may be rejected, and no
number (https://ai.google.dev/gemini-api/docs/structured-output); users were refused at six
(https://github.com/Portkey-AI/gateway/pull/1616), with the words of
https://github.com/googleapis/js-genai/issues/882. So more is a warning, which can be ignored."""

_IGNORED: Final = (
    *("not", "if", "allOf", "patternProperties", "propertyNames", "dependentRequired"),
    *("dependentSchemas", "dependencies", "contains", "unevaluatedProperties", "unevaluatedItems"),
)


def tool(form: ToolForm) -> Form:
    """One declaration: `name, description, parametersJsonSchema`, and `responseJsonSchema`."""
    body: dict[str, Any] = {
        "name": form.name,
        "description": form.description,
        "parametersJsonSchema": _schema(form.parameters),
    }
    if form.returns is not None:
        body["responseJsonSchema"] = _schema(form.returns)
    problems = _problems(form.name, form.parameters)
    return Form(body, problems=(*problems, *form.unmet(("Gemini has no strict form",))))


def tools(forms: Sequence[ToolForm]) -> Form:
    """The tool of a request that holds all declarations."""
    direct = [form for form in forms if form.exposure == "direct"]
    names, problems = wire_names(direct)
    made = [tool(replace(form, name=names[at])) for at, form in enumerate(direct)]
    told = (*problems, *(problem for each in made for problem in each.problems))
    return Form({"functionDeclarations": [each.body for each in made]}, problems=told)


def reply(reply: Reply) -> Form:
    """`generationConfig`: `{responseMimeType, responseJsonSchema}`."""
    plain = to_plain(reply.schema)
    body = {"responseMimeType": "application/json", "responseJsonSchema": _schema(plain)}
    return Form(body, problems=_problems(reply.function, plain))


def _problems(name: str, schema: Schema) -> tuple[Problem, ...]:
    """What Gemini does not tell the model, and what it has refused whole."""
    unsaid = [
        Problem(
            "AIG604",
            f"{name}: {place}: Gemini ignores {word}",
            "say it in the description too",
        )
        for place, word in _unsaid(schema)
    ]
    unsaid += [
        Problem(
            "AIG606",
            f"{name}: {place} contains itself and must be there, and Gemini refuses that",
            "let it be left out: required: false",
        )
        for place in _endless(schema)
    ]
    deep = sizes(schema).nested
    if deep <= _MOST_NESTED:
        return tuple(unsaid)
    words = f"{name}: {deep} records and lists inside one another, and Gemini has refused more than"
    mend = "make it flatter, or split it in two"
    return (*unsaid, Problem("AIG605", f"{words} {_MOST_NESTED}", mend))


def _endless(schema: Schema) -> Iterator[str]:
    """The members that must be there and lead back to their own record by such members."""
    defs = schema.get("$defs", {})
    circle = circles(defs, _required)
    for name, record in defs.items():
        for place, part in _required(record) if isinstance(record, Mapping) else ():
            others = references(part, defs, _required) if place[0] == "properties" else ()
            if any(circle[other] == circle[name] for other in others):
                yield f"$defs/{name}/{place[1]}"


def _required(node: Mapping[str, Any]) -> Iterator[tuple[Place, Any]]:
    """The parts of a schema without members that may be left out."""
    for place, part in parts(node):
        if place[0] != "properties" or place[1] in node.get("required", ()):
            yield place, part


def _schema(schema: Schema) -> Schema:
    found: Schema = _listed(moved(schema, _takes))
    return found


def _takes(key: str, value: Any, schema: Mapping[str, Any]) -> bool:
    """Whether a keyword says to Gemini what it says to us; bounds of a decimal stand at a text."""
    return key in _TAKEN and schema.get("format") != "decimal"


def _listed(schema: Any) -> Any:
    """The schema with choices and references as Gemini takes them."""
    if isinstance(schema, list):
        return [_listed(part) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    made: dict[str, Any] = {}
    for key, value in schema.items():
        if key in BY_NAME and isinstance(value, Mapping):
            made[key] = {name: _listed(part) for name, part in value.items()}
        elif key == "oneOf" and "anyOf" not in schema:
            made["anyOf"] = _listed(value)  # which is what it takes it for
        elif key in ONE or key in MANY:
            made[key] = _listed(value)
        else:
            made[key] = value
    if "$ref" in made and any(not key.startswith("$") for key in made):
        return {"anyOf": [{"$ref": made.pop("$ref")}], **made}
    return _chosen(made) if "enum" in made or "const" in made else made


def _chosen(schema: Schema) -> Schema:
    """A choice of texts and numbers, which is all that Gemini lists; the rest by its type.

    There is no `const`.
    """
    said = {key: value for key, value in schema.items() if key not in ("enum", "const", "type")}
    levels = _fitting(schema.get("enum", [schema.get("const")]), schema.get("type"))
    kinds = [type_of(level) for level in levels]
    options: list[Schema] = []
    listed = [level for level, kind in zip(levels, kinds, strict=True) if kind in _LISTED]
    if listed:
        options.append({"enum": listed})
    for kind in dict.fromkeys(kinds):
        values = [level for level, each in zip(levels, kinds, strict=True) if each == kind]
        if kind not in _LISTED:
            options.append({"type": kind, **_only(kind, values)})
    if len(options) != 1:
        return {**said, "anyOf": options}
    words = [each["description"] for each in (said, options[0]) if "description" in each]
    return {**said, **options[0], **({"description": "\n".join(words)} if words else {})}


def _fitting(levels: list[Any], kind: Any) -> list[Any]:
    """The levels of a type that is said beside them."""
    kinds = {kind} if isinstance(kind, str) else set(kind or ())
    if "number" in kinds:
        kinds.add("integer")
    fitting = [level for level in levels if type_of(level) in kinds or _is_whole(level, kinds)]
    return fitting or levels


def _is_whole(level: Any, kinds: set[str]) -> bool:
    return isinstance(level, float) and level.is_integer() and "integer" in kinds


_LISTED: Final = ("string", "integer", "number")


def _only(kind: str, values: Sequence[Any]) -> Schema:
    """Words for the values of a type, where it has others too."""
    if kind == "null" or (kind == "boolean" and len(values) == 2):
        return {}
    return {"description": f"only {' or '.join(json.dumps(each) for each in values)}"}


def _unsaid(schema: Schema) -> Iterator[tuple[str, str]]:
    pending: list[tuple[str, Any]] = [("", schema)]
    while pending:
        path, node = pending.pop(0)
        if not isinstance(node, Mapping):
            continue
        for word in _IGNORED:
            if word in node:
                yield path.lstrip("/") or "the parameters", word
        pending += [
            (f"{path}/{'/'.join(step[1:] if step[0] == 'properties' else step)}", part)
            for step, part in parts(node)
        ]
