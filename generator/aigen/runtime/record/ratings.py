"""Judging answers afterwards: `rate` writes what somebody thought of one, `rated` reads it back."""

from __future__ import annotations

import os
import time
import uuid
import warnings
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypedDict

from aigen.runtime.errors import ConfigurationError
from aigen.runtime.layers import resolve
from aigen.runtime.record import calllog
from aigen.runtime.record.call import new_id
from aigen.runtime.record.content import keeps
from aigen.runtime.record.entry import FORMAT, as_line, written_time
from aigen.runtime.record.reading import LogReader, Record, Wanted
from aigen.runtime.values.convert import jsonable
from aigen.runtime.values.unset import UNSET

if TYPE_CHECKING:
    from aigen.runtime.function import AIFunction

Verdict = Literal["right", "wrong"]
VERDICTS: Final = ("right", "wrong")

_BESIDE: Final = ("reasoning", "calls")
"""What a record holds beside the outputs of a function."""


class Rated(TypedDict):
    """A call that was rated, as `rated` gives it.

    `answer` holds the outputs as they should have been: those that were given with the rating, else
    those of a call that was rated right; None where neither is known.
    """

    id: str
    verdict: Verdict
    inputs: dict[str, Any]
    outputs: dict[str, Any] | None
    answer: dict[str, Any] | None


def rate(
    call_id: str,
    verdict: Verdict | bool,
    answer: Any = UNSET,
    *,
    folder: str | os.PathLike[str] | None = None,
) -> str:
    """Writes what somebody thought of a call's answer into the log; a later rating replaces it.

    Args:
        call_id: `calls()` and hooks give it, and every record has it.
        verdict: `right` or `wrong`, or the truth of it.
        answer: what the right answer would have been, or of a function of several outputs those
            that are known, by name. It is left out where `log_content` of the environment,
            `configure` or a block drops any of it; a function's own is not known here.
        folder: of the log; else the setting `log_calls`, else where this process has logged to.

    Returns:
        The rating's own id.

    Raises:
        ConfigurationError: no such id or verdict, an answer that has no JSON form or is not of
            the outputs of the call that the log holds, or a log that is off or cannot be written.
    """
    if isinstance(verdict, bool):
        verdict = "right" if verdict else "wrong"
    if verdict not in VERDICTS:
        raise _wrong(f"the verdict is right or wrong, not {verdict!r}")
    settings = resolve({}, {}, {})
    call_id = _checked(call_id)
    place = folder if folder is not None else settings.log_calls or _only_log("rate")
    found: Record = {
        "aigen_rating": FORMAT,
        "id": new_id(),
        "call": call_id,
        "verdict": verdict,
        "at": written_time(time.time()),
        "caller": settings.caller,
    }
    if answer is not UNSET:
        value = _as_json(answer)
        _refuse_unknown(value, LogReader(calllog.folder_of(place)), call_id)
        names = ["result", *(value if isinstance(value, dict) else ())]
        if all(keeps(settings.log_contents, name) for name in names):
            found["answer"] = value
    try:
        calllog.log_to(place).write(as_line(found))
    except OSError as problem:
        why = problem.strerror or type(problem).__name__
        raise _wrong(f"cannot write into the call log in {place}: {why}") from problem
    return str(found["id"])


def _checked(call_id: Any) -> str:
    try:
        return str(uuid.UUID(call_id))
    except (ValueError, AttributeError, TypeError):
        shown = repr(call_id)
        shown = shown if len(shown) <= 80 else f"a {type(call_id).__name__}"
        raise _wrong(f"{shown} is no call's id; calls() and the log give it") from None


def _wrong(words: str, where: str = "rate") -> ConfigurationError:
    return ConfigurationError(f"{where}: {words}", code="rating")


def _as_json(answer: Any) -> Any:
    try:
        return jsonable(answer)
    except (TypeError, ValueError) as problem:
        raise _wrong(f"the answer cannot be written: {problem}") from None


def _refuse_unknown(answer: Any, reader: LogReader, call_id: str) -> None:
    """Refuses an answer that is not of the call's outputs, where the call is in the log."""
    calls = reader.with_id(call_id)[0] if reader.folder.is_dir() else []
    given = [name for record in calls for name in _given(record)]
    known = [name for name in given if name not in _BESIDE]
    if len(known) < 2 or (isinstance(answer, dict) and set(answer) <= set(given)):
        return
    if not isinstance(answer, dict):
        raise _wrong(f"the call gave {', '.join(known)}: give those that you know, by name")
    unknown = next(name for name in answer if name not in given)
    close = get_close_matches(unknown, known, n=1)
    hint = f"did you mean {close[0]}?" if close else f"it gave {', '.join(known)}"
    raise _wrong(f"the call gave no {unknown}; {hint}")


def _given(call: Record) -> list[str]:
    """What a call gave, by name, dropped values too."""
    return [*(call["outputs"] or {}), *(call.get("omitted") or {}).get("outputs", ())]


def _only_log(where: str) -> Path:
    places = calllog.folders()
    if len(places) != 1:
        raise _wrong("calls are not logged here: set log_calls, or give the folder", where)
    return places[0]


def rated(
    function: AIFunction[Any, Any], *, folder: str | os.PathLike[str] | None = None
) -> list[Rated]:
    """The rated calls of a function, oldest first, as examples to test it with.

    Only calls of the function's own interface are among them, and none whose inputs were dropped:
    each can be called again with its `inputs`.

    Args:
        function: the function.
        folder: of the log; else the function's setting `log_calls`.

    Raises:
        ConfigurationError: the log is off, or there is none in the folder.
    """
    given = folder if folder is not None else function._resolved().log_calls
    place = calllog.folder_of(given) if given else _only_log("rated")
    if not place.is_dir():
        raise _wrong(f"there is no call log in {place}", "rated")
    reader = LogReader(place)
    last = _last_ratings(reader)
    ids = {id.encode() for id in last}
    rows = {}
    for found in reader.calls(Wanted(), ids):
        if found["id"] in last and (row := _row(function, found, last[found["id"]])):
            rows[row["id"]] = row
    return [rows[id] for id in sorted(rows)]


def _last_ratings(reader: LogReader) -> dict[str, Record]:
    last: dict[str, Record] = {}
    for path in reader.files():
        for line in reader.lines(path):
            if not line.startswith(b'{"aigen_rating"'):
                continue
            found = reader.record(line)
            if found is None or found.get("verdict") not in VERDICTS:
                continue
            before = last.get(found["call"])
            if before is None or before["id"] < found["id"]:
                last[found["call"]] = found
    return last


def _row(function: AIFunction[Any, Any], call: Record, rating: Record) -> Rated | None:
    if call["program"].get("interface") != function.ids["interface"]:
        return None
    inputs, outputs = call.get("inputs"), call.get("outputs")
    omitted = call.get("omitted") or {}
    if not isinstance(inputs, dict) or omitted.get("inputs"):
        return None
    names = [field["name"] for field in function.definition["outputs"]]
    own = {name: outputs[name] for name in names if name in outputs} if outputs else None
    answer = own if rating["verdict"] == "right" else None
    if "answer" in rating:
        answer = _by_output(names, rating["answer"])
        if answer is None:
            warnings.warn(
                f"rated: the answer of the rating {rating['id']} is left out: it is not of "
                f"{', '.join(names)}, which {function.__name__} gives",
                stacklevel=3,
            )
    return {
        "id": call["id"],
        "verdict": rating["verdict"],
        "inputs": inputs,
        "outputs": own,
        "answer": answer,
    }


def _by_output(names: Sequence[str], answer: Any) -> dict[str, Any] | None:
    """A given answer by output; the value of the only one may stand alone."""
    known = isinstance(answer, dict) and set(answer) <= set(names)
    if known:
        return dict(answer)
    return {names[0]: answer} if len(names) == 1 else None
