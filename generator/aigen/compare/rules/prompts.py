"""Codes 95x: how a model is asked, and how calls are made."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from aigen.compare.model import Comparison, Found, Pair
from aigen.compare.registering import MOOD, TOOL, rule
from aigen.compare.words import cut, quoted

_TEST = "Test the answers again: `aigen test --live`, or the recordings anew."


@rule(
    "AIG951",
    "prompt",
    "An instruction is another",
    why="The model is told something else, so it may answer otherwise.",
    before=MOOD + "    description: How does the customer feel?\n",
    after=MOOD + "    description: How does the customer feel about the shop?\n",
    mend=_TEST,
)
def instruction(both: Comparison) -> Iterator[Found]:
    """Functions whose instruction changed, with the first line that did."""
    for pair in both.pairs:
        old, new = pair.before.get("instruction", []), pair.after.get("instruction", [])
        if pair.kind == "function" and old != new:
            yield Found(pair.place._replace(path="instruction"), f"instruction: {_lines(old, new)}")


@rule(
    "AIG952",
    "prompt",
    "Demos are others",
    why="The model sees other examples, so it may answer otherwise.",
    before=MOOD,
    after=MOOD + "    demos: [{review: It broke., mood: unhappy}]\n",
    mend=_TEST,
)
def demos(both: Comparison) -> Iterator[Found]:
    """Functions with other demos."""
    for pair in both.pairs:
        old, new = pair.before.get("demos", []), pair.after.get("demos", [])
        if quoted(old) != quoted(new):
            words = f"there were {len(old)} and are {len(new)}"
            if len(old) == len(new):
                same = sum(quoted(a) == quoted(b) for a, b in zip(old, new, strict=True))
                words = f"{len(old) - same} of {len(old)} are others"
            yield Found(pair.place._replace(path="demos"), f"demos: {words}")


@rule(
    "AIG953",
    "prompt",
    "Settings are others",
    why="Model, sampling, timeouts and what is logged are settings; a call is made otherwise.",
    before=MOOD + "    settings: {temperature: 0}\n",
    after=MOOD + "    settings: {temperature: 1}\n",
    mend=_TEST,
)
def settings(both: Comparison) -> Iterator[Found]:
    """Functions with other settings of their own."""
    return _members(both, "settings")


@rule(
    "AIG954",
    "prompt",
    "Messages of a prompt are others",
    why="The model is sent other messages, so it may answer otherwise.",
    before=MOOD + '    prompt: [{user: "Read: {{ review }}"}]\n',
    after=MOOD + '    prompt: [{user: "Read this: {{ review }}"}]\n',
    mend=_TEST,
)
def messages(both: Comparison) -> Iterator[Found]:
    """Functions with another prompt of their own."""
    for pair in both.pairs:
        old, new = pair.before.get("prompt"), pair.after.get("prompt")
        if quoted(old) != quoted(new):
            words = "the messages are others"
            if old is None or new is None:
                words = "it has messages of its own" if old is None else "it has none of its own"
            yield Found(pair.place._replace(path="prompt"), f"prompt: {words}")


@rule(
    "AIG955",
    "prompt",
    "Tools of a function are others",
    why="The model may call what it could not, or no longer what it could.",
    before=TOOL + "    parameters: {order: str}\n" + MOOD.removeprefix("aigen: 1\n"),
    after=TOOL
    + "    parameters: {order: str}\n"
    + MOOD.removeprefix("aigen: 1\n")
    + "    tools: [find]\n",
    mend="Look at what the new ones can do. " + _TEST,
)
def tools(both: Comparison) -> Iterator[Found]:
    """Functions that list other tools."""
    for pair in both.pairs:
        old, new = pair.before.get("tools", []), pair.after.get("tools", [])
        if old != new:
            gone = [f"{name} is gone" for name in old if name not in new]
            come = [f"{name} is new" for name in new if name not in old]
            words = ", ".join([*gone, *come]) or "they are in another order"
            yield Found(pair.place._replace(path="tools"), f"tools: {words}")


@rule(
    "AIG956",
    "prompt",
    "Checks are others",
    why="Answers that were taken may be asked for again or refused, or the reverse.",
    before=MOOD,
    after=MOOD + "    check: app:polite\n",
    mend=_TEST,
)
def checks(both: Comparison) -> Iterator[Found]:
    """Functions with other checks."""
    for pair in both.pairs:
        old, new = (list(map(_check, one.get("checks", []))) for one in (pair.before, pair.after))
        if old != new:
            gone = [f"{name} is gone" for name in old if name not in new]
            come = [f"{name} is new" for name in new if name not in old]
            words = ", ".join([*gone, *come]) or "they are in another order"
            yield Found(pair.place._replace(path="checks"), f"checks: {words}")


@rule(
    "AIG957",
    "prompt",
    "Words of a tool, or inside a type, are others",
    why="A model chooses and calls tools by their words, and reads those of an answer's members.",
    before=TOOL + "    parameters: {order: str}\n",
    after=TOOL.replace("an order", "an order by its number") + "    parameters: {order: str}\n",
    mend=_TEST,
)
def words(both: Comparison) -> Iterator[Found]:
    """Tools whose words changed, and functions where those of a type's members did."""
    for pair in both.pairs:
        old, new = pair.before.get("description", []), pair.after.get("description", [])
        if pair.kind == "tool" and old != new:
            yield Found(pair.place._replace(path="description"), f"description: {_lines(old, new)}")
        for side, fields in (("inputs", pair.inputs), ("outputs", pair.outputs)):
            for one in fields.differences:
                if one.facet == "words" and not _instructed(pair, one.path):
                    place = pair.place._replace(path=f"{side}.{one.path}".rstrip("."))
                    yield Found(place, f"{one.path}: {one.words}" if one.path else one.words)


def _instructed(pair: Pair, path: str) -> bool:
    """Whether a function's instruction, which has the words of its fields, says it already."""
    if pair.kind == "tool" or pair.before.get("instruction") == pair.after.get("instruction"):
        return False
    return path in pair.inputs.after or path in pair.outputs.after


@rule(
    "AIG958",
    "prompt",
    "A tool's annotations, options or request are others",
    why="They decide when a model sees a tool, when a person is asked, and how it is run.",
    before=TOOL + "    parameters: {order: str}\n    annotations: {read_only: true}\n",
    after=TOOL + "    parameters: {order: str}\n    annotations: {read_only: false}\n",
    mend="Look at approval, risk and timeouts as if the tool were new.",
)
def tool_options(both: Comparison) -> Iterator[Found]:
    """Tools with other annotations, options or requests."""
    yield from _members(both, "annotations")
    yield from _members(both, "http")
    yield from _members(both, "options")


@rule(
    "AIG959",
    "prompt",
    "The version alone is another",
    why="What a model is sent changed in a way that no other rule names: the order of members or "
    "levels, or the layout that a newer aigen writes.",
    before=MOOD + "    fields: {mood: {choice: [happy, unhappy]}}\n",
    after=MOOD + "    fields: {mood: {choice: [unhappy, happy]}}\n",
    mend=_TEST,
)
def version(both: Comparison) -> Iterator[Found]:
    """Functions whose version changed though neither their words nor their types did."""
    for pair in both.pairs:
        ids = [entry.get("ids", {}).get("version") for entry in (pair.before, pair.after)]
        if ids[0] != ids[1] and _same_but_order(pair):
            words = "what the model is sent is another, in order or layout"
            yield Found(pair.place._replace(path="ids.version"), words)


def _same_but_order(pair: Pair) -> bool:
    sent = ("instruction", "demos", "prompt", "tools", "defaults", "given", "function")
    if any(pair.before.get(key) != pair.after.get(key) for key in sent) or pair.new_form:
        return False
    return not any(
        list(side.before) != list(side.after) or side.differences
        for side in (pair.inputs, pair.outputs)
    )


def _members(both: Comparison, key: str) -> Iterator[Found]:
    """One finding for each member of an entry's table that is another."""
    for pair in both.pairs:
        old, new = (_table(entry.get(key)) for entry in (pair.before, pair.after))
        for name in dict.fromkeys([*old, *new]):
            before, after = (quoted(one[name]) if name in one else None for one in (old, new))
            if before != after:
                words = f"was {cut(before or 'not set')} and is {cut(after or 'not set')}"
                yield Found(pair.place._replace(path=f"{key}.{name}"), f"{key}: {name} {words}")


def _table(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _check(check: Any) -> str:
    entry = _table(check)
    field = f" of {entry['field']}" if "field" in entry else ""
    return f"{entry.get('call')}{field}"


def _lines(old: Sequence[str], new: Sequence[str]) -> str:
    """The lines that are others, as many as fit."""
    changed = [line for line in difflib.ndiff(old, new) if line[:2] in ("- ", "+ ") and line[2:]]
    shown = [f"{line[0]} {quoted(cut(line[2:]))}" for line in changed[:2]]
    more = len(changed) - len(shown)
    said = " ".join(shown) or "empty lines are others"
    return f"{said} and {more} more line{'s' * (more != 1)}" if more else said


RULES = (
    instruction,
    demos,
    settings,
    messages,
    tools,
    checks,
    words,
    tool_options,
    version,
)
