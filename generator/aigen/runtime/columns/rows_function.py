"""What batches, tables and batch files need of a function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from aigen.runtime.columns.given import Row
    from aigen.runtime.columns.results import Results
    from aigen.runtime.setting_kinds import Settings
    from aigen.runtime.wire.answer import Answer
    from aigen.runtime.wire.messages import Request
    from aigen.runtime.wire.plan import Plan

T = TypeVar("T")


class RowsFunction(Protocol):
    """An AI function, to what it hands its rows on to: below it, and so without its class."""

    @property
    def __name__(self) -> str: ...
    @property
    def definition(self) -> Any:
        """The function as data."""

    @property
    def _answers(self) -> Answer: ...

    def add_to(self, table: T, /, *, errors: str | None = None, **columns: Any) -> T:
        """The table with the outputs as columns."""

    def _resolved(self) -> Settings: ...
    def _plan(self, given: Any, *, showing: bool = False) -> Plan: ...
    def _request(self, inputs: Mapping[str, Any], given: Any = None) -> Request: ...
    def _run(
        self, rows: list[Row], given: Any, settled: Callable[[Settings], Settings] | None = None
    ) -> Results[Any]: ...
