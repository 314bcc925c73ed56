"""How inputs and outputs are laid out for a model, one module an adapter.

An adapter's `lay_out` makes messages, and what the reply is held to, from a definition and bound
inputs; its `read` finds the outputs in a reply. What comes back is always judged here, for servers
accept a schema and ignore it. A *way* is an adapter with what it asks of the server.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from aigen.runtime.definition import Definition
from aigen.runtime.setting_kinds import Settings
from aigen.runtime.wire.adapters import chat, json_schema, prompted, tool, xml
from aigen.runtime.wire.adapters.ladder import remember, steps_down, ways
from aigen.runtime.wire.adapters.layout import is_text, labelled, reply_schema
from aigen.runtime.wire.adapters.said import Laid, opening
from aigen.runtime.wire.body import body_of
from aigen.runtime.wire.content import Message
from aigen.runtime.wire.messages import Reply, Request, Target

if TYPE_CHECKING:
    from aigen.runtime.wire.form import Form
    from aigen.runtime.wire.reply import Read
    from aigen.runtime.wire.strict import Decode

__all__ = [
    "WAYS",
    "as_reply",
    "lay_out",
    "read",
    "remember",
    "steps_down",
    "version_id",
    "way_of",
    "ways",
]

_sorted = json.JSONEncoder(check_circular=False, sort_keys=True).encode


class Way(NamedTuple):
    """An adapter, and what it asks of the server.

    Attributes:
        lay_out: from a definition and bound inputs to messages and what the reply is held to.
        read: the outputs in a reply; whether repairs are tried; the decoding of the strict form.
        how_to_reply: what a model is told that replied in another form; begins with "Reply".
        bare: whether the reply's text is the JSON of the outputs, or the one text, and nothing
            else; so it can be read while it arrives.
    """

    lay_out: Callable[[Definition, Mapping[str, Any]], Laid]
    read: Callable[[Form, Reply, bool, Decode | None], Read]
    how_to_reply: Callable[[Definition], str]
    bare: bool = True


_told = prompted.how_to_reply
WAYS: Final[Mapping[str, Way]] = {
    "strict": Way(partial(json_schema.lay_out, strict=True), json_schema.read, _told),
    "schema": Way(partial(json_schema.lay_out, strict=False), json_schema.read, _told),
    "tool_strict": Way(partial(tool.lay_out, strict=True), tool.read, tool.how_to_reply, False),
    "tool": Way(partial(tool.lay_out, strict=False), tool.read, tool.how_to_reply, False),
    "json_object": Way(partial(prompted.lay_out, json_object=True), prompted.read, _told),
    "prompted": Way(partial(prompted.lay_out, json_object=False), prompted.read, _told),
    "xml": Way(xml.lay_out, xml.read, xml.how_to_reply, False),
    "chat": Way(chat.lay_out, chat.read, chat.how_to_reply, False),
}
"""Every way by name, as `Request.adapter` has it."""

_BARE: Final = json_schema.LAYOUT._replace(how="")
"""The layout of the `version` id: that of `json`, without what is said of the reply."""

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
    match request.adapter if schema is not None else "":
        case "tool" | "tool_strict":
            return tool.as_reply(values)
        case "xml":
            return Reply(xml.written(values, schema or {}))
        case "chat":
            return Reply(chat.written(values, schema or {}))
    return Reply(json.dumps(values, ensure_ascii=False, default=str))


def version_id(definition: Definition) -> str:
    """A function's `version`: what a model is sent, and what inputs are when they are left out.

    SHA-256 of the messages for a fixed sample input and of the reply's schema, as the definition's
    layout has them, and of the defaults. Model and sampling are not in it. The schema is the
    canonical one: what a provider's strict form makes of it is the provider's affair.
    """
    inputs = {field["name"]: f"<{field['name']}>" for field in definition["inputs"]}
    said = [*opening(definition, _BARE), Message("user", labelled(definition, inputs))]
    sent = [
        definition["layout"],
        [{"role": message.role, "content": message.content} for message in said],
        reply_schema(definition),
    ]
    data = _sorted([*sent, definition.get("prompt"), definition.get("defaults")])
    return "sha256:" + hashlib.sha256(data.encode()).hexdigest()
