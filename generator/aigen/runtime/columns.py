"""A function over whole columns: one call a row, in order, several at a time."""

from __future__ import annotations

import itertools
import warnings
from collections import deque
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextvars import copy_context
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeAlias, TypeVar, overload

from aigen.runtime.errors import AigenError, ConfigurationError, MapError, MapInterrupted
from aigen.runtime.values.unset import UNSET

if TYPE_CHECKING:
    from concurrent.futures import Future

T = TypeVar("T")
R = TypeVar("R", covariant=True)


class Same(Generic[T]):
    """One value for every row; made by `same`."""

    __slots__ = ("value",)

    def __init__(self, value: T) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"same({self.value!r})"


def same(value: T) -> Same[T]:
    """A column that has this value in every row."""
    return Same(value)


Column: TypeAlias = Iterable[T] | Same[T]
"""A column of `map`: an iterable, a Series, or `same(value)`."""

Row: TypeAlias = dict[str, Any]


class Failed(NamedTuple):
    """A row that failed."""

    error: Exception


class Results(Sequence[R]):
    """The answers of `map`, in order; a failed row raises its own error when it is read.

    Attributes:
        errors: each failed row's error, by row.
    """

    def __init__(self, rows: Sequence[Any]) -> None:
        self._rows = list(rows)
        self.errors: dict[int, Exception] = {
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
            return Results(self._rows[index])
        row = self._rows[index]
        if isinstance(row, Failed):
            raise row.error
        return row

    def values_or(self, other: Any) -> list[Any]:
        """The answers, with `other` in failed rows."""
        return [other if isinstance(row, Failed) else row for row in self._rows]

    def raise_for_errors(self) -> None:
        """Raises `MapError` where a row failed."""
        if self.errors:
            raise MapError(_count(self.errors, len(self)), errors=self.errors)

    def __repr__(self) -> str:
        return f"<Results: {len(self)} rows, {len(self.errors)} failed>"


def rows_of(columns: Mapping[str, Any], name: str) -> list[Row]:
    """The rows of columns; a column that is `UNSET` is left out.

    Raises:
        ConfigurationError: a text or mapping where a column is wanted, lengths that differ, or no
            column that says how many rows there are.
    """
    given = {key: column for key, column in columns.items() if column is not UNSET}
    fixed = {key: column.value for key, column in given.items() if isinstance(column, Same)}
    varying = {key: _listed(column, key, name) for key, column in given.items() if key not in fixed}
    lengths = {key: len(column) for key, column in varying.items()}
    if not lengths:
        raise ConfigurationError(f"{name}.map: every column is same(…); give one column of values")
    if len(set(lengths.values())) > 1:
        said = ", ".join(f"{key} has {length}" for key, length in lengths.items())
        raise ConfigurationError(f"{name}.map: columns of different lengths: {said}")
    return [
        {key: fixed[key] if key in fixed else varying[key][number] for key in given}
        for number in range(next(iter(lengths.values())))
    ]


def _listed(column: Any, key: str, name: str) -> list[Any]:
    if isinstance(column, (str, bytes, Mapping)) or not isinstance(column, Iterable):
        raise ConfigurationError(
            f"{name}.map: {key} wants a column, not {type(column).__name__}: "
            f"write {key}=same(…) for one value in every row"
        )
    return list(column)


def run(
    call: Callable[[Row], Any], rows: Iterable[Row], concurrency: int, on_error: str
) -> Results[Any]:
    """Calls every row on threads, in the caller's context.

    Raises:
        MapInterrupted: Ctrl-C; it holds what is done.
        Exception: what every row would meet, or with `on_error` `raise` the first row's error.
    """
    done: list[Any] = []
    try:
        for row in stream(call, rows, concurrency):
            done.append(_kept(row, on_error))
    except KeyboardInterrupt:
        raise MapInterrupted(f"stopped after {len(done)} rows", Results(done)) from None
    return _warned(Results(done), on_error)


def stream(call: Callable[[Row], Any], rows: Iterable[Row], concurrency: int) -> Iterator[Any]:
    """Answers in order, or `Failed`; reads at most 2 × `concurrency` rows ahead."""
    from concurrent.futures import ThreadPoolExecutor

    pool = ThreadPoolExecutor(concurrency, thread_name_prefix="aigen")
    waiting: deque[Future[Any]] = deque()
    source = iter(rows)
    try:
        while True:
            for row in itertools.islice(source, 2 * concurrency - len(waiting)):
                waiting.append(pool.submit(copy_context().run, _tried, call, row))
            if not waiting:
                return
            yield waiting.popleft().result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


async def arun(
    call: Callable[[Row], Coroutine[Any, Any, Any]],
    rows: Sequence[Row],
    concurrency: int,
    on_error: str,
) -> Results[Any]:
    """Like `run`, awaited."""
    import asyncio

    done: list[Any] = [None] * len(rows)
    left = iter(enumerate(rows))

    async def worker() -> None:
        for number, row in left:
            try:
                done[number] = await call(row)
            except Exception as problem:
                done[number] = _kept(Failed(problem), on_error)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(concurrency, len(rows))):
                group.create_task(worker())
    except ExceptionGroup as problems:
        # The row's own error, as the sync form raises it.
        raise problems.exceptions[0] from None
    return _warned(Results(done), on_error)


def _tried(call: Callable[[Row], Any], row: Row) -> Any:
    try:
        return call(row)
    except Exception as problem:
        return Failed(problem)


_EVERY_ROW = frozenset(("no-key", "no-model", "quota", "not-yet", "setting", "unknown-setting"))
_FINAL = frozenset((401, 403, 404))


def _kept(row: Any, on_error: str) -> Any:
    """The row; raises where it failed in a way that every row will meet."""
    if not isinstance(row, Failed):
        return row
    error = row.error
    if (
        on_error == "raise"
        or not isinstance(error, AigenError)
        or error.code in _EVERY_ROW
        or getattr(error, "status", None) in _FINAL
    ):
        raise error
    return row


def _warned(results: Results[Any], on_error: str) -> Results[Any]:
    if results.errors and on_error == "warn":
        warnings.warn(_count(results.errors, len(results)), stacklevel=4)
    return results


def _count(errors: Mapping[int, Exception], total: int) -> str:
    first = next(iter(errors.values()))
    return f"{len(errors)} of {total} rows failed; the first: {first}"
