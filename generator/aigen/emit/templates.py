"""Where the templates of modules are: aigen's own, and those of a project that override blocks."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

SUFFIX: Final = ".jinja"


def folder() -> Path:
    """The folder of templates: the checkout's for an editable install, else the package's own."""
    package = Path(__file__).resolve().parents[1]
    checkout = package.parents[1] / "templates"
    return checkout if (checkout / "module.py.jinja").is_file() else package / "templates"


def files(overrides: Path) -> Iterator[Path]:
    """The templates in a project's folder, in the order of their names."""
    yield from sorted(path for path in overrides.rglob(f"*{SUFFIX}") if path.is_file())


def digest(overrides: Path | None) -> str:
    """A digest of every template that an output is made with, for what makes a build stale.

    Args:
        overrides: the project's folder of templates, where it has one. A template that cannot be
            read counts as empty here; making something with it says what is wrong.
    """
    found = hashlib.blake2b(digest_size=16)
    for root in (folder(), *([overrides] if overrides else [])):
        for path in files(root):
            text = b""
            with contextlib.suppress(OSError):
                text = path.read_bytes()
            found.update(f"{path.relative_to(root).as_posix()}\0{len(text)}\0".encode() + text)
    return found.hexdigest()
