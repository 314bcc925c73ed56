"""What the layouts of sections (tags, headings) share: named texts of a reply as its outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from aigen.runtime.wire.adapters.json_schema import reply_form
from aigen.runtime.wire.adapters.text import as_object
from aigen.runtime.wire.reply import THOUGHTS, Unreadable

if TYPE_CHECKING:
    from aigen.runtime.wire.form import Form
    from aigen.runtime.wire.reply import Read

_THOUGHT = ("<think>", "</think>")


class Sections(NamedTuple):
    """The sections of a reply: texts by name, and what had to be mended to tell them apart."""

    texts: Mapping[str, str]
    repairs: Sequence[str]


def read_sections(form: Form, sections: Sections, repair: bool) -> Read:
    """The outputs that the sections hold.

    Raises:
        Unreadable: they are not the answer, or mending is not allowed and was needed.
    """
    if sections.repairs and not repair:
        raise Unreadable(f"the reply is not in its form: {sections.repairs[0]}")
    text = as_object(sections.texts, reply_form(form.asked))
    found = form.object_reader.read(text, repair, None)
    return found._replace(repairs=(*sections.repairs, *found.repairs))


def without_thought(text: str) -> tuple[str, list[str]]:
    """A text without the thinking aloud that it begins with, and the repair that this is.

    A closing tag alone may be the value's: in tags and sections a text stands as it is.
    """
    begin, end = _THOUGHT
    if text.lstrip().startswith(begin) and end in text:
        return text.partition(end)[2], [THOUGHTS]
    return text, []


def added(texts: dict[str, str], name: str, text: str) -> None:
    """Adds a section; one that says the same again changes nothing.

    Raises:
        Unreadable: it was there and says something else.
    """
    if texts.setdefault(name, text) != text:
        raise Unreadable(f"{name} stands twice, and differs; give it once")
