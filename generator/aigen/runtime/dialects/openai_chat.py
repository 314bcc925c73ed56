"""OpenAI's chat completions: https://platform.openai.com/docs/api-reference/chat/create."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from aigen.runtime.dialects.form import Form, Problem, Reply, ToolForm, too_long, wire_names
from aigen.runtime.wire.plain import to_plain
from aigen.runtime.wire.strict import to_strict

LONGEST = 1024
"""Characters of a description."""


def tool(form: ToolForm) -> Form:
    """`{type: function, function: {name, description, parameters, strict}}`."""
    parameters = flat(form)
    inner = parameters.body
    return replace(parameters, body={"type": "function", "function": inner})


def flat(form: ToolForm) -> Form:
    """The function alone: name, description, parameters, strict."""
    strict = to_strict(form.canonical)
    wanted = form.wants_strict is not False and strict.schema is not None
    problems = (*form.unmet(strict.reasons), *too_long(form, LONGEST, "OpenAI"))
    body = {
        "name": form.name,
        "description": form.description,
        "parameters": strict.schema if wanted else form.parameters,
        "strict": wanted,
    }
    return Form(body, wanted, strict.reasons, problems)


def tools(forms: Sequence[ToolForm]) -> Form:
    """The array of a request: the API has neither a search for tools nor code that calls them."""
    direct = [form for form in forms if form.exposure == "direct"]
    names, problems = wire_names(direct)
    made = [tool(replace(form, name=names[at])) for at, form in enumerate(direct)]
    return gathered(made, problems)


def gathered(made: list[Form], problems: tuple[Problem, ...] = ()) -> Form:
    """Forms of tools as one array."""
    return Form(
        [each.body for each in made],
        bool(made) and all(each.strict for each in made),
        tuple(reason for each in made for reason in each.reasons),
        (*problems, *(problem for each in made for problem in each.problems)),
    )


def reply(reply: Reply) -> Form:
    """`response_format`: `{type: json_schema, json_schema: {name, schema, strict}}`."""
    strict = to_strict(reply.schema)
    enforced = strict.schema is not None
    schema = strict.schema if enforced else to_plain(reply.schema)
    inner = {"name": reply.name, "schema": schema, "strict": enforced}
    return Form({"type": "json_schema", "json_schema": inner}, enforced, strict.reasons)
