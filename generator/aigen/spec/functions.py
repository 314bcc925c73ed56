"""Functions as written: formula, codebook, demos, prompt, tests."""

from __future__ import annotations

import ast

from aigen.diagnostics import Span
from aigen.spec.columns import read_columns, tell_sampled
from aigen.spec.demos import read_demos
from aigen.spec.fields import name_of, read_fields
from aigen.spec.formula import is_name, parse_formula
from aigen.spec.indentation import fields_indented, indented
from aigen.spec.keys import FUNCTION, TEST
from aigen.spec.nodes import Entry, Mapping, Node, Scalar, Sequence
from aigen.spec.prompts import read_prompt
from aigen.spec.reading import Reading, misspelt
from aigen.spec.tree import (
    AnnotationOf,
    ChoiceOf,
    Column,
    FieldSpec,
    Formula,
    FunctionSpec,
    GivenChoice,
    LiteralOf,
    Name,
    Setting,
    TestSpec,
    Text,
    TypeExpr,
)


def read_functions(reading: Reading, node: Node) -> tuple[FunctionSpec, ...]:
    """The mapping of functions, in order; one whose formula cannot be read is left out."""
    entries = indented(reading, reading.mapping(node, "functions"), "function", FUNCTION)
    found = (_function(reading, fields_indented(reading, entry)) for entry in entries)
    return tuple(function for function in found if function is not None)


def read_settings(reading: Reading, node: Node) -> tuple[Setting, ...]:
    """A mapping of settings; `aigen.resolve` knows their names."""
    entries = reading.mapping(node, "settings")
    return tuple(Setting(name_of(entry), entry.value) for entry in entries.values())


def _function(reading: Reading, entry: Entry) -> FunctionSpec | None:
    key = name_of(entry)
    what = f'the function "{key.value}"'
    if not (isinstance(entry.value, Mapping) or _is_null(entry.value)):
        reading.wrong(entry.value, f"{what} is a mapping", _as_formula(entry.value))
        return None
    entries = reading.mapping(entry.value, what, FUNCTION)
    value = {name: one.value for name, one in entries.items()}
    formula = _formula(reading, key, entry.value, entries)
    found = read_fields(reading, value["fields"], "fields") if "fields" in value else ()
    function = described(
        reading,
        key,
        Span(*key.span[:3], entry.value.span.end_line, entry.value.span.end_column),
        value,
        formula or Formula((), (), None, key.span),
        found,
    )
    # Without its table nobody knows what `.` stands for; why it cannot be read is reported.
    dark = formula is not None and formula.dot and "data" in value and function.columns is None
    return None if formula is None or dark else function


def described(
    reading: Reading,
    key: Text,
    span: Span,
    value: dict[str, Node],
    formula: Formula,
    found: tuple[FieldSpec, ...],
) -> FunctionSpec:
    """A function with all that its keys say.

    Args:
        reading: takes what is wrong.
        key: its name.
        span: the whole entry.
        value: what stands under each key of a function.
        formula: its inputs and outputs.
        found: its fields.
    """

    def text(name: str) -> Text | None:
        return reading.text(value[name], name) if name in value else None

    def word(name: str) -> Text | None:
        return reading.word(value[name], name) if name in value else None

    def texts(name: str) -> tuple[Text, ...]:
        return reading.texts(value[name], name) if name in value else ()

    fields = {field.name.value: field for field in found}
    columns = read_columns(reading, value["data"]) if "data" in value else None
    if columns:
        tell_sampled(reading, value["data"], _taken(formula, fields, columns))
    return FunctionSpec(
        key=key,
        span=span,
        formula=formula,
        fields=fields,
        description=text("description"),
        settings=read_settings(reading, value["settings"]) if "settings" in value else (),
        name=word("name"),
        answer=word("answer"),
        defined_in=word("defined_in"),
        instructions=text("instructions"),
        columns=columns,
        demos=read_demos(reading, value["demos"], _read_as_text(formula, fields, columns or ()))
        if "demos" in value
        else (),
        tools=texts("tools"),
        checks=reading.callables(value["check"], "check") if "check" in value else (),
        deprecated=reading.flag_or_text(value["deprecated"], "deprecated")
        if "deprecated" in value
        else False,
        tags=tuple(tag.value for tag in texts("tags")),
        prompt=read_prompt(reading, value["prompt"]) if "prompt" in value else None,
        tests=_tests(reading, value["tests"]) if "tests" in value else (),
    )


def _is_null(node: Node) -> bool:
    return isinstance(node, Scalar) and node.value is None


def _as_formula(node: Node) -> str | None:
    if isinstance(node, Scalar) and "~" in node.text and len(node.text) <= 80:
        return f'write {{formula: "{node.text}"}}'
    return None


def _taken(
    formula: Formula, fields: dict[str, FieldSpec], columns: tuple[Column, ...]
) -> list[Column]:
    """The columns that give the formula's names their types."""
    named = {name.value for name in (*formula.outputs, *formula.inputs)}
    typed = {name for name, field in fields.items() if field.type is not None}
    return [
        column
        for column in columns
        if column.name not in typed and (column.name in named or formula.dot is not None)
    ]


def _read_as_text(
    formula: Formula, fields: dict[str, FieldSpec], columns: tuple[Column, ...]
) -> frozenset[str]:
    """The names whose cells in a CSV are texts whatever they look like (`007`, `12`)."""
    types = {column.name: column.type for column in columns}
    types |= {name: field.type for name, field in fields.items() if field.type or name not in types}
    names = [name.value for name in (*formula.outputs, *formula.inputs)]
    found = [name for name in names if name not in types or _is_text(types[name])]
    if len(formula.outputs) == 1 and names[0] in found:
        found.append("result")
    return frozenset(found)


def _is_text(kind: TypeExpr | None) -> bool:
    match kind:
        case None:
            return True
        case Name(name=name):
            return name in ("str", "string", "text", "character")
        case AnnotationOf(node=ast.Name(id="str")):
            return True
        case LiteralOf(values=values):
            return all(isinstance(value, str) for value in values)
        case ChoiceOf(levels=levels):
            return all(isinstance(level.value, str) for level in levels)
    return isinstance(kind, GivenChoice)


def _formula(
    reading: Reading, key: Text, function: Node, entries: dict[str, Entry]
) -> Formula | None:
    sides = [name for name in ("inputs", "outputs") if name in entries]
    if "formula" in entries:
        if sides:
            reading.report(
                "AIG133",
                entries[sides[0]].key.span,
                f"{sides[0]} stands beside a formula",
                "write the formula, or inputs and outputs",
            )
        node = entries["formula"].value
        if reading.word(node, "formula") is None or not isinstance(node, Scalar):
            return None
        return parse_formula(node, reading.diagnostics)
    if len(sides) == 2:
        return _listed(reading, key, entries)
    if not misspelt(function, ("formula", "inputs", "outputs"), FUNCTION):
        reading.report(
            "AIG130",
            key.span,
            f'the function "{key.value}" has no formula',
            "write formula: outputs ~ inputs",
        )
    return None


def _listed(reading: Reading, key: Text, entries: dict[str, Entry]) -> Formula | None:
    names: dict[str, tuple[Text, ...]] = {}
    seen: dict[str, Text] = {}
    for side in ("outputs", "inputs"):
        node = entries[side].value
        if isinstance(node, Mapping):
            written = ", ".join(name for name in node.entries if is_name(name))
            hint = f"write {side}: [{written}], and the types under fields"
            reading.wrong(node, f"{side} is a list of names", hint)
            return None
        names[side] = reading.texts(node, side)
        if not names[side]:
            if isinstance(node, Sequence):
                reading.report("AIG131", node.span, f"{side} is empty", "at least one name")
            return None
        for name in names[side]:
            if not is_name(name.value):
                reading.report("AIG131", name.span, f'"{name.value}" is no ASCII identifier')
                return None
            if name.value in seen:
                reading.report("AIG132", name.span, f'"{name.value}" stands twice')
                return None
            seen[name.value] = name
    return Formula(names["outputs"], names["inputs"], None, key.span)


def _tests(reading: Reading, node: Node) -> tuple[TestSpec, ...]:
    if not isinstance(node, Sequence):
        reading.wrong(node, "tests is a list")
        return ()
    found = []
    for number, item in enumerate(node.items, 1):
        test = _test(reading, item, number)
        if test is not None:
            found.append(test)
    return tuple(found)


def _test(reading: Reading, node: Node, number: int) -> TestSpec | None:
    value = {key: one.value for key, one in reading.mapping(node, "a test", TEST).items()}
    if not isinstance(node, Mapping):
        return None
    if "inputs" not in value:
        if not misspelt(node, ("inputs",), TEST):
            reading.report("AIG122", node.span, "a test has no inputs", "write inputs: {…}")
        return None
    for key in ("inputs", "expect"):
        if key in value and not isinstance(value[key], Mapping):
            reading.wrong(value[key], f"{key} is a mapping of names to values")
            return None
    name = reading.word(value["name"], "name") if "name" in value else None
    return TestSpec(
        name or Text(str(number), node.span),
        reading.data(value["inputs"]),
        reading.data(value["expect"]) if "expect" in value else None,
        reading.callable(value["check"], "check") if "check" in value else None,
        node.span,
    )
