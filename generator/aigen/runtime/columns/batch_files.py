"""Files of a provider's Batch API: requests as JSON lines, and the results that come back.

A request's `custom_id` says the function, the row and how many rows there are, so results are read
in the order of the rows, whatever order they come in, and a row without one is known.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, TypeVar

from aigen.runtime.columns.given import rows_in
from aigen.runtime.columns.results import Failed, Results
from aigen.runtime.errors import (
    HOME,
    AigenError,
    ConfigurationError,
    InterfaceInputError,
    MapError,
    ProviderError,
)
from aigen.runtime.record.call import Call, new_id
from aigen.runtime.values.broken_json import fault_of
from aigen.runtime.wire.conversation import parser
from aigen.runtime.wire.reading import is_spent, read_body

if TYPE_CHECKING:
    from aigen.runtime.columns.rows_function import RowsFunction
    from aigen.runtime.wire.plan import Plan

R = TypeVar("R", covariant=True)

_ID: Final = re.compile(r"(?P<name>.*)-(?P<row>[0-9]{1,9})-of-(?P<count>[0-9]{1,9})").fullmatch
_NAME: Final = 40
"""Characters of a function's name in an id: providers take 64 in all."""

_ROWS: Final = 10_000_000
"""An id that says more is none of ours."""


class _Found(NamedTuple):
    """One line of a results file."""

    place: str
    row: int
    of: int
    line: Mapping[str, Any]


class BatchFiles(Generic[R]):
    """Writes the rows of a function as requests of a Batch API, and reads the results.

    Args:
        function: the function.
    """

    def __init__(self, function: RowsFunction) -> None:
        self._function = function
        self._name = function.__name__

    def __repr__(self) -> str:
        return f"<{self._name}.batch>"

    def write(
        self,
        rows: Iterable[Mapping[str, Any]],
        path: str | PathLike[str],
        **given: Sequence[str],
    ) -> int:
        """Writes one request a row; nothing is sent.

        Args:
            rows: mappings of inputs, as `imap` takes them.
            path: the file; it is replaced whole, or not at all where a row does not fit.
            given: the levels of each choice that the call gives, the same for all rows.

        Returns:
            How many requests there are.

        Raises:
            InterfaceInputError: a row's inputs do not fit; the message names the row.
            ConfigurationError: no model is set, or there are no rows.
        """
        where = f"{self._name}.batch.write"
        if self._function._resolved().model is None:
            raise ConfigurationError(
                f"{where}: no model is set: {HOME}.configure(model=…) or AIGEN_MODEL",
                code="no-model",
            )
        requests = [
            self._request(number, row, given) for number, row in enumerate(rows_in(rows, where))
        ]
        if not requests:
            raise ConfigurationError(
                f"{where}: there are no rows, and no provider takes an empty file"
            )
        target = Path(path)
        partial = target.with_name(f"{target.name}.partial")
        try:
            with partial.open("w", encoding="utf-8", newline="\n") as file:
                for number, request in enumerate(requests):
                    line = {"custom_id": self._id(number, len(requests)), **request}
                    file.write(json.dumps(line) + "\n")
            partial.replace(target)
        finally:
            partial.unlink(missing_ok=True)
        return len(requests)

    def _request(
        self, number: int, row: Mapping[str, Any], given: Mapping[str, Sequence[str]]
    ) -> dict[str, Any]:
        try:
            request = self._function._request(row, given)
        except InterfaceInputError as problem:
            problem.message = f"row {number}: {problem.message}"
            problem.args = (problem.message,)
            raise
        # The API's version is part of an endpoint's name in these files, whatever the base URL.
        return {"method": "POST", "url": f"/v1{request.path}", "body": dict(request.body)}

    def _id(self, number: int, count: int) -> str:
        return f"{self._name[:_NAME]}-{number}-of-{count}"

    def read(self, *paths: str | PathLike[str], **given: Sequence[str]) -> Results[R]:
        """The answers in results files, in the order of the rows that were written.

        Replies are read as `parse` reads them. A row whose request failed, or that has no result,
        raises its own error when it is read.

        Args:
            paths: the output file and, where there is one, the error file.
            given: the levels that were given when the requests were written.

        Raises:
            ConfigurationError: a line that is no result, a result of no row of this function, or
                two of the same row.
        """
        if not paths:
            raise ConfigurationError(f"{self._name}.batch.read: give the path of a results file")
        found: dict[int, _Found] = {}
        count: int | None = None
        for each in (one for path in paths for one in self._lines(Path(path))):
            count = each.of if count is None else count
            if each.of != count:
                raise ConfigurationError(
                    f"{each.place}: a batch of {each.of} rows, and the results before it are of "
                    f"one of {count}: read each batch by itself"
                )
            if each.row in found:
                raise ConfigurationError(
                    f"{each.place}: row {each.row} has a result already, at {found[each.row].place}"
                )
            found[each.row] = each
        plan = self._function._plan(given, showing=True)
        outcomes, calls = [], []
        for number in range(count or 0):
            outcome, call = self._outcome(plan, number, found.get(number))
            outcomes.append(outcome)
            calls.append(call)
        return Results(outcomes, calls)

    def _lines(self, path: Path) -> Iterator[_Found]:
        with path.open("rb") as file:
            for number, text in enumerate(file, 1):
                if text.strip():
                    yield self._found(text, f"{path}:{number}")

    def _found(self, text: bytes, place: str) -> _Found:
        try:
            line = json.loads(text.decode("utf-8-sig"))
        except (ValueError, RecursionError) as problem:
            raise ConfigurationError(f"{place}: no JSON: {fault_of(problem)}") from None
        custom_id = line.get("custom_id") if isinstance(line, dict) else None
        if not isinstance(custom_id, str):
            raise ConfigurationError(f"{place}: no result of a batch: it has no custom_id")
        if "response" not in line and "error" not in line:
            raise ConfigurationError(
                f"{place}: no result but a request: read the file that the provider gives back"
            )
        parts = _ID(custom_id)
        row, count = (int(parts["row"]), int(parts["count"])) if parts else (0, 0)
        if parts is None or parts["name"] != self._name[:_NAME] or not row < count <= _ROWS:
            raise ConfigurationError(
                f'{place}: custom_id "{custom_id[:80]}" is of no row of {self._name}: '
                f"it would be {self._id(0, 1)}"
            )
        return _Found(place, row, count, line)

    def _outcome(self, plan: Plan, number: int, found: _Found | None) -> tuple[Any, Call | None]:
        """What came of a row, and its call where it was answered."""
        if found is None:
            words = f"row {number} has no result: it may stand in the batch's error file"
            return Failed(MapError(words, code="no-result", function=self._name)), None
        problem = _refused(found)
        if problem is not None:
            problem.function = self._name
            return Failed(problem), None
        body = found.line["response"]["body"]
        call = Call(new_id(), plan.name, plan.form.definition["module"])
        try:
            reply = read_body(body)
            call.model, call.usage = reply.model, reply.usage or call.usage
            call.value = parser(plan)(body)
        except AigenError as error:
            error.function = error.function or self._name
            call.error = error
            return Failed(error), call
        return call.value, call


def _refused(found: _Found) -> ProviderError | None:
    """Why a result is no answer."""
    response, error = found.line.get("response"), found.line.get("error")
    if isinstance(error, Mapping):
        words = error.get("message") or error.get("code") or "no reason given"
        return ProviderError(
            f"the batch did not answer row {found.row}: {str(words)[:500]}",
            code="batch",
            reply=error,
        )
    if not isinstance(response, Mapping):
        raise ConfigurationError(f"{found.place}: a result with neither a response nor an error")
    status, body = response.get("status_code"), response.get("body")
    if status == 200 and isinstance(body, Mapping):
        return None
    detail = body.get("error", body) if isinstance(body, Mapping) else {"message": body}
    detail = detail if isinstance(detail, Mapping) else {"message": detail}
    return ProviderError(
        f"the provider answered row {found.row} with {status}: {str(detail.get('message'))[:500]}",
        code="quota" if is_spent(detail) else "provider",
        status=status if isinstance(status, int) else None,
        request_id=response.get("request_id"),
        reply=detail,
    )
