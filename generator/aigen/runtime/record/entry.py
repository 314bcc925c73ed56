"""A call as the log holds it; docs/call-log.md says what each key means."""

from __future__ import annotations

import json
import os
import platform
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from aigen import __version__
from aigen.runtime.record.call import Call, Exchange
from aigen.runtime.record.content import Fields, Omitted, omitted, without
from aigen.runtime.setting_kinds import Settings
from aigen.runtime.values.canonical_json import canonical
from aigen.runtime.values.convert import jsonable
from aigen.runtime.values.secret_names import is_secret, without_secrets
from aigen.runtime.wire.answer import by_output
from aigen.runtime.wire.messages import CONTENT, Reply, Usage

if TYPE_CHECKING:
    from aigen.runtime.tools.outcome import Outcome

FORMAT: Final = 1
"""Of a record; a reader leaves out what is of a later one."""

_SHORTEST_SECRET: Final = 8
"""A key of fewer characters stands in texts by chance; no provider gives such ones."""

_PLACE: Final = re.compile(r"[^A-Za-z0-9.-]+")


def line_of(call: Call) -> bytes:
    """The line of a call, with its newline; what its layers drop is not in it, nor is a key.

    Raises:
        TypeError: a value has no JSON form, and no text of its own either.
        ValueError: like it.
    """
    record = record_of(call)
    dropped = omitted_of(call)
    return as_line(without(record, dropped) if dropped else record, _secrets(call))


def as_line(record: Mapping[str, Any], secrets: Iterable[str] = ()) -> bytes:
    """A record as one line."""
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    for secret in secrets:
        written = json.dumps(secret, ensure_ascii=False)[1:-1]
        if written in text:
            text = text.replace(written, "…")
    try:
        return text.encode() + b"\n"
    except UnicodeEncodeError:  # half a surrogate pair is written as its escape
        return json.dumps(json.loads(text), separators=(",", ":")).encode() + b"\n"


def omitted_of(call: Call) -> Omitted | None:
    """What the layers of `log_content` drop of a call; None where they keep everything."""
    if call.settings is None or not call.settings.log_contents:
        return None
    return omitted(_fields(call), call.settings.log_contents)


def _fields(call: Call) -> Fields:
    definition: Any = call.definition or {"inputs": (), "outputs": ()}
    own = [field["name"] for field in definition["outputs"]]
    added = [name for name in _added(call) if name not in own]
    inputs = [field["name"] for field in definition["inputs"]]
    return Fields(inputs, [*added, *own], added)


def _added(call: Call) -> dict[str, Any]:
    """What a call gives beside its outputs: what was thought aloud, and the tools asked for."""
    found: dict[str, Any] = {}
    if call.reasoning is not None or (call.settings and call.settings.reasoning == "cot"):
        found["reasoning"] = call.reasoning
    if call.tools or (call.definition and call.definition.get("tools")):
        found["calls"] = [_tool_call(each) for each in call.tools]
    return found


def _tool_call(outcome: Outcome) -> dict[str, Any]:
    """A tool call: what it was asked with, and what the model read of it."""
    given = outcome.arguments
    shown: dict[str, Any] = {
        "id": outcome.call_id,
        "name": outcome.name,
        "input": _arguments(given) if isinstance(given, str) else _values(given or {}),
        "output": outcome.text,
        "seconds": round(outcome.seconds, 6),
    }
    if outcome.risk is not None:
        shown["risk"] = outcome.risk
    if outcome.is_error:
        shown["is_error"] = True
    return shown


def _arguments(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def record_of(call: Call) -> dict[str, Any]:
    """The whole record of a call; `without` takes out what must not be written."""
    ids: Mapping[str, Any] = {**call.definition["ids"]} if call.definition else {}
    inputs = None if call.inputs is None else _values(call.inputs)
    outputs = _outputs(call)
    return {
        "aigen_call": FORMAT,
        "id": call.id,
        "parent": call.parent,
        "root": call.root or call.id,
        "program": {
            "name": call.function,
            "module": call.module,
            "interface": ids.get("interface"),
            "version": ids.get("version"),
        },
        "started": written_time(call.started),
        "seconds": round(call.seconds, 6),
        "caller": call.settings.caller if call.settings else None,
        "model": call.model or (call.settings.model if call.settings else None),
        "usage": _usage(call.usage),
        "cost": call.cost,
        "error": None if call.error is None else _error(call.error, _fields(call)),
        "repairs": list(call.repairs),
        "content": True,
        "sizes": {"inputs": _sizes(inputs), "outputs": _sizes(outputs)},
        "inputs": inputs,
        "outputs": outputs,
        "exchanges": [_exchange(exchange) for exchange in call.exchanges],
        "process": _process(os.getpid()),
    }


def _outputs(call: Call) -> dict[str, Any] | None:
    if call.error is not None or call.definition is None:
        return None
    names = [field["name"] for field in call.definition["outputs"]]
    return _values({**_added(call), **by_output(names, call.value)})


def _values(values: Mapping[str, Any]) -> dict[str, Any]:
    found = {}
    for name, value in values.items():
        try:
            found[name] = jsonable(value)
        except (TypeError, ValueError):
            found[name] = str(value)  # an input of any Python object, sent as its text
    return found


def _sizes(values: Mapping[str, Any] | None) -> dict[str, int]:
    return {name: len(canonical(value).encode()) for name, value in (values or {}).items()}


def _error(error: BaseException, fields: Fields) -> dict[str, Any]:
    found = {
        "type": type(error).__name__,
        "code": getattr(error, "code", None),
        "message": str(error),
    }
    for name in ("status", "request_id"):
        value = getattr(error, name, None)
        if isinstance(value, (str, int)):
            found[name] = value
    field = getattr(error, "field", None)
    if field in (*fields.inputs, *fields.outputs):  # another name is one that the caller made up
        found["field"] = field
    return found


def _exchange(exchange: Exchange) -> dict[str, Any]:
    request, reply = exchange.request, exchange.reply
    return {
        "model": reply.model or request.target.model,
        "provider": request.target.provider,
        "api": request.api,
        "adapter": request.adapter,
        "started": written_time(exchange.at - reply.seconds),
        "seconds": round(reply.seconds, 6),
        "cached": bool(getattr(reply, "cached", False)),
        "finish": reply.finish,
        "usage": None if reply.usage is None else _usage(reply.usage),
        "request_id": reply.request_id,
        "request": body_of(request.body),
        "reply": _reply(reply),
    }


def _reply(reply: Reply) -> dict[str, Any]:
    found: dict[str, Any] = {"text": reply.text}
    if reply.refusal is not None:
        found["refusal"] = reply.refusal
    if reply.reasoning is not None:
        found["reasoning"] = reply.reasoning
    if reply.tool_calls:
        found["tool_calls"] = [
            {"id": each.id, "name": each.name, "arguments": each.arguments}
            for each in reply.tool_calls
        ]
    return found


def _usage(usage: Usage) -> dict[str, int]:
    return {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cached_tokens": usage.cached_tokens,
    }


def body_of(body: Mapping[str, Any]) -> dict[str, Any]:
    """A request's body without keys, and with the size of media in place of their bytes."""
    return {
        name: [_message(item) for item in value]
        if name in ("messages", "input") and isinstance(value, (list, tuple))
        else value
        if name in CONTENT
        else without_secrets(value, name)
        for name, value in body.items()
    }


def _message(message: Any) -> Any:
    if not isinstance(message, Mapping):
        return message
    parts = {
        name: [_part(part) for part in message[name]]
        for name in ("content", "output")  # of a message, and of what a tool gave
        if isinstance(message.get(name), (list, tuple))
    }
    return {**message, **parts} if parts else message


def _part(part: Any) -> Any:
    if not isinstance(part, Mapping) or part.get("type") in ("text", "input_text", "output_text"):
        return part
    return {name: _sized(value) for name, value in part.items()}


def _sized(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _sized(member) for name, member in value.items()}
    if not isinstance(value, str) or len(value) < 256 or value.startswith(("http:", "https:")):
        return value
    head = value.partition(",")[0] + "," if value.startswith("data:") else ""
    return f"{head}… ({len(value):,} characters)"


def _secrets(call: Call) -> Iterator[str]:
    """The keys that a call may have been made with; a server may have quoted one."""
    settings = call.settings
    found = [*_given(settings)] if settings else []
    for exchange in call.exchanges:
        found += map(os.environ.get, exchange.request.target.key_variables)
        found += _in_headers(exchange.request.headers)
    for secret in dict.fromkeys(found):
        if secret and len(secret.strip()) >= _SHORTEST_SECRET:
            yield secret.strip()


def _given(settings: Settings) -> Iterator[str | None]:
    yield settings.api_key
    yield from _in_headers(settings.extra_headers or {})
    clients = settings.client if isinstance(settings.client, tuple) else (settings.client,)
    for client in clients:
        key = getattr(client, "api_key", None)
        yield key if isinstance(key, str) else None


def _in_headers(headers: Mapping[str, str]) -> Iterator[str]:
    for name, value in headers.items():
        if is_secret(name):
            yield value
            yield value.rpartition(" ")[2]  # behind the word Bearer


def written_time(seconds: float) -> str:
    """A time in UTC with microseconds: `2026-09-28T10:00:00.000000Z`."""
    # `strftime` takes six times as long.
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="microseconds")[:-6] + "Z"


@cache
def host() -> str:
    """This machine's name, as a part of a file's name."""
    return _PLACE.sub("-", platform.node())[:64].strip("-.") or "host"


@cache
def _process(pid: int) -> dict[str, Any]:
    python = ".".join(map(str, sys.version_info[:3]))
    return {"host": host(), "pid": pid, "python": python, "aigen": __version__}
