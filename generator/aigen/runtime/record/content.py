"""What `log_content` keeps of a call's values; 3-runtime, *The call log*.

Every layer only removes. What was dropped must not come back by another way either: what is added
to a call (`reasoning`, `calls`) can quote any field, and so can requests, replies, messages of
errors and the words of repairs.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from aigen.runtime.errors import ConfigurationError

ADDED: Final = ("reasoning", "calls")
"""What the record of a call holds beside the function's own fields."""

Omitted: TypeAlias = Mapping[str, Sequence[str]]
"""The names that were dropped, of `inputs` and of `outputs`."""


class Fields(NamedTuple):
    """The fields of a call: its inputs, its outputs, and which of the outputs were added."""

    inputs: Sequence[str]
    outputs: Sequence[str]
    added: Sequence[str] = ()


def refuse_unknown_fields(content: Any, known: Iterable[str], function: str) -> None:
    """Refuses a function's own `log_content` that names what it has no field of.

    Raises:
        ConfigurationError: code `log-content-field`: a slip would keep what it meant to drop.
    """
    fields = [*known, *ADDED]
    for name in content if isinstance(content, (Mapping, list, tuple)) else ():
        if name != "*" and name not in fields:
            close = difflib.get_close_matches(name, fields, n=1)
            hint = f'; did you mean "{close[0]}"?' if close else ""
            raise ConfigurationError(
                f'{function}: log_content names "{name}", which is none of its fields{hint}',
                code="log-content-field",
                field=name,
                function=function,
            )


def keeps(contents: Sequence[Any], field: str) -> bool:
    """Whether every layer of `log_content` keeps a field's value."""
    return all(_keeps(content, field) for content in contents)


def _keeps(content: Any, field: str) -> bool:
    if isinstance(content, bool):
        return content
    if isinstance(content, Mapping):
        return bool(content.get(field, content.get("*", True)))
    return field in content


def omitted(fields: Fields, contents: Sequence[Any]) -> Omitted | None:
    """What the layers drop, in the order of the fields; None where they keep everything.

    What was added goes with any input or output of the function's own.
    """
    if all(content is True for content in contents):
        return None
    own = [*fields.inputs, *(name for name in fields.outputs if name not in fields.added)]
    gone = {name for name in own if not keeps(contents, name)}
    gone |= {name for name in fields.added if gone or not keeps(contents, name)}
    if not gone:
        return None
    return {
        "inputs": [name for name in fields.inputs if name in gone],
        "outputs": [name for name in fields.outputs if name in gone],
    }


def without(record: Mapping[str, Any], dropped: Omitted) -> dict[str, Any]:
    """A whole record without what is dropped and without what can quote it.

    A side that has nothing left is left out; `sizes` stay, so that one sees how much there was.
    """
    found = {**record, "content": False, "omitted": dropped}
    for side in ("inputs", "outputs"):
        if values := record.get(side):
            found[side] = {name: values[name] for name in values if name not in dropped[side]}
            if not found[side]:
                del found[side]
    if record.get("error"):
        found["error"] = _but(record["error"], "message")
    if record.get("repairs"):
        found["repairs"] = ["…"] * len(record["repairs"])
    found["exchanges"] = [_exchange(exchange) for exchange in record.get("exchanges", ())]
    return found


def _exchange(exchange: Mapping[str, Any]) -> dict[str, Any]:
    found = _but(exchange, "request", "reply")
    if found.get("error"):
        found["error"] = _but(found["error"], "message")
    return found


def _but(members: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in members.items() if name not in names}
