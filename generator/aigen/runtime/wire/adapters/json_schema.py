"""The reply held to a JSON Schema: `response_format: json_schema`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aigen.runtime.definition import Definition
from aigen.runtime.wire.adapters.layout import instruction, is_text, messages, reply_schema
from aigen.runtime.wire.plain import to_plain
from aigen.runtime.wire.strict import Strict, to_strict

_forms: dict[int, tuple[Definition, dict[str, Any], Strict]] = {}
_KEPT = 2048


def strict(
    definition: Definition, inputs: Mapping[str, Any]
) -> tuple[list[dict[str, Any]], dict[str, Any] | None]:
    """The schema in its strict form, enforced by the server; plain where there is none."""
    if is_text(definition) or strict_form(definition).schema is None:
        return schema(definition, inputs)
    form = strict_form(definition).schema or {}
    return _messages(definition, inputs), _format(definition, form, strict=True)


def schema(
    definition: Definition, inputs: Mapping[str, Any]
) -> tuple[list[dict[str, Any]], dict[str, Any] | None]:
    """The schema as it is; one plain text has none."""
    if is_text(definition):
        text = f"{instruction(definition)}\n\nReply with the answer alone."
        return messages(definition, text, inputs), None
    return _messages(definition, inputs), _format(
        definition, to_plain(reply_form(definition)), strict=False
    )


def strict_form(definition: Definition) -> Strict:
    """The strict form of a definition's reply, kept."""
    return _kept(definition)[2]


def reply_form(definition: Definition) -> dict[str, Any]:
    """The canonical schema of a definition's reply, kept; it must not be changed."""
    return _kept(definition)[1]


def _kept(definition: Definition) -> tuple[Definition, dict[str, Any], Strict]:
    kept = _forms.get(id(definition))
    if kept is None or kept[0] is not definition:
        if len(_forms) >= _KEPT:
            _forms.clear()
        schema = reply_schema(definition)
        kept = _forms[id(definition)] = (definition, schema, to_strict(schema))
    return kept


def _messages(definition: Definition, inputs: Mapping[str, Any]) -> list[dict[str, Any]]:
    return messages(definition, f"{instruction(definition)}\n\nReply with JSON.", inputs)


def _format(definition: Definition, schema: dict[str, Any], *, strict: bool) -> dict[str, Any]:
    name = "".join(
        char if char.isalnum() and char.isascii() else "_" for char in definition["name"]
    )
    held: dict[str, Any] = {"type": "json_schema", "name": name[:64] or "reply", "schema": schema}
    if strict:
        held["strict"] = True
    return held
