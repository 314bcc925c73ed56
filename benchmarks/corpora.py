"""Public JSON Schemas as Python: aigen beside datamodel-code-generator, judged alike."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import measure
import peers
import public

CALLERS = Path(__file__).parent / "callers"
MODELS = "datamodel-code-generator"
BEST = [
    *("--strict-types", "str", "bytes", "int", "float", "bool"),
    *("--use-annotated", "--strict-refs", "--target-python-version", "3.11"),
    *("--enum-field-as-literal", "all", "--filter-literal-values", "--read-const-beside-enum"),
    *("--intersect-allof-keywords", "--use-site-models-for-constrained-refs"),
    *("--read-unevaluated-properties", "--use-typed-nullable-map-values"),
    *("--use-typed-map-values-beside-other-types", "--use-tuple-for-closed-arrays"),
    *("--use-missing-sentinel", "--generate-schema-validators", "--check-pattern-maps-strictly"),
    *("--formatters", "builtin"),
]
"""What makes the peer judge most like JSON Schema, formatted by what it calls its fastest."""

PACKAGE = "generated"
_HEAD = [
    *("set", "what", "schemas", "read", "imported", "mypy --strict", "documents", "judged right"),
    *("checks", "bad ones refused", "with a place", "cpu s", "peak MB"),
]


@dataclass
class Made:
    """What a generator made of the schemas of one set.

    Attributes:
        found: of each module, `root` or `error`, and later what judging it gave.
        runs: the processes that it took.
    """

    found: dict[str, dict[str, Any]]
    runs: list[measure.Run]


def compare(runs: int) -> str:
    """The counts are the same in every run; so is nearly the time, which is of processor."""
    if not public.CASES.is_dir():
        return "### Importing public schemas\n\nThe cases are not here: nothing is measured.\n"
    rows = [row for name, cases in public.sets().items() for row in _set(name, cases)]
    return measure.table("Importing public schemas", _HEAD, rows)


def _set(name: str, cases: list[public.Case]) -> list[list[object]]:
    modules = {f"m{number}": case for number, case in enumerate(cases)}
    with tempfile.TemporaryDirectory() as within:
        folder = Path(within)
        documents, same = _documents(folder, cases)
        rows: list[list[object]] = []
        candidates: dict[str, tuple[str, Callable[[Path], Made]]] = {
            "aigen": ("aigen", _aigen),
            MODELS: (MODELS, lambda home: _models(home, [])),
            f"{MODELS}, best options": (MODELS, lambda home: _models(home, BEST)),
        }
        for number, (label, (peer, generate)) in enumerate(candidates.items()):
            home = folder / f"candidate{number}"
            _write(home, modules)
            made = generate(home)
            _judge(home, peer, modules, documents, made)
            clean = _clean(home, peer, made)
            rows.append([name, label, *_cells(modules, documents, made, clean)])
            if label == "aigen":
                for line in _wrong(modules, documents, made):
                    print(f"{name}: {line}", file=sys.stderr)
    total = sum(map(len, documents.values()))
    rows.append([name, "jsonschema-rs itself", *["–"] * 4, total, same, *["–"] * 5])
    return rows


def _documents(
    folder: Path, cases: list[public.Case]
) -> tuple[dict[str, list[tuple[Any, bool]]], int]:
    told, written = folder / "cases.json", folder / "documents.json"
    told.write_text(json.dumps(public.as_data(cases)), encoding="utf-8")
    command = [peers.python("judge"), CALLERS / "expecting.py", told, written]
    done = subprocess.run(command, check=True, capture_output=True)
    return json.loads(written.read_text(encoding="utf-8")), int(done.stdout)


def _write(home: Path, modules: dict[str, public.Case]) -> None:
    for name in ("schemas", "specs", PACKAGE):
        (home / name).mkdir(parents=True)
    for module, case in modules.items():
        text = json.dumps(case.schema, indent=1)
        (home / "schemas" / f"{module}.json").write_text(text, encoding="utf-8")


def _aigen(home: Path) -> Made:
    (home / "aigen.toml").write_text(f'specs = ["specs"]\nout = "{PACKAGE}"\n', encoding="utf-8")
    found = home / "found.json"
    script = [peers.python("aigen"), CALLERS / "importing.py", "schemas", "specs", found]
    runs = [
        measure.run(script, home),
        measure.run([peers.script("aigen", "aigen"), "build"], home),
    ]
    return Made(json.loads(found.read_text(encoding="utf-8")), runs)


def _models(home: Path, options: Sequence[str]) -> Made:
    found = home / "found.json"
    (home / PACKAGE / "__init__.py").touch()
    script = [peers.python(MODELS), CALLERS / "modelling.py", "schemas", PACKAGE, found, *options]
    run = measure.run(script, home)
    return Made(json.loads(found.read_text(encoding="utf-8")), [run])


def _judge(
    home: Path,
    peer: str,
    modules: dict[str, public.Case],
    documents: dict[str, list[tuple[Any, bool]]],
    made: Made,
) -> None:
    """Adds to what was made what its modules say of the documents."""
    asked = [
        {
            "module": module,
            "root": made.found[module]["root"],
            "documents": [document for document, _ in documents[case.name]],
            "check": case.check,
        }
        for module, case in modules.items()
        if "root" in made.found[module] and not case.refused
    ]
    told = home / "asked.json"
    told.write_text(json.dumps(asked), encoding="utf-8")
    command = [peers.python(peer), CALLERS / "judging.py", PACKAGE, told]
    done = subprocess.run(command, cwd=home, check=True, capture_output=True)
    for module, result in json.loads(done.stdout).items():
        made.found[module]["judged"] = result


def _clean(home: Path, peer: str, made: Made) -> int:
    """How many of the modules that are imported mypy finds nothing in, alone or beside others."""
    good = [module for module, each in made.found.items() if "taken" in each.get("judged", {})]
    if not good:
        return 0
    command = [
        *(peers.python("judge"), "-m", "mypy", "--strict", "--python-executable"),
        *(peers.python(peer), "--cache-dir", peers.ENVIRONMENTS / f"mypy of {peer}"),
        *(f"{PACKAGE}/{module}.py" for module in good),
    ]
    done = subprocess.run(command, cwd=home, check=False, capture_output=True, text=True)
    wrong = set(re.findall(rf"^{PACKAGE}/(\w+)\.py:\d+: error", done.stdout, re.M))
    if done.returncode not in (0, 1):
        raise RuntimeError(f"mypy failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return len(set(good) - wrong)


def _cells(
    modules: dict[str, public.Case],
    documents: dict[str, list[tuple[Any, bool]]],
    made: Made,
    clean: int,
) -> list[object]:
    schemas = {module: case for module, case in modules.items() if not case.refused}
    read = [module for module in schemas if "root" in made.found[module]]
    results = [made.found[module]["judged"] for module in read]
    right = sum(
        taken is fits
        for module in read
        for taken, (_, fits) in zip(
            made.found[module]["judged"].get("taken", []),
            documents[schemas[module].name],
            strict=False,
        )
    )
    total = sum(len(documents[case.name]) for case in schemas.values())
    asked = sum(case.check is not None for case in schemas.values())
    held = sum(sum(result.get("checks", [])) for result in results)
    bad = [made.found[module] for module in modules if module not in schemas]
    return [
        len(schemas),
        len(read),
        sum("taken" in result for result in results),
        clean,
        total,
        f"{right} ({right / total:.1%})",
        f"{held} of {asked}" if asked else "–",
        f"{sum('error' in each for each in bad)} of {len(bad)}" if bad else "–",
        sum(each.get("placed", False) for each in bad) if bad else "–",
        f"{sum(run.cpu for run in made.runs):.1f}",
        f"{max(run.peak for run in made.runs):.0f}",
    ]


def _wrong(
    modules: dict[str, public.Case], documents: dict[str, list[tuple[Any, bool]]], made: Made
) -> Iterator[str]:
    """What is not as the set says, a line each."""
    for module, case in modules.items():
        each = made.found[module]
        if "error" in each:
            if not (case.refused and each["placed"]):
                yield f"{case.name}: not read: {each['error']}"
            continue
        if case.refused:
            yield f"{case.name}: read, and is no schema"
            continue
        if "error" in each["judged"]:
            yield f"{case.name}: not imported: {each['judged']['error']}"
            continue
        if not all(each["judged"]["checks"]):
            yield f"{case.name}: {case.check} is not true"
        for taken, (document, fits) in zip(
            each["judged"]["taken"], documents[case.name], strict=True
        ):
            if taken is not fits:
                said = {True: "takes", False: "refuses", None: "fails on"}[taken]
                yield f"{case.name}: {said} {json.dumps(document):.200}"
