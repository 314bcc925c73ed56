"""The tools that a call offers: generated tools and AI functions, under one face."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Protocol, TypeAlias

from aigen.runtime.callables import at_once, imported
from aigen.runtime.errors import ConfigurationError
from aigen.runtime.tool import AITool
from aigen.runtime.tools.context import ToolContext
from aigen.runtime.tools.threads import is_own

RUN: Final = "run_python"
"""The tool that runs code which calls tools."""


@dataclass(frozen=True)
class Offered:
    """One tool of a call.

    Attributes:
        name: as the model calls it.
        target: the `AITool` or `AIFunction`.
    """

    name: str
    target: Any

    @cached_property
    def definition(self) -> Mapping[str, Any]:
        """The tool or function as data."""
        found: Mapping[str, Any] = self.target.definition
        return found

    @cached_property
    def options(self) -> Mapping[str, Any]:
        """The keys of its spec that are not its own; an AI function has none."""
        found: Mapping[str, Any] = self.definition.get("options", {})
        return found

    @property
    def description(self) -> str:
        """The words that the model reads."""
        return str(self.definition["description"])

    @property
    def namespace(self) -> str:
        """By default the module."""
        return str(self.options.get("namespace") or self.definition["module"])

    @property
    def requires_user(self) -> bool:
        """Whether only a person can approve it."""
        return bool(self.definition.get("annotations", {}).get("requires_user"))

    @property
    def exposure(self) -> str:
        """How the model finds it: `direct`, `code`, `deferred` or `hidden`."""
        return str(self.options.get("exposure", "direct"))

    @property
    def leads_to(self) -> str | None:
        """The exposure of the tools that it leads to, where it is one of ours."""
        found: str | None = getattr(self.target, "__aigen_leads_to__", None)
        return found

    @property
    def runs_code(self) -> bool:
        """Whether it is the tool that runs the model's code."""
        return self.leads_to == "code"

    def named(self, key: str) -> Any:
        """An option that is a value, or names a callable (`pkg.mod:func`), imported."""
        value = self.options.get(key)
        return imported(value) if isinstance(value, str) and ":" in value else value

    def is_available(self, ctx: ToolContext) -> bool:
        """Whether it is offered in this call; a check that fails leaves it out, with a warning."""
        check = self.named("available")
        if check is None:
            return True
        try:
            return bool(at_once(check(ctx), "it"))
        except BaseException as problem:
            if not is_own(problem):
                raise
            warnings.warn(
                f"the tool {self.name} is left out: its `available` raised "
                f"{type(problem).__name__}: {problem}",
                stacklevel=2,
            )
            return False


class OfferedTool(Offered):
    """A generated tool."""

    target: AITool[Any]

    def schema(self, ctx: ToolContext) -> dict[str, Any]:
        """The JSON Schema of its arguments, without what the caller's context gives."""
        return self.target._input_schema(ctx)

    def bound(self, arguments: Mapping[str, Any], ctx: ToolContext) -> dict[str, Any]:
        """Arguments bound and checked.

        Raises:
            InterfaceInputError: the first fault.
        """
        return self.target._bound(arguments, ctx)

    def run(self, arguments: Mapping[str, Any], ctx: ToolContext) -> Any:
        """What the implementation gives; it may have to be awaited."""
        return self.target._implemented(arguments, ctx)

    async def arun(self, arguments: Mapping[str, Any], ctx: ToolContext) -> Any:
        """Like `run`, awaited; code that is not async runs on a thread."""
        return await self.target._aimplemented(arguments, ctx)

    def judged(self, result: Any) -> Any:
        """The result as the declared type.

        Raises:
            ToolError: it is not what the spec says.
        """
        return self.target._judged(result)


class Applied(Protocol):
    """What a tool needs of an AI function."""

    @property
    def definition(self) -> Any:
        """The function as data."""

    def apply(self, inputs: Mapping[str, Any]) -> Any:
        """A call."""

    async def aapply(self, inputs: Mapping[str, Any]) -> Any:
        """A call, awaited."""


class OfferedFunction(Offered):
    """An AI function that is a tool of another."""

    target: Applied

    def schema(self, ctx: ToolContext) -> dict[str, Any]:
        """The JSON Schema of its inputs."""
        from aigen.runtime.wire.adapters.layout import inputs_schema

        return inputs_schema(self.target.definition)

    def bound(self, arguments: Mapping[str, Any], ctx: ToolContext) -> dict[str, Any]:
        """Inputs bound and checked, as a call binds them."""
        from aigen.runtime.values import bind_inputs

        return bind_inputs(self.target.definition, arguments)

    def run(self, arguments: Mapping[str, Any], ctx: ToolContext) -> Any:
        """A call."""
        return self.target.apply(arguments)

    async def arun(self, arguments: Mapping[str, Any], ctx: ToolContext) -> Any:
        """A call, awaited."""
        return await self.target.aapply(arguments)

    def judged(self, result: Any) -> Any:
        """The result as it is: the call has judged it."""
        return result


def offered(targets: Iterable[Any]) -> tuple[Tool, ...]:
    """Tools under the names that the model calls them by.

    A name that is unique stands alone; else its namespace goes before it (`trials__search`).

    Raises:
        ConfigurationError: two have one name, or a name with its namespace is too long.
    """
    listed = [_face(str(target.definition["name"]), target) for target in targets]
    counts: dict[str, int] = {}
    for each in listed:
        counts[each.name] = counts.get(each.name, 0) + 1
    found: dict[str, Tool] = {}
    for each in listed:
        name = each.name
        if counts[name] > 1:
            name = f"{each.namespace.replace('.', '_')}__{name}"
        if name in found or len(name) > 64:
            why = "two tools have it" if name in found else "it is longer than 64 characters"
            raise ConfigurationError(
                f"the tool's name {name} cannot be sent: {why}; give one another name or namespace",
                code="tool-name",
            )
        found[name] = _face(name, each.target)
    return tuple(found.values())


def _face(name: str, target: Any) -> Tool:
    return (
        OfferedTool(name, target) if isinstance(target, AITool) else OfferedFunction(name, target)
    )


Tool: TypeAlias = OfferedTool | OfferedFunction
