"""The words of a spec as docstrings (Google style)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from aigen.emit.layout import COLUMNS, wrapped
from aigen.emit.literals import doc_width, docstring, value
from aigen.ir import (
    Boolean,
    Choice,
    Described,
    Field,
    Formatted,
    Given,
    Integer,
    JsonAny,
    List,
    Map,
    Media,
    Null,
    Number,
    Ref,
    Set,
    Shape,
    Text,
    Tuple,
    Type,
    Union,
)

# What linters take for the end of a sentence, in place of what they do not.
_STOPS = {"。": ".", "！": "!", "？": "?", "．": ".", "｡": "."}
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=\S)|(?<=[。！？])")
# A line of words that a reader of docstrings would take for the head of a section.
_SECTION = re.compile(
    r"\s*(args|arguments|attributes?|examples?|keyword args|keyword arguments|methods?|notes?"
    r"|other parameters|parameters|params|raises|references|returns?|see also|short summary|todo"
    r"|tip|warns?|warnings?|yields?|caution|danger|error|hint|important|usage|receives"
    r"|extended summary|other args|other arguments|other params)\s*:?\s*",
    re.IGNORECASE,
).fullmatch
NAME = re.compile(r"[^\W\d]\w*")
_DEFAULT_ROOM = 60
_LEVELS_SHOWN = 8


def prose(text: str, indent: int, otherwise: str = "") -> list[str]:
    """A description as the lines of a docstring: a summary line, then paragraphs.

    The first line is a sentence with its period that fits on the line; paragraphs and lists keep
    their lines, long ones are wrapped.
    """
    text = text.strip()
    if not text:
        return [otherwise] if otherwise else []
    room = COLUMNS - indent - 6
    if doc_width(text) <= room and "\n" not in text and not _SECTION(text):
        return [_closed(_raised(" ".join(text.split())))]
    blocks = [block for block in re.split(r"\n[ \t]*\n", text.expandtabs(4)) if block.strip()]
    summary, rest = _summary(blocks[0], room)
    lines = [summary]
    columns = COLUMNS - indent
    for block in ([rest] if rest else []) + blocks[1:]:
        lines.append("")
        lines.extend(_paragraph(block, columns))
    return lines


def entry(name: str, words: str, indent: int) -> list[str]:
    """One line of a section, `name: words`, wrapped with a hanging indent."""
    words = " ".join(words.split())
    text = f"    {name}: {words}" if words else f"    {name}"
    columns = COLUMNS - indent
    if doc_width(text) <= columns:
        return [text]
    first, *rest = wrapped(f"{name}: {words}", columns - 4, "    ")
    return [f"    {first}", *(f"    {line}" for line in rest)]


def doc(lines: list[str], indent: int) -> str:
    """These lines as a docstring literal, indented by `indent` columns.

    Half of a surrogate pair becomes U+FFFD: from 3.13 on Python compiles no docstring that has one.
    """
    return docstring([line if line.isascii() else _whole(line) for line in lines], " " * indent)


def _whole(line: str) -> str:
    return line.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def argument(field: Field) -> str:
    """What a docstring says of a parameter: its words or its kind, then its default."""
    words = (field.description or "").strip() or kind(field.type)
    note = default_note(field)
    return f"{words} ({note})" if note else words


def default_note(field: Field) -> str:
    """`default: "kind"`, or an empty text where there is none."""
    default = field.default
    if default is None:
        return "may be left out" if field.optional else ""
    if default.call is not None:
        return f"default: what `{default.call}` gives"
    shown = value(default.value)
    if len(shown) > _DEFAULT_ROOM:
        shown = shown[: _DEFAULT_ROOM - 1] + "…"
    return f"default: {shown}"


def meanings(levels: Iterable[tuple[str | int | bool, str | None]]) -> list[str]:
    """The levels that have a meaning, one a line of a list."""
    return [
        f"- {value(level)}: {' '.join(text.split())}"
        for level, text in levels
        if text and text.strip()
    ]


def item(words: str, indent: int) -> list[str]:
    """One line of a section that has no name."""
    return [f"    {line}" for line in wrapped(words, COLUMNS - indent - 4)]


def listed(line: str, indent: int) -> list[str]:
    """A line of a list, wrapped with a hanging indent."""
    return _item(line, COLUMNS - indent)


def kind(kind_: Type) -> str:
    """A type in words, for those who read no Python: `list of Line`, `one of kind, brief`."""
    match kind_:
        case Text():
            return {"uri": "URL", "email": "email address"}.get(kind_.format or "", "text")
        case Integer():
            return "integer"
        case Number():
            return "number"
        case Boolean():
            return "true or false"
        case Null():
            return "null"
        case Formatted():
            return kind_.kind if kind_.kind != "timedelta" else "duration"
        case JsonAny():
            return "any JSON"
        case Choice():
            shown = [str(level.value) for level in kind_.levels[:_LEVELS_SHOWN]]
            more = ["…"] if len(kind_.levels) > _LEVELS_SHOWN else []
            return f"one of {', '.join([*shown, *more])}"
        case Given():
            return f"one of `{kind_.parameter}`"
        case Ref():
            return kind_.name
        case Union():
            return " or ".join(kind(option) for option in kind_.options)
        case List() | Set():
            return f"{'list' if isinstance(kind_, List) else 'set'} of {kind(kind_.item)}"
        case Tuple():
            if kind_.rest is not None:
                return f"list of {kind(kind_.rest)}"
            return f"list of {', '.join(kind(item) for item in kind_.items)}"
        case Map():
            return f"mapping to {kind(kind_.value)}"
        case Described():
            return kind_.description
        case Media():
            return kind_.kind
        case Shape():
            return "JSON" if isinstance(kind_.model, JsonAny) else kind(kind_.model)


def _summary(block: str, room: int) -> tuple[str, str]:
    """The first line of a docstring, and what of the first block is left."""
    text = " ".join(block.split())
    if "\n" in block.strip() and (_listed(block) or _SECTION(block.strip().split("\n")[0])):
        head, _, tail = block.strip().partition("\n")
        if _SECTION(head):
            return "As follows.", block
        if doc_width(head) <= room:
            return _closed(_raised(" ".join(head.split()))), tail
    if _SECTION(text):
        return "As follows.", text
    sentence, *_ = _SENTENCE.split(text, maxsplit=1)
    if doc_width(sentence) < room:
        return _closed(_raised(sentence)), text[len(sentence) :].strip()
    head = wrapped(text, room - 4)[0]
    if doc_width(head) > room - 4:
        return "As follows.", text
    return f"{_raised(head)} ...", text[len(head) :].strip()


def _paragraph(block: str, columns: int) -> list[str]:
    if _listed(block):
        lines = [line.rstrip() for line in block.strip("\n").split("\n")]
        margin = min((len(line) - len(line.lstrip()) for line in lines if line), default=0)
        return [part for line in lines for part in _item(line[margin:], columns)]
    return _item(" ".join(block.split()), columns)


def _item(line: str, columns: int) -> list[str]:
    if _SECTION(line):
        line = f"({line.strip()})"
    if doc_width(line) <= columns:
        return [line]
    margin = " " * (len(line) - len(line.lstrip()))
    hanging = "  " if re.match(r"\s*([-*+]|\d+[.)])\s", line) else ""
    return [margin + part for part in wrapped(line, columns - len(margin), hanging)]


def _listed(block: str) -> bool:
    """Whether the lines of a block are lines of their own: a list, a table, code."""
    return any(
        re.match(r"\s*([-*+|>#]|\d+[.)])\s|\s{4,}|```|[\w *]+:\s*$", line)
        for line in block.split("\n")
    )


def _raised(text: str) -> str:
    word = text.split(" ", 1)[0].rstrip(".,;:!?")
    if word.isascii() and word.isalpha() and word.islower():
        return text[:1].upper() + text[1:]
    return text


def _closed(text: str) -> str:
    text = text[:-1] + _STOPS.get(text[-1], text[-1])
    return text if text.endswith((".", "!", "?")) else f"{text.rstrip(':;,')}."
