"""A spec file as written: its functions, tools and types, names not yet resolved.

The readers make it from YAML, JSON and Python; `aigen.resolve` turns the trees of all files into
the intermediate representation. Nothing here has been looked up: a type is an expression over
names, a default is a node with its place.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, TypeAlias

from aigen.diagnostics import Source, Span
from aigen.spec.nodes import Json, Node


class Text(NamedTuple):
    """A word or words, and where they stand. `$file` is already read."""

    value: str
    span: Span


# ---------------------------------------------------------------------------------- types


class Name(NamedTuple):
    """A bare name of a type: `str`, `numeric`, `Order`, `shop.refunds.Order`.

    `alone` is true where it is all that a field says, so that it may have been meant as words.
    """

    name: str
    span: Span
    alone: bool = False


class Apply(NamedTuple):
    """A name with arguments: `list[T]`, `tuple[A, ...]`, `dict[str, T]`, `Optional[T]`.

    `vector T` is read as `list[T]`. `variadic` is true for `tuple[T, ...]`.
    """

    name: str
    args: tuple[TypeExpr, ...]
    span: Span
    variadic: bool = False


class UnionOf(NamedTuple):
    """`A | B`, `Union[A, B]`; `None` in it is the name `None`."""

    options: tuple[TypeExpr, ...]
    span: Span


class LiteralOf(NamedTuple):
    """`Literal["a", 1]`: texts, integers, truth values or None."""

    values: tuple[str | int | bool | None, ...]
    span: Span


class Level(NamedTuple):
    """One answer of a choice, with its meaning where it has one."""

    value: str | int
    meaning: str | None
    span: Span


class ChoiceOf(NamedTuple):
    """`choice: […]`; with `enum: true` it becomes an Enum class."""

    levels: tuple[Level, ...]
    enum: bool
    span: Span


class GivenChoice(NamedTuple):
    """`{choice: {$given: categories}}`: levels that the call gives."""

    parameter: Text
    span: Span


class RecordOf(NamedTuple):
    """`record: {member: field, …}` written in place or under `types`."""

    members: tuple[FieldSpec, ...]
    span: Span


class ListOf(NamedTuple):
    """`list: field`: a list whose items have words or constraints of their own."""

    item: FieldSpec
    span: Span


class ShapeOf(NamedTuple):
    """`json_shape: {…}`: a JSON Schema as written."""

    schema: Node
    span: Span


class PythonType(NamedTuple):
    """`python: pkg.mod:Class`: a type of the user's own, read statically."""

    target: Text
    span: Span


class AnnotationOf(NamedTuple):
    """An annotation of a Python spec, which means what it does in its module.

    Attributes:
        node: the annotation.
        module: what `SpecFile.python` calls the module.
        span: of the annotation.
        words: a comment or docstring, which `Annotated` wins over.
        shown: the annotation as it is written, for messages.
        default: of a parameter, where it is no literal; `default_span` is its place.
    """

    node: ast.expr
    module: str
    span: Span
    shown: str
    words: str | None = None
    default: ast.expr | None = None
    default_span: Span | None = None


TypeExpr: TypeAlias = (
    Name
    | Apply
    | UnionOf
    | LiteralOf
    | ChoiceOf
    | GivenChoice
    | RecordOf
    | ListOf
    | ShapeOf
    | PythonType
    | AnnotationOf
)


# --------------------------------------------------------------------------------- fields


class Call(NamedTuple):
    """`{$call: pkg.mod:func}`: a zero-argument callable, called when the input is left out."""

    target: Text
    span: Span


# Not frozen, for that doubles the time of making one; yet nothing changes it.
@dataclass(slots=True)
class FieldSpec:
    """A field of a function, member of a record, parameter of a tool, or type under `types`.

    Attributes:
        name: as written, with its place (of the formula where the field has no entry).
        type: None where none is written: text, or a column's type where the function has `data`.
        default: None where none is written; `default: null` is a node.
        required: as written; None where it is not.
        optional: `optional: true`, that is, `T | None`.
        type_name: `name:`, for a record or enum written in place.
        constraints: `ge gt le lt multiple_of min_length max_length pattern`, by key.
        checks: `pkg.mod:func` texts.
        span: the whole entry.
    """

    name: Text
    span: Span
    type: TypeExpr | None = None
    description: Text | None = None
    default: Node | Call | None = None
    required: bool | None = None
    optional: bool = False
    type_name: Text | None = None
    examples: tuple[Node, ...] = ()
    constraints: dict[str, Node] = field(default_factory=dict)
    checks: tuple[Text, ...] = ()
    deprecated: str | bool = False


class Setting(NamedTuple):
    """One entry of `settings`."""

    name: Text
    value: Node


# ------------------------------------------------------------------------------ functions


class Formula(NamedTuple):
    """`outputs ~ inputs`. `dot` is the place of a `.` on the right, where there is one."""

    outputs: tuple[Text, ...]
    inputs: tuple[Text, ...]
    dot: Span | None
    span: Span


class PromptRead(NamedTuple):
    """What a prompt reads: an input and steps into it, with the place of its name.

    A step is a member's name; None is an item of what a loop goes over.
    """

    root: str
    steps: tuple[str | None, ...]
    span: Span


class PromptMessage(NamedTuple):
    """One message of a function's own prompt.

    `role` is `system`, `user`, `assistant` or `demos` (which has no body). `body` is the text
    lowered to segments, in the form that `aigen.runtime.definition.Segment` documents; `reads`
    is what it reads, each once and every shorter path of it too.
    """

    role: Literal["system", "user", "assistant", "demos"]
    body: tuple[Json, ...]
    reads: tuple[PromptRead, ...]
    span: Span


class TestSpec(NamedTuple):
    """One entry of a function's `tests`, for `aigen test`."""

    name: Text
    inputs: Node
    expect: Node | None
    check: Text | None
    span: Span


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a function's `data`.

    `type` is None where levels are not known; `problem` then says so, and what to write. `sampled`
    is how many rows the type comes from, where nothing but cells says it.
    """

    name: str
    type: TypeExpr | None
    nullable: bool
    problem: str | None = None
    sampled: int | None = None


@dataclass(slots=True)
class FunctionSpec:
    """A function as written.

    Attributes:
        columns: of `data`, in the table's order; None where the function has none.
        demos: their rows, each a mapping node (from the list or the file that is named).
        tools: names of tools and functions.
        span: the whole entry.
    """

    key: Text
    span: Span
    formula: Formula
    fields: dict[str, FieldSpec]
    description: Text | None = None
    settings: tuple[Setting, ...] = ()
    name: Text | None = None
    answer: Text | None = None
    defined_in: Text | None = None
    instructions: Text | None = None
    columns: tuple[Column, ...] | None = None
    demos: tuple[Node, ...] = ()
    tools: tuple[Text, ...] = ()
    checks: tuple[Text, ...] = ()
    deprecated: str | bool = False
    tags: tuple[str, ...] = ()
    prompt: tuple[PromptMessage, ...] | None = None
    tests: tuple[TestSpec, ...] = ()


# ---------------------------------------------------------------------------------- tools


class ArgumentDocs(NamedTuple):
    """What `docs` says of an argument.

    Attributes:
        field: the same as a field; of `match.arg`, a choice with the first level its default.
        type: in the words of documentation, as plain data; None where none is said.
        default: as plain data.
    """

    field: FieldSpec
    type: Json
    default: Json


class DocsSpec(NamedTuple):
    """`docs`: documentation laid over what a tool's source says."""

    name: Text | None = None
    description: Text | None = None
    arguments: tuple[ArgumentDocs, ...] = ()
    returns: Text | None = None


NO_DOCS: Final = DocsSpec()


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as written.

    `options` holds every key of the format's table that is not a field of its own here, by key,
    as nodes whose kind the reader has checked.
    """

    key: Text
    span: Span
    name: Text | None = None
    description: Text | None = None
    python: Text | None = None
    execute: Text | None = None
    parameters: tuple[FieldSpec, ...] | ShapeOf | Call | None = None
    returns: FieldSpec | None = None
    docs: DocsSpec = NO_DOCS
    options: dict[str, Node] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SpecFile:
    """One spec file, read.

    Attributes:
        path: relative to the project's root, with `/`.
        module: dotted name inside the output package, such as `shop.refunds`.
        reads: further files that it depends on (`$file`, `data`, demos; of a Python spec the
            modules that it imports), as absolute paths.
        python: of a Python spec: the module's dotted name, or the path where nothing can import it.
        unread: functions and tools that are there and could not be read; findings say why.
    """

    path: str
    module: str
    source: Source
    description: Text | None = None
    settings: tuple[Setting, ...] = ()
    types: tuple[FieldSpec, ...] = ()
    functions: tuple[FunctionSpec, ...] = ()
    tools: tuple[ToolSpec, ...] = ()
    reads: tuple[str, ...] = ()
    python: str | None = None
    unread: frozenset[str] = frozenset()
