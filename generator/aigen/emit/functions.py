"""An AI function as the texts that its template puts together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aigen.emit import words
from aigen.emit.aliases import LONGEST, Aliases
from aigen.emit.annotations import plain, streamed
from aigen.emit.defaults import immutable
from aigen.emit.definition import in_parts
from aigen.emit.layout import (
    COLUMNS,
    STEP,
    Group,
    Long,
    Node,
    assigned,
    lay,
    signature,
)
from aigen.emit.literals import quote
from aigen.emit.names import Identifier, type_name
from aigen.emit.scope import ModuleScope
from aigen.emit.widths import width
from aigen.ir import Field, Function

INNER = 2 * STEP


@dataclass(slots=True)
class FunctionText:
    """All that `_function.jinja` writes of one function, and its `name` in the module.

    `heads` and `bodies` are whole lines by method: the signature with its `def`, and what stands
    between the parentheses of the call that hands the inputs on.
    """

    name: str
    aliases: tuple[str, ...]
    final: str
    class_name: str
    bases: str
    doc: str
    heads: Mapping[str, str]
    bodies: Mapping[str, str]
    instance: str
    words: str


@dataclass(slots=True)
class Parameter:
    """One parameter of a signature: its name, annotation, and default (or None)."""

    name: str
    annotation: str
    default: str | None = None

    def text(self) -> str:
        """As it stands in a signature."""
        line = f"{self.name}: {self.annotation}"
        return line if self.default is None else f"{line} = {self.default}"


def function_text(
    function: Function, definition: Mapping[str, Any], scope: ModuleScope
) -> FunctionText:
    """Lays out one function."""
    aliases = Aliases(scope)
    name = type_name(function.name)
    kind = function.answer.type
    answer, part = aliases.answers(plain(kind, scope), streamed(kind, scope), name)
    parameters = [parameter(field, name, aliases) for field in function.inputs]
    given = [_given(each, scope) for each in function.given]
    class_name = scope.private(f"{name}Function")
    instance = _instance(function, class_name, definition, aliases)
    return FunctionText(
        name=scope.names.functions[function.name],
        aliases=tuple(aliases.texts),
        final=scope.use("typing", "final"),
        class_name=class_name,
        bases=bases(scope.runtime("AIFunction"), class_name, answer, part),
        doc=words.doc(function_words(function), INNER),
        heads=_heads(parameters, given, answer, part, scope),
        bodies=bodies(
            [(f.name, p.name) for f, p in zip(function.inputs, parameters, strict=True)],
            [(key, p.name) for key, p in zip(function.given, given, strict=True)],
            _CALLS,
        ),
        instance=instance,
        words=words.doc(description_words(function), 0),
    )


def function_words(function: Function) -> list[str]:
    """The docstring of a call: description, arguments, what comes back."""
    lines = description_words(function, INNER)
    if function.deprecated:
        reason = function.deprecated.strip() if isinstance(function.deprecated, str) else ""
        lines += ["", *words.entry("Deprecated", reason, INNER)] if reason else ["", "Deprecated."]
    lines += ["", "Args:"]
    for field in function.inputs:
        lines += words.entry(Identifier(field.name), words.argument(field), INNER)
    for each in function.given:
        lines += words.entry(Identifier(each), "the choices", INNER)
    lines += ["", "Returns:"]
    if function.answer.model is None:
        (output,) = function.outputs
        if (output.description or "").strip():
            name = function.output_name or "result"
            lines += words.entry(name, output.description or "", INNER)
        else:
            lines += words.item(words.kind(output.type), INNER)
    else:
        for output in function.outputs:
            lines += words.entry(output.name, output.description or "", INNER)
    return lines


def description_words(function: Function, indent: int = 0) -> list[str]:
    """The description alone, or the formula where there is none."""
    outputs = " + ".join(
        [function.output_name]
        if function.output_name and function.answer.model is None
        else [output.name for output in function.outputs]
    )
    formula = f"{outputs} ~ {' + '.join(field.name for field in function.inputs)}"
    return words.prose(function.description or "", indent) or words.prose(f"`{formula}`", indent)


def default_text(field: Field, scope: ModuleScope) -> str | None:
    """A parameter's default as it stands in the signature, or None for a required one."""
    if not field.optional and field.default is None:
        return None
    if field.default is not None and field.default.call is None:
        written = immutable(field.type, field.default.value, scope)
        if written is not None and not (written[0] in "\"'" and width(written) > LONGEST):
            return written
    return scope.runtime("UNSET")


def keyword_order(parameters: list[Parameter], given: list[Parameter]) -> list[str]:
    """Parameters as a signature lists them.

    From the first required one that follows an optional one, the rest are keyword-only, as those
    that give a choice its levels always are.
    """
    texts: list[str] = []
    optional = starred = False
    for parameter in parameters:
        if parameter.default is not None:
            optional = True
        elif optional and not starred:
            texts.append("*")
            starred = True
        texts.append(parameter.text())
    if given and not starred:
        texts.append("*")
    return texts + [parameter.text() for parameter in given]


def parameter(field: Field, owner: str, aliases: Aliases) -> Parameter:
    """A field as a parameter of the function or tool `owner`."""
    scope = aliases.scope
    annotation = aliases.named(plain(field.type, scope), owner + type_name(field.name))
    return Parameter(Identifier(field.name), annotation, default_text(field, scope))


def _given(name: str, scope: ModuleScope) -> Parameter:
    sequence = scope.use("collections.abc", "Sequence")
    return Parameter(Identifier(name), f"{sequence}[{scope.builtin('str')}]")


def bases(base: str, name: str, *arguments: str) -> str:
    """What stands between the parentheses of `class name(base[arguments]):`."""
    line = f"{base}[{', '.join(arguments)}]"
    if len("class ():") + len(name) + width(line) <= COLUMNS:
        return line
    if STEP + width(line) <= COLUMNS:
        return f"\n    {line}\n"
    inner = lay(Group(f"{base}[", arguments, "]"), STEP)
    return f"\n    {inner}\n"


def _heads(
    parameters: list[Parameter], given: list[Parameter], answer: str, part: str, scope: ModuleScope
) -> dict[str, str]:
    once = ["self", *keyword_order(parameters, given)]
    column = scope.runtime("Column")
    unset = scope.runtime("UNSET") if any(p.default is not None for p in parameters) else None
    rows = [
        Parameter(p.name, f"{column}[{p.annotation}]", unset if p.default is not None else None)
        for p in parameters
    ]
    many = ["self", *keyword_order(rows, given)]
    results = f"{scope.runtime('Results')}[{answer}]"
    return {
        "call": signature("def __call__", once, answer),
        "aio": signature("async def aio", once, answer),
        "stream": signature("def stream", once, f"{scope.runtime('Stream')}[{part}, {answer}]"),
        "astream": signature(
            "def astream", once, f"{scope.runtime('AsyncStream')}[{part}, {answer}]"
        ),
        "map": signature("def map", many, results),
        "amap": signature("async def amap", many, results),
        "request": signature("def request", once, scope.runtime("Request")),
    }


_CALLS = {
    "call": "return self._call(",
    "aio": "return await self._acall(",
    "stream": "return self._stream(",
    "astream": "return self._astream(",
    "map": "return self._map(",
    "amap": "return await self._amap(",
    "request": "return self._request(",
}
_LONGEST_CALL = max(map(len, _CALLS.values())) + 1


def bodies(
    inputs: list[tuple[str, str]], given: list[tuple[str, str]], calls: Mapping[str, str]
) -> dict[str, str]:
    """The line of each method that hands its inputs on.

    Args:
        inputs: the name that the spec gives each input, and the parameter's.
        given: the same of parameters that give choices.
        calls: how the line begins, by method.
    """
    pairs = tuple(f"{quote(key)}: {name}" for key, name in inputs)
    bound = f"{{{', '.join(pairs)}}}"
    if not given and INNER + width(bound) + _LONGEST_CALL <= COLUMNS:
        return {method: f"{head}{bound})" for method, head in calls.items()}
    arguments: list[Node] = [Group("{", pairs, "}", body=False)]
    if given:
        levels = tuple(f"{quote(key)}: {name}" for key, name in given)
        arguments.append(Group("{", levels, "}", body=False))
    return {
        method: lay(Group(head, tuple(arguments), ")"), INNER, INNER)
        for method, head in calls.items()
    }


def _instance(
    function: Function, class_name: str, definition: Mapping[str, Any], aliases: Aliases
) -> str:
    from aigen.emit.judged import judged

    scope = aliases.scope
    parts = in_parts(definition)
    name = type_name(function.name)
    answer = aliases.valued(judged(function.answer.type, scope), f"{name}Judge")
    part = aliases.valued(streamed(function.answer.type, scope), f"{name}Arrived")
    call = Group(f"{class_name}(", (Long("".join(parts), parts=parts), answer, part), ")")
    left = f"{scope.names.functions[function.name]}: {scope.use('typing', 'Final')}"
    return assigned(left, call)
