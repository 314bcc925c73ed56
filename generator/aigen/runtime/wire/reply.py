"""Reading a reply: clean first, then repairs, each recorded; never a guess.

Clean is strict JSON with duplicate keys refused, judged by the answer's own type. The repairs are
`aigen.runtime.wire.repair`'s. Where two readings of equal cost would fit, the reply is unreadable.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, cached_property
from typing import Any, NamedTuple

from aigen.runtime.values import Judge, Misfit, located
from aigen.runtime.values.broken_json import fault_of
from aigen.runtime.wire.repair.candidates import after_thoughts, around, outermost
from aigen.runtime.wire.repair.loose import Broken
from aigen.runtime.wire.repair.mend import Ambiguous, Mender, Unfit
from aigen.runtime.wire.strict import Decode, from_strict

THOUGHTS = "thoughts before the answer removed"


class Unreadable(Exception):
    """A text that is not the answer.

    Attributes:
        reason: what is wrong, in words for the model and for people.
        path: where in the answer.
        expected: what should stand there.
    """

    def __init__(self, reason: str, path: tuple[str | int, ...] = (), expected: str = "") -> None:
        super().__init__(reason)
        self.reason, self.path, self.expected = reason, path, expected


class Read(NamedTuple):
    """What a text says.

    Attributes:
        outputs: as JSON; they fit.
        added: members of the reply that are no outputs.
        repairs: what had to be mended to read them.
    """

    outputs: dict[str, Any]
    added: Mapping[str, str]
    repairs: tuple[str, ...]


class Reader:
    """Reads the replies of one function.

    Args:
        schema: of the object of the outputs, with its `$defs`.
        text: whether the whole reply is the one text output.
        added: texts that the reply's object may hold beside the outputs.
    """

    def __init__(
        self, schema: Mapping[str, Any], *, text: bool, added: tuple[str, ...] = ()
    ) -> None:
        self.schema = schema
        self.judge = Judge(schema, schema.get("$defs", {}))
        self.text = text
        self.added = added

    def clean(
        self, text: str, repair: bool, decode: Decode | None = None
    ) -> tuple[dict[str, Any], Mapping[str, str], tuple[str, ...]] | None:
        """What a text says whose JSON is clean: as `read` gives it, but not judged.

        Args:
            text: the reply.
            repair: whether there may be something around the JSON.
            decode: of the strict form that was sent.
        """
        if self.text:
            return None
        value = _object(text)
        repairs: tuple[str, ...] = ()
        if value is None and repair:
            _, inside, repairs = _bared(text)
            value = _object(inside)
        if value is None:
            return None
        if decode is None and not self.added:
            return value, {}, repairs
        return *self._parted(value, decode), repairs

    def read(self, text: str, repair: bool = True, decode: Decode | None = None) -> Read:
        """The outputs in a text.

        Args:
            text: the reply.
            repair: whether repairs are tried.
            decode: of the strict form that was sent: where null stands for absent.

        Raises:
            Unreadable: it is not the answer.
        """
        if not text.strip():
            raise Unreadable("the reply is empty")
        if self.text:
            return self._read_text(text, repair)
        try:
            return self._judged(text, decode)
        except Unreadable as problem:
            if not repair:
                raise
            first = problem
        try:
            return self._repaired(text, decode, first)
        except RecursionError:
            raise Unreadable("the reply is nested too deeply") from None

    def _read_text(self, text: str, repair: bool) -> Read:
        found, thought = after_thoughts(text, plain=True) if repair else (text, False)
        found = found.strip() if repair else found
        if not found:
            raise Unreadable("the reply holds no answer")
        outputs = {"result": found}
        misfit = self.judge.fits(outputs)
        if misfit is not None:
            raise _misfit(misfit)
        return Read(outputs, {}, (THOUGHTS,) if thought else ())

    def _judged(self, text: str, decode: Decode | None, repairs: tuple[str, ...] = ()) -> Read:
        """The outputs in a text that is strict JSON."""
        value, added = self._parted(_parsed(text), decode)
        misfit = self.judge.fits(value)
        if misfit is not None:
            raise _misfit(misfit)
        return Read(value, added, repairs)

    def _alone(self, text: str, repairs: tuple[str, ...]) -> Read | None:
        """The value of the one output in a text that is strict JSON, without the object around it.

        `Mender` would find the same: the first that it tries, and at the least cost.
        """
        names = list(self.schema["properties"])
        try:
            value = _parsed(text)
        except Unreadable:
            return None
        if len(names) != 1 or (isinstance(value, dict) and names[0] in value):
            return None
        outputs = {names[0]: value}
        if self.judge.fits(outputs) is not None:
            return None
        return Read(outputs, {}, (*repairs, f"lone value taken as {names[0]}"))

    def _parted(self, value: Any, decode: Decode | None) -> tuple[Any, dict[str, str]]:
        """What may be the outputs, and what was put beside them."""
        added = {}
        if self.added and isinstance(value, dict):
            for name in self.added:
                if isinstance(value.get(name), str):
                    added[name] = value.pop(name)
        return value if decode is None else from_strict(value, decode), added

    def _repaired(self, text: str, decode: Decode | None, first: Unreadable) -> Read:
        body, inside, repairs = _bared(text)
        if not body.strip():
            raise Unreadable("the reply holds thoughts and no answer")
        if inside:
            try:
                return self._judged(inside, decode, repairs)
            except Unreadable:
                alone = self._alone(inside, repairs)
            if alone is not None:
                return alone
        try:
            found = self._mender.mend(body, null_is_absent=decode is not None)
        except (Ambiguous, Broken) as problem:
            raise Unreadable(str(problem)) from None
        except Unfit as unfit:
            misfit = self.judge.fits(unfit.nearest) if unfit.nearest is not None else None
            raise (first if misfit is None or first.path else _misfit(misfit)) from None
        thoughts = (THOUGHTS,) if len(body) < len(text) else ()
        return Read(found.outputs, found.added, (*thoughts, *found.repairs))

    @cached_property
    def _mender(self) -> Mender:
        return Mender(self.schema, self.judge, self.added)


def _bared(text: str) -> tuple[str, str, tuple[str, ...]]:
    """A text without thoughts, its JSON if that is clean, and what was taken away for it."""
    body, thought = after_thoughts(text)
    span = outermost(body)
    thoughts = (THOUGHTS,) if thought else ()
    if span is None:
        return body, "", thoughts
    return body, body[slice(*span)], (*thoughts, *around(body, *span))


def _object(text: str) -> dict[str, Any] | None:
    try:
        value = _json(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _parsed(text: str) -> Any:
    try:
        return _json(text)
    except (ValueError, RecursionError) as problem:
        raise Unreadable(f"the reply is not JSON: {fault_of(problem)}") from None


def _json(text: str) -> Any:
    """JSON by its own rules, duplicate keys refused."""
    return _from_json()(text.encode(), allow_inf_nan=False, catch_duplicate_keys=True)


@cache
def _from_json() -> Callable[..., Any]:
    import jiter

    return jiter.from_json


def _misfit(misfit: Misfit) -> Unreadable:
    path = tuple(misfit.path)
    place = located(str(path[0]), path[1:]) if path else "the reply"
    return Unreadable(f"{place} should be {misfit.expected}", path, misfit.expected)
