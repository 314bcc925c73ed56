"""Twelve functions whose tools are easily made wrong, and two whose reading is timed.

`TRICKY` has of each what its tool must say; see `extracting.py`.
"""

# ruff: noqa
from __future__ import annotations

import functools
from dataclasses import dataclass
from datetime import date
from enum import Enum
from typing import Annotated, Any, Literal, Optional

from pydantic import BaseModel, Field
from typing_extensions import TypedDict


def simple(
    first: int,  # The first number
    second: int = 2,  # The second number
) -> int:
    """Add two numbers."""
    return first + second


def timed(
    message: str,  # what is said, with a "#"
    # Who said it,
    # by name
    author: Optional[str] = None,
    kind: Literal["#1", "b"] = "#1",  # its kind
    *,
    limit: Annotated[int, Field(ge=1, le=10, description="how many")] = 3,
    tags: list[str] | None = None,
) -> dict[str, int]:
    """Sort a message.

    Args:
        tags: what it is about
    """
    return {}


def beside(
    city: str,  # Name of the city
    zip_code: str | None = None,  # Zip code, if known
) -> str:  # The weather
    """Get the weather."""
    return ""


def above(
    # The illness,
    # in English
    condition: str,
    # How many at most
    limit: int = 10,
) -> list[str]:
    """Search trials."""
    return []


def google(path: str, lines: int = 5) -> str:
    """Read a file.

    Longer words about it.

    Args:
        path: Where it lies,
            on this machine.
        lines: How many lines.

    Returns:
        Its text.
    """
    return ""


def numpy(x: float, n: int = 1) -> float:
    """Raise to a power.

    Parameters
    ----------
    x : float
        The base.
    n : int, optional
        The power.

    Returns
    -------
    float
        The result.
    """
    return x**n


def rest(user: str, admin: bool = False) -> str:
    """Look a user up.

    :param user: The login.
    :param bool admin: Whether to look among admins.
    :returns: The name.
    """
    return user


def annotated(
    amount: Annotated[float, Field(gt=0, le=500, description="In euros")],
    code: Annotated[str, Field(pattern="^[A-Z]{3}$")] = "EUR",
) -> bool:
    """Pay.

    Args:
        code: The currency.
    """
    return True


def hashes(
    sep: Literal["#", "##"] = "#",  # Between "#" parts
    *,
    width: int = 80,
    text: str,  # What is wrapped
) -> str:
    """Wrap a text. A # in it is kept."""
    return text


def _counted(func: Any) -> Any:
    @functools.wraps(func)
    async def inner(*args: Any, **kwargs: Any) -> Any:
        return await func(*args, **kwargs)

    return inner


@_counted
async def decorated(
    url: str,  # What is fetched
    retries: int = 0,
) -> str:
    """Fetch a page."""
    return url


def kinds(a: int, /, b: str, *, c: bool = False) -> str:
    """Take arguments in three ways."""
    return b


def untyped(count=3, unit="km", *, deep=False, ratio=0.5):
    """Take what its defaults say."""
    return count


@dataclass
class Line:
    """One line of an order."""

    sku: str
    quantity: int = 1


class State(Enum):
    OPEN = "open"
    SHUT = "shut"


class Place(TypedDict):
    street: str


def records(lines: list[Line], state: State, place: Place, day: date) -> int:
    """Order things."""
    return 0


class Node(BaseModel):
    name: str
    children: list[Node] = []


def nullable(parent: Optional[str], node: Node, note: str | None = None) -> str:
    """Tell what must be given, if only as null, from what may be left out."""
    return ""


def _text(words: str | None = None, **more: Any) -> dict[str, Any]:
    return {"types": {"string"}, **({"description": words} if words else {}), **more}


def _of(kind: str, words: str | None = None, **more: Any) -> dict[str, Any]:
    return _text(words, **{"types": {kind}, **more})


TRICKY: dict[str, dict[str, Any]] = {
    "beside": {
        "required": {"city"},
        "city": _text("Name of the city"),
        "zip_code": _of("string", "Zip code, if known", types={"string", "null"}),
    },
    "above": {
        "required": {"condition"},
        "condition": _text("The illness, in English"),
        "limit": _of("integer", "How many at most"),
    },
    "google": {
        "description": "Read a file.",
        "required": {"path"},
        "path": _text("Where it lies, on this machine."),
        "lines": _of("integer", "How many lines."),
    },
    "numpy": {
        "description": "Raise to a power.",
        "required": {"x"},
        "x": _of("number", "The base."),
        "n": _of("integer", "The power."),
    },
    "rest": {
        "description": "Look a user up.",
        "required": {"user"},
        "user": _text("The login."),
        "admin": _of("boolean", "Whether to look among admins."),
    },
    "annotated": {
        "required": {"amount"},
        "amount": _of("number", "In euros", exclusiveMinimum=0, maximum=500),
        "code": _text("The currency.", pattern="^[A-Z]{3}$"),
    },
    "hashes": {
        "description": "Wrap a text. A # in it is kept.",
        "required": {"text"},
        "sep": _text('Between "#" parts', enum=["#", "##"]),
        "width": _of("integer"),
        "text": _text("What is wrapped"),
    },
    "decorated": {
        "required": {"url"},
        "url": _text("What is fetched"),
        "retries": _of("integer"),
    },
    "kinds": {
        "required": {"a", "b"},
        "a": _of("integer"),
        "b": _text(),
        "c": _of("boolean"),
    },
    "untyped": {
        "required": set(),
        "count": _of("integer"),
        "unit": _text(),
        "deep": _of("boolean"),
        "ratio": _of("number"),
    },
    "records": {
        "required": {"lines", "state", "place", "day"},
        "lines": _of("array", items=_of("object", properties={"sku", "quantity"})),
        "state": _text(enum=["open", "shut"]),
        "place": _of("object", properties={"street"}),
        "day": _text(format="date"),
    },
    "nullable": {
        "required": {"parent", "node"},
        "parent": _of("string", types={"string", "null"}),
        "node": _of("object", properties={"name", "children"}),
        "note": _of("string", types={"string", "null"}),
    },
}
"""Of each function: which parameters are required, and what must be said of each."""
