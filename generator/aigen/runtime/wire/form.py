"""A function as one call asks it: with the levels that the call gives, with reasoning or without.

What is asked and what is answered are two things: under `reasoning: cot` the reply has one more
member than the answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from aigen.runtime.definition import Definition, FieldDefinition
from aigen.runtime.errors import ConfigurationError, InterfaceInputError
from aigen.runtime.wire.adapters.layout import is_text, reply_schema
from aigen.runtime.wire.reply import Reader

if TYPE_CHECKING:
    from aigen.runtime.wire.places import Place

REASONING = "reasoning"
"""The reply's member that is no output."""

Levels: TypeAlias = tuple[tuple[str, tuple[str, ...]], ...]
"""The levels of each choice that a call gives, by parameter."""


@dataclass(slots=True, eq=False)
class Form:
    """A function as it is asked.

    Attributes:
        definition: with the levels that the call gives.
        asked: what is laid out for the model: the definition, or that with reasoning first.
        reader: of the replies; of one text output, the whole reply is it.
        object_reader: of replies that are the object of the outputs, whatever they are.
        root: where a streamed answer stands in a reply; made at the first stream.
    """

    definition: Definition
    asked: Definition
    reader: Reader
    object_reader: Reader
    root: Place | None = None


def form_of(definition: Definition, reasoning: bool, levels: Levels) -> Form:
    """The form of a function.

    Raises:
        ConfigurationError: an output is called `reasoning`, and so is what is put before it.
    """
    if levels:
        from aigen.runtime.values import with_levels

        given = {name: list(each) for name, each in levels}
        definition = cast("Definition", with_levels(definition, given))
    asked = _reasoning_first(definition) if reasoning else definition
    added = (REASONING,) if reasoning else ()
    schema = reply_schema(definition)
    objects = Reader(schema, text=False, added=added)
    whole = Reader(schema, text=True, added=added) if is_text(asked) else objects
    return Form(definition, asked, whole, objects)


def _reasoning_first(definition: Definition) -> Definition:
    if any(field["name"] == REASONING for field in definition["outputs"]):
        raise ConfigurationError(
            f"{definition['name']}: under reasoning: cot no output can be called reasoning",
            code="setting",
        )
    first: FieldDefinition = {
        "name": REASONING,
        "shape": {"type": "string"},
        "desc": "think step by step here, before anything else",
    }
    return cast("Definition", {**definition, "outputs": [first, *definition["outputs"]]})


def levels_of(definition: Definition, given: Mapping[str, Sequence[str]], function: str) -> Levels:
    """The levels that a call gives, each once.

    Raises:
        InterfaceInputError: they are missing, empty or no texts.
    """
    return tuple(
        [(name, _checked(given.get(name), name, function)) for name in definition.get("given", ())]
    )


def _checked(levels: Any, name: str, function: str) -> tuple[str, ...]:
    wrong = isinstance(levels, (str, bytes, Mapping)) or not isinstance(levels, Iterable)
    found = () if wrong else tuple(levels)
    if not found or not all(isinstance(level, str) for level in found):
        wants = "the levels of a choice, a list of one text or more"
        raise InterfaceInputError(
            f"{function}: the input {name} wants {wants}.",
            field=name,
            expected=wants,
            function=function,
        )
    return tuple(dict.fromkeys(found))
