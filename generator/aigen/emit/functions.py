"""An AI function as the texts that its template puts together."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aigen.emit import words
from aigen.emit.annotations import plain, streamed
from aigen.emit.defaults import immutable
from aigen.emit.layout import (
    COLUMNS,
    STEP,
    Group,
    Long,
    Node,
    assigned,
    flat,
    lay,
    signature,
)
from aigen.emit.literals import quote, width
from aigen.emit.names import Identifier, type_name
from aigen.emit.scope import ModuleScope
from aigen.ir import Field, Function

_LONGEST = 56  # columns of an annotation in a signature; a longer one gets a name
_INNER = 2 * STEP


@dataclass(frozen=True, slots=True)
class FunctionText:
    """All that `_function.jinja` writes of one function.

    `heads` and `bodies` are whole lines by method: the signature with its `def`, and what stands
    between the parentheses of the call that hands the inputs on.
    """

    aliases: tuple[str, ...]
    final: str
    class_name: str
    bases: str
    doc: str
    heads: Mapping[str, str]
    bodies: Mapping[str, str]
    instance: str
    words: str


@dataclass(frozen=True, slots=True)
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
    aliases: list[str] = []
    name = type_name(function.name)
    answer = _named(plain(function.answer.type, scope), f"{name}Answer", scope, aliases)
    part = _named(streamed(function.answer.type, scope), f"{name}Partial", scope, aliases)
    parameters = [
        _parameter(field, _named(plain(field.type, scope), name + type_name(field.name), scope,
                                 aliases), scope)
        for field in function.inputs
    ]
    given = [
        Parameter(Identifier(each), f"{scope.use('collections.abc', 'Sequence')}[{scope.builtin('str')}]")
        for each in function.given
    ]
    class_name = scope.private(f"{name}Function")
    return FunctionText(
        aliases=tuple(aliases),
        final=scope.use("typing", "final"),
        class_name=class_name,
        bases=_bases(scope.runtime("AIFunction"), class_name, answer, part),
        doc=words.doc(function_words(function), _INNER),
        heads=_heads(parameters, given, answer, part, scope),
        bodies=_bodies(function, parameters, given),
        instance=_instance(function, class_name, definition, scope),
        words=words.doc(description_words(function), 0),
    )


def function_words(function: Function) -> list[str]:
    """The docstring of a call: description, arguments, what comes back."""
    lines = description_words(function, _INNER)
    if function.deprecated:
        reason = function.deprecated if isinstance(function.deprecated, str) else ""
        lines += ["", *words.entry("Deprecated", reason, _INNER)] if reason else ["", "Deprecated."]
    lines += ["", "Args:"]
    for field in function.inputs:
        lines += words.entry(Identifier(field.name), words.argument(field), _INNER)
    for each in function.given:
        lines += words.entry(Identifier(each), "the choices", _INNER)
    lines += ["", "Returns:"]
    if function.answer.model is None:
        (output,) = function.outputs
        lines += words.entry(
            function.output_name or "result", output.description or "", _INNER
        )
        if not output.description:
            lines[-1] = f"    {words.kind(output.type)}"
    else:
        for output in function.outputs:
            lines += words.entry(output.name, output.description or "", _INNER)
    return lines


def description_words(function: Function, indent: int = 0) -> list[str]:
    """The description alone, or the formula where there is none."""
    outputs = " + ".join(
        [function.output_name]
        if function.output_name and function.answer.model is None
        else [output.name for output in function.outputs]
    )
    formula = f"{outputs} ~ {' + '.join(field.name for field in function.inputs)}"
    return words.prose(function.description or f"`{formula}`", indent)


def default_text(field: Field, scope: ModuleScope) -> str | None:
    """A parameter's default as it stands in the signature, or None for a required one."""
    if not field.optional and field.default is None:
        return None
    if field.default is not None and field.default.call is None:
        written = immutable(field.type, field.default.value, scope)
        if written is not None and width(written) <= _LONGEST:
            return written
    return scope.runtime("UNSET")


def ordered(parameters: list[Parameter], given: list[Parameter]) -> list[str]:
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


def _named(node: Node, wanted: str, scope: ModuleScope, aliases: list[str]) -> str:
    """An annotation on one line; a long one gets a private name."""
    text = flat(node)
    if width(text) <= _LONGEST:
        return text
    name = scope.private(wanted)
    aliases.append(assigned(f"{name}: {scope.use('typing', 'TypeAlias')}", node))
    return name


def _parameter(field: Field, annotation: str, scope: ModuleScope) -> Parameter:
    return Parameter(Identifier(field.name), annotation, default_text(field, scope))


def _bases(base: str, name: str, answer: str, part: str) -> str:
    line = f"{base}[{answer}, {part}]"
    if len("class ():") + len(name) + width(line) <= COLUMNS:
        return line
    if STEP + width(line) <= COLUMNS:
        return f"\n    {line}\n"
    inner = lay(Group(f"{base}[", (answer, part), "]"), STEP)
    return f"\n    {inner}\n"


def _heads(
    parameters: list[Parameter], given: list[Parameter], answer: str, part: str, scope: ModuleScope
) -> dict[str, str]:
    once = ["self", *ordered(parameters, given)]
    column = scope.runtime("Column")
    unset = scope.runtime("UNSET") if any(p.default is not None for p in parameters) else None
    rows = [
        Parameter(p.name, f"{column}[{p.annotation}]", unset if p.default is not None else None)
        for p in parameters
    ]
    many = ["self", *ordered(rows, given)]
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


def _bodies(
    function: Function, parameters: list[Parameter], given: list[Parameter]
) -> dict[str, str]:
    pairs = [
        f"{quote(field.name)}: {parameter.name}"
        for field, parameter in zip(function.inputs, parameters, strict=True)
    ]
    bound = f"{{{', '.join(pairs)}}}"
    levels = [f"{quote(each)}: {each_}" for each, each_ in zip(
        function.given, (parameter.name for parameter in given), strict=True)]
    if levels:
        arguments: tuple[Node, ...] = (
            Group("{", tuple(pairs), "}", body=False),
            Group("{", tuple(levels), "}", body=False),
        )
    else:
        arguments = (Group("{", tuple(pairs), "}", body=False),)
        if _INNER + width(bound) + 26 <= COLUMNS:
            return {method: f"{head}{bound})" for method, head in _CALLS.items()}
    return {
        method: lay(Group(head, arguments, ")"), _INNER, _INNER)
        for method, head in _CALLS.items()
    }


def _instance(
    function: Function, class_name: str, definition: Mapping[str, Any], scope: ModuleScope
) -> str:
    from aigen.emit.judged import judged

    text = json.dumps(definition, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    answer = judged(function.answer.type, scope)
    part = streamed(function.answer.type, scope)
    call = Group(f"{class_name}(", (Long(text), answer, part), ")")
    left = f"{scope.names.functions[function.name]}: {scope.use('typing', 'Final')}"
    return assigned(left, call)
