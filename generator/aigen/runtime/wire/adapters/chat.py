r"""One section a field, each under its heading: `[[ ## field ## ]]`.

A text stands in its section as it is, everything else as JSON. The last heading says that the
reply is whole. A line of a value that looks like a heading has a backslash before it where it is
written, and loses it where it is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from aigen.runtime.definition import Definition
from aigen.runtime.wire.adapters.json_schema import reply_form
from aigen.runtime.wire.adapters.layout import kept, labelled
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

_HEADING: Final = re.compile(r"^[ \t]*\[\[[ \t]*##[ \t]*(\w+)[ \t]*##[ \t]*\]\]", re.MULTILINE)
_LIKE_ONE: Final = re.compile(r"^([ \t]*)(\\*\[\[[ \t]*##)", re.MULTILINE)
_ESCAPED: Final = re.compile(r"^([ \t]*)\\(\\*\[\[[ \t]*##)", re.MULTILINE)


def lay_out(definition: Definition, inputs: Mapping[str, Any]) -> Laid:
    """The inputs in sections, and the outputs asked for in sections."""
    how = how_to_reply(definition)
    return Laid(messages(definition, Layout(how, how, _given, _answered), inputs))


def how_to_reply(definition: Definition) -> str:
    """What a model is told of its reply."""
    return kept(definition, "chat", _form)


def _form(definition: Definition) -> str:
    schema = reply_form(definition)
    defs = schema.get("$defs", {})
    sections = [
        f"{_heading(name)}\n{kind_words(shape, defs)}"
        for name, shape in schema["properties"].items()
    ]
    return "\n\n".join(
        [
            "Reply with these sections and nothing else, texts without quotes, lists and records "
            "as JSON:",
            *sections,
            _heading(end_of(schema["properties"])),
            *definitions(schema),
        ]
    )


def read(form: Form, reply: Reply, repair: bool, decode: Decode | None) -> Read:
    """The outputs in the sections of a reply.

    Raises:
        Unreadable: they are not the answer.
    """
    asked = form.asked
    outputs = [field["name"] for field in asked["outputs"]]
    inputs = [field["name"] for field in asked["inputs"]]
    return read_sections(form, sections_in(reply.text or "", outputs, inputs), repair)


def written(values: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    """Outputs as a model writes them: `sections_in` reads them back.

    Args:
        values: JSON, by output.
        schema: of the object of the outputs.
    """
    defs, known = schema.get("$defs", {}), schema["properties"]
    sections = [
        f"{_heading(name)}\n{_escaped(as_text(value, known.get(name, {}), defs))}"
        for name, value in values.items()
    ]
    return "\n\n".join([*sections, _heading(end_of(known))])


def end_of(outputs: Mapping[str, Any] | list[str]) -> str:
    """The name of the last heading, which no output has."""
    name = "completed"
    while name in outputs:
        name += "_"
    return name


def sections_in(text: str, outputs: list[str], inputs: list[str]) -> Sections:
    """What stands under the headings of the outputs.

    Raises:
        Unreadable: no heading is there and more than one is wanted, or one stands twice.
    """
    text, repairs = without_thought(text)
    end = end_of(outputs)
    texts: dict[str, str] = {}
    around = ""
    closed = False
    for name, held in _parts(text, {*outputs, *inputs, end}):
        closed = closed or name == end
        if name in outputs and not closed:
            added(texts, name, _plain(held))
        elif name in (None, end):
            around += held
        elif not closed:
            repairs.append(f"dropped {name}")
    if not texts:
        return _alone(text, outputs, repairs)
    if around.strip():
        repairs.append("text around the sections removed")
    return Sections(texts, repairs if closed else [*repairs, f"{end} added"])


def _parts(text: str, names: set[str]) -> Iterator[tuple[str | None, str]]:
    """What stands under each heading of some names, and before the first (None)."""
    name, start = None, 0
    for match in _HEADING.finditer(text):
        if match[1] in names:
            yield name, text[start : match.start()]
            name, start = match[1], match.end()
    yield name, text[start:]


def _alone(text: str, outputs: list[str], repairs: list[str]) -> Sections:
    """A reply without headings, which may be the value of the one output."""
    if len(outputs) > 1 or not text.strip() or _HEADING.search(text):
        raise Unreadable(f"the reply holds no {_heading(outputs[0])}")
    return Sections({outputs[0]: text.strip()}, [*repairs, f"read without {_heading(outputs[0])}"])


def _heading(name: str) -> str:
    return f"[[ ## {name} ## ]]"


def _plain(held: str) -> str:
    """A section's text without the line breaks around it, and without our backslashes."""
    first, line, rest = held.partition("\n")
    body = f"{first.strip()}{line}{rest}" if first.strip() else rest
    return _ESCAPED.sub(r"\1\2", body.removesuffix("\n").removesuffix("\n"))


def _escaped(text: str) -> str:
    return _LIKE_ONE.sub(r"\1\\\2", text)


def _label(name: str, held: list[Piece]) -> list[Piece]:
    shown = [_escaped(piece) if isinstance(piece, str) else piece for piece in held]
    return [f"{_heading(name)}\n", *shown]


def _answered(definition: Definition, answer: Mapping[str, Any], number: int) -> list[Message]:
    return [Message("assistant", written(answer, reply_form(definition)))]


_given: Final = partial(labelled, label=_label, between="\n\n")
