"""What `Stream.events()` gives: everything that happens in a stream, in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from aigen.runtime.wire.messages import ToolCall, Usage

if TYPE_CHECKING:
    from aigen.runtime.tools.outcome import Outcome


@dataclass(frozen=True, slots=True)
class TextDelta:
    """More of the reply's text."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """More of what the model thinks aloud."""

    text: str


@dataclass(frozen=True, slots=True)
class RefusalDelta:
    """More of the words of a refusal."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolCallDelta:
    """More of a tool call; its id and name come once, with its beginning.

    Attributes:
        index: which of the reply's tool calls.
        id: of the call, else empty.
        name: of the tool, else empty.
        arguments: more of their text.
    """

    index: int
    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """A tool call that the reply asked for begins; the reply's texts are not of the answer.

    Attributes:
        call: its id, name and arguments, as the model gave them.
    """

    call: ToolCall


@dataclass(frozen=True, slots=True)
class ToolFinished:
    """A tool call is done, or was refused.

    Attributes:
        outcome: what became of it, and what the model is told.
    """

    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Used:
    """The tokens of one reply."""

    usage: Usage


@dataclass(frozen=True, slots=True)
class Finished:
    """One reply has ended.

    Attributes:
        reason: `stop`, `length`, `content_filter`, `tool_calls`, or the server's word.
    """

    reason: str


@dataclass(frozen=True, slots=True)
class Partial:
    """The answer as far as it has arrived: what iterating gives."""

    value: Any


@dataclass(frozen=True, slots=True)
class AskedAgain:
    """Another reply follows; the texts before are not of the answer.

    Attributes:
        reason: why.
    """

    reason: str


Event: TypeAlias = (
    TextDelta
    | ReasoningDelta
    | RefusalDelta
    | ToolCallDelta
    | ToolStarted
    | ToolFinished
    | Used
    | Finished
    | Partial
    | AskedAgain
)
