"""Makes tools of the functions of `tricky.py` with one package, and says what is wrong with them.

`python extracting.py package` prints JSON: the milliseconds of processor that the two timed
functions take, in modules that were never read and again, and of each tricky one what is wrong,
empty where it is right. The package is warm: it has read other functions before.
"""

from __future__ import annotations

import ast
import json
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
warnings.simplefilter("ignore")

Made = dict[str, Any]
"""`description` and `parameters` of a tool, a JSON Schema."""


def pydantic_ai() -> Callable[[Any], Made]:
    from pydantic_ai import Tool

    def made(func: Any) -> Made:
        tool = Tool(func).tool_def
        return {"description": tool.description, "parameters": tool.parameters_json_schema}

    return made


def openai_agents() -> Callable[[Any], Made]:
    from agents.function_schema import function_schema

    def made(func: Any) -> Made:
        # Its strict form requires everything.
        found = function_schema(func, strict_json_schema=False)
        return {"description": found.description, "parameters": found.params_json_schema}

    return made


def fastmcp() -> Callable[[Any], Made]:
    from fastmcp.tools import Tool

    def made(func: Any) -> Made:
        tool = Tool.from_function(func)
        return {"description": tool.description, "parameters": tool.parameters}

    return made


def langchain() -> Callable[[Any], Made]:
    import inspect

    from langchain_core.tools import StructuredTool
    from langchain_core.utils.function_calling import convert_to_openai_tool

    def made(func: Any) -> Made:
        given = {"coroutine" if inspect.iscoroutinefunction(func) else "func": func}
        tool = StructuredTool.from_function(
            **given, parse_docstring=True, error_on_invalid_docstring=False
        )
        found: Made = convert_to_openai_tool(tool)["function"]
        return found

    return made


def fastcore() -> Callable[[Any], Made]:
    from fastcore.funccall import get_schema

    def made(func: Any) -> Made:
        found = get_schema(func)
        return {"description": found["description"], "parameters": found["input_schema"]}

    return made


def toolschema() -> Callable[[Any], Made]:
    from toolschema import schema

    def made(func: Any) -> Made:
        found = schema(func)
        return {"description": found.description, "parameters": found.parameters}

    return made


def aigen_tooling() -> Callable[[Any], Made]:
    from aigen.tooling import function_schema

    def made(func: Any) -> Made:
        found: Made = function_schema(func)["function"]
        return found

    return made


def aigen() -> Callable[[Any], Made]:
    """What a build reads: the source alone, anew each time."""
    return lambda func: _read(Path(__file__).parent, "tricky", func.__name__)[0]


def _read(folder: Path, module: str, *names: str) -> list[Made]:
    """Functions as tools, read of a module's source as a build reads them."""
    from aigen.diagnostics import Diagnostics, Source
    from aigen.emit.definition import define_tool
    from aigen.resolve import ResolveContext, resolve
    from aigen.runtime.dialects.form import input_schema
    from aigen.spec.document import read_source

    tools = {name: {"python": f"{module}:{name}"} for name in names}
    source = Source("spec", json.dumps({"aigen": 1, "tools": tools}))
    found = Diagnostics()
    file = read_source(source, folder / "spec.json", folder, "spec", found)
    program = resolve(
        [file] if file is not None else [], ResolveContext((folder,), (module,), {}), found
    )
    spec = program.modules["spec"]
    made = []
    for tool in spec.tools:
        definition = define_tool(tool, spec, program)
        parameters = {**input_schema(definition), "$defs": definition.get("$defs", {})}
        made.append({"description": definition["description"], "parameters": parameters})
    return made


PACKAGES = {
    "aigen": aigen,
    "aigen.tooling": aigen_tooling,
    "pydantic-ai": pydantic_ai,
    "openai-agents": openai_agents,
    "fastmcp": fastmcp,
    "langchain": langchain,
    "fastcore": fastcore,
    "toolschema": toolschema,
}


# --------------------------------------------------------------------------------- judging


def faults(made: Made, wanted: dict[str, Any]) -> list[str]:
    """What a tool does not say, or says otherwise."""
    schema = made["parameters"]
    found: list[str] = []
    words = " ".join((made.get("description") or "").split())
    if wanted.get("description", "") not in words:
        found.append(f"description: {words}")
    if set(schema.get("required", ())) != wanted["required"]:
        found.append(f"required: {sorted(schema.get('required', ()))}")
    parameters = {name: each for name, each in wanted.items() if isinstance(each, dict)}
    if set(schema.get("properties", {})) != set(parameters):
        return [*found, f"parameters: {sorted(schema.get('properties', {}))}"]
    for name, each in parameters.items():
        given = schema["properties"][name]
        found += [f"{name}: {fault}" for fault in _faults(given, each, schema)]
    return found


def _faults(given: Any, wanted: dict[str, Any], schema: Made) -> list[str]:
    branches = _branches(given, schema)
    found = []
    for key, value in wanted.items():
        if key == "types":
            types = {kind for each in branches for kind in _kinds(each)}
            fine = types == value
        elif key == "description":
            said = [each.get("description", "") for each in [given, *branches]]
            fine = value.rstrip(".") in [" ".join(each.split()).rstrip(".") for each in said]
        elif key == "items":
            items = [each["items"] for each in branches if "items" in each]
            fine = bool(items) and not _faults(items[0], value, schema)
        elif key == "properties":
            fine = any(set(each.get("properties", ())) == value for each in branches)
        else:
            fine = any(each.get(key) == value for each in [given, *branches])
        if not fine:
            found.append(f"{key} is not {value}")
    return found


def _branches(given: Any, schema: Made) -> list[Any]:
    """The schemas of which one holds, with references followed."""
    if not isinstance(given, dict):
        return [{}]
    if "$ref" in given:
        inner: Any = schema
        for step in given["$ref"].removeprefix("#/").split("/"):
            inner = inner.get(step, {})
        return _branches(inner, schema)
    for word in ("anyOf", "oneOf", "allOf"):
        if word in given:
            return [inner for each in given[word] for inner in _branches(each, schema)]
    return [given]


def _kinds(schema: Any) -> set[str]:
    kinds = schema.get("type", [])
    if kinds:
        return {kinds} if isinstance(kinds, str) else set(kinds)
    texts = schema.get("enum") and all(isinstance(each, str) for each in schema["enum"])
    return {"string"} if texts else {"anything"}


# --------------------------------------------------------------------------------- measuring


COPIES = 15


def milliseconds(reads: list[Callable[[], Any]], repeats: int = 40) -> list[float]:
    """The median processor time of first readings, each of another module, and of later ones."""
    first = [_taken(read) for read in reads]
    again = [_taken(reads[0]) for _ in range(repeats)]
    return [statistics.median(first), statistics.median(again)]


def _taken(read: Callable[[], Any]) -> float:
    began = time.process_time_ns()
    read()
    return (time.process_time_ns() - began) / 1e6


def copied(folder: Path, func: str, count: int) -> list[tuple[str, list[str]]]:
    """Modules that have a timed function so many times, and the names of it in each."""
    text = Path(__file__).with_name("tricky.py").read_text(encoding="utf-8")
    body = ast.parse(text).body
    imports = [ast.unparse(each) for each in body if isinstance(each, ast.Import | ast.ImportFrom)]
    node = next(each for each in body if isinstance(each, ast.FunctionDef) and each.name == func)
    source = "\n".join(text.split("\n")[node.lineno - 1 : node.end_lineno])
    names = [f"{func}_{number}" for number in range(count)]
    functions = [source.replace(f"def {func}(", f"def {each}(") for each in names]
    modules = [f"{func}_of_{count}_{number}" for number in range(COPIES)]
    for module in modules:
        lines = "\n\n".join([*imports, *functions])
        (folder / f"{module}.py").write_text(lines, encoding="utf-8")
    return [(module, names) for module in modules]


def times(made: Callable[[Any], Made]) -> dict[str, list[float]]:
    """Of a package that reads functions of a program that runs."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        sys.path.insert(0, folder)
        for func in ("simple", "timed"):
            modules = [(import_module(name), own) for name, (own,) in copied(Path(folder), func, 1)]
            reads = [partial(made, getattr(module, own)) for module, own in modules]
            found[func] = milliseconds(reads)
    return found


def times_of_source() -> dict[str, list[float]]:
    """Of a build: a module of one function, and a function's share of a module of fifty."""
    from aigen.project import without_collection

    found = {}
    with without_collection(), tempfile.TemporaryDirectory() as folder:
        for func in ("simple", "timed"):
            for count in (1, 50):
                modules = copied(Path(folder), func, count)
                reads = [partial(_read, Path(folder), name, *own) for name, own in modules]
                name = func if count == 1 else f"{func} of {count}"
                found[name] = [each / count for each in milliseconds(reads)]
    return found


def main() -> None:
    """Prints what one package makes of the functions."""
    package = sys.argv[1]
    made = PACKAGES[package]()
    import tricky

    wrong: dict[str, list[str]] = {}
    for name, wanted in tricky.TRICKY.items():
        try:
            wrong[name] = faults(made(getattr(tricky, name)), wanted)
        except Exception as problem:
            wrong[name] = [f"{type(problem).__name__}: {problem}"[:200]]
    taken = times_of_source() if package == "aigen" else times(made)
    print(json.dumps({"times": taken, "wrong": wrong}))


if __name__ == "__main__":
    main()
