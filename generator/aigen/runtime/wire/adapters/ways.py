"""Every way to ask and to read: an adapter with what it asks of the server."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from aigen.runtime.definition import Definition
from aigen.runtime.setting_kinds import Settings
from aigen.runtime.wire.adapters import chat, json_schema, prompted, tool, xml
from aigen.runtime.wire.adapters.ladder import ways
from aigen.runtime.wire.adapters.layout import is_text
from aigen.runtime.wire.adapters.said import Laid
from aigen.runtime.wire.body import body_of
from aigen.runtime.wire.messages import Reply, Request, Target

if TYPE_CHECKING:
    from aigen.runtime.wire.form import Form
    from aigen.runtime.wire.reply import Read
    from aigen.runtime.wire.strict import Decode


class Way(NamedTuple):
    """An adapter, and what it asks of the server.

    Attributes:
        lay_out: from a definition and bound inputs to messages and what the reply is held to.
        read: the outputs in a reply; whether repairs are tried; the decoding of the strict form.
        how_to_reply: what a model is told that replied in another form; begins with "Reply".
        bare: whether the reply's text is the JSON of the outputs, or the one text, and nothing
            else; so it can be read while it arrives.
        written: values as the text of a reply, by their schema, where replies are no JSON.
    """

    lay_out: Callable[[Definition, Mapping[str, Any]], Laid]
    read: Callable[[Form, Reply, bool, Decode | None], Read]
    how_to_reply: Callable[[Definition], str]
    bare: bool = True
    written: Callable[[Mapping[str, Any], Mapping[str, Any]], str] | None = None


_told = prompted.how_to_reply
WAYS: Final[Mapping[str, Way]] = {
    "strict": Way(partial(json_schema.lay_out, strict=True), json_schema.read, _told),
    "schema": Way(partial(json_schema.lay_out, strict=False), json_schema.read, _told),
    "tool_strict": Way(partial(tool.lay_out, strict=True), tool.read, tool.how_to_reply, False),
    "tool": Way(partial(tool.lay_out, strict=False), tool.read, tool.how_to_reply, False),
    "json_object": Way(partial(prompted.lay_out, json_object=True), prompted.read, _told),
    "prompted": Way(partial(prompted.lay_out, json_object=False), prompted.read, _told),
    "xml": Way(xml.lay_out, xml.read, xml.how_to_reply, False, xml.written),
    "chat": Way(chat.lay_out, chat.read, chat.how_to_reply, False, chat.written),
}
"""Every way by name, as `Request.adapter` has it."""

_STRICT: Final = ("strict", "tool_strict")


def lay_out(
    way: str,
    definition: Definition,
    inputs: Mapping[str, Any],
    target: Target,
    settings: Settings,
) -> Request:
    """The request for bound inputs.

    Raises:
        ConfigurationError: an input has no JSON form, or is media that the API does not take.
    """
    body = body_of(WAYS[way].lay_out(definition, inputs), target, settings)
    decode = json_schema.strict_form(definition).decode if way in _STRICT else None
    schema = None if is_text(definition) and WAYS[way].bare else json_schema.reply_form(definition)
    api: Any = settings.api
    return Request(api, target, body, way, decode, dict(settings.extra_headers or {}), schema)


def read(way: str, form: Form, reply: Reply, repair: bool, decode: Decode | None) -> Read:
    """The outputs in a reply that was laid out in a way.

    Raises:
        Unreadable: it is not the answer.
    """
    return WAYS[way].read(form, reply, repair, decode)


def way_of(form: Form, reply: Reply, target: Target, adapter: str) -> str:
    """The way to read a reply that was had elsewhere."""
    if reply.tool_calls:
        return "tool"
    return ways(form.asked, target, adapter)[0]


def as_reply(request: Request, values: Mapping[str, Any]) -> Reply:
    """Values as a model gives them that was sent a request."""
    schema = request.reply_schema
    if schema is None and set(values) == {"result"}:
        return Reply(str(values["result"]))
    if schema is not None and request.adapter in ("tool", "tool_strict"):
        return tool.as_reply(values)
    if schema is not None and (written := WAYS[request.adapter].written) is not None:
        return Reply(written(values, schema))
    return Reply(json.dumps(values, ensure_ascii=False, default=str))
