"""What a model is told of a function."""

from __future__ import annotations

from typing import Any, cast

import pytest
from aigen.runtime.wire.adapters.layout import instruction

TONE = {"enum": ["formal", "casual"], "type": "string", "description": "formal: Sie\ncasual: du"}
ORDER = {
    "type": "object",
    "description": "An order.",
    "properties": {
        "lines": {"type": "array", "items": {"$ref": "#/$defs/Line"}},
        "tone": {"$ref": "#/$defs/Tone"},
        "parent": {"$ref": "#/$defs/Order"},
    },
}
LINE = {
    "type": "object",
    "properties": {
        "sku": {"type": "string"},
        "count": {"type": "integer", "description": "pieces"},
    },
}
DEFS = {"Tone": TONE, "Order": ORDER, "Line": LINE}


def told(inputs: list[Any], outputs: list[Any], **more: Any) -> list[str]:
    definition = {"name": "f", "description": "", "inputs": inputs, "outputs": outputs, **more}
    return instruction(cast(Any, {"$defs": DEFS, **definition})).split("\n")


def test_meanings_of_an_inputs_named_choice() -> None:
    text = {"name": "text", "shape": {"type": "string"}}
    tone = {"name": "tone", "shape": {"$ref": "#/$defs/Tone"}, "desc": "how to say it"}
    assert told([text, tone], []) == [
        "Function: f",
        "",
        "Input:",
        "- tone: how to say it",
        "  formal: Sie",
        "  casual: du",
    ]


def test_what_an_input_is_made_of() -> None:
    """Nothing else tells of it; a type inside itself is told once."""
    assert told([{"name": "order", "shape": {"$ref": "#/$defs/Order"}}], [])[3:] == [
        "- order: An order.",
        "  - lines:",
        "    - count: pieces",
        "  - tone: formal: Sie",
        "    casual: du",
    ]


@pytest.mark.parametrize(
    ("output", "words", "said"),
    [
        ("caption", None, ["Output:", "- result: caption"]),
        ("short_title", None, ["Output:", "- result: short title"]),
        ("caption", "at most ten words", ["Output:", "- result: at most ten words"]),
        ("f", None, []),
    ],
)
def test_a_lone_outputs_own_name(output: str, words: str | None, said: list[str]) -> None:
    field = {"name": "result", "shape": {"type": "string"}, **({"desc": words} if words else {})}
    assert told([], [field], output=output)[2:] == said
