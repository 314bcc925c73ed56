"""Names of what an import declares: kept where a spec takes them, and never twice."""

from __future__ import annotations

import re
import unicodedata

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
        tries = [name, *([camel(owner) + name] if owner else [])]
        tries += [f"{tries[-1]}{number}" for number in range(2, len(self._taken) + 3)]
        free = next(n for n in tries if n not in RESERVED and class_key(n) not in self._taken)
        self._taken.add(class_key(free))
        return free

    def of_tool(self, wanted: str) -> tuple[str, str]:
        """A key for a tool, and what models call it: its own name where both can be.

        Of two tools with one name, as of a name that providers refuse, the name is the key.
        """
        plain = re.sub(r"[^a-zA-Z0-9_-]+", "_", wanted).strip("_")[:_LONGEST] or "tool"
        tries = [plain, *(f"{plain[: _LONGEST - 5]}_{n}" for n in range(2, len(self._taken) + 3))]
        key = next(each for each in tries if not self._taken.intersection(_keys(each)))
        called = is_tool_name(wanted) and wanted not in self._advertised
        name = wanted if called else key
        self._taken.update(_keys(key))
        self._advertised.add(name)
        return key, name


def is_tool_name(name: str) -> bool:
    """Whether models may call a tool so."""
    return _TOOL.fullmatch(name) is not None


def _keys(tool: str) -> tuple[str, ...]:
    return value_key(tool), class_key(f"{camel(tool)}Input")


__all__ = ["Names", "is_tool_name"]
