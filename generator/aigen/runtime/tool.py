"""The base class of generated tools: a typed callable over an implementation of the user's own."""

from __future__ import annotations

import functools
import importlib
import inspect
import json
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from aigen.runtime.definition import ToolAnnotations, ToolDefinition, require_format
from aigen.runtime.errors import ConfigurationError, InterfaceInputError, ToolError
from aigen.runtime.function_like import FunctionLike

if TYPE_CHECKING:
    from aigen.runtime.tools.context import ToolContext
    from aigen.runtime.tools.typed import Parameters

R = TypeVar("R", covariant=True)
F = TypeVar("F", bound=Callable[..., Any])


class AITool(FunctionLike, Generic[R]):
    """A tool: what a model may call, and what your own code may call with the same checks.

    A call binds its arguments to the tool's schema, runs the implementation (imported at the first
    call) and returns its result as the declared type.
    """

    def __init__(self, definition: str, input: Any, returns: Any) -> None:
        """Takes what a generated module holds.

        Args:
            definition: the tool as one JSON text, parsed at the first use.
            input: the model of its arguments, or None where they are not known one by one.
            returns: the type of its result.
        """
        self._text = definition
        self.input = input
        self._returns = returns
        self._implementation: Callable[..., Any] | None = None
        self._parameters: tuple[Callable[..., Any], Parameters] | None = None
        self._appear()

    @functools.cached_property
    def definition(self) -> ToolDefinition:
        """The tool as data."""
        found = cast("ToolDefinition", json.loads(self._text))
        require_format(found["format"])
        return found

    @property
    def annotations(self) -> ToolAnnotations:
        """What the tool does to the world, as its spec says it."""
        return self.definition.get("annotations", {})

    def implement(self, func: F) -> F:
        """Gives the tool its implementation, which takes the arguments by name; also a decorator.

        It goes before the one that the spec names. Returns `func` itself.
        """
        self._implementation = func
        return func

    def schema(self, dialect: str = "mcp") -> dict[str, Any]:
        """The tool as a provider takes it, strict where the dialect and the schema allow it.

        Args:
            dialect: `openai-chat`, `openai-responses`, `anthropic`, `gemini` or `mcp`.

        Raises:
            ConfigurationError: there is no such dialect.
        """
        from aigen.runtime.dialects import DIALECTS, tool_form

        if dialect not in DIALECTS:
            known = ", ".join(DIALECTS)
            raise ConfigurationError(f"no dialect {dialect!r}; there are {known}")
        return cast("dict[str, Any]", tool_form(dialect, self.definition).body)

    def __repr__(self) -> str:
        """`<tool name>`, and a line for each field that is set."""
        definition: Mapping[str, Any] = self.definition
        fields = {
            "description": definition["description"] or None,
            "parameters": definition.get("parameters") or self._input_schema(),
            "python": definition.get("python"),
            "execute": definition.get("execute"),
            "http": definition.get("http"),
            "exposure": "direct",
            "namespace": None,
            "execution": "sequential",
            "record": True,
            **definition.get("options", {}),
            "annotations": self.annotations,
            "format": definition["format"],
        }
        shown = [f"  {key}: {_shown(value)}" for key, value in fields.items() if value is not None]
        return "\n".join([f"<tool {definition['name']}>", *shown])

    def __reduce__(self) -> tuple[Any, ...]:
        return _find, (self.__module__, self.__name__)

    def _call(self, arguments: Mapping[str, Any]) -> R:
        ctx = self._context()
        result = self._implemented(self._bound(arguments, ctx), ctx)
        return self._judged(_waited(result) if inspect.isawaitable(result) else result)

    async def _acall(self, arguments: Mapping[str, Any]) -> R:
        ctx = self._context()
        return self._judged(await self._aimplemented(self._bound(arguments, ctx), ctx))

    # ------------------------------------------------------------------ what running one takes

    def _context(self) -> ToolContext:
        """The circumstances of a call by your own code."""
        from aigen.runtime.layers import resolve
        from aigen.runtime.tools.context import ToolContext

        settings = resolve({}, {}, {})
        definition = self.definition
        space = str(definition.get("options", {}).get("namespace") or definition["module"])
        return ToolContext(
            definition["name"], space, settings=settings, context=settings.context or {}
        )

    def _bound(self, arguments: Mapping[str, Any], ctx: ToolContext) -> dict[str, Any]:
        """Arguments bound to the tool's schema and checked.

        Raises:
            InterfaceInputError: the first fault.
            ConfigurationError: what gives the parameters fails.
        """
        from aigen.runtime.values import bind_inputs

        if "shape" in self.definition or "parameters" in self.definition:
            return _shaped(self.definition, arguments, self._input_schema(ctx))
        return bind_inputs(self.definition, arguments)

    def _implemented(self, arguments: Mapping[str, Any], ctx: ToolContext) -> Any:
        """What the implementation gives; awaitable where it is async.

        Args:
            arguments: bound.
            ctx: for the parameters that take it, and for what `inject` names.

        Raises:
            ConfigurationError: there is no implementation, or the context lacks what is injected.
        """
        injected = self._injected(ctx)
        elsewhere = self._remote
        if elsewhere is not None:
            return elsewhere.run(self.definition, {**arguments, **injected}, ctx)
        from aigen.runtime.tools.gathered import gathered

        func = self._target()
        if self._implementation is None and "execute" in self.definition:
            return gathered(func({**arguments, **injected}, ctx))
        given = {**self._typed(func, arguments), **injected}
        for name in self.definition.get("context", ()):
            given[name] = ctx
        return gathered(func(*self._positions(given), **given))

    async def _aimplemented(self, arguments: Mapping[str, Any], ctx: ToolContext) -> Any:
        """Like `_implemented`, awaited; code that is not async runs on a thread."""
        from aigen.runtime.tools.threads import on_a_thread

        elsewhere = self._remote
        if elsewhere is not None:
            given = {**arguments, **self._injected(ctx)}
            return await elsewhere.arun(self.definition, given, ctx)
        if inspect.iscoroutinefunction(self._target()):
            result = self._implemented(arguments, ctx)
        else:
            result = await on_a_thread(functools.partial(self._implemented, arguments, ctx))
        return await result if inspect.isawaitable(result) else result

    def _typed(self, func: Callable[..., Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Arguments as the implementation's annotations say: models, dates, enums, not JSON."""
        if self._parameters is None or self._parameters[0] is not func:
            from aigen.runtime.tools.typed import Parameters, parameter_types

            own = parameter_types(type(self).__call__, {})
            self._parameters = func, Parameters(func, own)
        return self._parameters[1].typed(arguments, self.__name__)

    @property
    def _remote(self) -> Any | None:
        """What runs it, where neither its spec nor `implement` names a function."""
        from aigen.runtime.tools.remote import remote

        return remote(self.definition) if self._implementation is None else None

    @property
    def _inject(self) -> tuple[str, ...]:
        found = self.definition.get("options", {}).get("inject")
        return tuple(map(str, found)) if isinstance(found, list) else ()

    def _injected(self, ctx: ToolContext) -> dict[str, Any]:
        names = self._inject
        missing = [name for name in names if name not in ctx.context]
        if missing:
            raise ConfigurationError(
                f"{self.__name__} is given {', '.join(missing)} by the caller, and the context"
                f" has none: settings(context={{{missing[0]!r}: …}})",
                code="tool-context",
            )
        return {name: ctx.context[name] for name in names}

    def _positions(self, bound: dict[str, Any]) -> list[Any]:
        """Takes the arguments that go by position out of those that go by name."""
        passing = self.definition.get("passing")
        if not passing or "python" not in self.definition:
            return []
        found = []
        for name, way in passing.items():
            if way == "others":
                bound.update(bound.pop(name, {}))
            elif way == "rest":
                found += bound.pop(name, [])
            elif name in bound:
                found.append(bound.pop(name))
        return found

    def _target(self) -> Callable[..., Any]:
        """The implementation.

        Raises:
            ConfigurationError: the tool is declared only, or what its spec names is not there.
        """
        if self._implementation is not None:
            return self._implementation
        target = self.definition.get("python") or self.definition.get("execute")
        if target is None:
            raise ConfigurationError(
                f"{self.__name__} is declared only: give it an implementation with"
                f" {self.__name__}.implement(func), or name one in its spec (python: pkg.mod:func)",
                code="tool-not-implemented",
            )
        from aigen.runtime import callables

        try:
            found = callables.found(target)
        except (ImportError, AttributeError) as error:
            raise ConfigurationError(
                f"the implementation of {self.__name__} is not there: {target} ({error})",
                code="tool-not-implemented",
            ) from error
        if self.definition.get("bound"):
            method = target.partition(":")[2].rpartition(".")[2]
            raise ConfigurationError(
                f"{target} is a method: give {self.__name__} an object's own,"
                f" {self.__name__}.implement(obj.{method})",
                code="tool-not-implemented",
            )
        self._implementation = None if "execute" in self.definition else found
        return cast("Callable[..., Any]", found)

    def _judged(self, result: Any) -> R:
        """The result as the declared type.

        Raises:
            ToolError: it is not what the spec says.
        """
        output = self.definition.get("output")
        if output is None:
            return cast("R", result)
        from aigen.runtime.tools.typed import returned

        try:
            defs = self.definition.get("$defs")
            return cast("R", returned(self._adapter, result, output["shape"], defs))
        except (TypeError, ValueError) as error:
            raise ToolError(
                f"{self.__name__} gave a result that is not what its spec says: {error}"
            ) from error

    @functools.cached_property
    def _adapter(self) -> Any:
        from aigen.runtime.tools.typed import adapter_of

        return adapter_of(self._returns, strict=True)

    def _input_schema(self, ctx: ToolContext | None = None) -> dict[str, Any]:
        """The JSON Schema of the arguments, without what the caller's context gives.

        Args:
            ctx: of a call, for a tool whose parameters are given once a call.
        """
        from aigen.runtime.dialects.form import input_schema
        from aigen.runtime.wire.adapters.layout import with_own_definitions

        definition = self.definition
        if "parameters" in definition and ctx is not None:
            return _given_schema(definition["parameters"], ctx)
        schema = input_schema(definition)
        if "shape" in definition:
            return schema  # with definitions of its own
        return with_own_definitions(schema, definition.get("$defs", {}))


def _shown(value: Any) -> str:
    """A field's value in one line."""
    if isinstance(value, Mapping | list | tuple):
        kind = "dict" if isinstance(value, Mapping) else "list"
        return f"<{kind} of {len(value)}>"
    if callable(value):
        return f"{value.__module__}:{getattr(value, '__qualname__', type(value).__name__)}"
    return " ".join(str(value).split())


def _shaped(
    definition: ToolDefinition, arguments: Mapping[str, Any], schema: dict[str, Any]
) -> dict[str, Any]:
    from aigen.runtime.values import fits, jsonable, located

    given: dict[str, Any] = jsonable(dict(arguments))
    try:
        misfit = fits(given, schema, schema.get("$defs"))
    except ConfigurationError as problem:
        giver = definition.get("parameters", "its spec")
        raise ConfigurationError(
            f"{giver} gives the parameters of {definition['name']}: {problem.message}", code="tool"
        ) from problem
    if misfit is not None:
        raise InterfaceInputError(
            f"{definition['name']}: {located('', misfit.path) or 'the input'} wants"
            f" {misfit.expected}",
            path=misfit.path,
            expected=misfit.expected,
            function=definition["name"],
        )
    return given


def _given_schema(target: Any, ctx: ToolContext) -> dict[str, Any]:
    """The parameters that a callable of the user's own gives, as a JSON Schema."""
    from aigen.runtime.callables import at_once, imported

    found = at_once((imported(target) if isinstance(target, str) else target)(ctx), str(target))
    if not isinstance(found, Mapping):
        raise ConfigurationError(
            f"{target} gives the parameters of {ctx.tool}: a JSON Schema, not"
            f" {type(found).__name__}",
            code="tool",
        )
    return dict(found)


def _find(module: str, name: str) -> Any:
    return getattr(importlib.import_module(module), name)


def _waited(awaitable: Any) -> Any:
    """The result of async code under a sync call, on a loop of its own."""
    import asyncio

    async def wait() -> Any:
        return await awaitable

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(wait())
    found: list[Any] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            found.append(asyncio.run(wait()))
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if failed:
        raise failed[0]
    return found[0]


__all__ = ["AITool"]
