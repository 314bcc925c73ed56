"""The reply's form told in the prompt, for servers that take no schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aigen.runtime.definition import Definition
from aigen.runtime.wire.adapters.layout import instruction, is_text, messages, reply_schema
from aigen.runtime.wire.adapters.notation import notation


def told(
    definition: Definition, inputs: Mapping[str, Any]
) -> tuple[list[dict[str, Any]], dict[str, Any] | None]:
    """The form in the prompt alone."""
    system = f"{instruction(definition)}\n\n{how_to_reply(definition)}"
    return messages(definition, system, inputs), None


def how_to_reply(definition: Definition) -> str:
    """What a model is told of its reply where nothing else holds it."""
    if is_text(definition):
        return "Reply with the answer alone."
    form = notation(reply_schema(definition))
    return f"Reply with one JSON object of this form and nothing else:\n{form}"


def json_object(
    definition: Definition, inputs: Mapping[str, Any]
) -> tuple[list[dict[str, Any]], dict[str, Any] | None]:
    """The form in the prompt, and the server held to some JSON object."""
    found, _ = told(definition, inputs)
    return found, None if is_text(definition) else {"type": "json_object"}
