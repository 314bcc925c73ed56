"""Tools of functions at hand: what a generated tool is, made while the program runs."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, Final, Generic, ParamSpec, TypeVar, Unpack, cast, overload

from aigen.runtime.definition import FORMAT, FieldDefinition, ToolDefinition
from aigen.runtime.errors import ConfigurationError
from aigen.runtime.tool import AITool
from aigen.runtime.tools.context import ToolContext
from aigen.runtime.values import fits
from aigen.tooling import docs as documentation
from aigen.tooling.keys import NAME, ToolKeys, options_of
from aigen.tooling.signature import REQUIRED, UNTYPED, Signature, read_signature
from aigen.tooling.type_words import enumerated, meant

P = ParamSpec("P")
R = TypeVar("R", covariant=True)

_POSITIONAL: Final = (
    inspect.Parameter.POSITIONAL_ONLY,
    inspect.Parameter.POSITIONAL_OR_KEYWORD,
)


class FunctionTool(AITool[R], Generic[P, R]):
    """A tool of a function at hand, with the function's own signature.

    It can stand wherever a generated tool can.
    """

    def __init__(
        self,
        func: Callable[P, R] | None,
        definition: ToolDefinition,
        signature: Signature | None,
        keys: ToolKeys,
    ) -> None:
        """Takes what `tool` has read; use that."""
        returns = signature.returns if signature and "returns" not in keys else REQUIRED
        super().__init__("", None, Any if returns is REQUIRED else returns)
        self._own, self._keys = func, keys
        self._execute = keys.get("execute")
        self._implementation = func
        vars(self)["definition"] = definition
        shown_name: str = signature.name if signature else definition["name"]
        vars(self)["_name"] = shown_name
        shown: Any = func or self._execute
        self.__doc__ = inspect.getdoc(shown) or definition["description"] or None
        self.__module__ = definition["module"]
        self.__annotations__ = dict(getattr(shown, "__annotations__", {})) if func else {}

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Calls the function, its arguments checked as a model's are."""
        return self._call(self._arguments(args, kwargs))

    async def aio(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Calls the function, awaited; code that is not async runs on a thread."""
        return await self._acall(self._arguments(args, kwargs))

    @property
    def __signature__(self) -> inspect.Signature:
        """The function's, without what the model does not give."""
        inputs = [field["name"] for field in self.definition["inputs"]]
        if self._own is None:
            kind = inspect.Parameter.KEYWORD_ONLY
            return inspect.Signature([inspect.Parameter(name, kind) for name in inputs])
        found = inspect.signature(self._own)
        hidden = {*self.definition.get("context", ()), *self._inject}
        kept = [each for name, each in found.parameters.items() if name not in hidden]
        return found.replace(parameters=self._with_defaults(kept))

    def _with_defaults(self, kept: Sequence[inspect.Parameter]) -> list[inspect.Parameter]:
        """Parameters with the defaults that docs and keys give; what comes after goes by name."""
        given: Mapping[str, Any] = self.definition.get("defaults", {})
        made: list[inspect.Parameter] = []
        after = False
        for each in kept:
            own = each.default is each.empty and each.kind in _POSITIONAL
            if own and "value" in given.get(each.name, {}):
                each, after = each.replace(default=given[each.name]["value"]), True
            elif own and after and each.kind is each.POSITIONAL_OR_KEYWORD:
                each = each.replace(kind=each.KEYWORD_ONLY)
            if made and made[-1].kind is each.KEYWORD_ONLY and each.kind in _POSITIONAL:
                each = each.replace(kind=each.KEYWORD_ONLY)
            made.append(each)
        return made

    @property
    def __globals__(self) -> dict[str, Any]:
        """The names in which the function's annotations are read."""
        found = getattr(inspect.unwrap(self._own), "__globals__", None) if self._own else None
        return found if found is not None else vars(sys.modules[self.__module__])

    def __reduce__(self) -> tuple[Any, ...]:
        module = sys.modules.get(self.__module__)
        if getattr(module, self.__name__, None) is self:
            return super().__reduce__()
        return functools.partial(tool, **self._keys), (self._own,)

    def _arguments(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        if "shape" in self.definition or "parameters" in self.definition or self._own is None:
            return dict(kwargs)
        bound = self.__signature__.bind(*args, **kwargs)
        return {
            name: list(value) if self.definition.get("passing", {}).get(name) == "rest" else value
            for name, value in bound.arguments.items()
        }

    def _implemented(self, arguments: Mapping[str, Any], ctx: ToolContext) -> Any:
        if self._execute is not None and self._implementation is None:
            return self._execute({**arguments, **self._injected(ctx)}, ctx)
        return super()._implemented(arguments, ctx)

    @functools.cached_property
    def _adapter(self) -> Any:
        # What `returns` says is a schema and no type of Python's.
        return None if "returns" in self._keys else super()._adapter


@overload
def tool(
    func: Callable[P, Coroutine[Any, Any, R]], **keys: Unpack[ToolKeys]
) -> FunctionTool[P, R]: ...
@overload
def tool(func: Callable[P, R], **keys: Unpack[ToolKeys]) -> FunctionTool[P, R]: ...
@overload
def tool(func: None, **keys: Unpack[ToolKeys]) -> FunctionTool[..., Any]: ...
def tool(func: Callable[..., Any] | None, **keys: Unpack[ToolKeys]) -> FunctionTool[..., Any]:
    """Makes a tool of a function at hand.

    Args:
        func: a function, method of an object, partial, or object with `__call__`; None where
            `execute` implements the tool.
        keys: any key of a spec's tool. Where a spec names a callable, one at hand is taken too; a
            parameter's type may be a Python type.

    Returns:
        The tool, which is called as the function is.

    Raises:
        ConfigurationError: a key is none, has a value it does not take, or contradicts the
            function; a type cannot be known or has no JSON form.
    """
    options, annotations = options_of(keys)
    if isinstance(func, AITool):
        raise ConfigurationError(f"{func.__name__} is a tool already", code="tool")
    signature = read_signature(func) if func is not None else None
    if (func is None) == (keys.get("execute") is None):
        raise ConfigurationError(
            "a tool is implemented in one way: by a function, or by execute=func(input, ctx)",
            code="tool",
        )
    found = _from_function(func, keys) if func is not None else _from_execute(keys)
    _lay_parameters(found, keys.get("parameters"), signature)
    if "returns" in keys:
        shape, words = _field(keys["returns"], "returns")
        shape = _with_defs(found, shape)
        found["output"] = {"name": "result", "shape": shape}
        if words:
            found["output"]["desc"] = words
    for key in ("name", "description"):
        if key in keys:
            found[key] = keys[key]
    if not isinstance(found["name"], str) or not NAME.fullmatch(found["name"]):
        raise ConfigurationError(
            f"{found['name']!r} is no tool's name: 1 to 64 of a-z A-Z 0-9 _ -; give it name=…",
            code="tool-name",
        )
    _leave_out(found, options.get("inject", ()))
    if annotations:
        found["annotations"] = cast("Any", annotations)
    if options:
        found["options"] = options
    if signature is not None and signature.name != found["name"]:
        found["function"] = signature.name
    return FunctionTool(func, found, signature, keys)


def _from_function(func: Callable[..., Any], keys: ToolKeys) -> ToolDefinition:
    known = keys.get("parameters")
    types: dict[str, Any] = dict.fromkeys(keys.get("inject", ()), Any)
    read = read_signature(func).arguments
    if isinstance(known, Mapping) and "json_shape" not in known:
        types |= {each.name: Any for each in read if each.type is UNTYPED and each.name in known}
    elif known is not None:
        types |= {each.name: Any for each in read}
    docs = documentation.checked(keys["docs"]) if "docs" in keys else None
    return documentation.documented(func, types, docs=docs)


def _from_execute(keys: ToolKeys) -> ToolDefinition:
    execute: Any = keys["execute"]
    if not callable(execute) or "parameters" not in keys or "description" not in keys:
        raise ConfigurationError(
            "a tool of execute=func(input, ctx) says its own description and parameters",
            code="tool",
        )
    name = getattr(execute, "__qualname__", type(execute).__name__)
    module = getattr(execute, "__module__", None) or "__main__"
    return {
        "format": FORMAT,
        "name": name.rpartition(".")[2],
        "module": module,
        "description": keys["description"],
        "inputs": [],
        "execute": f"{module}:{name}",
    }


def _leave_out(definition: ToolDefinition, injected: Any) -> None:
    names = [field["name"] for field in definition["inputs"]]
    takes_any = "shape" in definition or "parameters" in definition
    for name in injected:
        if name not in names and not takes_any:
            raise ConfigurationError(
                f"inject names {name}, which is no parameter; there are {', '.join(names)}",
                code="tool",
                field="inject",
            )
    definition["inputs"] = [each for each in definition["inputs"] if each["name"] not in injected]


# -------------------------------------------------------------------- parameters, returns

_FIELD: Final = ("type", "description", "default", "required", "choice")


def _lay_parameters(found: ToolDefinition, written: Any, signature: Signature | None) -> None:
    """Lays the parameters that `tool` was given over those of the function."""
    if written is None:
        return
    if callable(written) or isinstance(written, str):
        found["parameters"], found["inputs"] = cast("str", written), []
        return
    if not isinstance(written, Mapping):
        raise ConfigurationError(
            f"parameters are a mapping of fields, not {written!r:.80}", code="tool"
        )
    if "json_shape" in written and isinstance(written["json_shape"], Mapping):
        _shape(found, written["json_shape"])
        return
    if written.get("type") == "object" and isinstance(written.get("properties"), Mapping):
        raise ConfigurationError(
            "parameters are fields by name; a JSON Schema stands under json_shape:"
            " parameters={'json_shape': {…}}",
            code="tool",
        )
    known = {field["name"]: field for field in found["inputs"]}
    is_open = signature is None or "others" in signature.passing.values()
    for name, field in written.items():
        if name not in known and not is_open:
            raise ConfigurationError(
                f"{found['name']} takes no {name}; it takes {', '.join(known) or 'nothing'}",
                code="tool",
                field=name,
            )
        known[name] = _laid(found, known.get(name), str(name), field)
    if signature is not None and written.keys() - {each.name for each in signature.arguments}:
        # The names that `**more` takes are listed: it is no parameter beside them.
        for name, way in signature.passing.items():
            if way == "others" and name not in written:
                known.pop(name, None)
    found["inputs"] = list(known.values())


def _shape(found: ToolDefinition, schema: Mapping[str, Any]) -> None:
    if schema.get("type", "object") != "object":
        raise ConfigurationError(
            "a tool's parameters are an object: write type: object and properties", code="tool"
        )
    found["shape"] = {**schema, "x-aigen-shape": True}
    found["inputs"] = []
    found.pop("defaults", None)


def _laid(
    found: ToolDefinition, before: FieldDefinition | None, name: str, written: Any
) -> FieldDefinition:
    shape, words = _field(written, name)
    made: FieldDefinition = {"name": name, "shape": {"type": "string"}}
    if before is not None:
        made = before.copy()
    if shape:
        made["shape"] = _with_defs(found, shape)
    if words:
        made["desc"] = words
    more = written if isinstance(written, Mapping) else {}
    if "default" in more:
        if fits(more["default"], made["shape"], found.get("$defs")) is not None:
            raise ConfigurationError(
                f"the default of {name} does not fit its type: {more['default']!r}",
                code="tool",
                field=name,
            )
        made["shape"] = {**made["shape"], "default": more["default"]}
    if "default" in more or more.get("required") is False:
        made["optional"] = True
    elif more.get("required"):
        made.pop("optional", None)
    return made


def _field(written: Any, name: str) -> tuple[dict[str, Any], str | None]:
    """A field as its shape (empty where it says none) and its words."""
    if isinstance(written, str):
        try:
            return meant(written), None
        except ConfigurationError:
            return {}, written
    if not isinstance(written, Mapping):
        return meant(written), None
    for key in written:
        if key not in _FIELD:
            raise ConfigurationError(
                f"the field {name} has no {key}; there are {', '.join(_FIELD)}", code="tool"
            )
    words = written.get("description")
    if "choice" in written:
        return enumerated(list(written["choice"])), words
    return (meant(written["type"]) if "type" in written else {}), words


def _with_defs(found: ToolDefinition, shape: dict[str, Any]) -> dict[str, Any]:
    defs = shape.pop("$defs", None)
    if defs:
        found["$defs"] = dict(sorted({**found.get("$defs", {}), **defs}.items()))
    return shape
