"""What a tool gives of an HTTP answer, and what a model is told of one that says no."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

from aigen.runtime.errors import ToolError
from aigen.runtime.tools.http.bodies import is_json
from aigen.runtime.tools.http.request import Request
from aigen.runtime.values.broken_json import fault_of

_SHOWN: Final = 2000
"""Characters of an error's body that a model is shown."""

_TEXT: Final = re.compile(
    r"text/|application/(x-)?(www-form-urlencoded|xml|yaml|javascript|ndjson|graphql|toml)|.*\+xml"
)
_NO_CHARSETS: Final = frozenset(
    {"idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape", "utf-7"}
)
"""Codecs of Python's that are notations of texts: some raise, some take the square of the time."""

_TAG: Final = re.compile(r"/?[a-z]*", re.I)
_UNSEEN: Final = ("script", "style")


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer, read to its end.

    Attributes:
        headers: by their names in lower case.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes


def read(request: Request, answer: Answer) -> Any:
    """The JSON value or the text of an answer; None where it is empty.

    Raises:
        ToolError: it says that something went wrong, or is not what it says it is.
    """
    if not 200 <= answer.status < 300:
        raise ToolError(failure(request, answer), tool=request.tool, code="tool-http")
    if not answer.body.strip():
        return None
    kind = answer.headers.get("content-type", "")
    if is_json(kind):
        return _json(request, answer.body)
    if not kind or _TEXT.match(kind.lower()):
        return _text(answer)
    return f"({len(answer.body)} bytes of {kind.partition(';')[0].strip()}, not shown)"


def _json(request: Request, body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as problem:
        raise ToolError(
            f"{request.method} {request.path} answered with what is no JSON: {fault_of(problem)}",
            tool=request.tool,
            code="tool-http",
        ) from None


def _text(answer: Answer) -> str:
    found = re.search(r"charset=\"?([\w.-]+)", answer.headers.get("content-type", ""), re.I)
    try:
        charset = codecs.lookup(found[1]).name if found else "utf-8"
        return answer.body.decode("utf-8" if charset in _NO_CHARSETS else charset, "replace")
    except LookupError:
        return answer.body.decode("utf-8", "replace")


def failure(request: Request, answer: Answer) -> str:
    """What a model reads of an answer that is no success: the status, its words, what to do."""
    try:
        phrase = f" {HTTPStatus(answer.status).phrase}"
    except ValueError:
        phrase = ""
    said = f"{request.method} {request.path} answered {answer.status}{phrase}"
    words = _words(request, answer)
    told = f"{said}: {words}" if words else said
    advice = _advice(request, answer)
    return without_secrets(request, f"{told} ({advice})" if advice else told)


def _words(request: Request, answer: Answer) -> str:
    kind = answer.headers.get("content-type", "").lower()
    if kind and not is_json(kind) and not _TEXT.match(kind):
        return ""
    text = without_secrets(request, _text(answer))[: 20 * _SHOWN]
    text = " ".join((_visible(text) if "html" in kind else text).split())
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _visible(html: str) -> str:
    """What a page shows: no tags, and nothing of its scripts and styles."""
    first, *rest = html.split("<")
    shown, inside = [first], ""
    for part in rest:
        tag, closed, text = part.partition(">")
        name = _TAG.match(tag)[0].lower()  # type: ignore[index]  # it matches nothing, too
        if inside and name != f"/{inside}":
            continue
        inside = name if name in _UNSEEN else ""
        shown.append("" if inside else text if closed else part)
    return " ".join(shown)


def _advice(request: Request, answer: Answer) -> str | None:
    match answer.status:
        case 401 | 403:
            held = " and ".join(request.variables)
            return f"the credentials in {held} do not suffice" if held else "it wants credentials"
        case 429 | 503:
            wait = answer.headers.get("retry-after", "")
            return f"try again after {wait} s" if wait.isdigit() else None
        case status if 300 <= status < 400:
            return "it leads to another server, where no request is sent"
    return None


def without_secrets(request: Request, text: str) -> str:
    """A message in which no credential stands, whatever the server said back."""
    for secret in request.secrets:
        text = text.replace(secret, "***")
    return text


__all__ = ["Answer", "failure", "read", "without_secrets"]
