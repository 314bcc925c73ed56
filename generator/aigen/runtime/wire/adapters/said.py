"""What is said to a model: the messages of a layout, or a function's own in their place."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from aigen.runtime.definition import Definition
from aigen.runtime.wire.adapters.layout import instruction, is_text, kept, labelled
from aigen.runtime.wire.adapters.prompt import rendered
from aigen.runtime.wire.content import Message, Piece, joined


class Laid(NamedTuple):
    """A request before it is put into the words of an API.

    Attributes:
        messages: what is said, oldest first.
        held: what the reply is held to: `{type: json_object}`, or `{type: json_schema, name,
            schema, strict}`; None where nothing is.
        tool: the one tool that must be called: its `name`, `description`, `parameters`, `strict`.
    """

    messages: list[Message]
    held: dict[str, Any] | None = None
    tool: dict[str, Any] | None = None


class Layout(NamedTuple):
    """How an adapter writes.

    Attributes:
        how: what a model is told of its reply.
        form: as much of it as a function's own messages need: nothing where the server is held to
            the form, or where the whole reply is the answer.
        given: inputs, as a user says them.
        answer: a demo's outputs, as the model said them; demos are numbered from 1.
    """

    how: str
    form: str
    given: Callable[[Definition, Mapping[str, Any]], str | list[Piece]]
    answer: Callable[[Definition, Mapping[str, Any], int], list[Message]]


def answered(definition: Definition, answer: Mapping[str, Any], number: int) -> list[Message]:
    """A demo's answer: JSON, or the one text."""
    text = str(answer["result"]) if is_text(definition) else json.dumps(answer, ensure_ascii=False)
    return [Message("assistant", text)]


JSON: Final = Layout("Reply with JSON.", "", labelled, answered)
PLAIN: Final = Layout("Reply with the answer alone.", "", labelled, answered)
"""Of one text output, in every adapter that has no form of its own for it."""


def messages(definition: Definition, layout: Layout, inputs: Mapping[str, Any]) -> list[Message]:
    """The messages of a call: the function's own where it has some.

    Raises:
        ConfigurationError: a prompt of its own that loops over, or writes, what it cannot.
    """
    if definition.get("prompt"):
        return _own(definition, layout, inputs)
    before = kept(definition, layout.how, lambda each: opening(each, layout))
    return [*before, Message("user", layout.given(definition, inputs))]


def opening(definition: Definition, layout: Layout) -> list[Message]:
    """The instruction, and the demos as pairs of messages."""
    words = instruction(definition)
    found = [Message("system", f"{words}\n\n{layout.how}" if layout.how else words)]
    for number, (given, answer) in enumerate(_demos(definition), 1):
        found.append(Message("user", layout.given(definition, given)))
        found += layout.answer(definition, answer, number)
    return found


def _demos(definition: Definition) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Inputs and outputs of each demo that has outputs."""
    outputs = [field["name"] for field in definition["outputs"]]
    for demo in definition.get("demos", ()):
        answer = {name: demo[name] for name in outputs if name in demo}
        if answer:
            yield {name: value for name, value in demo.items() if name not in outputs}, answer


def _own(definition: Definition, layout: Layout, inputs: Mapping[str, Any]) -> list[Message]:
    """The function's own messages, with the form of the reply where nothing else tells it.

    A demo is what stands behind `demos`, with the demo's inputs, and its answer.
    """
    prompt = definition["prompt"]
    words = instruction(definition)
    found: list[Message] = []
    for place, entry in enumerate(prompt):
        if entry["role"] != "demos":
            found.append(Message(entry["role"], rendered(entry.get("body", ()), inputs, words)))
            continue
        behind = [each for each in prompt[place + 1 :] if each["role"] in ("user", "assistant")]
        for number, (given, answer) in enumerate(_demos(definition), 1):
            said = [
                Message(each["role"], rendered(each.get("body", ()), given, words))
                for each in behind
            ]
            found += said or [Message("user", layout.given(definition, given))]
            found += layout.answer(definition, answer, number)
    return _told(found, layout.form) if layout.form else found


def _told(said: list[Message], form: str) -> list[Message]:
    """The messages with the form behind the first system message, or as one of its own."""
    for place, message in enumerate(said):
        if message.role == "system":
            content = message.content
            before = [content] if isinstance(content, str) else content
            told = Message("system", joined([*before, "\n\n" if content else "", form]))
            return [*said[:place], told, *said[place + 1 :]]
    return [Message("system", form), *said]
