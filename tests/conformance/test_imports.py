"""Public tool lists and JSON Schemas: imported, built, and judged as JSON Schema judges them."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from aigen.diagnostics import Diagnostics
from aigen.importers.json_schema import import_json_schema
from aigen.importers.mcp import import_mcp
from aigen.importers.openai import import_openai
from aigen.ir import Program, Ref
from aigen.resolve import ResolveContext, resolve
from aigen.runtime.errors import InterfaceInputError
from aigen.runtime.values import fits
from aigen.schema.canonical import definitions_for, type_schema
from aigen.spec import read_file
from public_cases import arguments_of, example, in_json_schema, is_different, variants
from pydantic import TypeAdapter, ValidationError
from test_json_schemas import _fetches


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, str], Any]]:
    """Builds a spec into a package of its own and imports its module."""
    from aigen.cli import run

    (tmp_path / "specs").mkdir()
    (tmp_path / "aigen.toml").write_text('specs = ["specs"]\nout = "imported_tools"\n')
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))

    def build(name: str, text: str) -> Any:
        (tmp_path / "specs" / f"{name}.yaml").write_text(text, encoding="utf-8")
        assert run(["build"]) == 0
        importlib.invalidate_caches()
        return importlib.import_module(f"imported_tools.{name}")

    yield build
    for name in [name for name in sys.modules if name.split(".")[0] == "imported_tools"]:
        del sys.modules[name]


def judged(tool: Any, schema: Any, returned: Any = None) -> Iterator[str]:
    """Values of which a tool and its JSON Schemas think otherwise."""
    from jsonschema_rs import validator_for

    right = validator_for(schema)
    own, sent = tool._input_schema(), validator_for(tool.schema("mcp")["inputSchema"])
    for value in variants(example(schema)):
        judges = {
            "binding": fits(value, own, own.get("$defs")) is None,
            "schema": sent.is_valid(value),
        }
        if tool.input is not None:
            judges["model"] = models(tool.input, value)
        for judge, taken in judges.items():
            if taken != right.is_valid(value):
                yield f"{tool.__name__}: {judge} {'takes' if taken else 'refuses'} {value}"
    if returned is not None:
        right = validator_for(returned)
        for value in variants(example(returned)):
            if models(tool._returns, value) != right.is_valid(value):
                yield f"{tool.__name__} gives {value}"


def models(kind: Any, value: Any) -> bool:
    """Whether a type of a generated module takes a value, as JSON and as Python."""
    adapter = TypeAdapter(kind)
    taken = set()
    for validate, given in (
        (adapter.validate_python, value),
        (adapter.validate_json, json.dumps(value)),
    ):
        try:
            validate(given, by_name=False, by_alias=True)
            taken.add(True)
        except ValidationError:
            taken.add(False)
    assert len(taken) == 1, value
    return taken.pop()


def snapshots(cases: Path) -> list[Any]:
    paths = sorted((cases / "mcp_tools" / "github").glob("*.snap"))
    return [json.loads(path.read_text(encoding="utf-8")) for path in paths]


def test_tools_of_mcp_servers(
    cases: Path, tmp_path: Path, built: Callable[[str, str], Any]
) -> None:
    pytest.importorskip("jsonschema_rs")
    lists = {"github": snapshots(cases)}
    for path in sorted((cases / "mcp_tools").glob("*.json")):
        lists[path.stem] = json.loads(path.read_text(encoding="utf-8"))["tools"]
    wrong: list[str] = []
    for name, tools in lists.items():
        saved = tmp_path / f"{name}.json"
        saved.write_text(json.dumps({"tools": tools}), encoding="utf-8")
        found = Diagnostics()
        text = import_mcp(saved, found)
        assert text is not None, [each.message for each in found]
        module = built(name, text)
        by_name = {
            getattr(module, key).definition["name"]: getattr(module, key)
            for key in module.__all__
            if hasattr(getattr(module, key), "definition")
        }
        assert by_name.keys() == {tool["name"] for tool in tools}
        for tool in tools:
            made = by_name[tool["name"]]
            assert made.definition["description"] == tool["description"]
            wrong += judged(made, tool["inputSchema"], tool.get("outputSchema"))
    assert not wrong, "\n".join(wrong[:20])
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "imported_tools"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout


@pytest.mark.parametrize("closed", [False, True], ids=["as said", "closed"])
def test_functions_of_the_berkeley_cases(
    cases: Path, tmp_path: Path, built: Callable[[str, str], Any], closed: bool
) -> None:
    pytest.importorskip("jsonschema_rs")
    folder = cases / "bfcl"
    lines = (folder / "question" / "simple_python.jsonl").read_text(encoding="utf-8").splitlines()
    functions = [function for line in lines for function in json.loads(line)["function"]]
    saved = tmp_path / "functions.json"
    saved.write_text(json.dumps(functions), encoding="utf-8")
    text = import_openai(saved, Diagnostics(), closed=closed)
    assert text is not None
    module = built("functions", text)
    tools = [getattr(module, key) for key in module.__all__]
    tools = [tool for tool in tools if hasattr(tool, "definition")]
    assert len(tools) == len(functions)
    wrong: list[str] = []
    for function, tool in zip(functions, in_order(tools, text), strict=True):
        if not closed:
            wrong += judged(tool, in_json_schema(function["parameters"]))
    lines = (folder / "possible_answer" / "simple_python.jsonl").read_text("utf-8").splitlines()
    for line, function, tool in zip(lines, functions, in_order(tools, text), strict=True):
        (call,) = json.loads(line)["ground_truth"]
        (given,) = call.values()
        tool.implement(lambda **bound: bound)
        required = function["parameters"].get("required", [])
        try:
            bound = tool._call(arguments_of(given, required))
        except InterfaceInputError as problem:
            wrong.append(f"{line}: {problem}")
        else:
            assert set(required) <= bound.keys()
    assert not wrong, "\n".join(wrong[:20])


def in_order(tools: list[Any], text: str) -> list[Any]:
    """Tools as they stand in the spec."""
    return sorted(tools, key=lambda tool: text.index(f"\n  {tool.__name__}:\n"))


def program_of(text: str, folder: Path) -> Program:
    path = folder / "imported.yaml"
    path.write_text(text, encoding="utf-8")
    found = Diagnostics()
    file = read_file(path, root=folder, shown="imported.yaml", module="m", diagnostics=found)
    assert file is not None
    program = resolve([file], ResolveContext(), found)
    assert not found.failed, [each.message for each in found]
    return program


def documents(case: dict[str, Any], folder: Path) -> Iterator[str]:
    """What is judged wrong of a schema's own documents."""
    path = folder / "root.json"
    path.write_text(json.dumps(case["schema"]), encoding="utf-8")
    found = Diagnostics()
    text = import_json_schema(path, found)
    if text is None:
        yield f"{case['id']}: {[each.message for each in found]}"
        return
    program = program_of(text, folder)
    name = text.split("types:\n", 1)[1].strip().partition(":")[0]
    kind = Ref("m", name)
    shape, defs = type_schema(kind, "m"), definitions_for(program, "m", [kind])
    for document in case["valid"]:
        misfit = fits(document, shape, defs)
        if misfit is not None:
            yield f"{case['id']}: refuses {document!r:.80}: {misfit.expected}"
    for document in case["invalid"]:
        if fits(document, shape, defs) is None:
            yield f"{case['id']}: takes {document!r:.80}"


def test_schemas_of_the_store(cases: Path, tmp_path: Path) -> None:
    wrong: list[str] = []
    for line in (cases / "schemastore.jsonl").read_text(encoding="utf-8").splitlines():
        wrong += documents(json.loads(line), tmp_path)
    assert not wrong, "\n".join(wrong[:20])


def test_the_schemas_of_the_store_as_modules(
    cases: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from aigen.cli import run

    (tmp_path / "specs").mkdir()
    (tmp_path / "aigen.toml").write_text('specs = ["specs"]\nout = "store_types"\n')
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    names = []
    lines = (cases / "schemastore.jsonl").read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines):
        Path("root.json").write_text(json.dumps(json.loads(line)["schema"]), encoding="utf-8")
        text = import_json_schema(Path("root.json"), Diagnostics())
        assert text is not None
        names.append(f"schema_{number}")
        Path("specs", f"{names[-1]}.yaml").write_text(text, encoding="utf-8")
    assert run(["build"]) == 0
    importlib.invalidate_caches()
    for name in names:
        assert importlib.import_module(f"store_types.{name}").__all__
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "store_types"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert checked.returncode == 0, checked.stdout[-2000:]


def test_bad_schemas_are_refused_at_their_place(cases: Path, tmp_path: Path) -> None:
    path = tmp_path / "root.json"
    wrong: list[str] = []
    for line in (cases / "fault_kinds.jsonl").read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        if "json_schema" not in case or not case.get("must_refuse"):
            continue
        path.write_text(json.dumps(case["json_schema"], indent=1), encoding="utf-8")
        found = Diagnostics()
        text = import_json_schema(path, found)
        errors = [each for each in found if each.severity == "error"]
        if text is not None or not errors or errors[0].span is None:
            wrong.append(f"{case['kind']}: not refused at a place")
    assert not wrong, "\n".join(wrong)


def suites() -> list[Path]:
    folder = Path(__file__).resolve().parents[3] / "shared" / "cases" / "json_schema_test_suite"
    return sorted(folder.glob("*.json"))


@pytest.mark.parametrize("suite", suites(), ids=lambda path: str(path.stem))
def test_the_suite_of_json_schema_imported(suite: Path, tmp_path: Path) -> None:
    pytest.importorskip("jsonschema_rs")
    wrong: list[str] = []
    for group in json.loads(suite.read_text(encoding="utf-8")):
        name = f"{suite.stem}/{group['description']}"
        if is_different(name) or _fetches(group["schema"]):
            continue
        sides = {
            side: [test["data"] for test in group["tests"] if test["valid"] == (side == "valid")]
            for side in ("valid", "invalid")
        }
        wrong += documents({"id": name, "schema": group["schema"], **sides}, tmp_path)
    assert not wrong, "\n".join(wrong)


def test_what_goes_wrong_with_generators(cases: Path, tmp_path: Path) -> None:
    # No file can hold half a surrogate, and no spec is nested so deep.
    refused = {"pattern.unicode_and_lookahead", "dialect.python_type_names"}
    refused |= {"doc.lone_surrogate", "size.deep_arrays_150"}
    wrong: list[str] = []
    for line in (cases / "fault_kinds.jsonl").read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        if "json_schema" not in case or case.get("must_refuse") or case["kind"] in refused:
            continue
        sides = {"valid": case.get("valid", []), "invalid": case.get("invalid", [])}
        wrong += documents({"id": case["kind"], "schema": case["json_schema"], **sides}, tmp_path)
    assert not wrong, "\n".join(wrong[:20])
