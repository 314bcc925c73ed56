"""Codes 91x: which inputs there are, and in which order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from aigen.compare.model import Comparison, Field, Found, Pair, Place
from aigen.compare.registering import HEAD, MOOD, rule
from aigen.compare.words import cut, quoted

_LOCALE = HEAD + "    formula: mood ~ review + locale\n"
_GIVEN = "    fields: {mood: {choice: {$given: moods}}}\n"


@rule(
    "AIG911",
    "breaking",
    "An input is gone",
    why="Calls that pass it are refused, and so are stored calls.",
    before=_LOCALE,
    after=MOOD,
    mend="Keep it, with a default, until no call passes it.",
    breaks="callers",
)
def removed(both: Comparison) -> Iterator[Found]:
    """Inputs that only the earlier version has."""
    for pair in both.pairs:
        for field in pair.inputs.removed():
            yield Found(_at(pair, field), f"the {_word(pair)} {field.name} is gone")


@rule(
    "AIG912",
    "breaking",
    "A required input is new",
    why="Calls of today do not pass it and are refused.",
    before=MOOD,
    after=_LOCALE,
    mend="Give it a default.",
    breaks="callers",
)
def required_added(both: Comparison) -> Iterator[Found]:
    """Required inputs that only the later version has."""
    for pair in both.pairs:
        for field in pair.inputs.added():
            if not field.optional:
                words = f"the {_word(pair)} {field.name} is new and required"
                yield Found(_at(pair, field), words)


@rule(
    "AIG913",
    "compatible",
    "An optional input is new",
    why="Calls that leave it out get its default.",
    before=MOOD,
    after=_LOCALE + "    fields: {locale: {type: str, default: en}}\n",
    mend="Nothing has to change.",
)
def optional_added(both: Comparison) -> Iterator[Found]:
    """Optional inputs that only the later version has."""
    for pair in both.pairs:
        for field in pair.inputs.added():
            if field.optional:
                words = f"the {_word(pair)} {field.name} is new and may be left out"
                yield Found(_at(pair, field), words)


@rule(
    "AIG914",
    "breaking",
    "An input became required",
    why="Calls that leave it out are refused.",
    before=_LOCALE + "    fields: {locale: {type: str, default: en}}\n",
    after=_LOCALE,
    mend="Keep its default.",
    breaks="callers",
)
def became_required(both: Comparison) -> Iterator[Found]:
    """Inputs that could be left out."""
    for pair in both.pairs:
        for old, new in pair.inputs.kept:
            if old.optional and not new.optional:
                yield Found(_at(pair, new), f"the {_word(pair)} {new.name} must be given now")


@rule(
    "AIG915",
    "compatible",
    "An input became optional",
    why="Calls that pass it work as before.",
    before=_LOCALE,
    after=_LOCALE + "    fields: {locale: {type: str, default: en}}\n",
    mend="Nothing has to change.",
)
def became_optional(both: Comparison) -> Iterator[Found]:
    """Inputs that may be left out now."""
    for pair in both.pairs:
        for old, new in pair.inputs.kept:
            if new.optional and not old.optional:
                yield Found(_at(pair, new), f"the {_word(pair)} {new.name} may be left out now")


@rule(
    "AIG916",
    "prompt",
    "A default is another",
    why="Calls that leave the input out send another value to the model, or to the tool.",
    before=_LOCALE + "    fields: {locale: {type: str, default: en}}\n",
    after=_LOCALE + "    fields: {locale: {type: str, default: fr}}\n",
    mend="Pass the old value where it is still wanted.",
)
def default_changed(both: Comparison) -> Iterator[Found]:
    """Inputs, and members of them, with another default."""
    for pair in both.pairs:
        for old, new in pair.inputs.kept:
            if old.optional and new.optional and quoted(old.default) != quoted(new.default):
                words = f"the default of {new.name} was {_shown(old)} and is {_shown(new)}"
                yield Found(_at(pair, new), words)
        # A member that became required, or optional, lost or got its default by that.
        members = {one.path for one in pair.inputs.differences if one.facet == "member"}
        for one in pair.inputs.differences:
            if one.facet == "default" and one.path not in members:
                place = pair.place._replace(path=f"inputs.{one.path}")
                yield Found(place, f"{one.path}: {cut(one.words)}")


@rule(
    "AIG917",
    "breaking",
    "Inputs in another order",
    why="A call that passes them by position now passes a value to another input.",
    before=_LOCALE,
    after=HEAD + "    formula: mood ~ locale + review\n",
    mend="Keep the order, and add optional inputs at the end.",
    breaks="callers",
)
def reordered(both: Comparison) -> Iterator[Found]:
    """Inputs that a call by position would mix up."""
    for pair in both.pairs:
        was = [name for name in _positional(pair.inputs.before) if name in pair.inputs.after]
        # A required input that is new is refused by name already.
        now = [
            name
            for name in _positional(pair.inputs.after)
            if name in pair.inputs.before or pair.inputs.after[name].optional
        ]
        if was != now[: len(was)]:
            place = pair.place._replace(path="inputs")
            words = f"by position a call gave {', '.join(was)} and gives {', '.join(now) or 'none'}"
            yield Found(place, words)


@rule(
    "AIG918",
    "breaking",
    "Other parameters that give levels",
    why="Every call must pass those that are new, and may not pass those that are gone.",
    before=MOOD,
    after=MOOD + _GIVEN,
    mend="Keep the parameters, or put the choice into a function of its own.",
    breaks="callers",
)
def given_changed(both: Comparison) -> Iterator[Found]:
    """Functions whose `$given` parameters changed."""
    for pair in both.pairs:
        old, new = pair.before.get("given", []), pair.after.get("given", [])
        if old != new and sorted(old) != sorted(new):
            gone = [f"{name} is gone" for name in old if name not in new]
            come = [f"{name} must be given now" for name in new if name not in old]
            place = pair.place._replace(path="given")
            yield Found(place, f"the levels' parameters: {', '.join([*gone, *come])}")


def _at(pair: Pair, field: Field) -> Place:
    return pair.place._replace(path=f"inputs.{field.name}")


def _word(pair: Pair) -> str:
    return "input" if pair.kind == "function" else "parameter"


def _shown(field: Field) -> str:
    if field.default is None:
        return "none"
    if "call" in field.default:
        return f"what {field.default['call']} gives"
    return cut(quoted(field.default.get("value")))


def _positional(fields: Mapping[str, Field]) -> list[str]:
    """The inputs that can be passed by position: up to a required one behind an optional one."""
    found: list[str] = []
    for name, field in fields.items():
        if not field.optional and any(fields[before].optional for before in found):
            break
        found.append(name)
    return found


RULES = (
    removed,
    required_added,
    optional_added,
    became_required,
    became_optional,
    default_changed,
    reordered,
    given_changed,
)
