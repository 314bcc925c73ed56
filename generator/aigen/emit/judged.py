"""Types as models judge by them: the table at the top of `aigen.runtime.types`."""

from __future__ import annotations

from aigen.emit.annotations import plain
from aigen.emit.layout import Node
from aigen.emit.scope import ModuleScope
from aigen.ir import Type


def judged(kind: Type, scope: ModuleScope) -> Node:
    """The annotation of a member, or the judge of an answer."""
    return plain(kind, scope)
