"""AI functions: the codebook under the formula, the answer, and all that is said with them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from aigen.diagnostics import Span, nearest
from aigen.ir import Answer, Field, Function, Record, Ref
from aigen.ir.model import Check, Json
from aigen.resolve.demos import demos, tests
from aigen.resolve.home import Home
from aigen.resolve.names import camel, class_key, value_key
from aigen.resolve.prompts import prompt
from aigen.resolve.settings import merged, resolve_settings
from aigen.spec.tree import AnnotationOf, Column, FieldSpec, FunctionSpec, Text

_DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")


@dataclass(frozen=True, slots=True)
class Draft:
    """A function whose types are known and whose values are not bound yet."""

    spec: FunctionSpec
    inputs: tuple[tuple[Field, FieldSpec], ...]
    outputs: tuple[tuple[Field, FieldSpec], ...]
    given: tuple[str, ...]
    answer: Answer


def declare(home: Home, specs: Sequence[FunctionSpec]) -> None:
    """Takes the functions' names, and those of their answers."""
    for spec in specs:
        name, span = spec.key
        home.declared.add(value_key(name), span, f"function {name}")
    for spec in specs:
        if len(spec.formula.outputs) > 1:
            name, span = spec.answer or spec.key
            model = name if spec.answer else camel(name)
            what = f"answer {model} of {spec.key.value}"
            home.declared.add(
                class_key(model), span, what, hint="name the answer otherwise: `answer: …`"
            )


def draft(home: Home, spec: FunctionSpec) -> Draft:
    """Resolves a function's fields; types written in place become types of the module."""
    types = home.types
    types.given = {}
    types.media = True
    inputs = _inputs(home, spec)
    types.media = False
    outputs = [
        (home.types.draft(field, camel(spec.key.value)), field)
        for field in _of(home, spec, spec.formula.outputs)
    ]
    given, types.given = types.given, None
    _check_names(home, spec, [field.name for field, _ in inputs], given)
    return Draft(spec, tuple(inputs), tuple(outputs), tuple(given), _answer(home, spec, outputs))


# ------------------------------------------------------------------------------ fields


def _inputs(home: Home, spec: FunctionSpec) -> list[tuple[Field, FieldSpec]]:
    owner = camel(spec.key.value)
    names = [*spec.formula.inputs, *_dotted(home, spec)]
    found = []
    for field in _of(home, spec, names):
        computed = isinstance(field.type, AnnotationOf) and field.type.default is not None
        field = home.types.default_of(field)
        drafted = home.types.draft(field, owner)
        if computed and not field.required:
            drafted = replace(drafted, optional=True)
        if field.required is False and field.default is None:
            home.diagnostics.report(
                "AIG305",
                field.span,
                f"input {field.name.value} is optional by having a default",
                hint="write default: …",
            )
        if field.checks:
            home.diagnostics.report(
                "AIG316",
                field.checks[0].span,
                f"check stands on an output or a function, and {field.name.value} is an input",
                hint="move it to the function, which is given inputs and outputs",
            )
        found.append((drafted, field))
    return found


def _dotted(home: Home, spec: FunctionSpec) -> list[Text]:
    """The names that `.` stands for: every column that the formula does not name."""
    dot = spec.formula.dot
    if dot is None:
        return []
    if spec.columns is None:
        home.diagnostics.report(
            "AIG302", dot, ". is every other column, and there is no data", hint="write data: …"
        )
        return []
    named = {name.value for name in (*spec.formula.outputs, *spec.formula.inputs)}
    found = []
    for column in spec.columns:
        if column.name in named:
            continue
        if not (column.name.isascii() and column.name.isidentifier()):
            home.diagnostics.report(
                "AIG302",
                dot,
                f"column {column.name!r} cannot be an input's name",
                hint="name the inputs instead of writing .",
            )
            continue
        found.append(Text(column.name, dot))
    return found


def _of(home: Home, spec: FunctionSpec, names: Sequence[Text]) -> list[FieldSpec]:
    """The codebook's entries of these names, typed by the table's columns where they are not."""
    columns = {column.name: column for column in spec.columns or ()}
    found = []
    for name in names:
        field = spec.fields.get(name.value) or FieldSpec(name, name.span)
        column = columns.get(name.value)
        if field.type is None and column is not None:
            field = _typed(home, field, column)
        found.append(field)
    return found


def _typed(home: Home, field: FieldSpec, column: Column) -> FieldSpec:
    if column.problem is not None:
        home.diagnostics.report(
            "AIG220",
            field.span,
            f"column {column.name}: {column.problem}",
            hint=f"write {field.name.value}: {{choice: […]}} under fields",
        )
        return field
    return replace(field, type=column.type, optional=field.optional or column.nullable)


def _check_names(
    home: Home, spec: FunctionSpec, inputs: Sequence[str], given: Mapping[str, Span]
) -> None:
    report = home.diagnostics.report
    outputs = [name.value for name in spec.formula.outputs]
    known = {*inputs, *outputs}
    for name, field in spec.fields.items():
        if name not in known:
            close = nearest(name, [*outputs, *inputs])
            hint = f"did you mean {close}?" if close else "add it to the formula"
            report("AIG301", field.name.span, f"{name} is not in the formula", hint=hint)
    for text in spec.formula.inputs:
        if text.value == "result" and len(outputs) == 1:
            report(
                "AIG303",
                text.span,
                "an input called result cannot stand beside one output, which is called so",
                hint="rename the input",
            )
    for parameter, span in given.items():
        if not (parameter.isascii() and parameter.isidentifier()):
            report("AIG315", span, f"{parameter!r} is no parameter's name", hint="use letters")
        elif parameter in inputs:
            report(
                "AIG315",
                span,
                f"{parameter} is an input already",
                hint=f"take {parameter} out of the formula, the call takes it all the same; "
                "or give the levels another name",
            )


def _answer(home: Home, spec: FunctionSpec, outputs: Sequence[tuple[Field, FieldSpec]]) -> Answer:
    for _, field in outputs:
        if field.default is not None or field.required is False:
            place = field.default.span if field.default is not None else field.span
            home.diagnostics.report(
                "AIG305",
                place,
                f"output {field.name.value} is always answered: "
                f"{'it has no default' if field.default is not None else 'it is required'}",
                hint="let it be null: write its type | None",
            )
    if len(outputs) == 1:
        if spec.answer is not None:
            home.diagnostics.report(
                "AIG314",
                spec.answer.span,
                "answer names the model of several outputs, and there is one",
                hint="leave it out; a record written in place takes name:",
            )
        return Answer(outputs[0][0].type)
    model = spec.answer.value if spec.answer else camel(spec.key.value)
    return Answer(Ref(home.module, model), model)


# ---------------------------------------------------------------------------- the rest


def finish(home: Home, made: Draft) -> Function:
    """Binds a function's values and resolves all that it names."""
    spec = made.spec
    inputs = tuple([home.binding.field(field, written) for field, written in made.inputs])
    outputs = tuple([_output(home, field, written) for field, written in made.outputs])
    if made.answer.model is not None:
        home.define(Record(made.answer.model, outputs, spec.span))
    single = len(outputs) == 1
    output_name = outputs[0].name if single else None
    if single:
        outputs = (replace(outputs[0], name="result"),)
    settings = _settings(home, spec, (*inputs, *outputs), output_name)
    _check_texts(home, spec)
    return Function(
        name=spec.key.value,
        model_name=spec.name.value if spec.name else spec.key.value,
        inputs=inputs,
        outputs=outputs,
        output_name=output_name,
        answer=made.answer,
        span=spec.span,
        description=spec.description.value if spec.description else None,
        instructions=spec.instructions.value if spec.instructions else None,
        defined_in=spec.defined_in.value if spec.defined_in else None,
        given=made.given,
        settings=settings,
        demos=demos(home, spec, inputs, outputs, output_name) if spec.demos else (),
        tools=_tools(home, spec) if spec.tools else (),
        prompt=prompt(home, spec, inputs),
        checks=tuple(
            Check(check.value)
            for check in spec.checks
            if home.callables.check_called(check, "a check")
        ),
        tests=tests(home, spec, inputs, outputs, output_name, made.given) if spec.tests else (),
        tags=spec.tags,
        deprecated=spec.deprecated,
    )


def _output(home: Home, field: Field, written: FieldSpec) -> Field:
    checks = tuple(
        [check.value for check in written.checks if home.callables.check_called(check, "a check")]
    )
    examples: tuple[Json, ...] = ()
    if written.examples:
        examples = home.binding.field(field, replace(written, default=None)).examples
    if not checks and not examples and not field.optional:
        return field
    return replace(field, checks=checks, examples=examples, optional=False)


def _settings(
    home: Home, spec: FunctionSpec, fields: Sequence[Field], output_name: str | None
) -> Mapping[str, Json]:
    if not spec.settings:
        settings = home.settings
    else:
        names = [field.name for field in fields]
        own = resolve_settings(spec.settings, home.callables, home.diagnostics, names, output_name)
        settings = merged(home.settings, own)
    cot = settings.get("reasoning", home.configured.get("reasoning"))
    if cot == "cot":
        for text in spec.formula.outputs:
            if text.value == "reasoning":
                home.diagnostics.report(
                    "AIG304",
                    text.span,
                    "an output called reasoning cannot stand beside reasoning: cot",
                    hint="rename the output, or leave cot out",
                )
    return settings


def _check_texts(home: Home, spec: FunctionSpec) -> None:
    if spec.name is not None and (not spec.name.value.strip() or "\n" in spec.name.value):
        home.diagnostics.report(
            "AIG317", spec.name.span, "a function's name is one line", hint="write a short name"
        )
    if spec.defined_in is not None and not _DOTTED.fullmatch(spec.defined_in.value):
        home.diagnostics.report(
            "AIG317",
            spec.defined_in.span,
            f"{spec.defined_in.value!r} is no module's name",
            hint="write it dotted: shop.support",
        )


def _tools(home: Home, spec: FunctionSpec) -> tuple[str, ...]:
    found: dict[str, Span] = {}
    for text in spec.tools:
        target = home.scope.callable_named(text.value, home.module)
        if target is None and home.scope.is_unread(text.value, home.module):
            continue
        if target is None:
            close = home.scope.callable_meant(text.value, home.module)
            home.diagnostics.report(
                "AIG306",
                text.span,
                f"no tool or function is called {text.value}",
                hint=f"did you mean {close}?" if close else "declare it under tools",
            )
        elif target == f"{home.module}.{spec.key.value}":
            home.diagnostics.report(
                "AIG318", text.span, f"{text.value} cannot be a tool of itself", hint="leave it out"
            )
        elif target in found:
            home.diagnostics.report(
                "AIG318",
                text.span,
                f"{text.value} stands twice",
                hint="leave one out",
                related=[(found[target], "first here")],
            )
        else:
            found[target] = text.span
    return tuple(found)
