"""Test doubles: a scripted model, recorded traffic, and a guard against the network.

```python
with scripted([{"summary": "A kettle sparks.", "urgent": True}]) as model:
    assert support.triage("It sparks.").urgent
    assert "It sparks." in model.requests[0].messages[-1]["content"]
```
"""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aigen.runtime.errors import ConfigurationError, ProviderError
from aigen.runtime.record.traffic import Mode, Recording
from aigen.runtime.wire import faking, learned
from aigen.runtime.wire.messages import Reply, Request, ToolCall, Usage

__all__ = [
    "Recording",
    "Scripted",
    "broken",
    "chunked",
    "cut_off",
    "delayed",
    "filtered",
    "http_error",
    "no_network",
    "recorded",
    "refusal",
    "scripted",
    "tool_call",
]


@dataclass(frozen=True, slots=True)
class _Delivered:
    """A step, and how its answer comes: fields of `faking.Answer`."""

    step: Any
    how: Mapping[str, Any]


class Scripted:
    """A fake model.

    Attributes:
        requests: every request that reached it, in order.
    """

    def __init__(self, steps: Iterable[Any] | Callable[[Request], Any]) -> None:
        self.requests: list[Request] = []
        self._lock = threading.Lock()
        self._function = steps if callable(steps) else None
        self._steps = iter(()) if callable(steps) else iter(list(steps))

    def __call__(self, request: Request) -> faking.Answer:
        """The next step's answer to a request."""
        with self._lock:
            self.requests.append(request)
            step = self if self._function else next(self._steps, self)
        if self._function:
            # Not under the lock: it may call an AI function itself, on any thread.
            step = self._function(request)
        if step is self:
            raise ConfigurationError(self._no_step_left(request), code="script")
        how: dict[str, Any] = {}
        while isinstance(step, _Delivered):
            how = {**step.how, **how, "delay": how.get("delay", 0.0) + step.how.get("delay", 0.0)}
            step = step.step
        return faking.Answer(_outcome(step, request), **how)

    def _no_step_left(self, request: Request) -> str:
        """Names the request, and why there was one more than the script has steps."""
        words = f"the script has no step left for request {len(self.requests)}"
        before = self.requests[-2] if len(self.requests) > 1 else None
        if before is None:
            return words
        if request.messages == before.messages:
            return f"{words}: the one before it failed, and was sent again"
        if request.messages[: len(before.messages)] != before.messages:
            return words
        return f"{words}: {str(request.messages[-1]['content']).splitlines()[0]}"


def _outcome(step: Any, request: Request) -> Reply | Exception:
    if isinstance(step, Exception):
        return step
    reply = step if isinstance(step, Reply) else _reply(step, request)
    if reply.usage is None:
        sent = sum(len(str(message.get("content"))) for message in request.messages)
        reply = reply._replace(usage=Usage(sent // 4 + 1, len(reply.text or "") // 4 + 1))
    return reply


def _reply(step: Any, request: Request) -> Reply:
    """A text as it is; any other value as a model would write it.

    A one-output function's value may be given alone.
    """
    from aigen.runtime.wire.adapters.ways import as_reply

    if isinstance(step, str):
        if not (_is_one(request) and _wants_form(request)) or _HOLDS_FORM.search(step):
            return Reply(step)
        return as_reply(request, {"result": step})
    if hasattr(step, "model_dump"):
        step = step.model_dump(mode="json", by_alias=True)
    if _is_one(request) and not (isinstance(step, Mapping) and _is_whole(step, request)):
        step = {"result": step}
    if not isinstance(step, Mapping):
        return Reply(json.dumps(step, ensure_ascii=False, default=str))
    return as_reply(request, json.loads(json.dumps(step, default=str)))


_HOLDS_FORM = re.compile(r'\A\s*[\[`"]|\{|<result[\s/>]')


def _wants_form(request: Request) -> bool:
    """Whether something holds the reply to a form, so that a bare text is none."""
    from aigen.runtime.wire.adapters.ways import WAYS

    body = request.body
    held = body.get("response_format") or body.get("text") or body.get("tools")
    return bool(held) or WAYS[request.adapter].written is not None


def _is_one(request: Request) -> bool:
    return _members(request) - {"reasoning"} == {"result"}


def _is_whole(step: Mapping[str, Any], request: Request) -> bool:
    """Whether a mapping is all of the reply's object, and not the one output's value."""
    return "result" in step and set(step) <= _members(request)


def _members(request: Request) -> set[str]:
    return set((request.reply_schema or {}).get("properties", ()))


@contextmanager
def scripted(steps: Iterable[Any] | Callable[[Request], Any]) -> Iterator[Scripted]:
    """Answers every call in this process from a script, until the block ends.

    Args:
        steps: one step a request, or a function of the request that gives one; the threads that
            ask call it, at the same time where they do, and it may call AI functions itself, whose
            requests come to it too. A call that is still running when the block has ended gets
            nothing from a later script. A step is a text, a
            value (as the model would write it), or what `refusal`, `cut_off`, `filtered`,
            `http_error`, `tool_call`, `delayed`, `chunked` and `broken` give, or an exception to
            raise.

    Raises:
        ConfigurationError: in the call, where no step is left.
    """
    model = Scripted(steps)
    faking.scripts.append(model)
    try:
        yield model
    finally:
        faking.scripts.remove(model)


def refusal(words: str = "I cannot help with that.") -> Reply:
    """The model refuses."""
    return Reply(None, refusal=words)


def cut_off(text: str) -> Reply:
    """The reply ends at its token limit."""
    return Reply(text, finish="length")


def filtered() -> Reply:
    """The provider's filter holds the reply back."""
    return Reply(None, finish="content_filter")


def tool_call(name: str, arguments: Mapping[str, Any] | str, id: str = "call_1") -> Reply:
    """The model asks for a tool."""
    text = arguments if isinstance(arguments, str) else json.dumps(dict(arguments))
    return Reply(None, finish="tool_calls", tool_calls=(ToolCall(id, name, text),))


def http_error(status: int, message: str = "an error of the script") -> ProviderError:
    """The provider answers with an HTTP status."""
    return ProviderError(f"the provider answered {status}: {message}", status=status)


def delayed(seconds: float, step: Any) -> Any:
    """A step that takes its time."""
    return _Delivered(step, {"delay": seconds})


def chunked(step: Any, size: int = 4, *, pause: float = 0.0) -> Any:
    """A step that a stream gives in pieces of so many characters, `pause` seconds between them.

    Raises:
        ValueError: a size below one.
    """
    if size < 1:
        raise ValueError("chunked() wants a size of one character or more")
    return _Delivered(step, {"size": size, "pause": pause})


def broken(step: Any, after: int) -> Any:
    """A step whose stream breaks off after so many characters; a plain call gets it whole."""
    return _Delivered(step, {"breaks": after})


@contextmanager
def recorded(
    path: str | os.PathLike[str],
    mode: Mode = "once",
    *,
    scrub: Callable[[str], str] | None = None,
) -> Iterator[Recording]:
    """Records this process's traffic with models in a file once, and replays it from then on.

    A request is known again by its body, whichever server, transport or key is used; one that was
    sent several times gets its replies in their order, then the last again. What was tried again
    (429, 5xx, a broken connection) is not recorded. Nothing is written where the block raises.

    Args:
        path: `*.yaml`, which needs PyYAML and reads well, or JSON Lines.
        mode: `once` records where there is no file and replays where there is one; `none` only
            replays; `all` records anew.
        scrub: what to make of every text before it is compared and written. Keys, and what looks
            like one, are replaced without it, and headers are not recorded at all.

    Raises:
        ConfigurationError: the file cannot be read; and in a call, code `recording`, where a
            request was not recorded: the message names the nearest and what differs.
    """
    recording = Recording(Path(path), mode, scrub)
    faking.scripts.append(recording)
    try:
        # What a server refused earlier would leave out requests that another process sends.
        with learned.set_aside():
            yield recording
        recording.save()
    finally:
        faking.scripts.remove(recording)


@contextmanager
def no_network() -> Iterator[None]:
    """Fails every call that would leave the process, naming its model, until the block ends.

    Scripts and the sample model still answer.

    Raises:
        ConfigurationError: in the call.
    """
    with faking.guarded("answer it from scripted(…) or recorded(…)"):
        yield
