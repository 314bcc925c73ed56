"""Where the JSON of a reply may stand: after thoughts, in a fence, between other words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from aigen.runtime.wire.repair.loose import Broken, Parsed, TooDeep, parse

_THINK = re.compile(r"\s*+<(think|thinking)>", re.IGNORECASE)
_THOUGHTS = re.compile(
    r"\s*+<(think|thinking|thoughts?|reasoning|reflection|scratchpad|analysis)>", re.IGNORECASE
)
_ENDED = re.compile(r"^[^\S\n]*+</(?:think|thinking)>", re.IGNORECASE | re.MULTILINE)
_OPENS = re.compile(r"[{\[]")
_INFO = re.compile(r"[\w+.#-]*+\s*+")
_MOST = 64
_LOOKS = 4
"""How many times the length of a text may be looked at for JSON in it."""


class Candidate(NamedTuple):
    """What may be the answer.

    Attributes:
        start: where it begins.
        parsed: as it reads.
        paired: as it reads too, where the end of a string is in doubt.
    """

    start: int
    parsed: Parsed
    paired: Parsed | None


def after_thoughts(text: str, *, plain: bool = False) -> tuple[str, bool]:
    """A reply without the thoughts before its answer, and whether there were any.

    Args:
        text: the reply.
        plain: whether the answer is plain text, in which other tags may be meant.
    """
    opens, at = _THINK if plain else _THOUGHTS, 0
    while opened := opens.match(text, at):
        closes = re.compile(rf"</{opened[1]}>", re.IGNORECASE).search(text, opened.end())
        if closes is None:
            # Thoughts that do not end hold drafts, and no answer.
            return (text[at:], at > 0) if not _THINK.match(text, at) else ("", True)
        at = closes.end()
    if at == 0 and not _OPENS.match(text.lstrip()):
        # Templates that begin the thoughts themselves leave only their end in the reply.
        ended = _ENDED.search(text)
        at = ended.end() if ended else 0
    return text[at:], at > 0


def unfenced(text: str) -> str:
    """What one fence around a whole text holds; else the text."""
    body = text.strip()
    first = body.find("\n")
    fenced = body.startswith("```") and body.endswith("```") and 3 <= first < len(body) - 3
    if not fenced or not _INFO.fullmatch(body, 3, first) or body.count("```") != 2:
        return text
    return body[first + 1 : -3].strip()


def outermost(text: str) -> tuple[int, int] | None:
    """From the first bracket to the last: the JSON, if there is one and it is clean."""
    first = _OPENS.search(text)
    end = max(text.rfind("}"), text.rfind("]")) + 1
    return (first.start(), end) if first and end > first.start() else None


def around(text: str, start: int, end: int) -> Iterator[str]:
    """The repairs that leave only a part of a text."""
    before, after = text[:start].rstrip(), text[end:].strip()
    fence = before.rfind("```")
    if fence >= 0 and _INFO.fullmatch(before, fence + 3):
        yield "code fence removed"
        before = before[:fence].rstrip()
        after = after.removeprefix("```").strip()
    if before or after:
        yield "text around the JSON removed"


def candidates(text: str) -> list[Candidate]:
    """The objects and arrays of a text, outermost only, in order.

    Raises:
        Broken: there are too many, or brackets that lead nowhere are: what the text means cannot
            be said in time linear in its length.
    """
    found: list[Candidate] = []
    at, looked = 0, 0
    while opened := _OPENS.search(text, at):
        start = opened.start()
        candidate, reach = _read(text, start)
        looked += reach - start
        if candidate is None:
            at = start + 1
        else:
            found.append(candidate)
            at = max(candidate.parsed.end, start + 1)
        if looked > _LOOKS * len(text) + 4096 or len(found) > _MOST:
            raise Broken("too much in the reply looks like JSON and is none", at)
    return found


def _read(text: str, start: int) -> tuple[Candidate | None, int]:
    try:
        parsed = parse(text, start)
    except TooDeep:
        raise
    except Broken as broken:
        if not broken.doubtful:
            return None, broken.reach
        paired = _paired(text, start)
        if paired is None:
            return None, 2 * broken.reach - start
        return Candidate(start, paired, None), broken.reach + paired.end - start
    paired = _paired(text, start) if parsed.doubtful else None
    return Candidate(start, parsed, paired), parsed.end + (paired.end - start if paired else 0)


def _paired(text: str, start: int) -> Parsed | None:
    try:
        return parse(text, start, paired=True)
    except Broken:
        return None
