"""The reply held to a JSON Schema: `response_format: json_schema`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from aigen.runtime.definition import Definition
from aigen.runtime.wire.adapters.layout import is_text, kept, reply_schema
from aigen.runtime.wire.adapters.said import JSON, PLAIN, Laid, messages
from aigen.runtime.wire.plain import to_plain
from aigen.runtime.wire.strict import Strict, to_strict

if TYPE_CHECKING:
    from aigen.runtime.wire.form import Form
    from aigen.runtime.wire.messages import Reply
    from aigen.runtime.wire.reply import Read
    from aigen.runtime.wire.strict import Decode


def lay_out(definition: Definition, inputs: Mapping[str, Any], *, strict: bool) -> Laid:
    """The schema in its strict form, enforced by the server, or as it is.

    One plain text has no schema, and what has no strict form goes as it is.
    """
    if is_text(definition):
        return Laid(messages(definition, PLAIN, inputs))
    held = kept(definition, "held strictly", _held_strictly) if strict else None
    held = held or kept(definition, "held", _held)
    return Laid(messages(definition, JSON, inputs), held)


def _held_strictly(definition: Definition) -> dict[str, Any] | None:
    form = strict_form(definition).schema
    if form is None:
        return None
    return {"type": "json_schema", "name": _named(definition), "schema": form, "strict": True}


def _held(definition: Definition) -> dict[str, Any]:
    plain = to_plain(reply_form(definition))
    return {"type": "json_schema", "name": _named(definition), "schema": plain}


def read(form: Form, reply: Reply, repair: bool, decode: Decode | None) -> Read:
    """The outputs in a reply's JSON; of one text output, the whole reply.

    Raises:
        Unreadable: it is not the answer.
    """
    return form.reader.read(reply.text or "", repair, decode)


def strict_form(definition: Definition) -> Strict:
    """The strict form of a definition's reply, kept."""
    return kept(definition, "strict", lambda each: to_strict(reply_form(each)))


def reply_form(definition: Definition) -> dict[str, Any]:
    """The canonical schema of a definition's reply, kept; it must not be changed."""
    return kept(definition, "schema", reply_schema)


def _named(definition: Definition) -> str:
    name = "".join(
        char if char.isalnum() and char.isascii() else "_" for char in definition["name"]
    )
    return name[:64] or "reply"
