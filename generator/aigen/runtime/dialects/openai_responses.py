"""OpenAI's responses: https://platform.openai.com/docs/api-reference/responses/create."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from aigen.runtime.dialects import openai_chat
from aigen.runtime.dialects.form import Form, Reply, ToolForm, wire_names
from aigen.runtime.dialects.openai_chat import gathered
from aigen.runtime.wire.overlap import kinds_of
from aigen.runtime.wire.plain import pointed


def tool(form: ToolForm) -> Form:
    """A function, flat; `defer_loading` where it is found by search.

    `output_schema` is of the JSON in its result, so a tool that gives text has none.
    """
    inner = openai_chat.flat(form)
    body: dict[str, Any] = {"type": "function", **inner.body}
    if form.deferred:
        body["defer_loading"] = True
    if form.in_code:
        body["allowed_callers"] = ["programmatic"]
    result = form.result
    if result is not None and "string" not in kinds_of(result, partial(pointed, result)):
        body["output_schema"] = result
    return replace(inner, body=body)


def tools(forms: Sequence[ToolForm]) -> Form:
    """The array of a request: functions, namespaces, and the provider's own tools they need.

    Those are the search for deferred ones, and what runs code that calls others.
    """
    alone = [form for form in forms if "namespace" not in form.options]
    names, problems = wire_names(alone)
    found = gathered(
        [tool(replace(form, name=names[at])) for at, form in enumerate(alone)], problems
    )
    spaces: dict[str, list[ToolForm]] = {}
    for form in forms:
        if "namespace" in form.options:
            spaces.setdefault(form.namespace, []).append(form)
    body = list(found.body)
    strict, reasons, told = found.strict or not alone, found.reasons, found.problems
    for name, inside in sorted(spaces.items()):
        inner = gathered([tool(form) for form in inside])
        words = f"Tools of {name}."
        body.append({"type": "namespace", "name": name, "description": words, "tools": inner.body})
        strict, reasons = strict and inner.strict, (*reasons, *inner.reasons)
        told = (*told, *inner.problems)
    if any(form.deferred for form in forms):
        body.append({"type": "tool_search"})
    if any(form.in_code for form in forms):
        body.append({"type": "programmatic_tool_calling"})
    return Form(body, bool(forms) and strict, reasons, told)


def reply(reply: Reply) -> Form:
    """`text.format`: `{type: json_schema, name, schema, strict}`."""
    inner = openai_chat.reply(reply)
    return replace(inner, body={"type": "json_schema", **inner.body["json_schema"]})
