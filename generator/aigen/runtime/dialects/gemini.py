"""Google's Gemini: https://ai.google.dev/api/caching#FunctionDeclaration.

`parametersJsonSchema` takes JSON Schema and ignores keywords it does not know; those are said in
words, and what no words can say is a warning.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from aigen.runtime.dialects.form import Form, Problem, Reply, Schema, ToolForm, wire_names
from aigen.runtime.dialects.moved import moved
from aigen.runtime.wire.plain import BY_NAME, MANY, ONE, parts, to_plain
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
    direct = [form for form in forms if not form.deferred]
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
    deep = sizes(schema).nested
    if deep <= _MOST_NESTED:
        return tuple(unsaid)
    words = f"{name}: {deep} records and lists inside one another, and Gemini has refused more than"
    mend = "make it flatter, or split it in two"
    return (*unsaid, Problem("AIG605", f"{words} {_MOST_NESTED}", mend))


def _schema(schema: Schema) -> Schema:
    found: Schema = _listed(moved(schema, lambda key, value: key in _TAKEN))
    return found


def _listed(schema: Any) -> Any:
    """The schema with a list of one value for each `const`, which Gemini does not know."""
    if isinstance(schema, list):
        return [_listed(part) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    made: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "const":
            made["enum"] = [value]
        elif key in BY_NAME and isinstance(value, Mapping):
            made[key] = {name: _listed(part) for name, part in value.items()}
        elif key in ONE or key in MANY:
            made[key] = _listed(value)
        else:
            made[key] = value
    return made


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
