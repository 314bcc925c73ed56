"""Names that one module declares: how they come out in Python, and which of them collide."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from aigen.diagnostics import Diagnostics, Span
from aigen.spec.python_names import free

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_]*").fullmatch


@lru_cache(maxsize=4096)
def camel(name: str) -> str:
    """A name's parts at `_` and at what no identifier holds, first letters raised.

    `get_user` becomes `GetUser`, `httpStatus` becomes `HttpStatus`.
    """
    parts = re.split(r"[\W_]+", unicodedata.normalize("NFKC", name))
    raised = "".join(_raised(part[0]) + part[1:] for part in parts if part)
    return raised if raised[:1].isalpha() else f"Type{raised}"


def _raised(letter: str) -> str:
    """A letter as a capital, where that is made of letters: `ΐ` has no capital of its own."""
    capital = letter.upper()
    return capital if capital.isalnum() else letter


@lru_cache(maxsize=4096)
def class_key(name: str) -> str:
    """What a declared class is called in Python, for comparison."""
    if name[:1].isupper() and "_" not in name and _PLAIN(name):
        return name
    return camel(name)


@lru_cache(maxsize=4096)
def value_key(name: str) -> str:
    """What a function or tool is called in Python, for comparison."""
    if not _PLAIN(name):
        name = re.sub(r"\W", "_", unicodedata.normalize("NFKC", name))
    return free(name)


class Declared:
    """The names that one module has declared so far, each with its place."""

    def __init__(self, diagnostics: Diagnostics) -> None:
        self._diagnostics = diagnostics
        self._places: dict[str, tuple[Span, str]] = {}

    def add(self, key: str, span: Span, what: str, *, hint: str | None = None) -> bool:
        """Declares a name; one that is taken is reported with both places.

        Args:
            key: the name as it comes out in Python.
            span: where it is declared.
            what: what it is, as a message says it: `type Order`.
            hint: what to write instead.

        Returns:
            Whether the name was free.
        """
        first = self._places.setdefault(key, (span, what))
        if first[0] is span and first[1] == what:
            return True
        self._diagnostics.report(
            "AIG210",
            span,
            f"{what} and {first[1]} are both called {key} in Python",
            hint=hint or "rename one of them",
            related=[(first[0], f"{first[1]} is here")],
        )
        return False

    def taken(self, key: str) -> bool:
        """Whether something has this name already."""
        return key in self._places
