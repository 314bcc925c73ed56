"""The methods by which a function is called on many rows."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, Callable, Generator, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, cast, overload

from aigen.runtime.function_like import FunctionLike

if TYPE_CHECKING:
    from aigen.runtime.columns.batch_files import BatchFiles
    from aigen.runtime.columns.batches import Batches
    from aigen.runtime.columns.given import Column, Row
    from aigen.runtime.columns.results import Results
    from aigen.runtime.errors import AigenError
    from aigen.runtime.setting_kinds import Settings
    from aigen.runtime.wire.answer import Answer
    from aigen.runtime.wire.messages import Request
    from aigen.runtime.wire.plan import Plan

R = TypeVar("R", covariant=True)
T = TypeVar("T")


class OverRows(FunctionLike, Generic[R]):
    """A function over columns, iterators, tables, batches and batch files.

    What a call is comes from the class that has these methods.
    """

    if TYPE_CHECKING:

        @property
        def _answers(self) -> Answer: ...

        def _call(self, inputs: Mapping[str, Any], given: Any = None) -> R: ...
        async def _acall(self, inputs: Mapping[str, Any], given: Any = None) -> R: ...
        def _plan(self, given: Any, *, showing: bool = False) -> Plan: ...
        def _request(self, inputs: Mapping[str, Any], given: Any = None) -> Request: ...
        def _resolved(self) -> Settings: ...
        def _settled(self, given: Any) -> Any: ...
        def _split(self, inputs: Mapping[str, Any]) -> tuple[dict[str, Any], Any]: ...

    @overload
    def imap(
        self, rows: Iterable[Mapping[str, Any]], *, on_error: Literal["raise"] = "raise"
    ) -> Generator[R, None, None]: ...
    @overload
    def imap(
        self, rows: Iterable[Mapping[str, Any]], *, on_error: Literal["give"]
    ) -> Generator[R | AigenError, None, None]: ...
    def imap(
        self, rows: Iterable[Mapping[str, Any]], *, on_error: Literal["raise", "give"] = "raise"
    ) -> Generator[Any, None, None]:
        """Calls every row of an iterator and gives the answers in order, in constant memory.

        Settings are those where this is called.

        Args:
            rows: mappings of inputs, or named tuples, dataclasses, models; read at most
                2 × `concurrency` ahead. Where they end with an error, it is raised after the
                answers of what was read.
            on_error: whether a failed row raises its own error at its turn, which ends the
                iterator, or its error is given in its place, and the next row follows. What every
                row would meet (a wrong key, an unknown model) is raised always.

        Raises:
            ConfigurationError: what is given is no iterable of rows.
        """
        from aigen.runtime.columns.given import rows_in
        from aigen.runtime.columns.running import in_order

        raising = _raises(on_error, f"{self.__name__}.imap")
        given = rows_in(rows, f"{self.__name__}.imap")
        return in_order(
            lambda row: self._call(*self._split(row)), given, self._resolved().concurrency, raising
        )

    @overload
    def aimap(
        self,
        rows: Iterable[Mapping[str, Any]] | AsyncIterable[Mapping[str, Any]],
        *,
        on_error: Literal["raise"] = "raise",
    ) -> AsyncGenerator[R, None]: ...
    @overload
    def aimap(
        self,
        rows: Iterable[Mapping[str, Any]] | AsyncIterable[Mapping[str, Any]],
        *,
        on_error: Literal["give"],
    ) -> AsyncGenerator[R | AigenError, None]: ...
    def aimap(
        self,
        rows: Iterable[Mapping[str, Any]] | AsyncIterable[Mapping[str, Any]],
        *,
        on_error: Literal["raise", "give"] = "raise",
    ) -> AsyncGenerator[Any, None]:
        """Like `imap`, awaited; the rows may be an asynchronous iterator too.

        One that is left early is closed with `aclose()`, or by `contextlib.aclosing`.
        """
        from aigen.runtime.columns.given import arows_in
        from aigen.runtime.columns.running import ain_order

        raising = _raises(on_error, f"{self.__name__}.aimap")
        given = arows_in(rows, f"{self.__name__}.aimap")
        return ain_order(
            lambda row: self._acall(*self._split(row)), given, self._resolved().concurrency, raising
        )

    def add_to(self, table: T, /, *, errors: str | None = None, **columns: Any) -> T:
        """The table with the outputs as columns, of the same kind and in the same order.

        A record is a struct, in pandas a dictionary. A single output has the name that the formula
        gives it. Where a row failed its outputs are null.

        Args:
            table: a pandas or Polars data frame, or a table or record batch of pyarrow.
            errors: a column for the errors of failed rows; without it, one warning counts them.
            columns: by input: the column it is in, or `same(value)`; an input that is not named is
                in the column of its own name. Levels that the call gives are given as in a call.

        Raises:
            ConfigurationError: what is given is no table, or its columns do not fit.
            AigenError: as `map` raises it.
        """
        from aigen.runtime.columns.tables import Adding, Table

        read = Table(table, f"{self.__name__}.add_to")
        adding = Adding(self, read.names, errors, columns)
        rows = adding.rows(read.values(adding.read.values()), len(read))
        results = self._run(rows, adding.given, adding.settings)
        return cast("T", adding.added(read, results, self._resolved()))

    async def aadd_to(self, table: T, /, *, errors: str | None = None, **columns: Any) -> T:
        """Like `add_to`, awaited."""
        from aigen.runtime.columns.tables import Adding, Table

        read = Table(table, f"{self.__name__}.add_to")
        adding = Adding(self, read.names, errors, columns)
        rows = adding.rows(read.values(adding.read.values()), len(read))
        results = await self._arun(rows, adding.given, adding.settings)
        return cast("T", adding.added(read, results, self._resolved()))

    @property
    def batches(self) -> Batches:
        """The function from batches to batches: what Ray Data and Spark call."""
        from aigen.runtime.columns.batches import Batches

        return Batches(self)

    @property
    def arrow_type(self) -> Any:
        """The `pyarrow.DataType` of an answer: a single output's, else a struct of the outputs.

        Raises:
            ConfigurationError: pyarrow is missing.
        """
        from aigen.runtime.columns.kinds import Kind, output_kinds, to_arrow

        kinds = output_kinds(self.definition)
        return to_arrow(*kinds.values() if len(kinds) == 1 else (Kind("record", members=kinds),))

    @property
    def batch(self) -> BatchFiles[R]:
        """The files of a provider's Batch API: written from rows, and read as `Results`."""
        from aigen.runtime.columns.batch_files import BatchFiles

        return BatchFiles(self)

    # ------------------------------------------------------------------ what subclasses call

    def _map(self, columns: Mapping[str, Column[Any]], given: Any = None) -> Results[R]:
        return self._run(self._rows(columns), given)

    async def _amap(self, columns: Mapping[str, Column[Any]], given: Any = None) -> Results[R]:
        return await self._arun(self._rows(columns), given)

    def _rows(self, columns: Mapping[str, Column[Any]]) -> list[Row]:
        from aigen.runtime.columns.given import rows_of
        from aigen.runtime.record.content import keeps

        contents = self._resolved().log_contents
        return rows_of(columns, self.__name__, lambda field: keeps(contents, field))

    def _run(
        self, rows: list[Row], given: Any, settled: Callable[[Settings], Settings] | None = None
    ) -> Results[R]:
        from aigen.runtime.columns.running import run

        settings, given = self._resolved(), self._settled(given)
        return run(
            lambda row: self._call(row, given),
            rows,
            settled(settings) if settled else settings,
            self.__name__,
            self.__module__,
            keeps_calls=settled is None,  # a table has no place for them
        )

    async def _arun(
        self, rows: list[Row], given: Any, settled: Callable[[Settings], Settings] | None = None
    ) -> Results[R]:
        from aigen.runtime.columns.running import arun

        settings, given = self._resolved(), self._settled(given)
        return await arun(
            lambda row: self._acall(row, given),
            rows,
            settled(settings) if settled else settings,
            self.__name__,
            self.__module__,
            keeps_calls=settled is None,  # a table has no place for them
        )


def _raises(on_error: str, where: str) -> bool:
    from aigen.runtime.errors import ConfigurationError

    if on_error not in ("raise", "give"):
        raise ConfigurationError(f'{where}: on_error is "raise" or "give", not {on_error!r}')
    return on_error == "raise"
