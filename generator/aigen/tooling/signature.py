"""The signature of a function at hand: parameters, types, defaults, words."""

from __future__ import annotations

import functools
import inspect
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Callable,
    Generator,
    Iterable,
    Iterator,
    Mapping,
)
from dataclasses import dataclass, field
from types import GenericAlias, UnionType
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from aigen.runtime.errors import ConfigurationError
from aigen.runtime.tools.context import ToolContext
from aigen.runtime.tools.typed import unpacked
from aigen.source.words import Docstring, FunctionWords, read_docstring
from aigen.tooling.schemas import words_of
from aigen.tooling.source import function_words

REQUIRED: Final[Any] = inspect.Parameter.empty
"""Stands for the default that a parameter has not."""

UNTYPED: Final[Any] = object()
"""Stands for the type of a parameter that neither an annotation nor a default says."""

_ONE_BY_ONE: Final = (
    *(Iterable, Iterator, Generator),
    *(AsyncIterable, AsyncIterator, AsyncGenerator),
)

_WAYS: Final[Mapping[Any, str]] = {
    inspect.Parameter.POSITIONAL_ONLY: "position",
    inspect.Parameter.VAR_POSITIONAL: "rest",
    inspect.Parameter.VAR_KEYWORD: "others",
}


@dataclass(frozen=True, slots=True)
class Argument:
    """A parameter that the model gives.

    Attributes:
        type: a Python type, with what `Annotated` adds to it, or `UNTYPED`.
        words: what the source says of it.
        default: `REQUIRED` where it has none.
    """

    name: str
    type: Any
    words: str | None = None
    default: Any = REQUIRED

    @property
    def optional(self) -> bool:
        """Whether it may be left out."""
        return self.default is not REQUIRED


@dataclass(frozen=True, slots=True)
class Signature:
    """What a function says of itself.

    Attributes:
        name: its own, without its class.
        arguments: in order, without those that take the context.
        passing: how an argument is passed, where not by its name.
        context: parameters that take the `ToolContext`.
        returns: a Python type, or `REQUIRED` where nothing is said of it.
        returned: the words of what it returns.
    """

    name: str
    module: str
    path: str
    description: str
    arguments: tuple[Argument, ...]
    returns: Any
    returned: str | None
    documented: Mapping[str, str]
    passing: Mapping[str, str] = field(default_factory=dict)
    context: tuple[str, ...] = ()


def read_signature(func: Callable[..., Any]) -> Signature:
    """Reads a function, method, partial, or object with `__call__`.

    Raises:
        ConfigurationError: it is none of these, or its signature or types cannot be known.
    """
    target = _target(func)
    source = function_words(target)
    documented = source.documented if source else read_docstring(inspect.getdoc(target) or "")
    parameters, hints = _parameters(func), _hints(target)
    listed = any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in parameters)
    arguments, passing, context = [], {}, []
    for each in parameters:
        way = _WAYS.get(each.kind)
        if way is None and listed and each.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD:
            way = "position"  # else what stands before `*rest` would be filled by it
        if way is not None:
            passing[each.name] = way
        if _is_context(hints.get(each.name)):
            context.append(each.name)
        else:
            arguments.append(_argument(each, hints, source, documented))
    name = target.__name__
    return Signature(
        type(func).__name__ if name == "__call__" else name,
        getattr(target, "__module__", None) or "__main__",
        target.__qualname__,
        documented.text,
        tuple(arguments),
        _gathered(hints.get("return", REQUIRED)),
        words_of(hints.get("return")) or (source.returned() if source else documented.returns),
        documented.members,
        passing,
        tuple(context),
    )


def _gathered(hint: Any) -> Any:
    """The type of a result: what is given one by one is a list."""
    return GenericAlias(list, get_args(hint)[:1]) if get_origin(hint) in _ONE_BY_ONE else hint


def _is_context(hint: Any) -> bool:
    """Whether a parameter takes the context, also where it may be None."""
    if get_origin(hint) in (Annotated, Union, UnionType):
        return any(map(_is_context, get_args(hint)))
    return hint is ToolContext


def _target(func: Any) -> Any:
    """The plain function behind something that can be called."""
    if isinstance(func, functools.partial):
        return _target(func.func)
    if inspect.isclass(func) or not callable(func):
        what = f"the class {func.__name__}" if inspect.isclass(func) else repr(func)
        raise ConfigurationError(
            f"{what} is no function: give a function, a method of an object, or an object with"
            " __call__",
            code="tool",
        )
    if not inspect.isroutine(func) and not hasattr(func, "__name__"):
        func = type(func).__call__
    try:
        return inspect.unwrap(func)
    except ValueError:
        raise ConfigurationError(f"{func!r} wraps itself", code="tool") from None


def _parameters(func: Any) -> list[inspect.Parameter]:
    try:
        found = list(inspect.signature(func).parameters.values())
    except (ValueError, TypeError) as problem:
        raise ConfigurationError(
            f"the parameters of {func!r} cannot be known: {problem}", code="tool"
        ) from None
    given = func.keywords if isinstance(func, functools.partial) else {}
    target = _target(func)
    unbound = inspect.isfunction(func) and "." in target.__qualname__.rpartition("<locals>.")[2]
    if unbound and found and found[0].name == "self":
        found = found[1:]
    return [each for each in found if each.name not in given]


def _hints(target: Any) -> dict[str, Any]:
    try:
        return get_type_hints(target, include_extras=True)
    except (NameError, AttributeError, SyntaxError) as problem:
        raise ConfigurationError(
            f"an annotation of {target.__qualname__} cannot be read: {problem}; import the name, or"
            " define it before",
            code="tool",
        ) from None
    except TypeError as problem:
        if not inspect.isbuiltin(target):
            raise ConfigurationError(
                f"an annotation of {target.__qualname__} is no type: {problem}", code="tool"
            ) from None
        return {}


def _argument(
    each: inspect.Parameter,
    hints: Mapping[str, Any],
    source: FunctionWords | None,
    documented: Docstring,
) -> Argument:
    kind: Any = hints.get(each.name, UNTYPED)
    default = each.default
    if isinstance(default, FieldInfo):
        info = default
        factory: Any = info.default_factory
        default = REQUIRED if info.default is PydanticUndefined else info.default
        default = factory() if default is REQUIRED and factory is not None else default
        marks = [*info.metadata, *([info.description] if info.description else [])]
        inner: Any = Any if kind is UNTYPED else kind
        kind = Annotated[(inner, *marks)] if marks else inner
    elif default is REQUIRED and get_origin(kind) is Annotated:
        default = _inside(kind)
    if kind is UNTYPED and default is not REQUIRED:
        kind = _guessed(default)
    words = words_of(kind) or (
        source.parameter(each.name) if source else documented.members.get(each.name)
    )
    item: Any = Any if kind is UNTYPED else kind
    whole = unpacked(item)
    if whole is not None:
        return Argument(each.name, whole, words, REQUIRED if _requires(whole) else {})
    if each.kind is inspect.Parameter.VAR_POSITIONAL:
        return Argument(each.name, GenericAlias(list, (item,)), words, [])
    if each.kind is inspect.Parameter.VAR_KEYWORD:
        return Argument(each.name, GenericAlias(dict, (str, item)), words, {})
    if isinstance(default, tuple) and default and get_origin(kind) is Literal:
        default = default[0]
    return Argument(each.name, kind, words, default)


def _requires(kind: Any) -> bool:
    """Whether a TypedDict has members that must be given."""
    required: frozenset[str] = getattr(kind, "__required_keys__", frozenset())
    try:
        hints = get_type_hints(kind, include_extras=True)
    except NameError:
        return bool(required)
    marks = {name: getattr(get_origin(hint), "_name", "") for name, hint in hints.items()}
    # Where annotations are texts, the class itself does not know its marks.
    return any(
        mark == "Required" or (mark != "NotRequired" and name in required)
        for name, mark in marks.items()
    )


def _inside(kind: Any) -> Any:
    """The default of a `Field(...)` inside `Annotated`."""
    for mark in get_args(kind)[1:]:
        if isinstance(mark, FieldInfo) and mark.default is not PydanticUndefined:
            return mark.default
    return REQUIRED


def _guessed(default: Any) -> Any:
    """The type of a literal default; a tuple of texts is a choice."""
    if type(default) in (bool, int, float, str):
        return type(default)
    if isinstance(default, tuple) and default and all(type(each) is str for each in default):
        return Literal[tuple(dict.fromkeys(default))]
    return UNTYPED


def each_untyped(signature: Signature) -> Iterator[str]:
    """The names of arguments whose type nothing says."""
    return (each.name for each in signature.arguments if each.type is UNTYPED)
