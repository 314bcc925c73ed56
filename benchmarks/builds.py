"""`aigen build` beside `baml-cli generate` and datamodel-code-generator."""

from __future__ import annotations

import tempfile
from pathlib import Path

import corpus
import measure
import peers

SIZES = (1, 10, 100, 1000, 5000)
# datamodel-code-generator takes minutes for 5,000 models, so it stops at 500.
LARGEST_FOR_MODELS = 100
DEFINITIONS = 1000

_MODELS = "datamodel-code-generator (models alone)"
_HEAD = ["specs", "functions", "what", "wall s", "cpu s", "peak MB"]
_SIZES = ["Python, bytes a function", "other files, bytes a function"]


def compare(runs: int) -> str:
    """Wall time, peak memory and bytes out for 1 to 5,000 specs of 5 functions."""
    rows: list[list[object]] = []
    for specs in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            rows += _size(Path(folder), specs, runs if specs < 1000 else min(runs, 3))
    with tempfile.TemporaryDirectory() as folder:
        schemas = _schemas(Path(folder), runs)
    return measure.table("Building", _HEAD + _SIZES, rows) + "\n" + schemas


def _size(folder: Path, specs: int, runs: int) -> list[list[object]]:
    ours, baml, models = folder / "aigen", folder / "baml", folder / "models"
    corpus.write_aigen(ours, specs)
    corpus.write_baml(baml, specs)
    aigen = peers.script("aigen", "aigen")
    out = ours / "src" / "app" / "ai"
    generate = [peers.script("baml", "baml-cli"), "generate", "--from", "baml_src"]
    candidates = {
        "aigen build, from nothing": lambda: measure.run([aigen, "build"], ours),
        "aigen build, unchanged": lambda: measure.run([aigen, "build"], ours),
        "aigen build, one changed": lambda: measure.run([aigen, "build"], ours),
        "aigen build --check": lambda: measure.run([aigen, "build", "--check"], ours),
        "baml-cli generate": lambda: measure.run(generate, baml),
    }
    prepare = {
        "aigen build, from nothing": lambda: _set_aside(out, ours / ".aigen"),
        "aigen build, one changed": lambda: corpus.change(ours, specs // 2),
        "baml-cli generate": lambda: _set_aside(baml / "baml_client"),
    }
    outputs = {**dict.fromkeys(candidates, out), "baml-cli generate": baml / "baml_client"}
    if specs <= LARGEST_FOR_MODELS:
        corpus.write_json_schema(models / "schema.json", specs)
        candidates[_MODELS] = lambda: _models(models)
        outputs[_MODELS] = models / "out"
    results = measure.medians(candidates, runs=runs, prepare=prepare)
    functions = specs * corpus.FUNCTIONS_PER_SPEC
    return [
        [specs, functions, name, *_cells(result), *_sizes(outputs[name], functions)]
        for name, result in results.items()
    ]


def _schemas(folder: Path, runs: int) -> str:
    """A JSON Schema of 1,000 definitions: imported, built, and read by a generator of models."""
    ours = folder / "aigen"
    corpus.write_aigen(ours, 0)
    corpus.write_json_schema(folder / "schema.json", DEFINITIONS // corpus.FUNCTIONS_PER_SPEC)
    aigen = peers.script("aigen", "aigen")
    spec = ours / "specs" / "models.yaml"
    told = [aigen, "import", "json-schema", folder / "schema.json", "--force", "-o", spec]
    candidates = {
        "aigen import json-schema": lambda: measure.run(told, ours),
        "aigen build of what was imported": lambda: measure.run([aigen, "build"], ours),
        _MODELS: lambda: _models(folder),
    }
    prepare = {
        "aigen build of what was imported": lambda: _set_aside(ours / "src", ours / ".aigen")
    }
    results = measure.medians(candidates, runs=min(runs, 3), prepare=prepare)
    imported, built, _ = results.values()
    both = measure.Run(
        imported.wall + built.wall, imported.cpu + built.cpu, max(imported.peak, built.peak)
    )
    results = {"aigen, both": both, **results}
    rows = [[name, *_cells(result)] for name, result in results.items()]
    title = f"A JSON Schema of {DEFINITIONS:,} definitions"
    return measure.table(title, ["what", "wall s", "cpu s", "peak MB"], rows)


def _models(folder: Path) -> measure.Run:
    (folder / "out").mkdir(exist_ok=True)
    command = [
        peers.script("datamodel-code-generator", "datamodel-codegen"),
        *("--input", "schema.json", "--input-file-type", "jsonschema"),
        *("--output", "out/models.py", "--output-model-type", "pydantic_v2.BaseModel"),
    ]
    return measure.run(command, folder)


def _cells(result: measure.Run) -> list[str]:
    return [f"{result.wall:.2f}", f"{result.cpu:.2f}", f"{result.peak:.0f}"]


def _set_aside(*folders: Path) -> None:
    """Takes outputs away; removing them would give the disk work that the next build waits for."""
    for folder in filter(Path.exists, folders):
        folder.rename(tempfile.mkdtemp(dir=folder.parent))


def _sizes(folder: Path, functions: int) -> list[str]:
    """Of what programs load, and of what stands beside it for reviewers."""
    files = [
        path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts
    ]
    code = sum(path.stat().st_size for path in files if path.suffix == ".py")
    every = sum(path.stat().st_size for path in files)
    return [f"{code / functions:,.0f}", f"{(every - code) / functions:,.0f}"]
