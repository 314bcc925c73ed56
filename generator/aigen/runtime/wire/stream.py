"""Streams of partial answers: their types; the stream itself comes with a later version."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from types import TracebackType
from typing import Generic, NoReturn, Self, TypeVar

from aigen.runtime.errors import ConfigurationError

P = TypeVar("P", covariant=True)
R = TypeVar("R", covariant=True)


def not_yet(what: str) -> NoReturn:
    """Says that a method's work comes with a later version.

    Raises:
        ConfigurationError: always, with the code `not-yet`.
    """
    raise ConfigurationError(f"{what} is not done by this version of aigen yet", code="not-yet")


class Stream(Generic[P, R]):
    """Partial answers as they grow: a context manager, an iterator, then `result()`."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        return None

    def __iter__(self) -> Iterator[P]:
        not_yet("streaming")

    def result(self) -> R:
        """The whole answer, when the stream has ended."""
        not_yet("streaming")


class AsyncStream(Generic[P, R]):
    """Like `Stream`, awaited."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        return None

    def __aiter__(self) -> AsyncIterator[P]:
        not_yet("streaming")

    async def result(self) -> R:
        """The whole answer, when the stream has ended."""
        not_yet("streaming")
