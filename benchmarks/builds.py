"""`aigen build` beside `baml-cli generate` and datamodel-code-generator."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import corpus
import measure
import peers

SIZES = (1, 100, 1000)
# datamodel-code-generator takes minutes for 5,000 models, so it stops at 500.
LARGEST_FOR_MODELS = 100


def compare(runs: int) -> str:
    """Wall time, peak memory and bytes out for 1, 100 and 1,000 specs of 5 functions."""
    rows: list[list[object]] = []
    for specs in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            rows += _size(Path(folder), specs, runs if specs < 1000 else min(runs, 3))
    head = ["specs", "functions", "what", "wall s", "cpu s", "peak MB", "bytes a function"]
    return measure.table("Building", head, rows)


def _size(folder: Path, specs: int, runs: int) -> list[list[object]]:
    ours, baml, models = folder / "aigen", folder / "baml", folder / "models"
    corpus.write_aigen(ours, specs)
    corpus.write_baml(baml, specs)
    corpus.write_json_schema(models / "schema.json", specs)
    aigen = peers.script("aigen", "aigen")
    candidates = {
        "aigen build, from nothing": lambda: measure.run([aigen, "build"], ours),
        "aigen build, unchanged": lambda: measure.run([aigen, "build"], ours),
        "baml-cli generate": lambda: measure.run(
            [peers.script("baml", "baml-cli"), "generate", "--from", "baml_src"], baml
        ),
    }
    out = ours / "src" / "app" / "ai"
    prepare = {
        "aigen build, from nothing": lambda: _remove(out, ours / ".aigen"),
        "baml-cli generate": lambda: _remove(baml / "baml_client"),
    }
    outputs = {
        "aigen build, from nothing": out,
        "aigen build, unchanged": out,
        "baml-cli generate": baml / "baml_client",
    }
    if specs <= LARGEST_FOR_MODELS:
        name = "datamodel-code-generator (models alone)"
        command = [
            peers.script("datamodel-code-generator", "datamodel-codegen"),
            *("--input", "schema.json", "--input-file-type", "jsonschema"),
            *("--output", "out/models.py", "--output-model-type", "pydantic_v2.BaseModel"),
        ]
        (models / "out").mkdir()
        candidates[name] = lambda: measure.run(command, models)
        outputs[name] = models / "out"
    results = measure.medians(candidates, runs=runs, prepare=prepare)
    functions = specs * corpus.FUNCTIONS_PER_SPEC
    return [
        [
            specs,
            functions,
            name,
            f"{result.wall:.2f}",
            f"{result.cpu:.2f}",
            f"{result.peak:.0f}",
            f"{_bytes(outputs[name]) / functions:,.0f}",
        ]
        for name, result in results.items()
    ]


def _remove(*folders: Path) -> None:
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


def _bytes(folder: Path) -> int:
    return sum(
        path.stat().st_size
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    )
