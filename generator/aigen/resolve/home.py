"""One module while its spec file is resolved: all that its parts share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from aigen.diagnostics import Diagnostics
from aigen.ir import TypeDef
from aigen.ir.model import Json
from aigen.resolve.binding import Binding
from aigen.resolve.callables import Callables
from aigen.resolve.names import Declared
from aigen.resolve.scope import Scope
from aigen.resolve.types import Types


@dataclass(slots=True)
class Home:
    """A module at work.

    Attributes:
        settings: of its spec file, resolved.
        configured: `[tool.aigen.settings]`.
        named: every callable that the spec names.
    """

    module: str
    scope: Scope
    callables: Callables
    declared: Declared
    types: Types
    binding: Binding
    configured: Mapping[str, Json]
    settings: Mapping[str, Json] = field(default_factory=dict)
    named: set[str] = field(default_factory=set)

    @property
    def diagnostics(self) -> Diagnostics:
        """All findings of the run."""
        return self.scope.diagnostics

    def define(self, definition: TypeDef) -> None:
        """Adds a named type of this module."""
        self.scope.definitions[(self.module, definition.name)] = definition
