"""The same specs give the same bytes, whatever the seed of Python's hashes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The samples, and every form of type, in a project of its own."""
    shutil.copytree(ROOT / "samples" / "specs", tmp_path / "specs")
    shutil.copytree(ROOT / "samples" / "app", tmp_path / "src" / "app")
    for case in ("types", "names"):
        shutil.copy(ROOT / "tests" / "golden" / case / f"{case}.yaml", tmp_path / "specs")
    (tmp_path / "aigen.toml").write_text(
        'specs = ["specs"]\nout = "ai"\npython_path = ["src"]\n'
        'dialects = ["openai-chat", "openai-responses", "anthropic", "gemini", "mcp"]\n'
    )
    return tmp_path


def test_the_seed_of_hashes_changes_nothing(project: Path) -> None:
    built = []
    for seed in ("0", "1", "4242"):
        out = f"out{seed}"
        ran = subprocess.run(
            [sys.executable, "-m", "aigen", "build", "--out", out],
            cwd=project,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert ran.returncode == 0, ran.stderr
        files = sorted(path for path in (project / out).rglob("*") if path.is_file())
        found = {path.relative_to(project / out).as_posix(): path.read_bytes() for path in files}
        built.append((found, ran.stderr.replace(out, "out")))
    assert len(built[0][0]) > 10
    assert built[0] == built[1] == built[2]
