"""The base class of generated tools: a typed callable over an implementation of the user's own."""

from __future__ import annotations

import functools
import importlib
import inspect
import json
import threading
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar, cast

from aigen.runtime.definition import ToolAnnotations, ToolDefinition, require_format
from aigen.runtime.errors import ConfigurationError, ToolError
from aigen.runtime.function_like import FunctionLike

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
        """The tool as a provider takes it, not strict.

        Args:
            dialect: `openai-chat`, `openai-responses`, `anthropic`, `gemini` or `mcp`.

        Raises:
            ConfigurationError: there is no such dialect.
        """
        form = _DIALECTS.get(dialect)
        if form is None:
            known = ", ".join(_DIALECTS)
            raise ConfigurationError(f"no dialect {dialect!r}; there are {known}")
        name, words = self.definition["name"], self.definition["description"]
        return form(name, words, self._input_schema())

    def __repr__(self) -> str:
        """`<tool name>`, and a line for each field that is set."""
        shown = [f"<tool {self.definition['name']}>"]
        for key in ("description", "python", "execute", "annotations", "options"):
            found = self.definition.get(key)
            if found:
                shown.append(f"  {key}: {found}")
        return "\n".join(shown)

    def __reduce__(self) -> tuple[Any, ...]:
        return _find, (self.__module__, self.__name__)

    def _call(self, arguments: Mapping[str, Any]) -> R:
        result = self._run(arguments)
        if inspect.isawaitable(result):
            result = _waited(result)
        return self._checked(result)

    async def _acall(self, arguments: Mapping[str, Any]) -> R:
        func = self._target()
        if inspect.iscoroutinefunction(func):
            result = self._run(arguments)
        else:
            import asyncio

            result = await asyncio.to_thread(self._run, arguments)
        if inspect.isawaitable(result):
            result = await result
        return self._checked(result)

    def _run(self, arguments: Mapping[str, Any]) -> Any:
        from aigen.runtime.values import bind_inputs

        func = self._target()
        bound = dict(arguments) if self.input is None else bind_inputs(self.definition, arguments)
        if self._implementation is None and "execute" in self.definition:
            return func(bound, None)
        return func(*self._positions(bound), **bound)

    def _positions(self, bound: dict[str, Any]) -> list[Any]:
        """Takes the arguments that go by position out of those that go by name."""
        passing = self.definition.get("passing")
        if not passing or self._implementation is None:
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
        module, _, path = target.partition(":")
        try:
            found: Any = importlib.import_module(module)
            for name in path.split("."):
                found = getattr(found, name)
        except (ImportError, AttributeError) as error:
            raise ConfigurationError(
                f"the implementation of {self.__name__} is not there: {target} ({error})",
                code="tool-not-implemented",
            ) from error
        if self.definition.get("bound"):
            raise ConfigurationError(
                f"{target} is a method: give {self.__name__} an object's own,"
                f" {self.__name__}.implement(obj.{path.rpartition('.')[2]})",
                code="tool-not-implemented",
            )
        self._implementation = None if "execute" in self.definition else found
        return cast("Callable[..., Any]", found)

    def _checked(self, result: Any) -> R:
        if "output" not in self.definition:
            return cast("R", result)
        from pydantic import ValidationError

        try:
            return cast("R", self._adapter.validate_python(result, from_attributes=True))
        except ValidationError as error:
            raise ToolError(
                f"{self.__name__} gave a result that is not what its spec says: {error}"
            ) from error

    @functools.cached_property
    def _adapter(self) -> Any:
        from pydantic import TypeAdapter

        return TypeAdapter(self._returns)

    def _input_schema(self) -> dict[str, Any]:
        from aigen.runtime.wire.adapters.layout import with_own_definitions

        definition = self.definition
        if "shape" in definition:
            return dict(definition["shape"])
        properties = {}
        for field in definition["inputs"]:
            shape = dict(field["shape"])
            if "desc" in field:
                shape["description"] = field["desc"]
            properties[field["name"]] = shape
        schema: dict[str, Any] = {"type": "object", "properties": properties}
        required = [field["name"] for field in definition["inputs"] if "optional" not in field]
        if required:
            schema["required"] = required
        schema["additionalProperties"] = False
        return with_own_definitions(schema, definition.get("$defs", {}))


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


Schema = dict[str, Any]
_DIALECTS: dict[str, Callable[[str, str, Schema], Schema]] = {
    "openai-chat": lambda name, words, schema: {
        "type": "function",
        "function": {"name": name, "description": words, "parameters": schema, "strict": False},
    },
    "openai-responses": lambda name, words, schema: {
        "type": "function",
        "name": name,
        "description": words,
        "parameters": schema,
        "strict": False,
    },
    "anthropic": lambda name, words, schema: {
        "name": name,
        "description": words,
        "input_schema": schema,
    },
    "gemini": lambda name, words, schema: {
        "functionDeclarations": [
            {"name": name, "description": words, "parametersJsonSchema": schema}
        ]
    },
    "mcp": lambda name, words, schema: {
        "name": name,
        "description": words,
        "inputSchema": schema,
    },
}

__all__ = ["AITool"]
