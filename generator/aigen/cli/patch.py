"""How files would change, as `git apply` and `patch` take it."""

from __future__ import annotations

import difflib
import io
from collections.abc import Iterator


def patch(path: str, old: str | None, new: str | None) -> Iterator[str]:
    """The unified diff of a file, line by line.

    Args:
        path: as the diff names it.
        old: what the file holds; None where it is not there.
        new: what it is to hold; None where it is to go.

    Yields:
        Lines with their ends; none where both are the same. Git's own heading is among them, for
        a file that comes or goes empty has no lines that differ.
    """
    if old == new:
        return
    yield f"diff --git a/{path} b/{path}\n"
    if old is None or new is None:
        yield f"{'new' if old is None else 'deleted'} file mode 100644\n"
    before = "/dev/null" if old is None else f"a/{path}"
    after = "/dev/null" if new is None else f"b/{path}"
    for line in difflib.unified_diff(_lines(old), _lines(new), before, after):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _lines(text: str | None) -> list[str]:
    """Lines as patches count them: a form feed or U+2028 ends none."""
    return io.StringIO(text or "", newline="\n").readlines()
