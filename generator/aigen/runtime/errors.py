"""What a call can raise; 3-runtime, *Errors*.

Every class has a stable `code`, a message that says what to do, and pickles. Where they are known,
an error also holds the raw `reply`, the `usage` so far and the `attempts` that were made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

HOME: Final = __name__.rpartition(".")[0]
"""The runtime's name, for messages: `aigen.runtime`, or where a standalone output keeps it."""


class AigenError(Exception):
    """The base of everything aigen raises.

    Attributes:
        message: what happened and what to do about it.
        code: a stable word for programs.
        function: the function's name, where one was called.
        reply: the raw reply, where there was one.
        usage: tokens used by the whole call so far, where known.
        attempts: every reply that was read, oldest first.
        results: the rows that a `map` had done when this stopped it.
    """

    default_code: ClassVar[str] = "error"
    results: Any = None

    def __init__(
        self,
        message: str = "",
        *,
        code: str | None = None,
        function: str | None = None,
        reply: Any = None,
        usage: Any = None,
        attempts: Sequence[Any] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.default_code
        self.function = function
        self.reply = reply
        self.usage = usage
        self.attempts: tuple[Any, ...] = tuple(attempts)

    def __reduce__(self) -> tuple[Any, ...]:
        # Keyword-only attributes are lost by the way exceptions pickle by default.
        return _restore, (type(self), self.args, self.__dict__.copy(), _that_travels(self))


def _that_travels(error: BaseException) -> BaseException | None:
    """An error's cause, where another process can have it; its words are in the message.

    Many exceptions of others pickle and cannot be made again; the SDK's hold their request, with
    the key in it.
    """
    import pickle

    cause = error.__cause__
    if type(cause).__module__.partition(".")[0] == "openai":
        return None
    try:
        pickle.loads(pickle.dumps(cause))
    except Exception:
        return None
    return cause


def _restore(
    kind: type[AigenError],
    args: tuple[Any, ...],
    state: Mapping[str, Any],
    cause: BaseException | None = None,
) -> AigenError:
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(state)
    error.__cause__ = cause
    return error


class ConfigurationError(AigenError):
    """Something is set up wrongly: a setting, an interface, a missing package."""

    default_code = "configuration"

    def __init__(self, message: str = "", *, field: str | None = None, **rest: Any) -> None:
        super().__init__(message, **rest)
        self.field = field


class InterfaceInputError(AigenError):
    """The inputs of a call do not fit; nothing was sent.

    Attributes:
        field: the input at fault.
        path: where inside it.
        expected: what it wants.
    """

    default_code = "interface-input"

    def __init__(
        self,
        message: str = "",
        *,
        field: str | None = None,
        path: Sequence[str | int] = (),
        expected: str = "",
        **rest: Any,
    ) -> None:
        super().__init__(message, **rest)
        self.field = field
        self.path = tuple(path)
        self.expected = expected


class InterfaceOutputError(AigenError):
    """What a program gave back does not fit its interface.

    Attributes:
        field: the output at fault.
        path: where inside it.
        expected: what it should have been.
    """

    default_code = "interface-output"

    def __init__(
        self,
        message: str = "",
        *,
        field: str | None = None,
        path: Sequence[str | int] = (),
        expected: str = "",
        **rest: Any,
    ) -> None:
        super().__init__(message, **rest)
        self.field = field
        self.path = tuple(path)
        self.expected = expected


class ReplyError(AigenError):
    """The model's reply cannot be read as the answer.

    Attributes:
        path: where in the answer.
        expected: what should stand there.
    """

    default_code = "reply"

    def __init__(
        self,
        message: str = "",
        *,
        path: Sequence[str | int] = (),
        expected: str = "",
        **rest: Any,
    ) -> None:
        super().__init__(message, **rest)
        self.path = tuple(path)
        self.expected = expected


class TruncatedError(ReplyError):
    """The reply was cut off at its token limit."""

    default_code = "truncated"


class RefusalError(ReplyError):
    """The model refused to answer."""

    default_code = "refusal"


class FilteredError(ReplyError):
    """The provider's content filter held the reply back."""

    default_code = "filtered"


class ToolError(AigenError):
    """A tool cannot be run, or failed.

    Attributes:
        tool: the tool's name.
    """

    default_code = "tool"

    def __init__(self, message: str = "", *, tool: str | None = None, **rest: Any) -> None:
        super().__init__(message, **rest)
        self.tool = tool


class ApprovalError(ToolError):
    """Who was asked to approve a tool call exits, or is cancelled, instead of answering."""

    default_code = "approval"


class StepLimitError(AigenError):
    """The tool loop took more requests than `max_steps`."""

    default_code = "step-limit"


class DeadlineError(AigenError):
    """The call's `timeout` has passed."""

    default_code = "deadline"


class ProviderError(AigenError):
    """The provider cannot be reached or answered with an error; the SDK's error is the cause.

    Attributes:
        status: the HTTP status, None where there was no answer.
        request_id: the provider's id of the request.
    """

    default_code = "provider"

    def __init__(
        self,
        message: str = "",
        *,
        status: int | None = None,
        request_id: str | None = None,
        **rest: Any,
    ) -> None:
        super().__init__(message, **rest)
        self.status = status
        self.request_id = request_id


class StreamError(AigenError):
    """A stream broke after a partial was shown.

    Attributes:
        partial: the last partial that was shown.
        text: the text that had arrived.
    """

    default_code = "stream"

    def __init__(
        self, message: str = "", *, partial: Any = None, text: str = "", **rest: Any
    ) -> None:
        super().__init__(message, **rest)
        self.partial = partial
        self.text = text


class MapError(AigenError):
    """Rows of a `map` failed.

    Attributes:
        errors: each failed row's own error, by row.
    """

    default_code = "map"

    def __init__(
        self, message: str = "", *, errors: Mapping[int, BaseException] | None = None, **rest: Any
    ) -> None:
        super().__init__(message, **rest)
        self.errors: dict[int, BaseException] = dict(errors or {})


class MapInterrupted(KeyboardInterrupt):
    """Ctrl-C during a `map`.

    Attributes:
        results: what was done by then.
    """

    code = "map-interrupted"

    def __init__(self, message: str = "", results: Any = None) -> None:
        super().__init__(message, results)
        self.message = message
        self.results = results

    def __str__(self) -> str:
        return self.message
