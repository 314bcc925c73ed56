"""The public sets of cases as JSON Schemas, each with documents that it must take and refuse."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any
from urllib.parse import urljoin

import peers

CASES = peers.ROOT.parent / "shared" / "cases"
sys.path.insert(0, str(peers.ROOT / "tests" / "conformance"))

from public_cases import arguments_of, in_json_schema, is_different  # noqa: E402


@dataclass(frozen=True)
class Case:
    """A schema and how it is judged.

    Attributes:
        name: what the set calls it.
        schema: as the set has it; the Berkeley functions in JSON Schema's own words.
        valid: documents that fit, as the set says.
        invalid: documents that do not.
        refused: whether it is no schema, and whoever reads it must say so.
        varied: whether documents are made of it too, and judged by a validator.
        check: what must be true of its module `M` and its type `R`, in Python.
    """

    name: str
    schema: Any
    valid: list[Any] = field(default_factory=list)
    invalid: list[Any] = field(default_factory=list)
    refused: bool = False
    varied: bool = False
    check: str | None = None


def sets() -> dict[str, list[Case]]:
    """All sets, by what the tables call them."""
    suite = list(_suite())
    return {
        "fault_kinds": list(_fault_kinds()),
        "mcp_tools": list(_mcp_tools()),
        "bfcl": list(_berkeley()),
        "schemastore": list(_store()),
        "json_schema_test_suite": [each for each in suite if not is_different(each.name)],
        "the same, groups set aside": [each for each in suite if is_different(each.name)],
    }


def as_data(cases: list[Case]) -> list[dict[str, Any]]:
    """Cases for another process."""
    return [asdict(case) for case in cases]


def _lines(*names: str) -> Iterator[Any]:
    for line in CASES.joinpath(*names).read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def _fault_kinds() -> Iterator[Case]:
    for case in _lines("fault_kinds.jsonl"):
        if "json_schema" in case:
            yield Case(
                case["kind"],
                case["json_schema"],
                case.get("valid", []),
                case.get("invalid", []),
                bool(case.get("must_refuse")),
                check=case.get("py_check"),
            )


def _mcp_tools() -> Iterator[Case]:
    for path in sorted((CASES / "mcp_tools").rglob("*")):
        if path.suffix in (".json", ".snap"):
            read = json.loads(path.read_text(encoding="utf-8"))
            for tool in read.get("tools", [read]):
                for word in ("inputSchema", "outputSchema"):
                    if word in tool:
                        yield Case(f"{path.stem} {tool['name']} {word}", tool[word], varied=True)


def _berkeley() -> Iterator[Case]:
    answers = _lines("bfcl", "possible_answer", "simple_python.jsonl")
    for asked, answer in zip(
        _lines("bfcl", "question", "simple_python.jsonl"), answers, strict=True
    ):
        (function,), (call,) = asked["function"], answer["ground_truth"]
        (given,) = call.values()
        required = function["parameters"].get("required", [])
        yield Case(
            asked["id"],
            in_json_schema(function["parameters"]),
            [arguments_of(given, required)],
            varied=True,
        )


def _store() -> Iterator[Case]:
    for case in _lines("schemastore.jsonl"):
        yield Case(case["id"], case["schema"], case["valid"], case["invalid"])


def _suite() -> Iterator[Case]:
    for path in sorted((CASES / "json_schema_test_suite").glob("*.json")):
        for group in json.loads(path.read_text(encoding="utf-8")):
            name = f"{path.stem}/{group['description']}"
            sides: dict[bool, list[Any]] = {True: [], False: []}
            for test in group["tests"]:
                sides[test["valid"]].append(test["data"])
            # A schema of this suite that asks for another file is set aside with `refRemote`.
            name = f"refRemote/{name}" if _asks(group["schema"]) else name
            yield Case(name, group["schema"], sides[True], sides[False])


def _asks(schema: Any) -> bool:
    """Whether a reference leads to what no `$id` within the schema names."""
    owned, asked = set[str](), set[str]()
    pending = [(schema, "")]
    while pending:
        part, base = pending.pop()
        if isinstance(part, dict):
            if isinstance(part.get("$id"), str):
                base = urljoin(base, part["$id"])
                owned.add(base.partition("#")[0])
            if isinstance(part.get("$ref"), str):
                asked.add(urljoin(base, part["$ref"]).partition("#")[0])
            pending += [(inner, base) for inner in part.values()]
        elif isinstance(part, list):
            pending += [(inner, base) for inner in part]
    return any("localhost:1234" in uri for uri in asked - owned)
