"""The inputs of one call, bound: what is sent, or the first thing wrong with them."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from aigen.runtime.errors import AigenError, ConfigurationError, InterfaceInputError
from aigen.runtime.values.interface import Interface
from aigen.runtime.values.judge import Judge, located
from aigen.runtime.values.not_bound import NotBound
from aigen.runtime.values.quoting import quoted
from aigen.runtime.values.unset import UNSET

_NONE: Any = object()


@dataclass(slots=True)
class _Input:
    name: str
    judge: Judge
    optional: bool
    opaque: bool
    default: Any  # _NONE, a JSON value, or a callable in `computed`
    computed: str | None
    takes_null: bool
    levelled: bool


@dataclass(slots=True)
class _Plan:
    source: Any
    name: str | None
    inputs: list[_Input]
    known: frozenset[str]


_plans: dict[int, _Plan] = {}
_KEPT = 2048


def bind_inputs(
    definition: Interface | Mapping[str, Any],
    inputs: Mapping[str, Any],
    *,
    given: Mapping[str, Sequence[str]] | None = None,
    quote: bool = True,
) -> dict[str, Any]:
    """Binds a call's inputs.

    Args:
        definition: a function's definition, or an interface read as data. It must not change.
        inputs: values by name; `UNSET` is the same as leaving one out.
        given: the levels of each choice that the call gives, by parameter.
        quote: whether the message may quote the value.

    Returns:
        Bound values in the interface's order; an optional input without a default is missing.

    Raises:
        InterfaceInputError: the first fault; nothing should be sent.
    """
    plan = _plans.get(id(definition))
    if plan is None or plan.source is not definition:
        plan = _planned(definition)
    if not plan.known.issuperset(inputs):
        unknown = min((str(name) for name in inputs if name not in plan.known), default="")
        names = ", ".join(each.name for each in plan.inputs)
        raise InterfaceInputError(
            f"{plan.name or 'The function'} has no input {unknown}; it takes {names}.",
            field=unknown,
            path=(),
            expected=f"one of {names}",
            function=plan.name,
        )
    bound: dict[str, Any] = {}
    for each in plan.inputs:
        name = each.name
        value = inputs.get(name, UNSET)
        if value is UNSET or (each.optional and not each.takes_null and _is_null(value)):
            if each.default is not _NONE:
                bound[name] = _default(plan, each, quote)
            elif not each.optional:
                raise _refused(plan, name, "a value; it is required", _NONE, (), quote)
        elif each.opaque:
            bound[name] = value
        else:
            judge = each.judge
            if each.levelled and given is not None:
                judge = judge.levelled(lambda shape: with_levels(shape, given))
            try:
                bound[name] = judge.bind(value)
            except NotBound as fault:
                raise _refused(plan, name, fault.expected, fault.value, fault.path, quote) from None
            except AigenError:
                raise
            except Exception as problem:  # the value's own code, run to read it
                said = f"a value that can be read; it raised {type(problem).__name__}"
                raise _refused(plan, name, said, _NONE, (), quote) from problem
    return bound


def _planned(definition: Interface | Mapping[str, Any]) -> _Plan:
    if isinstance(definition, Interface):
        inputs = [
            _input(
                field.name,
                Judge(field.shape, None, formats=False),
                field.optional,
                field.opaque,
                field.shape.get("default", _NONE) if field.optional else _NONE,
            )
            for field in definition.inputs
        ]
        name = None
    else:
        defaults, defs = definition.get("defaults", {}), definition.get("$defs")
        name, inputs = definition.get("name"), []
        for field in definition["inputs"]:
            judge = Judge.of(field["shape"], defs)
            optional = bool(field.get("optional"))
            default = field["shape"].get("default", _NONE) if optional else _NONE
            written = defaults.get(field["name"], {})
            each = _input(
                field["name"],
                judge,
                optional or bool(written),
                False,
                written.get("value", default),
            )
            if "call" in written:
                each.default, each.computed = None, written["call"]
            inputs.append(each)
    plan = _Plan(definition, name, inputs, frozenset(each.name for each in inputs))
    if len(_plans) >= _KEPT:
        _plans.clear()
    _plans[id(definition)] = plan
    return plan


def _input(name: str, judge: Judge, optional: bool, opaque: bool, default: Any) -> _Input:
    takes_null = opaque or (optional and judge.fits(None) is None)
    if default is not _NONE and not opaque:
        try:
            default = judge.bind(default)
        except NotBound as fault:
            raise ConfigurationError(
                f"the default of {name!r} does not fit: expected {fault.expected}",
                code="interface-malformed",
                field=name,
            ) from None
    return _Input(
        name, judge, optional, opaque, default, None, takes_null, judge.mentions("x-aigen-given")
    )


def _is_null(value: Any) -> bool:
    from aigen.runtime.values.convert import plain

    return value is None or (type(value) is not str and plain(value) is None)


def _default(plan: _Plan, each: _Input, quote: bool) -> Any:
    if each.computed is None:
        value = each.default
        # A caller that changes what it was given must not change the default.
        return copy.deepcopy(value) if isinstance(value, list | dict) else value
    from aigen.runtime.callables import at_once

    value = at_once(_callable(each.computed)(), f"the default {each.computed}")
    try:
        return each.judge.bind(value)
    except NotBound as fault:
        wants = f"{fault.expected} (its default {each.computed} gave something else)"
        raise _refused(plan, each.name, wants, fault.value, fault.path, quote) from None


_callables: dict[str, Callable[[], Any]] = {}


def _callable(place: str) -> Callable[[], Any]:
    found = _callables.get(place)
    if found is None:
        from aigen.runtime import callables

        try:
            found = _callables[place] = callables.found(place)
        except (ImportError, AttributeError) as error:
            raise ConfigurationError(
                f"the default {place} cannot be imported: {error}", code="default-import"
            ) from error
    return found


def _refused(
    plan: _Plan, field: str, expected: str, value: Any, path: Any, quote: bool
) -> InterfaceInputError:
    shown = f"; got {quoted(value)}" if quote and value is not _NONE else ""
    whose = f"{plan.name}: the" if plan.name else "The"
    return InterfaceInputError(
        f"{whose} input {located(field, path)} wants {expected}{shown}.",
        field=field,
        path=path,
        expected=expected,
        function=plan.name,
    )


def with_levels(shape: Any, given: Mapping[str, Sequence[str]]) -> Any:
    """A shape in which every `x-aigen-given` text is a choice of the levels a call gives."""
    if isinstance(shape, list):
        return [with_levels(part, given) for part in shape]
    if not isinstance(shape, dict):
        return shape
    parameter = shape.get("x-aigen-given")
    if isinstance(parameter, str) and parameter in given:
        rest = {key: value for key, value in shape.items() if key != "x-aigen-given"}
        return {**rest, "enum": list(given[parameter])}
    return {key: with_levels(part, given) for key, part in shape.items()}
