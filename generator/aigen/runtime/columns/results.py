"""The answers of many rows, in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, overload

from aigen.runtime.errors import MapError

if TYPE_CHECKING:
    from aigen.runtime.record.call import Call

R = TypeVar("R", covariant=True)
O = TypeVar("O")  # noqa: E741


class Failed(NamedTuple):
    """A row that failed."""

    error: BaseException


class Results(Sequence[R]):
    """The answers of `map`, in order; a failed row raises its own error when it is read.

    Attributes:
        errors: each failed row's error, by row.
        calls: each row's call; None of a row that was not called.
    """

    def __init__(self, rows: Sequence[Any], calls: Sequence[Call | None] | None = None) -> None:
        """Takes what became of each row: its answer, or `Failed`."""
        self._rows = list(rows)
        self.calls: list[Call | None] = list(calls or [None] * len(self._rows))
        self.errors: dict[int, BaseException] = {
            number: row.error for number, row in enumerate(self._rows) if isinstance(row, Failed)
        }

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> R: ...
    @overload
    def __getitem__(self, index: slice) -> Results[R]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return Results(self._rows[index], self.calls[index])
        row = self._rows[index]
        if isinstance(row, Failed):
            raise row.error
        return row

    def values_or(self, other: O) -> list[R | O]:
        """The answers, with `other` in failed rows."""
        return [other if isinstance(row, Failed) else row for row in self._rows]

    def raise_for_errors(self) -> None:
        """Raises where a row failed.

        Raises:
            MapError: it counts the failed rows, names the first and holds their errors.
        """
        if self.errors:
            raise MapError(counted(self), errors=self.errors)

    def fail(self, number: int, error: Exception) -> None:
        """Makes a row one that failed."""
        self._rows[number] = Failed(error)
        self.errors = dict(sorted({**self.errors, number: error}.items()))

    def __repr__(self) -> str:
        return f"<Results: {len(self)} rows, {len(self.errors)} failed>"


def counted(results: Results[Any]) -> str:
    """How many rows failed, which was the first, and why."""
    number, first = next(iter(results.errors.items()))
    return (
        f"{len(results.errors)} of {len(results)} rows failed; the first is row {number}: {first}"
    )


def unfinished(number: int) -> Failed:
    """What stands for a row that was not done when a `map` stopped."""
    return Failed(MapError(f"row {number} was not done when the map stopped", code="not-done"))
