"""Names of what an import declares: kept where a spec takes them, and never twice."""

from __future__ import annotations

import re
import unicodedata

from aigen.resolve.names import camel, class_key, value_key
from aigen.resolve.words import RESERVED

_LONGEST = 64


class Names:
    """The names that one spec has declared so far, as they come out in Python."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def of_type(self, wanted: str, owner: str = "") -> str:
        """A name for a type, after the one that it had.

        Args:
            wanted: its name, such as a key under `$defs`, a title or a file's stem.
            owner: goes before it where it is taken.
        """
        plain = unicodedata.normalize("NFKD", wanted).encode("ascii", "ignore").decode()
        name = camel(plain)
        tries = [name, *([camel(owner) + name] if owner else [])]
        tries += [f"{tries[-1]}{number}" for number in range(2, len(self._taken) + 3)]
        free = next(n for n in tries if n not in RESERVED and class_key(n) not in self._taken)
        self._taken.add(class_key(free))
        return free

    def is_tool(self, name: str) -> bool:
        """Whether models may call a tool so."""
        return re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name) is not None

    def of_tool(self, wanted: str) -> str:
        """A key for a tool: its own name where a spec takes it."""
        name = re.sub(r"[^a-zA-Z0-9_-]+", "_", wanted).strip("_")[:_LONGEST] or "tool"
        tries = [name, *(f"{name[: _LONGEST - 5]}_{n}" for n in range(2, len(self._taken) + 3))]
        free = next(key for key in tries if not self._taken.intersection(_keys(key)))
        self._taken.update(_keys(free))
        return free


def _keys(tool: str) -> tuple[str, ...]:
    return value_key(tool), class_key(f"{camel(tool)}Input")


__all__ = ["Names"]
