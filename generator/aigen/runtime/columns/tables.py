"""A table with a function's outputs as columns: pandas, Polars and Arrow, through narwhals."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from aigen.runtime.columns.given import Row, Same
from aigen.runtime.columns.kinds import Kind, cell, output_kinds, to_narwhals
from aigen.runtime.columns.results import Results, counted
from aigen.runtime.columns.running import warn
from aigen.runtime.errors import ConfigurationError, InterfaceOutputError

if TYPE_CHECKING:
    from aigen.runtime.columns.rows_function import RowsFunction
    from aigen.runtime.setting_kinds import Settings


class Adding:
    """What `add_to` reads from a table and adds to it.

    Args:
        function: the function.
        names: the columns that the table has.
        errors: the column for the errors of failed rows, if any.
        columns: by input: a column's name, or `same(value)`; levels that the call gives.

    Raises:
        ConfigurationError: a column that is not there, or one that is there already.
    """

    def __init__(
        self,
        function: RowsFunction,
        names: Sequence[str],
        errors: str | None,
        columns: Mapping[str, Any],
    ) -> None:
        self._function, self._names, self.errors = function, list(names), errors
        self._where = f"{function.__name__}.add_to"
        definition = function.definition
        levels = definition.get("given", ())
        self.given = {name: columns[name] for name in levels if name in columns}
        given = {name: what for name, what in columns.items() if name not in levels}
        self._refuse_unknown(given)
        self.read = {
            field["name"]: what
            for field in definition["inputs"]
            if (what := self._read(field, given.get(field["name"]))) is not None
        }
        self.kinds = output_kinds(definition)
        self._refuse_taken()

    def _refuse_unknown(self, given: Mapping[str, Any]) -> None:
        known = [field["name"] for field in self._function.definition["inputs"]]
        for name in given:
            if name not in known:
                raise ConfigurationError(
                    f"{self._where}: there is no input {name}; it takes {', '.join(known)}"
                )

    def _read(self, field: Mapping[str, Any], said: Any) -> str | Same[Any] | None:
        """Where an input's values are; None where it is left out."""
        name = field["name"]
        if isinstance(said, Same):
            return said
        if said is None:
            if name in self._names:
                return str(name)
            optional = field.get("optional") or name in self._function.definition.get(
                "defaults", {}
            )
            if optional:
                return None
            raise ConfigurationError(
                f'{self._where}: say which column is {name}: {name}="…"; '
                f"the table has {self._listed()}"
            )
        if not isinstance(said, str):
            raise ConfigurationError(
                f"{self._where}: {name} is the name of a column, or same(…) for one value in "
                f"every row, not a {type(said).__name__}"
            )
        if said not in self._names:
            close = difflib.get_close_matches(said, map(str, self._names), n=1)
            hint = f'did you mean "{close[0]}"?' if close else f"it has {self._listed()}"
            raise ConfigurationError(f'{self._where}: the table has no column "{said}"; {hint}')
        return said

    def _listed(self) -> str:
        shown = ", ".join(map(str, self._names[:20]))
        return shown + (", …" if len(self._names) > 20 else "") or "no columns"

    def _refuse_taken(self) -> None:
        for name in (*self.kinds, *([self.errors] if self.errors else [])):
            if name in self._names:
                raise ConfigurationError(
                    f'{self._where}: the table has a column "{name}" already, and nothing is '
                    "written over: rename it or leave it out of the table"
                )
        if self.errors in self.kinds:
            raise ConfigurationError(
                f'{self._where}: "{self.errors}" is an output: give errors another name'
            )

    def rows(self, values: Mapping[str, Iterable[Any]], count: int) -> list[Row]:
        """The rows to call.

        Args:
            values: of the columns in `read`, by column.
            count: how many rows the table has.
        """
        columns = {
            name: [what.value] * count if isinstance(what, Same) else list(values[what])
            for name, what in self.read.items()
        }
        return [{name: column[at] for name, column in columns.items()} for at in range(count)]

    def settings(self, settings: Settings) -> Settings:
        """The settings of the rows' calls: what is warned of is said here."""
        return replace(settings, on_error="keep") if settings.on_error == "warn" else settings

    def added(self, table: Table, results: Results[Any], settings: Settings) -> Any:
        """The native table with the columns that come of the results."""
        # pandas holds any object; elsewhere JSON of no one type is text.
        columns = self.columns(results, text=not table.is_pandas)
        self.warn_of(results, settings)
        return table.with_columns(columns, self.kinds)

    def columns(self, results: Results[Any], *, text: bool) -> dict[str, list[Any]]:
        """The values of the columns to add; null where a row failed.

        Args:
            results: of all rows; a row that has no place in its column fails.
            text: whether JSON of no one type stands as text.
        """
        nothing = dict.fromkeys(self.kinds)
        rows = []
        for number, answer in enumerate(results.values_or(None)):
            try:
                rows.append(nothing if number in results.errors else self._cells(answer, text))
            except OverflowError as problem:
                name = self._function.__name__
                results.fail(number, InterfaceOutputError(f"{name}: {problem}", function=name))
                rows.append(nothing)
        added = {name: [row[name] for row in rows] for name in self.kinds}
        if self.errors is not None:
            errors = results.errors
            added[self.errors] = [
                str(errors[number]) if number in errors else None for number in range(len(rows))
            ]
        return added

    def warn_of(self, results: Results[Any], settings: Settings) -> None:
        """Counts failed rows in one warning, where no column holds their errors.

        Raises:
            InterfaceOutputError: an answer that its column does not hold, where a failed row is to
                raise.
        """
        if results.errors and settings.on_error == "raise":
            raise next(iter(results.errors.values()))
        if results.errors and self.errors is None and settings.on_error == "warn":
            warn(
                f'{counted(results)} (errors="…" names a column for their errors)',
                self._function.__module__,
            )

    def _cells(self, answer: Any, text: bool) -> dict[str, Any]:
        from aigen.runtime.values.convert import jsonable

        values = self._function._answers.values(answer).values()
        return {
            name: cell(jsonable(value), kind, text)
            for (name, kind), value in zip(self.kinds.items(), values, strict=True)
        }


class Table:
    """A native table, as `add_to` takes and gives it.

    Raises:
        ConfigurationError: it is none that this takes, or narwhals is missing.
    """

    def __init__(self, table: Any, where: str) -> None:
        try:
            import narwhals as nw
        except ImportError:
            raise ConfigurationError(
                f'{where} needs a package: pip install "aigen[tables]"', code="missing-extra"
            ) from None
        self._is_batch = _is_record_batch(table)
        if self._is_batch:
            import pyarrow

            table = pyarrow.Table.from_batches([table])
        try:
            self._frame = nw.from_native(table, eager_only=True)
        except TypeError:
            raise ConfigurationError(_no_table(table, where)) from None
        self.names = list(self._frame.columns)

    def __len__(self) -> int:
        return len(self._frame)

    @property
    def is_pandas(self) -> bool:
        """Whether its columns hold any Python object."""
        return bool(self._frame.implementation.is_pandas())

    def values(self, names: Iterable[str | Same[Any]]) -> dict[str, list[Any]]:
        """The values of columns, by name."""
        from aigen.runtime.values.convert import structs

        wanted = {name for name in names if isinstance(name, str)}
        lists = {name: self._frame.get_column(name).to_list() for name in wanted}
        if self.is_pandas:
            return lists
        return {name: [structs(value) for value in column] for name, column in lists.items()}

    def with_columns(self, columns: Mapping[str, list[Any]], kinds: Mapping[str, Kind]) -> Any:
        """The native table with columns more; an error's has no kind and is text."""
        import narwhals as nw

        make = self._pandas_series if self.is_pandas else self._series
        added = [
            make(name, values, kinds.get(name, Kind("text"))) for name, values in columns.items()
        ]
        made = nw.to_native(self._frame.with_columns(*added))
        return _record_batch(made) if self._is_batch else made

    def _series(self, name: str, values: list[Any], kind: Kind) -> Any:
        import narwhals as nw

        return nw.new_series(name, values, to_narwhals(kind), backend=self._frame.implementation)

    def _pandas_series(self, name: str, values: list[Any], kind: Kind) -> Any:
        import narwhals as nw
        import pandas

        # A null has no place in numpy's integers and truth values; pandas' own have one.
        whole, some = {
            "text": ("str", "str"),
            "integer": ("int64", "Int64"),
            "number": ("float64", "float64"),
            "boolean": ("bool", "boolean"),
        }.get(kind.name, ("object", "object"))
        index = nw.to_native(self._frame).index
        dtype: Any = some if None in values else whole
        if dtype == "str" and pandas.__version__.startswith(("1.", "2.")):
            dtype = "object"
        return nw.from_native(
            pandas.Series(values, index=index, dtype=dtype, name=name), series_only=True
        )


def _is_record_batch(table: Any) -> bool:
    kind = type(table)
    return kind.__name__ == "RecordBatch" and kind.__module__.partition(".")[0] == "pyarrow"


def _record_batch(table: Any) -> Any:
    import pyarrow

    batches = table.combine_chunks().to_batches()
    return batches[0] if batches else pyarrow.RecordBatch.from_pylist([], schema=table.schema)


def _no_table(table: Any, where: str) -> str:
    """What to give instead of something that is no table."""
    kind = type(table).__name__
    home = type(table).__module__.partition(".")[0]
    function = where.partition(".")[0]
    mend = "give a pandas or Polars DataFrame or a pyarrow Table"
    if kind == "LazyFrame":
        mend = "call .collect() first"
    elif home in ("duckdb", "_duckdb"):
        mend = "call .to_arrow_table() first"
    elif home == "pyspark":
        mend = f"call .mapInPandas({function}.batches, schema)"
    elif home == "ray":
        mend = f"call .map_batches({function}.batches)"
    elif isinstance(table, (list, tuple)):
        mend = f"call {function}.imap(rows)"
    return f"{where} takes a table, not a {home}.{kind}: {mend}"
