"""The one way in which a spec's text gets into Python: as a literal or a docstring.

What comes out is always one complete literal: no quote, backslash, line end, NUL, lone surrogate
or bidi control of a text can end it early or hide what it says. Characters that cannot be seen
are escaped; letters of every script stay as they are. The sets of characters are fixed here, not
taken from `unicodedata`, so that every Python writes the same bytes.
"""

from __future__ import annotations

import re
from typing import Any

from aigen.emit.widths import width

# Controls, spaces that look like another, soft hyphens, fillers, joiners, bidi controls, line
# separators, variation selectors, surrogates, private use, tags, non-characters.
_INVISIBLE = (
    "\x00-\x1f\x7f-\xa0\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u08e2\u115f\u1160\u1680\u17b4\u17b5"
    "\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164\ud800-\uf8ff\ufe00-\ufe0f"
    "\ufdd0-\ufdef\ufeff\uffa0\ufff0-\ufffc\ufffe\uffff\U000110bd\U000110cd\U00013430-\U0001345f"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    + "".join(f"{chr(plane * 65536 + 65534)}{chr(plane * 65536 + 65535)}" for plane in range(1, 14))
    + "\U000e0000-\U0010ffff"
)
_HIDDEN = re.compile(f"[{_INVISIBLE}]")
# In a docstring line ends are line ends.
_HIDDEN_IN_DOC = re.compile(f"[{_INVISIBLE}]".replace("\x00-\x1f", "\x00-\x09\x0b-\x1f"))
_CODING = re.compile("(coding)([:=])")
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_PIECE_END = 30  # how far back, in columns, a long text is cut at a comma or space


def quote(text: str) -> str:
    """A Python string literal of a text, on one line, in the quotes that ruff keeps."""
    plain = text.isascii() and text.isprintable()
    if plain and '"' not in text and "\\" not in text:
        return f'"{text}"'  # most are
    mark = "'" if text.count('"') > text.count("'") else '"'
    if "\\" in text:
        text = text.replace("\\", "\\\\")
    if not plain:
        text = _HIDDEN.sub(_escaped, text)
    if mark in text:
        text = text.replace(mark, "\\" + mark)
    return f"{mark}{text}{mark}"


def pieces(text: str, columns: int) -> list[str]:
    """Literals, each at most so many columns wide, that stand one below the other for `text`."""
    out: list[str] = []
    start, end = 0, len(text)
    while start < end:
        cut = min(end, start + columns - 2)
        if cut < end:
            soft = max(text.rfind(",", start, cut), text.rfind(" ", start, cut)) + 1
            if soft > start and cut - soft < _PIECE_END:
                cut = soft
        piece = quote(text[start:cut])
        while width(piece) > columns and cut - start > 1:
            # Escapes made it wider: take back about as much as stands over.
            cut = max(start + 1, cut - max(1, (width(piece) - columns) // 10))
            piece = quote(text[start:cut])
        out.append(piece)
        start = cut
    return out or ['""']


def value(data: Any) -> str:
    """A Python literal of JSON data, on one line."""
    if isinstance(data, str):
        return quote(data)
    if isinstance(data, dict):
        return "{" + ", ".join(f"{quote(key)}: {value(item)}" for key, item in data.items()) + "}"
    if isinstance(data, list | tuple):
        return "[" + ", ".join(map(value, data)) + "]"
    if data is None or isinstance(data, bool):
        return str(data)
    if isinstance(data, int):
        # Python reads no decimal integer beyond 4,300 digits, and any hexadecimal one.
        return repr(data) if data.bit_length() < 10_000 else f"{data:#X}".replace("X", "x")
    if isinstance(data, float):
        return repr(data)
    raise TypeError(f"no JSON value: {type(data).__name__}")


def docstring(lines: list[str], indent: str) -> str:
    """A docstring literal of these lines, the first of which is its summary.

    The text is raw where it has backslashes and needs no escape; escapes are those by code point,
    which linters take in a docstring.
    """
    text = "\n".join([f"{indent}{line}" if line else "" for line in lines])[len(indent) :]
    prefix = ""
    unsafe = '"' in text and ('"""' in text or text[-1] == '"')
    hidden = not text.isascii() or not text.replace("\n", "").isprintable()
    if hidden:
        hidden = _HIDDEN_IN_DOC.search(text) is not None
    if "\\" in text:
        if unsafe or hidden or text[-1] == "\\":
            text = text.replace("\\", "\\u005c")
        else:
            prefix = "r"
    if hidden:
        text = _HIDDEN_IN_DOC.sub(_escaped_in_doc, text)
    if unsafe:
        text = text.replace('"""', "\\u0022\\u0022\\u0022")
        if text[-1] == '"':
            text = text[:-1] + "\\u0022"
    if len(lines) > 1:
        return f'{prefix}"""{text}\n{indent}"""'
    return f'{prefix}"""{text}"""'


def doc_width(text: str) -> int:
    """Columns that a line takes in a docstring, if all in it must be escaped that may have to be.

    Whether a docstring is raw is known when all its lines are.
    """
    if text.isascii() and text.isprintable() and not ("\\" in text or '"' in text):
        return len(text)
    text = text.replace("\\", "\\u005c").replace('"""', "\\u0022" * 3)
    return width(_HIDDEN.sub(_escaped_in_doc, text))


def comment(text: str) -> str:
    """A text that can stand in a comment: on one line, nothing hidden, no encoding named.

    A comment in the first two lines that says `coding: utf-7` would have Python read all of the
    file otherwise (PEP 263), and a file may be called so.
    """
    shown = _HIDDEN.sub(_escaped, text).replace("\u0085", "\\x85")
    return _CODING.sub(lambda found: f"{found[1]}\\x{ord(found[2]):02x}", shown)


def _escaped(match: re.Match[str]) -> str:
    found = match.group()
    short = _SHORT.get(found)
    if short:
        return short
    code = ord(found)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _escaped_in_doc(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def escaped_json(text: str) -> str:
    """JSON text in which what cannot be seen is escaped, in JSON's own way."""
    return _HIDDEN.sub(_escaped_in_json, text)


def _escaped_in_json(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
