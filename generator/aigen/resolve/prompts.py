"""A function's own messages: what they read of the inputs, and what no message reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from aigen.diagnostics import nearest
from aigen.ir import (
    Alias,
    Described,
    External,
    Field,
    JsonAny,
    List,
    Map,
    Null,
    Record,
    Ref,
    Set,
    Shape,
    Text,
    Tuple,
    Type,
    TypeDef,
    Union,
)
from aigen.ir.model import Json
from aigen.resolve.home import Home
from aigen.resolve.words import ANY
from aigen.spec.tree import FunctionSpec, PromptRead

Definitions = Mapping[tuple[str, str], TypeDef]


def prompt(home: Home, spec: FunctionSpec, inputs: Sequence[Field]) -> tuple[Json, ...] | None:
    """The messages as data; a name that is no input, and an input without use, are reported."""
    if spec.prompt is None:
        return None
    types: dict[str, Type] = {"instruction": Text(), **{each.name: each.type for each in inputs}}
    used: set[str] = set()
    for message in spec.prompt:
        for read in message.reads:
            used.add(read.root)
            if read.root in types:
                _check(home, read, types[read.root])
            elif not read.steps:
                close = nearest(read.root, list(types))
                home.diagnostics.report(
                    "AIG310",
                    read.span,
                    f"the prompt reads {read.root}, which is no input",
                    hint=f"did you mean {close}?" if close else "name an input, or instruction",
                )
    places = {name.value: name.span for name in spec.formula.inputs}
    for each in inputs:
        if each.name not in used:
            home.diagnostics.report(
                "AIG311",
                places.get(each.name, each.span),
                f"the prompt does not use input {each.name}",
                hint=f"write {{{{ {each.name} }}}} in a message",
                related=[(spec.prompt[0].span, "the prompt is here")],
            )
    return tuple(
        {"role": message.role}
        if message.role == "demos"
        else {"role": message.role, "body": list(message.body)}
        for message in spec.prompt
    )


def _check(home: Home, read: PromptRead, kind: Type) -> None:
    """Reports the last step of a path where no value of the input can have it."""
    definitions = home.scope.definitions
    for at, step in enumerate(read.steps):
        options = list(_options(kind, definitions))
        found = [each for each in (_stepped(one, step) for one in options) if each is not None]
        if not found:
            if at < len(read.steps) - 1:
                return  # the shorter path is read as well, and reported
            whole = _written(read, at)
            if step is None:
                message = f"the prompt loops over {whole}, which is {home.scope.wording(kind)}"
                hint = "loop over a list, or write the value itself"
            else:
                members = [name for one in options for name in _members(one)]
                close = nearest(step, members)
                message = f"{whole} has no {step}, which the prompt reads"
                known = (
                    f"known: {', '.join(members)}"
                    if members
                    else f"it is {home.scope.wording(kind)}"
                )
                hint = f"did you mean {close}?" if close else known
            home.diagnostics.report("AIG310", read.span, message, hint=hint)
            return
        kind = found[0] if len(found) == 1 else Union(tuple(found))


def _written(read: PromptRead, end: int) -> str:
    """A path up to a step, for a message."""
    said = read.root
    for step in read.steps[:end]:
        said = f"an item of {said}" if step is None else f"{said}.{step}"
    return said


def _options(
    kind: Type, definitions: Definitions, seen: frozenset[Ref] = frozenset()
) -> Iterator[Type | TypeDef]:
    """What a value may be, null left out: with names followed, and unions taken apart."""
    match kind:
        case Ref():
            definition = definitions.get((kind.module, kind.name))
            if isinstance(definition, Alias):
                if kind not in seen:
                    yield from _options(definition.type, definitions, seen | {kind})
            else:
                yield ANY if definition is None else definition
        case Union():
            for option in kind.options:
                yield from _options(option, definitions, seen)
        case Described():
            yield from _options(kind.type, definitions, seen)
        case Shape():
            yield from _options(kind.model, definitions, seen)
        case Null():
            pass
        case _:
            yield kind


def _members(option: Type | TypeDef) -> dict[str, Type]:
    if isinstance(option, Record | External):
        return {member.name: member.type for member in option.members}
    return {}


def _stepped(option: Type | TypeDef, step: str | None) -> Type | None:
    """The type of a member, or of what a loop goes over (`step` is None); None for no type."""
    match option:
        case JsonAny():
            return ANY
        case List() | Set():
            return option.item if step is None else None
        case Tuple():
            items = (*option.items, *(() if option.rest is None else (option.rest,)))
            return Union(items) if step is None else None
        case Map():
            return Text() if step is None else option.value
        case Record():
            if step is None:
                return Text()
            found = _members(option).get(step)
            # What a schema says beyond the members is not looked at.
            return found or option.additional or (ANY if option.shape is not None else None)
        case External(kind=kind) if kind != "enum":
            if step is None:
                return Text()
            return _members(option).get(step) or (None if option.closed else ANY)
        case _:
            return None
