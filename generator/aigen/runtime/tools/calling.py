"""How tools are offered in a request, and how their results go back: natively, or as text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from aigen.runtime.errors import ConfigurationError, ProviderError
from aigen.runtime.tools.available import Available
from aigen.runtime.tools.offered import Tool
from aigen.runtime.tools.outcome import Outcome
from aigen.runtime.wire import learned
from aigen.runtime.wire.content import of_result
from aigen.runtime.wire.messages import Reply, Request, Target, ToolCall
from aigen.runtime.wire.strict import Decode, from_strict, to_plain, to_strict

SEARCH: Final = "search_tools"
"""The tool that finds deferred ones."""

_WAY: Final = "tool"
"""What is remembered of a server that takes no tools."""

_AS_TEXT: Final = """\
You can use tools. To use one, reply with one JSON object and nothing else:
{"function": "<name>", "arguments": {…}}
You are then told its result, and go on. When you need no tool any more, give your answer.

Tools:
"""


@dataclass(frozen=True, slots=True)
class Toolbox:
    """The tools of one call as its requests offer them.

    Attributes:
        tools: all that the function names; hidden ones are not offered.
        schemas: of the arguments, by name, as canonical JSON Schemas.
        native: whether the provider's own tool calls are used.
        decodes: of the strict forms that are sent: where null stands for what may be absent.
        code: what the prompt says of the tools that code calls; empty without any.
    """

    tools: tuple[Tool, ...]
    schemas: Mapping[str, dict[str, Any]]
    native: bool
    decodes: Mapping[str, Decode | None]
    code: str = ""

    def offered_in(self, request: Request) -> Request:
        """The request with the tools."""
        shown = self._shown()
        if not shown:  # none is available now
            return request
        request = _with_words(request, self.code) if self.code else request
        if not self.native:
            described = _AS_TEXT + "\n".join(map(self._described, shown))
            parts = [described, _guidance(shown)]
            return _with_words(request, "\n\n".join(part for part in parts if part))
        tools = [self._form(tool, request.api) for tool in shown]
        body = {**request.body, "tools": [*request.body.get("tools", ()), *tools]}
        request = replace(request, body=body)
        words = _guidance(shown)
        return _with_words(request, words) if words else request

    def calls_in(self, reply: Reply) -> list[ToolCall]:
        """The calls that a reply asks for; none where it is the answer."""
        if self.native:
            return [self._decoded(call) for call in reply.tool_calls]
        # A server may make calls of what was written, and a test's script says calls as such.
        known = {tool.name for tool in self.tools}
        alone = not reply.text
        made = [call for call in reply.tool_calls if alone or call.name in known]
        return made or _written_calls(reply.text or "")

    def with_results(self, request: Request, reply: Reply, outcomes: Sequence[Outcome]) -> Request:
        """The request with the reply and what became of its calls."""
        if not self.native:
            words = "\n\n".join(f"Result of {each.name}:\n{each.text}" for each in outcomes)
            said = [
                {"role": "assistant", "content": reply.text or _as_written(reply.tool_calls)},
                {"role": "user", "content": words},
            ]
        elif request.api == "responses":
            said = [*_asked_in_responses(reply), *map(_told_in_responses, outcomes)]
        else:
            said = [_asked_in_chat(reply), *map(_told_in_chat, outcomes)]
        name = "input" if request.api == "responses" else "messages"
        request = replace(request, body={**request.body, name: [*request.messages, *said]})
        return self._with_found(request, outcomes)

    def _shown(self) -> list[Tool]:
        return [tool for tool in self.tools if tool.exposure == "direct"]

    def _with_found(self, request: Request, outcomes: Sequence[Outcome]) -> Request:
        """The request with the tools that a search has found, so that they can be called."""
        searches = [each.value for each in outcomes if each.name == SEARCH and each.value]
        names = dict.fromkeys(name for found in searches for name in found)
        tools = [tool for tool in self.tools if tool.name in names]
        if not tools:
            return request
        if not self.native:
            said = str(request.messages[0]["content"])
            new = [words for words in map(self._described, tools) if words not in said]
            return _with_words(request, "\n".join(new)) if new else request
        there = request.body["tools"]
        more = [form for tool in tools if (form := self._form(tool, request.api)) not in there]
        return replace(request, body={**request.body, "tools": [*there, *more]})

    def _decoded(self, call: ToolCall) -> ToolCall:
        """A call whose arguments have absent again where the strict form had null."""
        decode = self.decodes.get(call.name)
        if decode is None:
            return call
        try:
            found = from_strict(json.loads(call.arguments or "{}"), decode)
        except (ValueError, RecursionError):
            return call
        return replace(call, arguments=json.dumps(found, ensure_ascii=False))

    def _form(self, tool: Tool, api: str) -> dict[str, Any]:
        schema = self.schemas[tool.name]
        strict = to_strict(schema) if tool.name in self.decodes else None
        form: dict[str, Any] = {
            "name": tool.name,
            "description": tool.description,
            "parameters": to_plain(schema) if strict is None else strict.schema,
            "strict": strict is not None,
        }
        if api == "responses":
            return {"type": "function", **form}
        return {"type": "function", "function": form}

    def _described(self, tool: Tool) -> str:
        from aigen.runtime.wire.adapters.notation import notation

        words = " ".join(tool.description.split())
        form = notation(_with_defaults(to_plain(self.schemas[tool.name])))
        lines = [f"- {tool.name}: {words}", f"arguments: {form}", *_returned(tool.definition)]
        return "\n".join(lines).replace("\n", "\n  ")


def toolbox(available: Available, target: Target, setting: str) -> Toolbox:
    """The tools that are available now, as a target takes them.

    Args:
        available: of the function's tools.
        target: where the call goes.
        setting: `auto`, `native` or `text`.

    Raises:
        ConfigurationError: one cannot be as strict as its spec says, two are called alike in code,
            or the sandbox of code is not installed.
    """
    schemas = available.schemas
    code = _in_code(available)
    now = _leading_somewhere(available.tools)
    native = setting == "native" or (
        setting == "auto" and "tool" in target.takes and not learned.refused(_WAY, target.key)
    )
    decodes: dict[str, Decode | None] = {}
    for tool in now if native else ():
        if tool.exposure not in ("direct", "deferred"):
            continue
        wanted = tool.options.get("strict", "auto")
        if wanted is False or (wanted == "auto" and "strict" not in target.takes):
            continue
        strict = to_strict(schemas[tool.name])
        if strict.schema is not None:
            decodes[tool.name] = strict.decode
        elif wanted is True:
            raise ConfigurationError(
                f"{tool.name} cannot be strict: {strict.reasons[0]}", code="tool-strict"
            )
    return Toolbox(now, schemas, native, decodes, code)


def _leading_somewhere(tools: Sequence[Tool]) -> tuple[Tool, ...]:
    """Tools without ours that lead to none: with nothing to find or to call, each is useless."""
    ways = {None, *(tool.exposure for tool in tools)}
    return tuple(tool for tool in tools if tool.leads_to in ways)


def _in_code(available: Available) -> str:
    """What the prompt says of the tools that code calls."""
    if not any(tool.exposure == "code" for tool in available.tools):
        return ""
    from aigen.runtime.tools import code, sandbox

    sandbox.require()
    return code.words(code.as_python(available.tools, available.schemas))


def takes_no_tools(problem: ProviderError, target: Target) -> bool:
    """Whether a server's answer says that it takes no tools; remembered for the process."""
    if not learned.refuses_way(problem, _WAY):
        return False
    learned.remember([_WAY], target.key)
    return True


# ------------------------------------------------------------------------------- messages


def _asked_in_chat(reply: Reply) -> dict[str, Any]:
    calls = [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": _kept(call.arguments)},
        }
        for call in reply.tool_calls
    ]
    return {"role": "assistant", "content": reply.text, "tool_calls": calls}


def _told_in_chat(outcome: Outcome) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": outcome.call_id, "content": outcome.text}


def _asked_in_responses(reply: Reply) -> list[Any]:
    """What the model gave, as it gave it: a reasoning model wants its reasoning back."""
    given = reply.raw.get("output") if isinstance(reply.raw, Mapping) else None
    if isinstance(given, list) and given:
        return [_whole(item) for item in given if isinstance(item, Mapping)]
    return [
        {
            "type": "function_call",
            "call_id": call.id,
            "name": call.name,
            "arguments": _kept(call.arguments),
        }
        for call in reply.tool_calls
    ]


def _whole(item: Mapping[str, Any]) -> dict[str, Any]:
    """An item of a reply; a call's arguments as they may be sent again."""
    found = dict(item)
    if found.get("type") == "function_call":
        found["arguments"] = _kept(str(found.get("arguments") or ""))
    return found


def _kept(arguments: str) -> str:
    """Arguments as the history holds them: gateways refuse all of it for one that is no JSON.

    What was wrong with them is the call's result.
    """
    try:
        found = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        return "{}"
    return arguments if isinstance(found, dict) and arguments else "{}"


def _told_in_responses(outcome: Outcome) -> dict[str, Any]:
    return {
        "type": "function_call_output",
        "call_id": outcome.call_id,
        "output": of_result(outcome.text, outcome.images),
    }


def _with_words(request: Request, words: str) -> Request:
    """The request with more said in its system message."""
    name = "input" if request.api == "responses" else "messages"
    messages = request.messages
    first = messages[0] if messages else {}
    if first.get("role") == "system" and isinstance(first.get("content"), str):
        messages[0] = {**first, "content": f"{first['content']}\n\n{words}"}
    else:
        system = {"role": "system", "content": words}
        messages.insert(0, {"type": "message", **system} if name == "input" else system)
    return replace(request, body={**request.body, name: messages})


def _guidance(tools: Sequence[Tool]) -> str:
    """The line and the rules that a tool's spec adds to the prompt."""
    lines = [
        f"- {tool.name}: {tool.options['snippet']}" for tool in tools if "snippet" in tool.options
    ]
    rules = [f"- {rule}" for tool in tools for rule in tool.options.get("guidelines") or ()]
    parts = [("Tools:", lines), ("Rules:", rules)]
    return "\n\n".join("\n".join([title, *said]) for title, said in parts if said)


# --------------------------------------------------------------------------------- as text


def _with_defaults(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of arguments, each default among the words."""
    properties = {}
    for name, part in schema.get("properties", {}).items():
        if isinstance(part, Mapping) and "default" in part:
            default = f"default: {json.dumps(part['default'], ensure_ascii=False)}"
            words = [part["description"], default] if "description" in part else [default]
            part = {**part, "description": "\n".join(words)}
        properties[name] = part
    return {**schema, "properties": properties} if properties else schema


def _returned(definition: Mapping[str, Any]) -> list[str]:
    """What a tool or an AI function gives back, in a line."""
    from aigen.runtime.wire.adapters.layout import with_own_definitions
    from aigen.runtime.wire.adapters.notation import definitions, form

    output = definition.get("output")
    outputs = [output] if isinstance(output, Mapping) else definition.get("outputs", [])
    said = []
    for each in outputs:
        name = f"{each['name']}: " if len(outputs) > 1 else ""
        kind = form(to_plain({**each["shape"], "$defs": definition.get("$defs", {})}))
        said.append("; ".join([name + kind, *each.get("desc", "").splitlines()]))
    shapes = {"anyOf": [each["shape"] for each in outputs]}
    named = definitions(to_plain(with_own_definitions(shapes, definition.get("$defs", {}))))
    return [f"returns: {', '.join(said)}", *named] if said else []


def _as_written(calls: Sequence[ToolCall]) -> str:
    """Calls as a model writes them that was asked for text."""
    return "\n".join(
        f'{{"function": {json.dumps(call.name)}, "arguments": {_kept(call.arguments)}}}'
        for call in calls
    )


def _written_calls(text: str) -> list[ToolCall]:
    """The calls that stand in a text, in order; what merely looks like one is none."""
    found: list[ToolCall] = []
    at = text.find("{")
    while at >= 0:
        end = _end_of(text, at)
        call = _call(text[at:end], len(found))
        if call is not None:
            found.append(call)
        if end is None:  # nothing closes it: it is a call that was not finished, or a stray brace
            head = None if _HEAD.match(text, at) else _HEAD.search(text, at + 1)
            at = -1 if head is None else head.start()
        elif found:
            at = text.find("{", end)
        elif at >= _LOOKED_AT:
            break
        else:
            at = text.find("{", at + 1)
    return found


_LOOKED_AT: Final = 4000
"""Characters in which the first call begins; an answer is not searched from end to end."""

_NAME: Final = re.compile(r"""(["'])function\1\s*:\s*(["'])([^"'\\]{1,64})\2""")
_HEAD: Final = re.compile(r"""\{\s*(["'])(?:function\1\s*:\s*["']|arguments\1\s*:)""")
"""How a call begins."""


def _call(written: str, number: int) -> ToolCall | None:
    if "function" not in written:
        return None
    try:
        said = json.loads(written)
    except (ValueError, RecursionError):
        # It may have meant to call: what is wrong with its JSON is said to it.
        name = _NAME.search(written) if _HEAD.match(written) else None
        return ToolCall(f"call_{number + 1}", name[3], written) if name else None
    if not isinstance(said.get("function"), str):
        return None
    if "arguments" not in said and len(said) > 1:
        return None  # an answer that has a member of this name
    arguments = said.get("arguments", {})
    return ToolCall(
        f"call_{number + 1}", said["function"], json.dumps(arguments, ensure_ascii=False)
    )


def _end_of(text: str, start: int) -> int | None:
    """Where the JSON object that begins at `start` ends; braces in strings are text."""
    depth, inside, at = 0, False, start
    while at < len(text):
        character = text[at]
        if inside:
            if character == "\\":
                at += 1
            elif character == '"':
                inside = False
        elif character == '"':
            inside = True
        elif character == "{":
            depth += 1
        elif character == "}":
            depth -= 1
            if depth == 0:
                return at + 1
        at += 1
    return None
