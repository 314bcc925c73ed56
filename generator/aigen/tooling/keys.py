"""The keys of a tool that are not its function's own; 1-spec-format, *Tools*."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Final, Literal, TypeAlias, TypedDict

from aigen.runtime.errors import ConfigurationError
from aigen.runtime.tools.annotations import FLAGS, HINTS, NAMESPACE, RESERVED
from aigen.runtime.tools.context import ToolContext
from aigen.runtime.tools.risk import RISKS
from aigen.tooling.docs import Docs

Named: TypeAlias = Callable[..., Any] | str
"""A callable, or `pkg.mod:func`, which is imported when it is needed."""

NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_TARGET = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")


class ToolKeys(TypedDict, total=False):
    """What `tool` takes beside a function: the keys of a spec's tool, callables at hand too."""

    name: str
    description: str
    execute: Callable[[dict[str, Any], ToolContext], Any]
    parameters: Mapping[str, Any] | Callable[[ToolContext], Mapping[str, Any]] | str
    returns: Any
    inject: Sequence[str]
    docs: Docs
    service: str
    metadata: Mapping[str, Any]
    fixup: Named
    exposure: Literal["direct", "code", "deferred", "hidden"]
    namespace: str
    execution: Literal["sequential", "concurrent"]
    risk: int | Named
    approve: Named
    snippet: str
    guidelines: str | Sequence[str]
    signature: str
    output_tokens: int
    record: bool
    available: Named
    annotations: Mapping[str, Any]
    strict: bool | Literal["auto"]
    examples: Sequence[Mapping[str, Any]]
    timeout: float


def options_of(keys: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The options and the annotations of a definition, once they are what the format takes.

    Raises:
        ConfigurationError: a key is none, or has a value it does not take.
    """
    for key in keys:
        if key not in ToolKeys.__annotations__:
            raise ConfigurationError(f"a tool has no key {key}; {_advice(key)}", code="tool")
    made = {key: _CHECKS[key](value) for key, value in keys.items() if key in _CHECKS}
    for key in made:
        if made[key] is _REFUSED:
            raise ConfigurationError(
                f"{key} is {_WANTED[key]}, not {keys[key]!r:.80}", code="tool", field=key
            )
    annotations = made.pop("annotations", {})
    return made, annotations


def _advice(key: str) -> str:
    if key in ("mcp", "http"):
        return "it is implemented by the function"
    if key == "python":
        return "the function itself is the first argument"
    close = get_close_matches(key, ToolKeys.__annotations__, n=1)
    return f"did you mean {close[0]}?" if close else "1-spec-format, Tools, has them all"


# --------------------------------------------------------------------- values of the keys

_REFUSED: Final[Any] = object()


def _when(fits: Callable[[Any], bool]) -> Callable[[Any], Any]:
    return lambda value: value if fits(value) else _REFUSED


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_named(value: Any) -> bool:
    return callable(value) or (isinstance(value, str) and _TARGET.fullmatch(value) is not None)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _risk(value: Any) -> Any:
    if isinstance(value, str) and value in RISKS:
        return RISKS.index(value)
    fits = (_is_whole(value) and 0 <= value <= 4) or _is_named(value)
    return value if fits else _REFUSED


def _texts(value: Any) -> Any:
    found = [value] if isinstance(value, str) else value
    fits = isinstance(found, Sequence) and all(map(_is_text, found))
    return list(found) if fits else _REFUSED


def _namespace(value: Any) -> Any:
    fits = isinstance(value, str) and NAMESPACE.fullmatch(value)
    return value if fits and not set(value.split(".")) & {*RESERVED} else _REFUSED


def _annotations(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return _REFUSED
    found = {}
    for name, each in value.items():
        key = HINTS.get(name, name)
        if key not in ("title", *FLAGS):
            close = get_close_matches(str(name), ("title", *FLAGS, *HINTS), n=1)
            hint = f"did you mean {close[0]}?" if close else f"there are title, {', '.join(FLAGS)}"
            raise ConfigurationError(f"there is no annotation {name}; {hint}", code="tool")
        if not isinstance(each, str if key == "title" else bool):
            kind = "a text" if key == "title" else "true or false"
            raise ConfigurationError(f"the annotation {name} is {kind}, not {each!r}", code="tool")
        found[key] = each
    if found.get("read_only") and found.get("destructive"):
        raise ConfigurationError("what only reads destroys nothing: leave one out", code="tool")
    return found


def _examples(value: Any) -> Any:
    fits = isinstance(value, Sequence) and all(isinstance(each, Mapping) for each in value)
    return [dict(each) for each in value] if fits else _REFUSED


_CHECKS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "inject": _texts,
    "service": _when(_is_text),
    "metadata": _when(lambda value: isinstance(value, Mapping)),
    "fixup": _when(_is_named),
    "exposure": _when(lambda value: value in ("direct", "code", "deferred", "hidden")),
    "namespace": _namespace,
    "execution": _when(lambda value: value in ("sequential", "concurrent")),
    "risk": _risk,
    "approve": _when(lambda value: value in ("never", "changes", "always") or _is_named(value)),
    "snippet": _when(_is_text),
    "guidelines": _texts,
    "signature": _when(_is_text),
    "output_tokens": _when(lambda value: _is_whole(value) and value > 0),
    "record": _when(lambda value: isinstance(value, bool)),
    "available": _when(_is_named),
    "annotations": _annotations,
    "strict": _when(lambda value: isinstance(value, bool) or value == "auto"),
    "examples": _examples,
    "timeout": _when(
        lambda value: (
            isinstance(value, int | float)
            and not isinstance(value, bool)
            and math.isfinite(value)
            and value > 0
        )
    ),
}

_NAMED_WORDS: Final = "a function, or pkg.mod:func"
_WANTED: Final[Mapping[str, str]] = {
    "inject": "a list of parameters' names",
    "service": "a text",
    "metadata": "a mapping",
    "fixup": _NAMED_WORDS,
    "exposure": "direct, code, deferred or hidden",
    "namespace": "letters, digits, _ and ., a letter first, and no part is search, help, describe",
    "execution": "sequential or concurrent",
    "risk": f"0 to 4, one of {', '.join(RISKS)}, or {_NAMED_WORDS}",
    "approve": f"never, changes, always, or {_NAMED_WORDS}",
    "snippet": "a text",
    "guidelines": "a list of texts",
    "signature": "a text",
    "output_tokens": "a whole number, more than 0",
    "record": "true or false",
    "available": _NAMED_WORDS,
    "annotations": "a mapping",
    "strict": "auto, true or false",
    "examples": "a list of argument objects",
    "timeout": "seconds, more than 0",
}
