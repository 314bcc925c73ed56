"""Places in spec files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Span(NamedTuple):
    """A stretch of a file, as messages and editors count it.

    Lines and columns are 1-based and columns count code points; the end is exclusive. `path` is
    relative to the project's root, with `/` on every system.
    """

    path: str
    line: int
    column: int
    end_line: int
    end_column: int

    def holds(self, other: Span) -> bool:
        """Whether another stretch lies inside this one."""
        return (
            self.path == other.path
            and self[1:3] <= other[1:3]
            and (other.end_line, other.end_column) <= (self.end_line, self.end_column)
        )


@dataclass(frozen=True, slots=True)
class Source:
    """A file's text, kept so that messages can show the line they speak of."""

    path: str
    text: str

    def span(self, start: int, end: int) -> Span:
        """The span from code point `start` to `end` (exclusive) of the text."""
        line, column = self.place(start)
        end_line, end_column = self.place(end)
        return Span(self.path, line, column, end_line, end_column)

    def place(self, offset: int) -> tuple[int, int]:
        """The 1-based line and column of a code point."""
        before = self.text.count("\n", 0, offset)
        return before + 1, offset - (self.text.rfind("\n", 0, offset) + 1) + 1
