"""Public JSON Schemas: read as types, and their documents judged as JSON Schema judges them."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aigen.ir import Shape
from aigen.runtime.values import fits

sys.path.insert(0, str(Path(__file__).parents[1] / "unit" / "schema"))

from public_cases import is_different
from shapes import model_schema, read, schema_of

MORE = importlib.util.find_spec("jsonschema_rs") is not None


def judged(schema: Any, valid: list[Any], invalid: list[Any], name: str) -> Iterator[str]:
    """What is wrong with the types of a schema, and with its canonical form."""
    kind, definitions, diagnostics = read(schema)
    if diagnostics.failed:
        yield f"{name}: {[found.message for found in diagnostics]}"
        return
    assert isinstance(kind, Shape)
    more = any(found.code == "AIG241" for found in diagnostics)
    for label, (shape, defs) in (
        ("schema", schema_of(kind, definitions)),
        ("model", model_schema(kind, definitions)),
    ):
        if more and not MORE:
            # Another validator judges these, and its package is not here.
            return
        for document in valid:
            misfit = fits(document, shape, defs)
            if misfit is not None:
                yield f"{name}: {label} refuses {document!r:.80}: {misfit.expected}"
        for document in invalid:
            # The model may take more than the schema, which is then enforced beside it.
            if (label == "schema" or kind.exact) and fits(document, shape, defs) is None:
                yield f"{name}: {label} takes {document!r:.80}"


def test_what_goes_wrong_with_generators(cases: Path) -> None:
    wrong: list[str] = []
    refused = {"pattern.unicode_and_lookahead", "dialect.python_type_names"}
    for line in (cases / "fault_kinds.jsonl").read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        if "json_schema" not in case:
            continue
        if case.get("must_refuse") or case["kind"] in refused:
            _, _, diagnostics = read(case["json_schema"])
            found = [each for each in diagnostics if each.severity == "error"]
            if len(found) < 1 or found[0].span is None:
                wrong.append(f"{case['kind']}: not refused at a place")
            continue
        documents = case.get("valid", []), case.get("invalid", [])
        wrong += judged(case["json_schema"], *documents, case["kind"])
    assert not wrong, "\n".join(wrong)


def test_real_schemas(cases: Path) -> None:
    wrong: list[str] = []
    for line in (cases / "schemastore.jsonl").read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        wrong += judged(case["schema"], case["valid"], case["invalid"], case["id"])
    assert not wrong, "\n".join(wrong)


def suites() -> list[Path]:
    folder = Path(__file__).resolve().parents[3] / "shared" / "cases" / "json_schema_test_suite"
    return sorted(folder.glob("*.json"))


@pytest.mark.parametrize("path", suites(), ids=lambda path: str(path.stem))
def test_the_suite_of_json_schema(path: Path) -> None:
    wrong: list[str] = []
    for group in json.loads(path.read_text(encoding="utf-8")):
        name = f"{path.stem}/{group['description']}"
        if is_different(name):
            continue
        if "localhost:1234" in json.dumps(group["schema"]) and _fetches(group["schema"]):
            continue  # as refRemote
        sides: dict[bool, list[Any]] = {True: [], False: []}
        for test in group["tests"]:
            sides[test["valid"]].append(test["data"])
        wrong += judged(group["schema"], sides[True], sides[False], name)
    assert not wrong, "\n".join(wrong)


def _fetches(schema: Any) -> bool:
    return any("nothing is fetched" in found.message for found in read(schema)[2])
