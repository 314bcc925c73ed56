"""What resolving takes from the project's configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from aigen.ir.model import Json

if TYPE_CHECKING:
    from aigen.resolve.shape_source import Source


class Names(NamedTuple):
    """What a module declares."""

    types: Sequence[str]
    callables: Sequence[str]


@dataclass(frozen=True, slots=True)
class ResolveContext:
    """What the project's configuration says that specs depend on.

    Attributes:
        python_path: folders under which the modules of callables are looked up.
        trust: further modules, or `mod:func`, that specs may name.
        configured: `[tool.aigen.settings]`.
        unread: modules whose spec could not be read; findings say why.
        elsewhere: what further modules declare, which a misspelt name may mean.
        shapes: JSON Schemas that were read already, by the types that they are; these are judged
            at their own places, and what a spec has there is not read.
    """

    python_path: tuple[Path, ...] = ()
    trust: tuple[str, ...] = ()
    configured: Mapping[str, Json] = field(default_factory=dict)
    unread: frozenset[str] = frozenset()
    elsewhere: Mapping[str, Names] = field(default_factory=dict)
    shapes: Mapping[str, Source] = field(default_factory=dict)
