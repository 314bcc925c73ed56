"""Models that need no network: a test's script, and the sample model.

A script stands for the process, not for a context: code under test may call from any thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeAlias

from aigen.runtime.errors import ConfigurationError, ProviderError
from aigen.runtime.setting_kinds import Settings
from aigen.runtime.wire.messages import Reply, Request


@dataclass(frozen=True, slots=True)
class Answer:
    """What a fake model does: waits, then gives or raises.

    Attributes:
        outcome: what it gives or raises.
        delay: seconds before.
        size: characters of each piece of a stream.
        pause: seconds before each piece but the first.
        breaks: characters after which a stream breaks; None where it does not.
    """

    outcome: Reply | Exception
    delay: float = 0.0
    size: int = 4
    pause: float = 0.0
    breaks: int | None = None

    def reply(self, timeout: float) -> Reply:
        """The reply.

        Raises:
            Exception: the one that the script says, or TimeoutError where it waited too long.
        """
        if self.delay >= timeout:
            raise TimeoutError
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome

    def payloads(self) -> Iterator[tuple[float, Any]]:
        """What a server would stream: chunks of a chat completion, and seconds before each.

        Raises:
            Exception: the one that the script says, or ProviderError where the stream breaks.
        """
        yield self.delay, None
        if isinstance(self.outcome, Exception):
            raise self.outcome
        sent = 0
        for number, delta in enumerate(self._deltas(self.outcome)):
            delta, size = _cut(delta, None if self.breaks is None else self.breaks - sent)
            sent += size
            yield self.pause if number else 0.0, _chunk(self.outcome, delta)
            if sent == self.breaks:
                raise ProviderError("the answer broke off: so the script says", code="connection")
        yield 0.0, _chunk(self.outcome, {}, self.outcome.finish)

    def _deltas(self, reply: Reply) -> Iterator[dict[str, Any]]:
        for name, text in (
            ("reasoning_content", reply.reasoning),
            ("content", reply.text),
            ("refusal", reply.refusal),
        ):
            for start in range(0, len(text or ""), self.size):
                yield {name: (text or "")[start : start + self.size]}
        for index, call in enumerate(reply.tool_calls):
            named = {"name": call.name, "arguments": ""}
            yield {"tool_calls": [{"index": index, "id": call.id, "function": named}]}
            for start in range(0, len(call.arguments), self.size):
                more = {"arguments": call.arguments[start : start + self.size]}
                yield {"tool_calls": [{"index": index, "function": more}]}


def _cut(delta: dict[str, Any], left: int | None) -> tuple[dict[str, Any], int]:
    """A delta with so many characters of the answer at most, and how many those are."""
    if "content" in delta:
        text = delta["content"][:left]
        return {"content": text}, len(text)
    if "tool_calls" in delta:
        call = delta["tool_calls"][0]
        text = call["function"]["arguments"][:left]
        function = {**call["function"], "arguments": text}
        return {"tool_calls": [{**call, "function": function}]}, len(text)
    return delta, 0


def _chunk(reply: Reply, delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    usage = reply.usage if finish else None
    return {
        "object": "chat.completion.chunk",
        "model": reply.model,
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
        "usage": usage
        and {"prompt_tokens": usage.input_tokens, "completion_tokens": usage.output_tokens},
    }


class Recorder(Protocol):
    """A script that lets requests out and is told what came back."""

    @property
    def listens(self) -> bool:
        """Whether it lets requests out."""

    def __call__(self, request: Request) -> Answer | None:
        """The answer to a request; None where it goes out."""

    def note(self, request: Request, settings: Settings, outcome: Reply | Exception) -> None:
        """Takes what came back."""


NO_MODEL: Final = "scripted"
"""The model of a request for which none is set, where a script answers."""

Script: TypeAlias = Callable[[Request], Answer | None]

scripts: list[Script] = []
"""The innermost script is the last."""

guards: list[str] = []
"""While there is one, no request leaves the process; each says what to do instead."""


@contextmanager
def guarded(instead: str) -> Iterator[None]:
    """Keeps requests in the process until the block ends.

    Args:
        instead: what the error says to do.
    """
    guards.append(instead)
    try:
        yield
    finally:
        guards.remove(instead)


def is_on() -> bool:
    """Whether a script answers everything, so that a request needs no server."""
    return bool(scripts) and recorder(innermost()) is None


def innermost() -> Script | None:
    """The script that has the say now."""
    return scripts[-1] if scripts else None


def made_with() -> tuple[str, str] | None:
    """The provider and model that the innermost script was recorded with, where it was."""
    found: tuple[str, str] | None = getattr(innermost(), "made_with", None)
    return found


def recorder(script: Any) -> Recorder | None:
    """A script, where it lets requests out."""
    return script if getattr(script, "listens", False) else None


def stands_in(request: Request) -> bool:
    """Whether a fake model, or a recording, has the say about a request."""
    return bool(scripts) or request.target.provider == "sample"


def answer(request: Request, script: Script | None) -> Answer | None:
    """What a fake model says, or None where the request goes out.

    Args:
        request: what it is asked.
        script: that had the say when the call began.

    Raises:
        ConfigurationError: it would go out, inside `no_network()`; or the script's block has ended.
    """
    if script is not None:
        if not any(script is one for one in scripts):
            raise ConfigurationError(
                "a call that began inside a script's block went on behind its end", code="script"
            )
        if (found := script(request)) is not None:
            return found
    if request.target.provider == "sample":
        from aigen.runtime.wire.sample import sample_reply

        return Answer(sample_reply(request, request.reply_schema))
    if guards:
        raise ConfigurationError(
            f"a request to {request.target.model} inside no_network(): {guards[-1]}",
            code="no-network",
        )
    return None
