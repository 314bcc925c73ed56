"""A function's own messages: segments of its prompt with a call's values in them.

Segments are data (`aigen.runtime.definition.Segment`): a value is written where it stands, and
nothing in it is ever read as a segment. Null and what is left out write nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from aigen.runtime.errors import ConfigurationError
from aigen.runtime.values import jsonable
from aigen.runtime.values.canonical_json import identity
from aigen.runtime.values.convert import record, sequence
from aigen.runtime.wire.adapters.layout import holds_media, written
from aigen.runtime.wire.content import Piece, joined

_ABSENT: Final[Any] = None


def rendered(body: Sequence[Any], inputs: Mapping[str, Any], instruction: str) -> str | list[Piece]:
    """The content of one message.

    Args:
        body: its segments.
        inputs: bound values; `instruction` is a name too, unless an input has it.
        instruction: what `{{ instruction }}` writes.

    Raises:
        ConfigurationError: a loop over what is no list, or a filter of media (code `prompt`).
    """
    return joined(_segments(body, {"instruction": instruction, **inputs}))


def _segments(body: Iterable[Any], names: Mapping[str, Any]) -> Iterator[Piece]:
    for segment in body:
        if isinstance(segment, str):
            yield segment
        elif "value" in segment:
            value = _filtered(segment, names)
            if value is not _ABSENT:
                yield from written(value)
        elif "branches" in segment:
            yield from _segments(_branch(segment, names), names)
        else:
            for item in _items(segment["of"], names):
                yield from _segments(segment["do"], {**names, segment["each"]: item})


def _branch(segment: Mapping[str, Any], names: Mapping[str, Any]) -> Sequence[Any]:
    for test, body in segment["branches"]:
        if _holds(test, names):
            return body  # type: ignore[no-any-return]
    return segment.get("otherwise", ())  # type: ignore[no-any-return]


def _found(path: Sequence[str], names: Mapping[str, Any]) -> Any:
    """The value at a path; a member that is not there is the same as null."""
    value = names.get(path[0], _ABSENT)
    for step in path[1:]:
        members = record(value)
        value = _ABSENT if members is None else members[0].get(step, _ABSENT)
    return value


def _list(value: Any) -> Sequence[Any] | None:
    """The items of a list or set, the names of a record; None for what is none of these."""
    if isinstance(value, (set, frozenset)):
        return jsonable(value)  # type: ignore[no-any-return]
    members = record(value)
    return sequence(value) if members is None else list(members[0])


def _listed(value: Any) -> Sequence[Any]:
    """The items of a list; of any other value, itself."""
    items = _list(value)
    return [value] if items is None else items


def _items(path: Sequence[str], names: Mapping[str, Any]) -> Sequence[Any]:
    value = _found(path, names)
    items = () if value is _ABSENT else _list(value)
    if items is None:
        raise ConfigurationError(
            f"the prompt loops over {'.'.join(path)}, which is a {type(value).__name__} and no "
            "list",
            code="prompt",
        )
    return items


def _holds(test: Sequence[Any], names: Mapping[str, Any]) -> bool:
    match test[0]:
        case "is":
            value = _found(test[1], names)
            return holds_media(value) or bool(value)
        case "not":
            return not _holds(test[1], names)
        case "and":
            return _holds(test[1], names) and _holds(test[2], names)
        case "or":
            return _holds(test[1], names) or _holds(test[2], names)
        case mark:
            same = _operand(test[1], names) == _operand(test[2], names)
            return same is (mark == "==")


def _operand(operand: Mapping[str, Any], names: Mapping[str, Any]) -> Any:
    # By the values of JSON: true is no 1, and a date is equal to its text.
    value = _filtered(operand, names) if "value" in operand else operand["text"]
    return identity(jsonable(value))


def _filtered(segment: Mapping[str, Any], names: Mapping[str, Any]) -> Any:
    value = _found(segment["value"], names)
    for name, *arguments in segment.get("filters", ()):
        value = _filter(name, arguments, value, segment["value"])
    return value


def _filter(name: str, arguments: Sequence[Any], value: Any, path: Sequence[str]) -> Any:
    match name:
        case "default":
            fallback = arguments[0] if arguments else ""
            return fallback if value is _ABSENT else value
        case "length":
            items = _list(value)
            return len(_text(value) if items is None else items)
        case _ if holds_media(value):
            raise ConfigurationError(
                f"the prompt's filter {name} takes no image, recording or file, and "
                f"{'.'.join(path)} is one",
                code="prompt",
            )
        case "tojson":
            return json.dumps(jsonable(value), ensure_ascii=False)
        case "join":
            between = _text(arguments[0]) if arguments else ""
            return between.join(map(_text, _listed(value)))
    text = _text(value)
    return {"upper": text.upper, "lower": text.lower, "trim": text.strip}[name]()


def _text(value: Any) -> str:
    return "" if value is _ABSENT else "".join(written(value))
