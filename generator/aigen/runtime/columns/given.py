"""What a function is given for many rows: columns, or an iterator of mappings."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping
from typing import Any, Generic, TypeAlias, TypeVar

from aigen.runtime.errors import HOME, ConfigurationError
from aigen.runtime.values.unset import UNSET

T = TypeVar("T")


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

_SHOWN = 40
"""Characters of a value that a message quotes; a longer one stands as `…`."""

_TABLES = frozenset(("DataFrame", "LazyFrame", "Table", "RecordBatch"))


def rows_of(
    columns: Mapping[str, Any], name: str, shows: Callable[[str], bool] = lambda field: True
) -> list[Row]:
    """The rows of columns; a column that is `UNSET` is left out.

    Args:
        columns: by input.
        name: of the function, for messages.
        shows: whether a message may quote an input's value.

    Raises:
        ConfigurationError: what is no column where one is wanted, lengths that differ, or no
            column that says how many rows there are.
    """
    given = {key: column for key, column in columns.items() if column is not UNSET}
    fixed = {key: column.value for key, column in given.items() if isinstance(column, Same)}
    varying = {
        key: _listed(column, key, name, shows(key))
        for key, column in given.items()
        if key not in fixed
    }
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


def _listed(column: Any, key: str, name: str, shows: bool) -> list[Any]:
    kind = type(column).__name__
    where = f"{name}.map: {key} wants a column"
    if kind in _TABLES:
        raise ConfigurationError(
            f'{where}, not a whole {kind}: give one of its columns, {key}=table["{key}"], '
            f"or call {name}.add_to(table)"
        )
    if isinstance(column, (set, frozenset)):
        raise ConfigurationError(f"{where}, not a {kind}, which has no order: give sorted(…)")
    if hasattr(column, "__aiter__"):
        raise ConfigurationError(f"{where}, not an asynchronous iterator: read it into a list")
    single = isinstance(column, (str, bytes, bytearray, Mapping))
    # An array of no dimension has `__iter__` and is one value.
    if single or not isinstance(column, Iterable) or getattr(column, "ndim", 1) == 0:
        value = _quoted(column) if shows else "…"
        raise ConfigurationError(
            f"{where}, not {kind}: write {key}=same({value}) for one value in every row "
            f"(from {HOME} import same)"
        )
    if type(column).__module__.partition(".")[0] != "polars":
        return list(column)
    from aigen.runtime.values.convert import structs

    return [structs(value) for value in column]


def _quoted(value: Any) -> str:
    if not isinstance(value, (str, int, float)) or value != value:
        return "…"
    words = json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)
    return words if len(words) <= _SHOWN else "…"


def row_of(row: Any, number: int, name: str) -> Row:
    """A row of an iterator: a mapping, or what has named members as one has.

    Raises:
        ConfigurationError: it is none.
    """
    if isinstance(row, dict):
        return row
    from aigen.runtime.values.convert import record

    members = record(row)
    if members is None:
        raise ConfigurationError(
            f"{name}: row {number} is no mapping of inputs but a {type(row).__name__}: "
            f'give rows such as {{"input": value}}'
        )
    return dict(members[0])


def rows_in(rows: Any, name: str) -> Iterator[Row]:
    """The rows of an iterable of mappings, each made when it is asked for.

    Raises:
        ConfigurationError: it is no iterable of rows, or, in its turn, what is no row.
    """
    _refuse_no_rows(rows, name)
    return (row_of(row, number, name) for number, row in enumerate(rows))


def arows_in(rows: Any, name: str) -> AsyncGenerator[Row, None]:
    """Like `rows_in`, for `async for`; the iterable may be asynchronous too."""
    _refuse_no_rows(rows, name)

    async def read() -> AsyncGenerator[Row, None]:
        number = 0
        if hasattr(rows, "__aiter__"):
            async for row in rows:
                yield row_of(row, number, name)
                number += 1
        else:
            for row in rows:
                yield row_of(row, number, name)
                number += 1

    return read()


def _refuse_no_rows(rows: Any, name: str) -> None:
    """Says what to give where rows are wanted.

    Raises:
        ConfigurationError: it is one mapping, a text or a table, or nothing that has items.
    """
    kind = type(rows).__name__
    if kind in _TABLES:
        method = name.partition(".")[0]
        raise ConfigurationError(
            f"{name}: rows are mappings of inputs, not a {kind}: call {method}.add_to(table)"
        )
    items = isinstance(rows, Iterable) or hasattr(rows, "__aiter__")
    if isinstance(rows, (str, bytes, Mapping)) or not items:
        raise ConfigurationError(
            f"{name}: rows are an iterable of mappings of inputs, not a {kind}: "
            f'give [{{"input": value}}, …]'
        )
