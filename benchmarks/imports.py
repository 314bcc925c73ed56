"""What it costs to import one generated module of a thousand."""

from __future__ import annotations

import tempfile
from pathlib import Path

import corpus
import measure
import peers

SPECS = 1000
PYDANTIC = "from pydantic import BaseModel, ConfigDict, Field"
HEAVY = "import sys; assert not {'openai', 'httpx', 'click', 'jinja2'} & set(sys.modules)"


def compare(runs: int) -> str:
    """Wall time and peak memory of a process that imports one module and ends."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        corpus.write_aigen(folder / "aigen", SPECS)
        corpus.write_baml(folder / "baml", SPECS // corpus.FUNCTIONS_PER_SPEC)
        measure.run([peers.script("aigen", "aigen"), "build"], folder / "aigen")
        cli = peers.script("baml", "baml-cli")
        measure.run([cli, "generate", "--from", "baml_src"], folder / "baml")
        ours = folder / "aigen" / "src"
        candidates = {
            PYDANTIC: ("aigen", ours, PYDANTIC),
            "aigen: one module of 1,000 (5,000 functions)": (
                "aigen",
                ours,
                f"from app.ai import desk_0500; {HEAVY}",
            ),
            "baml: its client of 1,000 functions": (
                "baml",
                folder / "baml",
                "from baml_client import b",
            ),
        }
        results = measure.medians(
            {
                label: lambda peer=peer, cwd=cwd, code=code: measure.run(
                    [peers.python(peer), "-c", code], cwd
                )
                for label, (peer, cwd, code) in candidates.items()
            },
            runs=runs,
        )
    base = results[PYDANTIC].wall
    rows = [
        [label, f"{run.wall * 1000:.0f}", f"{run.wall / base:.2f}", f"{run.peak:.0f}"]
        for label, run in results.items()
    ]
    return measure.table("Importing", ["process", "wall ms", "ratio", "peak MB"], rows)
