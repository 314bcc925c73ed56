"""The reply's form told in the prompt, for servers that take no schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from aigen.runtime.definition import Definition
from aigen.runtime.wire.adapters.json_schema import reply_form
from aigen.runtime.wire.adapters.layout import is_text, kept, labelled
from aigen.runtime.wire.adapters.notation import notation
from aigen.runtime.wire.adapters.said import PLAIN, Laid, Layout, answered, messages

if TYPE_CHECKING:
    from aigen.runtime.wire.form import Form
    from aigen.runtime.wire.messages import Reply
    from aigen.runtime.wire.reply import Read
    from aigen.runtime.wire.strict import Decode


def lay_out(definition: Definition, inputs: Mapping[str, Any], *, json_object: bool) -> Laid:
    """The form in the prompt: alone, or with the server held to some JSON object."""
    if is_text(definition):
        return Laid(messages(definition, PLAIN, inputs))
    form = how_to_reply(definition)
    layout = Layout(form, form, labelled, answered)
    return Laid(
        messages(definition, layout, inputs), {"type": "json_object"} if json_object else None
    )


def how_to_reply(definition: Definition) -> str:
    """What a model is told of its reply where nothing else holds it."""
    if is_text(definition):
        return PLAIN.how
    return kept(definition, "told", _form)


def _form(definition: Definition) -> str:
    form = notation(reply_form(definition))
    return f"Reply with one JSON object of this form and nothing else:\n{form}"


def read(form: Form, reply: Reply, repair: bool, decode: Decode | None) -> Read:
    """The outputs in the JSON of a reply's text; of one text output, the whole reply.

    Raises:
        Unreadable: it is not the answer.
    """
    return form.reader.read(reply.text or "", repair, decode)
