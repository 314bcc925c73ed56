"""What commands that take a function's or tool's name share."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final

import click

from aigen.cli import FINDINGS
from aigen.cli.at_hand import SpecFunction, find_callables
from aigen.cli.printing import print_findings
from aigen.diagnostics import Diagnostics, nearest
from aigen.ir import Function, Module, Program, Tool
from aigen.project import Project
from aigen.runtime.definition import Definition
from aigen.runtime.errors import AigenError, InterfaceInputError
from aigen.runtime.values import fits
from aigen.spec.source import LARGEST_FILE, load, read


def loaded(specs: tuple[Path, ...] = ()) -> tuple[Project, Program]:
    """The project here, and its program; the command ends where the specs have errors."""
    project = Project.load(Path.cwd(), named=specs)
    found, _ = project.specs()
    program, _ = project.program(found)
    if project.diagnostics.failed:
        print_findings(project)
        raise click.exceptions.Exit(FINDINGS)
    return project, program


def _callables(program: Program, *, tools: bool) -> dict[str, tuple[Module, Function | Tool]]:
    """The functions, and tools, by `module.name`."""
    known: dict[str, tuple[Module, Function | Tool]] = {}
    for module in program.modules.values():
        for function in module.functions:
            known[f"{module.name}.{function.name}"] = (module, function)
        for tool in module.tools if tools else ():
            known[f"{module.name}.{tool.key}"] = (module, tool)
    return known


def find(program: Program, name: str, *, tools: bool = False) -> tuple[Module, Function | Tool]:
    """A function, or tool, by its name or `module.name`.

    Raises:
        click.UsageError: there is none, or several; the message names them.
    """
    known = _callables(program, tools=tools)
    matching = [full for full in known if full == name or full.endswith(f".{name}")]
    if len(matching) == 1:
        return known[matching[0]]
    what = "function or tool" if tools else "function"
    if matching:
        raise click.UsageError(f"{name} is one of several: {', '.join(sorted(matching))}")
    if not tools and any(
        tool.key == name or f"{module.name}.{tool.key}" == name
        for module in program.modules.values()
        for tool in module.tools
    ):
        raise click.UsageError(f"{name} is a tool, not a function; aigen schema {name} shows it")
    short = {full.rpartition(".")[2] for full in known}
    close = nearest(name, [*known, *short])
    hint = f'; did you mean "{close}"?' if close else ""
    raise click.UsageError(f'there is no {what} "{name}"{hint}')


def completed_names(
    *, tools: bool = False
) -> Callable[[click.Context, click.Parameter, str], list[str]]:
    """What gives a shell the functions of the specs, and tools; none where they have errors."""

    def given(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
        try:
            project = Project.load(Path.cwd())
            every = _callables(project.program(project.specs()[0])[0], tools=tools)
        except Exception:  # nobody reads what is wrong while a word is typed
            return []
        short = {full.rpartition(".")[2] for full in every}
        return sorted(name for name in {*every, *short} if name.startswith(incomplete))

    return given


def callable_function(
    project: Project, program: Program, name: str
) -> tuple[SpecFunction, Definition]:
    """A function of the specs as the runtime calls it; its answer is plain JSON."""
    module, function = find(program, name)
    assert isinstance(function, Function)
    find_callables(project)
    found = SpecFunction(project, program, module, function)
    return found, found.definition


_ODD: Final = [{"": [None]}]
"""Taken by shapes that take any JSON."""


@contextmanager
def refusals() -> Iterator[None]:
    """Ends the command where a call is refused: wrong use if by its inputs, else with findings."""
    try:
        yield
    except InterfaceInputError as problem:
        raise click.UsageError(problem.message) from None
    except AigenError as problem:
        click.echo(f"aigen: {problem.message}", err=True)
        raise click.exceptions.Exit(FINDINGS) from None


def arguments(definition: Definition, pairs: tuple[str, ...]) -> dict[str, Any]:
    """`key=value` pairs as inputs.

    A value is text where the input takes that text, else JSON; `key=@file` reads a file, `key=@-`
    standard input, and `@@` begins a text with `@`. An image, a recording or a file is its path.

    Raises:
        click.UsageError: a pair without `=`, an input that is unknown or given twice, standard
            input for two, or a file that cannot be read.
    """
    found: dict[str, Any] = {}
    shapes = {field["name"]: field["shape"] for field in definition["inputs"]}
    known = [*shapes, *definition.get("given", ())]
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise click.UsageError(f'"{pair}" is no input: write key=value')
        if key not in known:
            close = nearest(key, known)
            hint = f'did you mean "{close}"?' if close else f"it takes {', '.join(known)}"
            raise click.UsageError(f'{definition["name"]} has no input "{key}"; {hint}')
        if key in found:
            raise click.UsageError(f'the input "{key}" is given twice')
        if value == "@-" and sum(each.partition("=")[2] == "@-" for each in pairs) > 1:
            raise click.UsageError("standard input is read once, so @- stands at one input alone")
        shape = shapes.get(key)
        if isinstance(shape, Mapping) and "x-aigen-media" in shape:
            found[key] = value.removeprefix("@")  # a path, or a URL
            continue
        found[key] = _value(_text(key, value), shape, definition.get("$defs", {}))
    return found


def _text(key: str, value: str) -> str:
    if value.startswith("@@"):
        return value[1:]
    return _content(key, value[1:]) if value.startswith("@") else value


def _content(key: str, name: str) -> str:
    if not name:
        raise click.UsageError(f"{key}=@ names no file: write {key}=@FILE")
    found = Diagnostics()
    if name == "-":
        source = read(standard_input(f"{key}=@-"), "standard input", found, limit=LARGEST_FILE)
    else:
        source = load(Path(name), name, found, limit=LARGEST_FILE)
    if source is None:
        (problem,) = found
        hint = "; a text that begins with @ is written @@" if problem.code == "AIG101" else ""
        raise click.UsageError(f"{key}=@{name}: {problem.message}{hint}")
    return source.text


def standard_input(asker: str) -> BinaryIO:
    """Standard input, as bytes.

    Raises:
        click.UsageError: it is closed; the message begins with what wants to read it.
    """
    if sys.stdin is None:
        raise click.UsageError(f"{asker}: standard input is closed")
    return sys.stdin.buffer


def _value(text: str, shape: Any, defs: Mapping[str, Any]) -> Any:
    """What a text on the command line means for a shape; None as a shape is an unknown input's.

    JSON goes before text where the shape takes any JSON, and for the null that it takes.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return text
    if shape is None or fits(_ODD if data is not None else None, shape, defs) is None:
        return data
    return text if fits(text, shape, defs) is None else data
