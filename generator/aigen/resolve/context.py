"""What resolving takes from the project's configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from aigen.ir.model import Json


@dataclass(frozen=True, slots=True)
class ResolveContext:
    """What the project's configuration says that specs depend on.

    Attributes:
        python_path: folders under which the modules of callables are looked up.
        trust: further modules, or `mod:func`, that specs may name.
        configured: `[tool.aigen.settings]`.
        unread: modules whose spec could not be read; findings say why.
    """

    python_path: tuple[Path, ...] = ()
    trust: tuple[str, ...] = ()
    configured: Mapping[str, Json] = field(default_factory=dict)
    unread: frozenset[str] = frozenset()
