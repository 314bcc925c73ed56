"""What a rule looks at: a whole program, and what the project wants of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from aigen.diagnostics.lint import Lint
from aigen.ir import Field, Function, Module, Program, Tool
from aigen.ir.model import Json, TypeDef
from aigen.rules.fields import Chosen, choices, fields
from aigen.runtime.errors import ConfigurationError
from aigen.runtime.wire.messages import Target
from aigen.runtime.wire.providers import target


@dataclass(frozen=True)
class Context:
    """A program under the configuration of its project.

    Attributes:
        configured: `[tool.aigen.settings]`, for what functions use by default.
        dialects: `[tool.aigen] dialects`.
        lint: `[tool.aigen.lint]`.
        only: the modules that are judged; None for all. The rest is there for what they need.
    """

    program: Program
    configured: Mapping[str, Json] = field(default_factory=dict)
    dialects: tuple[str, ...] = ()
    lint: Lint = field(default_factory=Lint)
    only: frozenset[str] | None = None

    @property
    def modules(self) -> Iterator[Module]:
        """The modules that are judged."""
        for name, module in self.program.modules.items():
            if self.only is None or name in self.only:
                yield module

    @property
    def functions(self) -> Iterator[Function]:
        """The functions of all modules."""
        for module in self.modules:
            yield from module.functions

    @property
    def tools(self) -> Iterator[Tool]:
        """The tools of all modules."""
        for module in self.modules:
            yield from module.tools

    @property
    def types(self) -> Iterator[TypeDef]:
        """The named types of all modules."""
        for module in self.modules:
            yield from module.types

    @cached_property
    def fields(self) -> list[tuple[str, Field]]:
        """All fields, each with the name it was written under."""
        return list(fields(self.modules))

    @cached_property
    def choices(self) -> list[Chosen]:
        """Every choice in a type."""
        return list(choices(self.types, self.fields))

    def settings(self, function: Function) -> Mapping[str, Any]:
        """A function's settings over the project's."""
        return {**self.configured, **function.settings}

    def target(self, function: Function) -> Target | None:
        """Where a function's calls go, as far as the project says it.

        A provider that is not known here may still be, where the function is called.
        """
        return _target(self.settings(function), known=False)

    def known_target(self, settings: Mapping[str, Any]) -> Target | None:
        """Where calls under some settings go; None where the project does not say it."""
        return _target(settings, known=True)


def _target(settings: Mapping[str, Any], *, known: bool) -> Target | None:
    model = settings.get("model")
    if not isinstance(model, str):
        return None
    url, own = settings.get("base_url"), settings.get("providers")
    try:
        return target(model, url, own, given_server=not known)
    except ConfigurationError:
        return None
