"""Reading a reply: clean first, then the simplest repairs, each recorded; never a guess.

Clean is strict JSON with duplicate keys refused, judged by the answer's own type. The repairs here:
a code fence or text around the JSON, members that nobody asked for, null for what may be absent.
Where two readings would fit, the reply is unreadable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple

from aigen.runtime.values import Judge, Misfit, jsonable, located
from aigen.runtime.wire.plain import to_plain
from aigen.runtime.wire.strict import Decode, from_strict
from aigen.runtime.wire.surplus import drop

_FENCE = re.compile(r"\A\s*```[A-Za-z0-9_-]*[ \t]*\n(?P<inside>.*?)\n?[ \t]*```\s*\Z", re.DOTALL)
_CANDIDATES = 64
"""Places in a text where JSON is looked for; a reply with more is not read from the inside."""


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
        repairs: what had to be mended to read them.
        added: members of the reply that are no outputs.
    """

    outputs: dict[str, Any]
    repairs: tuple[str, ...]
    added: Mapping[str, str]


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

    @cached_property
    def plain(self) -> Mapping[str, Any]:
        """The schema, self-contained."""
        return to_plain(self.schema)

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
            return self._judged({"result": text.strip() if repair else text}, {})
        try:
            return self._judged(*self._parted(from_strict(_parsed(text), decode)))
        except Unreadable as problem:
            if not repair:
                raise
            return self._repaired(text, decode, problem)

    def _parted(self, value: Any) -> tuple[Any, dict[str, str]]:
        """What may be the outputs, and what was put beside them."""
        added = {}
        if self.added and isinstance(value, dict):
            for name in self.added:
                if isinstance(value.get(name), str):
                    added[name] = value.pop(name)
        return value, added

    def _judged(self, value: Any, added: Mapping[str, str], repairs: tuple[str, ...] = ()) -> Read:
        misfit = self.judge.fits(value)
        if misfit is not None:
            raise _misfit(misfit)
        return Read(value, repairs, added)

    def _repaired(self, text: str, decode: Decode | None, first: Unreadable) -> Read:
        found: dict[str, Read] = {}
        problem = first
        for candidate, repair in _candidates(text):
            try:
                value, added = self._parted(from_strict(_parsed(candidate), decode))
            except Unreadable:
                continue
            repairs = [repair] if repair else []
            if self.judge.fits(value) is not None:
                repairs += drop(value, self.plain)
            try:
                read = self._judged(value, added, tuple(repairs))
            except Unreadable as misfit:
                problem = misfit if problem is first else problem
            else:
                found.setdefault(_identity(value), read)
        if len(found) == 1:
            return next(iter(found.values()))
        if found:
            raise Unreadable(f"{len(found)} different answers stand in the reply; give one")
        raise problem


def _parsed(text: str) -> Any:
    """JSON by its own rules, duplicate keys refused."""
    import jiter

    try:
        return jiter.from_json(
            text.encode("utf-8", errors="surrogatepass"),
            allow_inf_nan=False,
            catch_duplicate_keys=True,
        )
    except (ValueError, RecursionError) as problem:
        raise Unreadable(f"the reply is not JSON: {problem}") from None


def _misfit(misfit: Misfit) -> Unreadable:
    path = tuple(misfit.path)
    place = located(str(path[0]), path[1:]) if path else "the reply"
    return Unreadable(f"{place} should be {misfit.expected}", path, misfit.expected)


def _candidates(text: str) -> Iterator[tuple[str, str]]:
    """Texts that may be the JSON of a reply, each with the repair that it took."""
    yield text, ""
    fenced = _FENCE.match(text)
    if fenced:
        yield fenced["inside"], "code fence removed"
        return
    spans = list(_objects(text))
    if len(spans) <= _CANDIDATES:
        for start, end in spans:
            if (start, end) != (0, len(text)):
                yield text[start:end], "text around the JSON removed"


def _objects(text: str) -> Iterator[tuple[int, int]]:
    """The outermost `{…}` of a text, strings inside them understood; linear in the text."""
    depth, start, quoted, at = 0, 0, False, 0
    for match in re.finditer(r'[{}"]|\\.', text, re.DOTALL):
        mark, at = match.group(), match.start()
        if mark == '"':
            quoted = not quoted if depth else False
        elif quoted or mark[0] == "\\":
            continue
        elif mark == "{":
            if depth == 0:
                start = at
            depth += 1
        elif depth:
            depth -= 1
            if depth == 0:
                yield start, at + 1


def _identity(value: Any) -> str:
    from aigen.runtime.values import canonical

    return canonical(jsonable(value))
