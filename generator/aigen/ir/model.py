"""Modules, functions, tools and named types of the intermediate representation.

Nothing changes one that is made. What there are thousands of is not frozen all the same, for that
doubles the time of making it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from aigen.diagnostics import Span
from aigen.ir.types import Level, Type

Json: TypeAlias = "str | int | float | bool | None | list[Json] | dict[str, Json]"


@dataclass(frozen=True, slots=True)
class Default:
    """What an input or member is when it is left out: a value, or a callable's result.

    `value` is bound already (`aigen.runtime.values.bind`) and in its JSON form; `call` is
    `pkg.mod:func` and excludes a value.
    """

    value: Json = None
    call: str | None = None


@dataclass(slots=True)
class Field:
    """An input, an output, a member of a record or a parameter of a tool.

    Attributes:
        name: as the spec and the model call it.
        optional: it may be left out: it has a default, or is not required.
        default: None where it has none; an optional member without one is absent.
        checks: `pkg.mod:func` texts.
    """

    name: str
    type: Type
    span: Span
    description: str | None = None
    optional: bool = False
    default: Default | None = None
    checks: tuple[str, ...] = ()
    examples: tuple[Json, ...] = ()
    deprecated: str | bool = False


# ---------------------------------------------------------------------------- named types


@dataclass(slots=True)
class Record:
    """A pydantic model.

    Attributes:
        additional: the type of members it does not name; None where it is closed.
        shape: the JSON Schema (compact text) that it must be judged by as well, where its members
            do not say it all; else None.
    """

    name: str
    members: tuple[Field, ...]
    span: Span
    description: str | None = None
    additional: Type | None = None
    shape: str | None = None
    deprecated: str | bool = False


@dataclass(frozen=True, slots=True)
class Enumeration:
    """A `StrEnum` or `IntEnum`."""

    name: str
    levels: tuple[Level, ...]
    span: Span
    description: str | None = None


@dataclass(frozen=True, slots=True)
class Alias:
    """A named type that is neither a record nor an enum, such as a choice."""

    name: str
    type: Type
    span: Span
    description: str | None = None


@dataclass(frozen=True, slots=True)
class External:
    """A type of the user's own, imported by the generated module.

    Attributes:
        target: `pkg.mod:Class`.
        kind: what it is; a named tuple's canonical form is the object.
        members: of a record-like type, in order; empty for an enum.
        levels: of an enum, its values.
        closed: whether it refuses members it does not name.
    """

    name: str
    target: str
    kind: Literal["model", "dataclass", "typed_dict", "named_tuple", "enum"]
    span: Span
    members: tuple[Field, ...] = ()
    levels: tuple[Level, ...] = ()
    description: str | None = None
    closed: bool = False


TypeDef: TypeAlias = Record | Enumeration | Alias | External


# ------------------------------------------------------------------------------ functions


@dataclass(frozen=True, slots=True)
class Answer:
    """What a function returns.

    Attributes:
        type: of the one output, or a `Ref` to the model of several.
        model: the name of that model in this module (also among `Module.types`), or None.
    """

    type: Type
    model: str | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """A predicate over an output (`field`), or over inputs and outputs (`field` None)."""

    target: str
    field: str | None = None


@dataclass(frozen=True, slots=True)
class Test:
    """One of a function's own tests, for `aigen test`."""

    name: str
    inputs: Mapping[str, Json]
    expect: Mapping[str, Json]
    check: str | None
    span: Span


@dataclass(slots=True)
class Function:
    """An AI function.

    Attributes:
        name: the key, and the Python name where it can be one.
        model_name: what the model reads as the function's name.
        inputs, outputs: in the interface's order; the one output of a one-output function is
            named `result` here, and `output_name` is the formula's name.
        given: parameters that give a choice its levels at run time, in order.
        settings: the function's own, laid over its file's.
        demos: each bound, by field name (`result` for the one output).
        tools: dotted names inside the package, such as `support.lookup_order`.
        prompt: messages as `aigen.runtime.definition` documents them, or None.
    """

    name: str
    model_name: str
    inputs: tuple[Field, ...]
    outputs: tuple[Field, ...]
    output_name: str | None
    answer: Answer
    span: Span
    description: str | None = None
    instructions: str | None = None
    defined_in: str | None = None
    given: tuple[str, ...] = ()
    settings: Mapping[str, Json] = field(default_factory=dict)
    demos: tuple[Mapping[str, Json], ...] = ()
    tools: tuple[str, ...] = ()
    prompt: tuple[Json, ...] | None = None
    checks: tuple[Check, ...] = ()
    tests: tuple[Test, ...] = ()
    tags: tuple[str, ...] = ()
    deprecated: str | bool = False


@dataclass(frozen=True, slots=True)
class Tool:
    """A capability that a model can use.

    Attributes:
        key: the entry's key, and the Python name where it can be one.
        name: what the model calls.
        python, execute: `pkg.mod:func`, at most one of them; neither: declared only.
        parameters: in order; `shape` (compact JSON Schema) instead where one was written.
        parameters_call: `pkg.mod:func` that gives the parameters at run time.
        passing: how the implementation takes a parameter, where not by its name: `position`,
            `rest` (`*x`), `others` (`**x`).
        context: parameters of the implementation that take the `ToolContext`.
        bound: whether the implementation is a method that needs an object.
        options: the other keys of the format's table, as data, only those written.
    """

    key: str
    name: str
    span: Span
    description: str | None = None
    python: str | None = None
    execute: str | None = None
    parameters: tuple[Field, ...] = ()
    shape: str | None = None
    parameters_call: str | None = None
    returns: Field | None = None
    passing: Mapping[str, str] = field(default_factory=dict)
    context: tuple[str, ...] = ()
    bound: bool = False
    options: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Module:
    """One generated module.

    Attributes:
        name: dotted inside the output package.
        path: of its spec, relative to the project's root, with `/` (it stands in the marker); its
            last parts, one for each of the name's, are the path from the spec root.
        types: every named type, also those written in place and the answers, in order of use
            (a type stands after those it needs, as far as recursion allows).
        callables: every `pkg.mod:name` that the spec names, sorted, for `aigen diff`.
        needs: modules that a type, tool or function is named of, sorted; also such as cannot be
            read.
        imported: Python modules that were looked up for it, dotted and sorted, found or not.
    """

    name: str
    path: str
    description: str | None = None
    types: tuple[TypeDef, ...] = ()
    functions: tuple[Function, ...] = ()
    tools: tuple[Tool, ...] = ()
    callables: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    imported: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Program:
    """All modules of a build, by name, and a way to a definition."""

    modules: Mapping[str, Module]
    definitions: Mapping[tuple[str, str], TypeDef]
