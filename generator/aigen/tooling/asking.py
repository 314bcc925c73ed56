"""One question to a model that may use functions at hand."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from aigen.runtime.errors import ConfigurationError, RefusalError, ReplyError, StepLimitError
from aigen.runtime.function_like import FunctionLike
from aigen.runtime.layers import checked, resolve
from aigen.runtime.options import Options
from aigen.runtime.tools.available import Available
from aigen.runtime.tools.calling import Toolbox, toolbox
from aigen.runtime.tools.named import with_own
from aigen.runtime.tools.offered import offered
from aigen.runtime.tools.running import Runner
from aigen.runtime.wire.adapters.said import Laid
from aigen.runtime.wire.body import body_of
from aigen.runtime.wire.conversation import target_of
from aigen.runtime.wire.deadline import Deadline
from aigen.runtime.wire.exchange import send
from aigen.runtime.wire.messages import Reply, Request
from aigen.tooling.making import tool

_ASKER = "tooling"
"""Who asks, where a tool call is asked about: `tooling/<name of the tool>`."""


def answer(prompt: str, tools: Sequence[Any] = (), **settings: Unpack[Options]) -> str:
    """Asks a model one question; it may use tools.

    Args:
        prompt: what is asked.
        tools: functions, tools, AI functions, or schemas that `function_schema` made.
        settings: of the call, above those of `configure()` and of blocks.

    Returns:
        The text of its answer.

    Raises:
        AigenError: as a call of an AI function raises it.
    """
    return complete([{"role": "user", "content": prompt}], tools, **settings)


def complete(
    messages: list[dict[str, Any]], tools: Sequence[Any] = (), **settings: Unpack[Options]
) -> str:
    """Goes on with a conversation until the model answers.

    Args:
        messages: of a chat, as `form_msgs` makes them; what is said is added to them, tool calls
            and their results too.
        tools: as `answer` takes them.
        settings: of the call.

    Returns:
        The text of the answer, which is the last message.

    Raises:
        AigenError: as a call of an AI function raises it.
    """
    found = resolve({}, {}, checked(settings, "complete()"))
    target = target_of(found)
    deadline = Deadline(found.timeout)
    # Messages are a chat's, whatever the settings say.
    body = body_of(Laid([]), target, found)
    request = Request("chat", target, {**body, "messages": list(messages)}, "schema")
    listed = with_own(offered(_tool_of(each) for each in tools))
    box = None
    if listed:
        available = Available(listed, None, found)
        available.find_out(deadline)
        box = toolbox(available, target, found.tool_calling)
    said = _conversed(request, box, Runner(listed, _ASKER, found, deadline))
    messages[:] = said
    return str(said[-1]["content"])


def _conversed(request: Request, box: Toolbox | None, runner: Runner) -> list[dict[str, Any]]:
    """The messages with all that is said until there is an answer."""
    settings, deadline = runner.settings, runner.deadline
    for step in range(1, settings.max_steps + 1):
        shown = box.offered_in(request) if box is not None else request
        reply = send(shown, settings, deadline)
        calls = box.calls_in(reply) if box is not None else []
        if box is None or not calls:
            return [*request.messages, {"role": "assistant", "content": _text(reply)}]
        outcomes = runner.run(calls, step, reply.finish != "length")
        request = box.with_results(request, reply, outcomes)
    raise StepLimitError(f"no answer within {settings.max_steps} requests; raise max_steps")


def _text(reply: Reply) -> str:
    if reply.refusal is not None:
        raise RefusalError(f"the model refused: {reply.refusal[:500]}", reply=reply.refusal)
    if not reply.text:
        raise ReplyError("the reply is empty")
    return reply.text


def _tool_of(given: Any) -> Any:
    if isinstance(given, FunctionLike):
        return given
    if isinstance(given, Mapping):
        return _described(given)
    return tool(given)


def _described(schema: Mapping[str, Any]) -> Any:
    """The tool of a schema of `function_schema`, with its metadata and the function it names."""
    inner = schema.get("function", schema)
    keys: dict[str, Any] = {}
    if isinstance(inner.get("metadata"), Mapping):
        keys["metadata"] = dict(inner["metadata"])
    if isinstance(inner.get("fixup"), str):
        keys["fixup"] = _at(inner["fixup"])
    return tool(_named(schema), **keys)


def _at(path: str) -> Any:
    """The function at a dotted path: the longest module that there is, and names in it."""
    parts = path.split(".")
    for depth in range(len(parts) - 1, 0, -1):
        name = ".".join(parts[:depth])
        try:
            found: Any = sys.modules.get(name) or importlib.import_module(name)
            for part in parts[depth:]:
                found = getattr(found, part)
        except (ImportError, AttributeError):
            continue
        return found
    raise ConfigurationError(f"the fixup {path} of a schema is not there", code="tool")


def _named(schema: Mapping[str, Any]) -> Any:
    """The function that a schema of `function_schema` was made of: its `metadata` says where."""
    inner = schema.get("function", schema)
    module = inner.get("metadata", {}).get("module", "")
    found = sys.modules.get(module) or (importlib.import_module(module) if module else None)
    func = getattr(found, str(inner.get("name")), None)
    if func is None:
        raise ConfigurationError(
            f"the function of the schema {inner.get('name')!r} is not in {module or 'any module'}: "
            "give the function itself",
            code="tool",
        )
    return func
