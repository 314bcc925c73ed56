"""What servers said they do not take, kept for the process.

Remembered are ways of holding a reply to a form, and parameters. A set only grows and is only asked
for single members, so threads need no lock.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from aigen.runtime.errors import ProviderError

PARAMETERS: Final = ("temperature", "top_p", "max_tokens", "max_completion_tokens")
"""Parameters that a request does without, or has another name for."""

_refused: dict[Any, set[str]] = {}
_MOST = 4096

_FORMAT: Final = r"response[_ ]?format|text\.format|json[_ ]schema|json[_ ]object|structured|guided"
_TOOLS: Final = r"\btools?\b|tool[_ ](?:choice|use|call)|function[_ ]?call"
BOTH: Final = "both"
"""The name under which it is remembered that tools and a form of the reply do not go together."""
_NAMES: Final[Mapping[str, Any]] = {
    way: re.compile(words, re.IGNORECASE).search
    for way, words in {
        "strict": rf"{_FORMAT}|\bstrict\b|\bschema\b",
        "schema": rf"{_FORMAT}|\bschema\b",
        "tool_strict": rf"{_TOOLS}|\bstrict\b|\bschema\b",
        "tool": rf"{_TOOLS}|\bschema\b",
        "json_object": _FORMAT,
    }.items()
}
"""What an answer that is about a way names."""

_says_no = re.compile(
    r"not (?:\w+ )?(?:support|allow|permit|enabl|implement|accept|available|compatible)"
    r"|n't (?:support|allow|accept)|unsupported|unavailable|incompatible|unknown|unrecogni[sz]ed"
    r"|unexpected|forbidden|invalid|requires?\b|must be|only (?:available|enabled|supported)"
    r"|enabled only|no endpoints",
    re.IGNORECASE,
).search
_tools_named = re.compile(_TOOLS, re.IGNORECASE).search
_form_named = re.compile(rf"{_FORMAT}|json mode|mime|grammar", re.IGNORECASE).search
_apart = re.compile(r"cannot|can't|combin|together|exclusive|\bboth\b", re.IGNORECASE).search
_does_not_know = re.compile(
    r"not (?:\w+ )?(?:support|permit|allow)|unsupported|unknown|unrecogni[sz]ed|unexpected",
    re.IGNORECASE,
).search
"""Narrower: a value that is out of range is the caller's to mend."""
_bad_schema = re.compile(r"invalid (?:json )?schema|schema.{0,40}invalid", re.IGNORECASE).search

_parameter = re.compile(rf"(?<![\w.])({'|'.join(PARAMETERS)})(?!\w)").search
_STATUSES: Final = (400, 404, 415, 422, 501)


def refuses_way(problem: ProviderError, way: str) -> bool:
    """Whether an answer says that the server does not take a way: by its status, and by name."""
    names = _NAMES.get(way)
    return (
        names is not None
        and problem.status in _STATUSES
        and bool(names(problem.message))
        and bool(_says_no(problem.message))
    )


def refuses_both(problem: ProviderError) -> bool:
    """Whether an answer says that tools and a form of the reply do not go together."""
    said = problem.message
    return (
        problem.status in _STATUSES
        and bool(_tools_named(said))
        and bool(_form_named(said))
        and bool(_says_no(said) or _apart(said))
    )


def refused_parameters(problem: ProviderError, body: Mapping[str, Any]) -> list[str]:
    """The parameter of a body that an answer says the server does not take, if any."""
    if problem.status not in _STATUSES or not _does_not_know(problem.message):
        return []
    # A message may name what to write instead: the first one named is what is refused.
    named = _parameter(problem.message)
    return [named[1]] if named and named[1] in body else []


def is_about_one_schema(problem: ProviderError) -> bool:
    """Whether an answer is about the schema that was sent and not about schemas."""
    return bool(_bad_schema(problem.message))


def remember(names: Iterable[str], key: Any) -> None:
    """Keeps that what has a key does not take some ways or parameters."""
    if len(_refused) >= _MOST:
        _refused.clear()
    for name in names:
        _refused.setdefault(key, set()).add(name)


def refused(name: str, *keys: Any) -> bool:
    """Whether a way or parameter is known to be refused under one of some keys."""
    return bool(_refused) and any(name in _refused.get(key, ()) for key in keys)


@contextmanager
def set_aside() -> Iterator[None]:
    """Knows nothing until the block ends, as in a new process."""
    known = dict(_refused)
    _refused.clear()
    try:
        yield
    finally:
        _refused.clear()
        _refused.update(known)


def forget() -> None:
    """Forgets everything, as in a new process."""
    _refused.clear()
