"""Names of specs in Python, and of Python in specs."""

from __future__ import annotations

import ast
import keyword
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

_TAKEN: Final = frozenset({*keyword.kwlist, "annotations"})
"""`annotations` stands in every generated module: `from __future__ import annotations` binds it."""


_ENDINGS: Final = (f"{os.sep}__init__.py", ".py", f"{os.sep}__init__.pyi", ".pyi")
"""As Python has it, a package comes before a module of its name."""


class ModuleFile(NamedTuple):
    """A module's file, and the folder that it was found under."""

    root: Path
    path: Path


def free(name: str) -> str:
    """The name of a module, function or tool in Python; one that is taken gets a trailing `_`."""
    return f"{name}_" if name in _TAKEN else name


def unparsed(error: Exception) -> str:
    """Why the parser gave up on a source that is otherwise fine; some of its errors say nothing."""
    if isinstance(error, RecursionError | MemoryError):
        return "it is nested too deep"
    return str(error)


def module_file(name: str, roots: Sequence[Path]) -> ModuleFile | None:
    """The file of a module, `.py` before `.pyi`; None where it is under none of the folders."""
    parts = name.split(".")
    if not all(part.isidentifier() for part in parts):
        return None
    for root in roots:
        start = os.path.join(root, *parts)  # noqa: PTH118 -- four path objects cost more than the look
        for ending in _ENDINGS:
            if os.path.isfile(start + ending):  # noqa: PTH113
                return ModuleFile(root, Path(start + ending))
    return None


def module_name(path: Path, roots: Sequence[Path]) -> str | None:
    """What a file is imported as, from the innermost of the folders; None outside them."""
    above = [root for root in roots if path.is_relative_to(root)]
    if not above:
        return None
    inside = path.relative_to(max(above, key=lambda root: len(root.parts)))
    parts = inside.with_suffix("").parts
    return ".".join(parts) if all(part.isidentifier() for part in parts) else None


def imported_from(node: ast.ImportFrom, package: str) -> str:
    """The module that `from … import` names; a relative one is found from `package`."""
    if not node.level:
        return node.module or ""
    parts = package.split(".")
    base = parts[: len(parts) - (node.level - 1)]
    return ".".join([*base, *([node.module] if node.module else [])])
