"""From trees to the intermediate representation: names looked up, values bound, all checked."""

from __future__ import annotations

from collections.abc import Sequence

from aigen.diagnostics import Diagnostics
from aigen.ir import Program
from aigen.resolve.context import Names, ResolveContext
from aigen.spec.tree import SpecFile

__all__ = ["Names", "ResolveContext", "resolve"]


def resolve(
    files: Sequence[SpecFile], settings: ResolveContext, diagnostics: Diagnostics
) -> Program:
    """Resolves all spec files of a build together.

    Every fault is reported once, at its place; what cannot be resolved is replaced by a type
    that takes anything, so the program is whole and the rest is still checked. The result does
    not depend on the order of the files.

    Args:
        files: what reading gave.
        settings: of the project.
        diagnostics: takes what is wrong.
    """
    from aigen.resolve.program import build

    return build(sorted(files, key=lambda file: (file.module, file.path)), settings, diagnostics)
