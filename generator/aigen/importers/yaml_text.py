"""Data as YAML that people like to read, and that reads back as the same values.

Block style; long texts are block scalars; a text that YAML 1.1 or 1.2 would take for something else
is quoted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

import yaml

from aigen.runtime.values.scalars import plain_scalar
from aigen.spec.nodes import Json

_WIDTH: Final = 88
_PLAIN: Final = re.compile(r"[^\W_]|[_/.]")
"""What a text without quotes may begin with; all else means something somewhere."""

_SINGLE_LETTERS: Final = frozenset("yYnN")
"""Truth values of YAML 1.1, which PyYAML alone takes for texts."""

_LONGEST_KEY: Final = 1000
"""A longer key needs `?` before it."""

_RESOLVER: Final[Any] = yaml.resolver.Resolver()


def yaml_text(value: Json) -> str:
    """The document of a value, with a newline at its end."""
    head, body = _head(value)
    lines = [head, *body] if head else []
    if not head:
        _write(value, "", lines)
    return "\n".join(lines) + "\n"


def _write(value: Json, pad: str, lines: list[str]) -> None:
    """Adds the lines of a collection in block style, each behind `pad`."""
    if isinstance(value, dict):
        for key, inner in value.items():
            name, (head, body) = _scalar(key), _head(inner)
            if len(name) > _LONGEST_KEY:
                lines += [f"{pad}? {name}", f"{pad}: {head}".rstrip()]
            else:
                lines.append(f"{pad}{name}: {head}" if head else f"{pad}{name}:")
            _write_below(inner, head, body, f"{pad}  ", lines)
    elif isinstance(value, list):
        for item in value:
            first, (head, body) = len(lines), _head(item)
            if head:
                lines.append(f"{pad}- {head}")
            _write_below(item, head, body, f"{pad}  ", lines)
            if not head:
                lines[first] = f"{pad}-{lines[first][len(pad) + 1 :]}"


def _write_below(value: Json, head: str, body: Sequence[str], pad: str, lines: list[str]) -> None:
    if not head:
        _write(value, pad, lines)
    for line in body:
        lines.append(f"{pad}{line}" if line else "")


def _head(value: Json) -> tuple[str, Sequence[str]]:
    """What stands behind a key, and a text's lines below it; nothing for a block's collection."""
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, dict) and value:
        return "", ()
    if isinstance(value, list) and value:
        return _flow(value) or "", ()
    return json.dumps(value), ()


def _flow(values: Sequence[Json]) -> str | None:
    """A short list of scalars on one line."""
    if any(isinstance(value, (list, dict)) for value in values):
        return None
    text = ", ".join(
        _scalar(value, flow=True) if isinstance(value, str) else json.dumps(value)
        for value in values
    )
    return f"[{text}]" if len(text) < _WIDTH - 16 else None


def _text(text: str) -> tuple[str, Sequence[str]]:
    if len(text) <= _WIDTH and "\n" not in text:
        return _scalar(text), ()
    if "\n" in text and _is_literal(text):
        body = text.removesuffix("\n")
        return ("|-" if body == text else "|"), body.split("\n")
    words = text.split(" ")
    if len(text) > _WIDTH and len(words) > 1 and all(w.isprintable() and w for w in words):
        return ">-", _folded(words)
    return _scalar(text), ()


def _is_literal(text: str) -> bool:
    """Whether `|` gives a text back as it is."""
    lines = text.removesuffix("\n").split("\n")
    return (
        bool(lines[0])
        and bool(lines[-1])
        and not lines[0].startswith((" ", "\t"))
        and all(line.replace("\t", "").isprintable() for line in lines)
        and not any(line.isspace() for line in lines)
    )


def _folded(words: Sequence[str]) -> list[str]:
    lines = [words[0]]
    for word in words[1:]:
        if len(lines[-1]) + len(word) < _WIDTH:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


@lru_cache(4096)  # most keys and many values stand often
def _scalar(text: str, *, flow: bool = False) -> str:
    if not text.isprintable():
        return _escaped(text)
    if _is_plain(text, flow):
        return text
    if ("\\" in text or '"' in text) and text.strip():
        return "'" + text.replace("'", "''") + "'"
    return json.dumps(text, ensure_ascii=False)


def _is_plain(text: str, flow: bool) -> bool:
    return (
        _PLAIN.match(text) is not None
        and not re.search(r":(\s|$)|\s#|\s$", text)
        and not (flow and re.search(r"[][{},:]", text))
        and text not in _SINGLE_LETTERS
        and plain_scalar(text) == text
        and _RESOLVER.resolve(yaml.ScalarNode, text, (True, False)) == "tag:yaml.org,2002:str"
    )


def _escaped(text: str) -> str:
    """A quoted text in which only printable characters stand as they are."""
    return "".join(
        char if char.isprintable() else _code(char) for char in json.dumps(text, ensure_ascii=False)
    )


def _code(char: str) -> str:
    return f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"


__all__ = ["yaml_text"]
