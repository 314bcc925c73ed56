"""A function from batches to batches, as cluster frameworks call it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from aigen.runtime.errors import ConfigurationError

if TYPE_CHECKING:
    from aigen.runtime.columns.kinds import Kind
    from aigen.runtime.columns.rows_function import RowsFunction

T = TypeVar("T")

_OF_NUMPY = {"integer": "int64", "number": "float64", "boolean": "bool"}


class Batches:
    """Takes a batch and gives it with the outputs as columns; pickles as its function does.

    A batch is what `add_to` takes, or a mapping of NumPy arrays (Ray Data's default), or an
    iterator of batches (Spark's `mapInPandas`), which gives an iterator.

    Args:
        function: the function.
    """

    def __init__(self, function: RowsFunction) -> None:
        self._function = function
        # What frameworks show of a callable.
        self.__name__ = self.__qualname__ = f"{function.__name__}.batches"
        self.__doc__ = function.__doc__

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._function,)

    def __repr__(self) -> str:
        return f"<{self.__name__}>"

    def __call__(self, batch: T, /, *, errors: str | None = None, **columns: Any) -> T:
        """The batch with the outputs as columns, of the same kind.

        Args:
            batch: a batch or an iterator of batches.
            errors: as of `add_to`.
            columns: as of `add_to`.

        Raises:
            ConfigurationError: as of `add_to`.
        """
        given: Any = batch
        made: Any
        if isinstance(given, Mapping):
            made = self._arrays(given, errors, columns)
        elif isinstance(given, Iterator):
            made = (self(each, errors=errors, **columns) for each in given)
        else:
            made = self._function.add_to(given, errors=errors, **columns)
        return made  # type: ignore[no-any-return]

    def _arrays(
        self, batch: Mapping[str, Any], errors: str | None, columns: Mapping[str, Any]
    ) -> dict[str, Any]:
        from aigen.runtime.columns.tables import Adding

        function = self._function
        adding = Adding(function, list(batch), errors, columns)
        lengths = {len(array) for array in batch.values()}
        if len(lengths) > 1:
            raise ConfigurationError(f"{self.__name__}: the batch's arrays differ in length")
        rows = adding.rows(batch, next(iter(lengths), 0))
        results = function._run(rows, adding.given, adding.settings)
        added = adding.columns(results, text=True)
        adding.warn_of(results, function._resolved())
        return {
            **batch,
            **{name: _array(values, adding.kinds.get(name)) for name, values in added.items()},
        }


def _array(values: list[Any], kind: Kind | None) -> Any:
    import numpy

    scalar = _OF_NUMPY.get(kind.name) if kind else None
    if scalar and None not in values:
        return numpy.array(values, dtype=scalar)
    # Item by item: NumPy would make lists of one length a table.
    array = numpy.empty(len(values), dtype=object)
    for number, value in enumerate(values):
        array[number] = value
    return array
