"""Real OpenAPI documents: imported whole, built, and judged as their schemas judge.

They are looked for in the folder that `AIGEN_OPENAPI_DOCUMENTS` names, and in the public cases: any
`.json`, `.yaml` or `.yml` that says `openapi: 3…`. Large ones take their time.
"""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from aigen.diagnostics import Diagnostics
from aigen.importers.document import read_document
from aigen.importers.openapi import Wish, import_openapi
from aigen.ir import Program
from aigen.resolve import ResolveContext, resolve
from aigen.runtime.values import fits
from aigen.schema.canonical import definitions_for, type_schema
from aigen.spec import read_file
from aigen.spec.nodes import plain_value
from public_cases import example, variants

LARGE = 5_000_000
"""Bytes from which on a document is imported without the types of what comes back."""


def documents() -> Iterator[Path]:
    named = os.environ.get("AIGEN_OPENAPI_DOCUMENTS")
    cases = Path(__file__).resolve().parents[3] / "shared" / "cases" / "openapi"
    for folder in (*([Path(named)] if named else []), cases):
        for path in sorted(folder.glob("*.*")) if folder.is_dir() else ():
            if path.suffix in (".json", ".yaml", ".yml") and '"3.' in _head(path):
                yield path


def _head(path: Path) -> str:
    text = path.read_text(encoding="utf-8")[:400]
    return text.replace("'", '"').replace("openapi: 3", 'openapi: "3')


DOCUMENTS = [*documents()]
pytestmark = pytest.mark.skipif(not DOCUMENTS, reason="no OpenAPI documents are here")


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_a_document_is_imported_and_judged_as_it_says(path: Path, tmp_path: Path) -> None:
    rs = pytest.importorskip("jsonschema_rs")
    large = path.stat().st_size > LARGE
    began = time.monotonic()
    found = Diagnostics()
    text = import_openapi(path, found, Wish(returns=not large))
    assert text is not None, [each.message for each in found if each.severity == "error"][:5]
    took = time.monotonic() - began
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    spec = yaml.load(text, yaml.CSafeLoader)
    source = _loaded(path)
    assert len(spec["tools"]) == sum(1 for _ in operations(source))
    print(f"\n{path.name}: {len(spec['tools'])} operations, {took:.1f} s, {memory} MB at most")
    program = program_of(text, tmp_path)
    wrong = [*judged(program, source, rs)]
    assert not wrong, f"{len(wrong)}: " + "\n".join(wrong[:20])


def _loaded(path: Path) -> Any:
    node = read_document(path, Diagnostics())
    assert node is not None
    return plain_value(node)


def operations(source: Any) -> Iterator[tuple[str, str, Any, Any]]:
    for path, item in source["paths"].items():
        for method in ("get", "head", "post", "put", "patch", "delete", "options"):
            if method in item:
                yield path, method, item[method], item


def program_of(text: str, folder: Path) -> Program:
    path = folder / "imported.yaml"
    path.write_text(text, encoding="utf-8")
    found = Diagnostics()
    file = read_file(path, root=folder, shown="imported.yaml", module="m", diagnostics=found)
    assert file is not None
    program = resolve([file], ResolveContext(), found)
    assert not found.failed, [each.message for each in found][:5]
    return program


def judged(program: Program, source: Any, rs: Any) -> Iterator[str]:
    """Bodies and answers of which the tool and the document's own schema think otherwise.

    Schemas that have `nullable`, `readOnly` or `writeOnly` at any depth mean something else in
    OpenAPI than in JSON Schema, and have tests of their own.
    """
    tools = {
        tool.options.get("metadata", {}).get("original_name", tool.name): tool
        for tool in program.modules["m"].tools
    }
    compared = 0
    for path, method, operation, _ in operations(source):
        tool = tools[operation.get("operationId", f"{method} {path}")]
        bodies = [field.type for field in tool.parameters if field.name == "body"]
        sent = first_schema(schema_of(operation.get("requestBody", {}), source))
        answers = [each for status, each in operation["responses"].items() if status[0] == "2"]
        given = first_schema(schema_of(answers[0], source)) if len(answers) == 1 else None
        returned = [tool.returns.type] if tool.returns is not None else []
        for kinds, schema in ((bodies, sent), (returned, given)):
            if schema is None or not kinds or odd(schema, source):
                continue
            compared += 1
            shape, defs = type_schema(kinds[0], "m"), definitions_for(program, "m", kinds)
            whole = {**schema, "components": source.get("components", {})}
            right = rs.Draft202012Validator(whole, validate_formats=True)
            values = [*variants(example(inlined(schema, source, 4)))][:100]
            # `properties` mean an object here, also where `type` does not say so.
            for value in [value for value in values if value is not None]:
                if (fits(value, shape, defs) is None) != right.is_valid(value):
                    yield f"{method} {path}: {value!r:.200}"
    print(f"{compared} schemas compared")


def first_schema(holder: Any) -> Any:
    """The schema of a body or an answer, where it is JSON or a form."""
    for kind in ("application/json", "application/x-www-form-urlencoded", "multipart/form-data"):
        if kind in holder.get("content", {}):
            return holder["content"][kind].get("schema")
    return None


def odd(schema: Any, source: Any) -> bool:
    return any(part.keys() & OTHERWISE for part in reachable(schema, source))


OTHERWISE = {"readOnly", "writeOnly", "nullable"}


def reachable(schema: Any, source: Any) -> Iterator[dict[str, Any]]:
    pending, seen = [schema], set()
    while pending:
        part = pending.pop()
        if isinstance(part, list):
            pending += part
        elif isinstance(part, dict):
            if id(part) in seen:
                continue
            seen.add(id(part))
            yield part
            pending += part.values()
            if isinstance(part.get("$ref"), str):
                pending.append(schema_of(part, source))


def inlined(schema: Any, source: Any, depth: int) -> Any:
    """A schema without references, down to some depth."""
    if isinstance(schema, list):
        return [inlined(part, source, depth) for part in schema]
    schema = schema_of(schema, source) if depth > 0 else True
    if not isinstance(schema, dict):
        return schema
    items = {"items": inlined(schema["items"], source, depth - 1)} if "items" in schema else {}
    return {**schema, **items, **_members(schema, source, depth)}


def _members(schema: dict[str, Any], source: Any, depth: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if isinstance(schema.get("properties"), dict):
        found["properties"] = {
            name: inlined(part, source, depth - 1) for name, part in schema["properties"].items()
        }
    for word in ("anyOf", "oneOf"):
        if word in schema:
            found[word] = inlined(schema[word], source, depth - 1)
    return found


def schema_of(schema: Any, source: Any) -> Any:
    while isinstance(schema, dict) and isinstance(schema.get("$ref"), str):
        found = source
        for step in schema["$ref"].split("/")[1:]:
            found = found[step.replace("~1", "/").replace("~0", "~")]
        schema = found
    return schema
