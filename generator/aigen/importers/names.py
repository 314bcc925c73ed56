"""Names of what an import declares: kept where a spec takes them, and never twice."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from itertools import chain, count

from aigen.resolve.names import camel, class_key, value_key
from aigen.resolve.words import RESERVED

_LONGEST = 64
_TOOL = re.compile(r"[a-zA-Z0-9_-]{1,64}")


class Names:
    """The names that one spec has declared so far, as they come out in Python."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._advertised: set[str] = set()

    def of_type(self, wanted: str, owner: str = "") -> str:
        """A name for a type, after the one that it had.

        Args:
            wanted: its name, such as a key under `$defs`, a title or a file's stem.
            owner: goes before it where it is taken.
        """
        plain = unicodedata.normalize("NFKD", wanted).encode("ascii", "ignore").decode()
        name = camel(plain)
        longer = camel(owner) + name if owner else name
        free = first_free(
            name,
            lambda number: longer if number == 1 else f"{longer}{number}",
            lambda tried: tried in RESERVED or class_key(tried) in self._taken,
            first=1,
        )
        self._taken.add(class_key(free))
        return free

    def of_tool(self, wanted: str) -> tuple[str, str]:
        """A key for a tool, and what models call it: its own name where both can be.

        Of two tools with one name, as of a name that providers refuse, the name is the key.
        """
        plain = re.sub(r"[^a-zA-Z0-9_-]+", "_", wanted).strip("_")[:_LONGEST] or "tool"
        key = first_free(
            plain,
            lambda number: f"{plain[: _LONGEST - 5]}_{number}",
            lambda tried: not self._taken.isdisjoint(_keys(tried)),
        )
        called = is_tool_name(wanted) and wanted not in self._advertised
        name = wanted if called else key
        self._taken.update(_keys(key))
        self._advertised.add(name)
        return key, name


def first_free(
    wanted: str, numbered: Callable[[int], str], taken: Callable[[str], bool], first: int = 2
) -> str:
    """A name that is not taken: the one wanted, else with the first number that makes it free."""
    tries = chain((wanted,), map(numbered, count(first)))
    return next(name for name in tries if not taken(name))


def is_tool_name(name: str) -> bool:
    """Whether models may call a tool so."""
    return _TOOL.fullmatch(name) is not None


def _keys(tool: str) -> tuple[str, ...]:
    return value_key(tool), class_key(f"{camel(tool)}Input")


__all__ = ["Names", "first_free", "is_tool_name"]
