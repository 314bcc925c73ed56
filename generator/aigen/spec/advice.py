"""What to write instead of a key that is not known where it stands."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping as Words
from typing import Final

from aigen.diagnostics import nearest
from aigen.spec.nodes import Entry, Mapping, Node, Scalar
from aigen.spec.setting_words import SETTING_WORDS

_MEANT: Final[Words[str, str]] = {
    "args": "parameters",
    "arguments": "parameters",
    "call": "python",
    "callable": "python",
    "desc": "description",
    "exclusiveMaximum": "lt",
    "exclusiveMinimum": "gt",
    "fields": "record",
    "func": "python",
    "function": "python",
    "items": "list",
    "levels": "choice",
    "max": "le",
    "maxItems": "max_length",
    "maximum": "le",
    "members": "record",
    "min": "ge",
    "minItems": "min_length",
    "minimum": "ge",
    "nullable": "optional",
    "options": "choice",
    "output": "returns",
    "properties": "record",
    "regex": "pattern",
    "result": "returns",
    "values": "choice",
}
"""Words of JSON Schema, pydantic and others, and the keys that say the same here."""


def instead(entry: Entry, keys: Iterable[str]) -> str:
    """The hint for a key that is none of `keys`."""
    known = tuple(keys)
    name = entry.key.text
    if name == "<<":
        return "merge keys are not read: write the keys"
    if _behind_a_comma(entry):
        return "a comma ends a text inside { }: quote the whole text"
    if (meant := _MEANT.get(name)) in known:
        return f'write "{meant}"'
    if name in SETTING_WORDS and "settings" in known:
        return f"it is a setting: write settings: {{{name}: …}}"
    if name in SETTING_WORDS and "exposure" in known:
        return f"it is a setting of calls: write settings: {{{name}: …}} at a function that has it"
    if "functions" in known and _has_a_formula(entry.value):
        return f'indent "{name[:80]}" under functions'
    close = nearest(name, known)
    return f'did you mean "{close}"?' if close else f"known here: {', '.join(known)}"


def is_a_slip(name: str, keys: Iterable[str]) -> bool:
    """Whether a name was probably meant as one of these keys."""
    return name in _MEANT or nearest(name, keys) is not None


def _behind_a_comma(entry: Entry) -> bool:
    """Whether a key is the rest of a text in braces, as in `{description: one, or two}`."""
    key, value = entry.key.span, entry.value.span
    empty = isinstance(entry.value, Scalar) and entry.value.value is None
    # The null of a key that no colon follows lies at its end.
    return (
        empty and entry.key.plain and (value.line, value.column) == (key.end_line, key.end_column)
    )


def _has_a_formula(value: Node) -> bool:
    return isinstance(value, Mapping) and "formula" in value.entries
