"""One forced tool call whose parameters are the outputs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from aigen.runtime.definition import Definition
from aigen.runtime.wire.adapters.json_schema import reply_form, strict_form
from aigen.runtime.wire.adapters.layout import labelled
from aigen.runtime.wire.adapters.notation import notation
from aigen.runtime.wire.adapters.said import Laid, Layout, messages
from aigen.runtime.wire.content import Message
from aigen.runtime.wire.messages import Reply, ToolCall
from aigen.runtime.wire.plain import to_plain
from aigen.runtime.wire.reply import Unreadable

if TYPE_CHECKING:
    from aigen.runtime.wire.form import Form
    from aigen.runtime.wire.reply import Read
    from aigen.runtime.wire.strict import Decode

NAME: Final = "answer"
"""What the tool is called."""


def lay_out(definition: Definition, inputs: Mapping[str, Any], *, strict: bool) -> Laid:
    """The outputs as the tool's parameters: in their strict form, or as they are."""
    form = strict_form(definition).schema if strict else None
    tool = {
        "name": NAME,
        "description": "Gives the answer.",
        "parameters": to_plain(reply_form(definition)) if form is None else form,
        "strict": form is not None,
    }
    return Laid(messages(definition, LAYOUT, inputs), tool=tool)


def how_to_reply(definition: Definition) -> str:
    """What a model is told that called the tool in a way that cannot be used."""
    return (
        f"Reply by calling {NAME} with arguments of this form:\n{notation(reply_form(definition))}"
    )


def read(form: Form, reply: Reply, repair: bool, decode: Decode | None) -> Read:
    """The outputs in the arguments of the one call; or in the text, where a model wrote them there.

    Raises:
        Unreadable: they are not the answer, or there are calls that differ.
    """
    calls = {call.arguments for call in reply.tool_calls if call.name == NAME}
    if len(calls) == 1:
        return form.object_reader.read(calls.pop(), repair, decode)
    if calls:
        raise Unreadable(f"{len(calls)} different calls of {NAME} stand in the reply; make one")
    if reply.tool_calls or not (reply.text or "").strip():
        raise Unreadable(f"the reply does not call {NAME}")
    if not repair:
        raise Unreadable(f"the reply is a text and no call of {NAME}")
    found = form.object_reader.read(reply.text or "", repair, decode)
    return found._replace(repairs=(f"read without a call of {NAME}", *found.repairs))


def as_reply(values: Mapping[str, Any]) -> Reply:
    """Values as a model gives them."""
    return Reply(None, finish="tool_calls", tool_calls=(_call(values, 1),))


def _answered(definition: Definition, answer: Mapping[str, Any], number: int) -> list[Message]:
    """A demo's answer: the call, and what servers want to stand behind each call."""
    call = _call(answer, number)
    return [
        Message("assistant", "", call),
        Message("tool", "Taken.", call),
        # There are servers that take no user's message right behind a tool's.
        Message("assistant", "Done."),
    ]


def _call(values: Mapping[str, Any], number: int) -> ToolCall:
    # Nine letters and digits, no two alike: there are servers that take no other ids.
    return ToolCall(f"answer{number:03}", NAME, json.dumps(values, ensure_ascii=False))


LAYOUT: Final = Layout(f"Reply by calling {NAME}.", "", labelled, _answered)
