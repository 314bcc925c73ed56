"""One tag a field: good for long text, which needs no quotes and no escaped newlines.

A text stands in its tag as it is, everything else as JSON in the tag; so there are no tags inside
tags, and a value is judged like any JSON. `&lt;` and the other entities of XML, character numbers
and CDATA are understood. Written are they only where a value would otherwise end its own tag, begin
CDATA, or be read as an entity: code and markup stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Final

from aigen.runtime.definition import Definition
from aigen.runtime.wire.adapters.json_schema import reply_form
from aigen.runtime.wire.adapters.layout import kept, labelled, tagged
from aigen.runtime.wire.adapters.notation import definitions
from aigen.runtime.wire.adapters.said import Laid, Layout, messages
from aigen.runtime.wire.adapters.sections import Sections, added, read_sections, without_thought
from aigen.runtime.wire.adapters.text import as_text, kind_words
from aigen.runtime.wire.content import Message, Piece
from aigen.runtime.wire.reply import Unreadable

if TYPE_CHECKING:
    from aigen.runtime.wire.form import Form
    from aigen.runtime.wire.messages import Reply
    from aigen.runtime.wire.reply import Read
    from aigen.runtime.wire.strict import Decode

_NAMED: Final = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}
_ENTITY: Final = r"(?P<entity>lt|gt|amp|quot|apos|#[0-9]{1,7}|#x[0-9A-Fa-f]{1,6});"
_SPECIAL: Final = re.compile(rf"(?P<cdata><!\[CDATA\[)|(?P<end>\]\]>)|&{_ENTITY}")


def lay_out(definition: Definition, inputs: Mapping[str, Any]) -> Laid:
    """The inputs in tags, and the outputs asked for in tags."""
    how = how_to_reply(definition)
    return Laid(messages(definition, Layout(how, how, _given, _answered), inputs))


def how_to_reply(definition: Definition) -> str:
    """What a model is told of its reply."""
    return kept(definition, "xml", _form)


def _form(definition: Definition) -> str:
    schema = reply_form(definition)
    defs = schema.get("$defs", {})
    tags = [
        f"<{name}>\n{kind_words(shape, defs)}\n</{name}>"
        for name, shape in schema["properties"].items()
    ]
    rules = (
        "In a tag, texts stand without quotes, lists and records as JSON, and &lt; and &amp; mean "
        "< and &."
    )
    parts = ["Reply with these tags and nothing else:\n" + "\n".join(tags), *definitions(schema)]
    return "\n\n".join([*parts, rules])


def read(form: Form, reply: Reply, repair: bool, decode: Decode | None) -> Read:
    """The outputs in the tags of a reply.

    Raises:
        Unreadable: they are not the answer.
    """
    names = [field["name"] for field in form.asked["outputs"]]
    return read_sections(form, tags_in(reply.text or "", names), repair)


def written(values: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    """Outputs as a model writes them: `tags_in` reads them back.

    Args:
        values: JSON, by output.
        schema: of the object of the outputs.
    """
    defs, known = schema.get("$defs", {}), schema["properties"]
    return "\n".join(
        f"<{name}>\n{_escaped(name, as_text(value, known.get(name, {}), defs))}\n</{name}>"
        for name, value in values.items()
    )


def tags_in(text: str, names: list[str]) -> Sections:
    """What stands in the outermost tags of some names.

    Raises:
        Unreadable: no tag is there and more than one is wanted, one is not closed though others
            follow, or one stands twice.
    """
    text, repairs = without_thought(text)
    texts: dict[str, str] = {}
    outside, last = [], 0
    for name, start, end, after in _spans(text, names):
        outside.append(text[last : _opening(text, start)])
        if end < 0:
            repairs.append(f"<{name}> closed")
            end = after = len(text)
        added(texts, name, _trimmed(text[start:end]))
        last = after
    if not texts:
        return _alone(text, names, repairs)
    if "".join([*outside, text[last:]]).strip():
        repairs.append("text around the tags removed")
    return Sections({name: _plain(held) for name, held in texts.items()}, repairs)


def _spans(text: str, names: list[str]) -> Iterator[tuple[str, int, int, int]]:
    """Each outermost tag: its name, where its content starts and ends, and what follows starts.

    A tag that is never closed, and in which no other begins, ends at -1.
    """
    opened, start, depth, others, literal = "", 0, 0, False, False
    for match in _tags(tuple(names)).finditer(text):
        name = match["name"]
        if name is None or literal:
            # Inside CDATA nothing is a tag; outside of tags it is nothing itself.
            literal = bool(opened) and (match["cdata"] is not None if name is None else literal)
            continue
        closing, whole = bool(match["close"]), match.group().endswith("/>")
        if not opened:
            if whole and not closing:
                yield name, match.end(), match.end(), match.end()
            elif not closing:
                opened, start, depth, others = name, match.end(), 1, False
        elif name != opened:
            others = True
        elif not whole or closing:
            depth += -1 if closing else 1
            if depth == 0:
                yield opened, start, match.start(), match.end()
                opened = ""
    if opened and (others or depth > 1):
        raise Unreadable(f"<{opened}> is not closed")
    if opened:
        yield opened, start, -1, len(text)


def _opening(text: str, end: int) -> int:
    """Where the tag that ends at a place begins: attributes hold no `<`."""
    return text.rindex("<", 0, end)


@lru_cache(256)
def _tags(names: tuple[str, ...]) -> re.Pattern[str]:
    either = "|".join(map(re.escape, names))
    attributes = r"""(?:\s(?:[^<>"']|"[^"<]*"|'[^'<]*')*+)?/?"""
    return re.compile(
        rf"(?P<cdata><!\[CDATA\[)|\]\]>|<(?P<close>/?)(?P<name>{either}){attributes}>"
    )


def _alone(text: str, names: list[str], repairs: list[str]) -> Sections:
    """A reply without tags, which may be the value of the one output."""
    if len(names) > 1 or not text.strip() or _tags(tuple(names)).search(text):
        raise Unreadable(f"the reply holds no <{names[0]}>")
    return Sections({names[0]: text.strip()}, [*repairs, f"read without <{names[0]}>"])


def _trimmed(held: str) -> str:
    """A tag's content without what was put round it: the line breaks, or the blanks on one line."""
    if held.startswith("\n"):
        return held[1:].removesuffix("\n")
    return held.strip()


def _plain(held: str) -> str:
    """A tag's content with entities as what they mean, and CDATA as it is."""
    pieces, last, literal = [], 0, False
    for match in _SPECIAL.finditer(held):
        if literal and match["end"] is None:
            continue
        if not literal and match["end"] is not None:
            continue
        pieces.append(held[last : match.start()])
        last = match.end()
        if match["end"] or match["cdata"]:
            literal = match["cdata"] is not None
        else:
            pieces.append(_meant(match["entity"]))
    return "".join([*pieces, held[last:]])


def _meant(entity: str) -> str:
    """The character of an entity; a number that no character has stays as it is written."""
    if entity in _NAMED:
        return _NAMED[entity]
    code = int(entity[2:], 16) if entity[1] == "x" else int(entity[1:])
    known = code < 0xD800 or 0xDFFF < code < 0x110000
    return chr(code) if known else f"&{entity};"


def _escaped(name: str, text: str) -> str:
    """A text that ends no tag of a name, begins no CDATA and holds no entity."""
    return _marks(name).sub(lambda mark: "&amp;" if mark.group() == "&" else "&lt;", text)


@lru_cache(1024)
def _marks(name: str) -> re.Pattern[str]:
    own = rf"<(?=/?{re.escape(name)}[\s/>])"
    return re.compile(rf"&(?={_ENTITY})|{own}|<(?=!\[CDATA\[)")


def _label(name: str, held: list[Piece]) -> list[Piece]:
    shown = [_escaped(name, piece) if isinstance(piece, str) else piece for piece in held]
    return tagged(name, shown)


def _answered(definition: Definition, answer: Mapping[str, Any], number: int) -> list[Message]:
    return [Message("assistant", written(answer, reply_form(definition)))]


_given: Final = partial(labelled, label=_label)
