"""The examples of docs/columns.md, run as they stand."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCKS = re.findall(
    r"^```python ?([a-z-]*)\n(.*?)^```$",
    (ROOT / "docs" / "columns.md").read_text(encoding="utf-8"),
    re.DOTALL | re.MULTILINE,
)
FIRST = next(text for kind, text in BLOCKS if kind == "")
RAY = """\
ray.init(num_cpus=2, include_dashboard=False, object_store_memory=100 * 2**20)
"""


def run(script: str, folder: Path, built: Path) -> None:
    (folder / "example.py").write_text(script, encoding="utf-8")
    paths = [str(built), *filter(None, [os.environ.get("PYTHONPATH")])]
    done = subprocess.run(
        [sys.executable, "example.py"],
        cwd=folder,
        env={
            **os.environ,
            "AIGEN_MODEL": "sample",
            "PYTHONPATH": os.pathsep.join(paths),
            "PYSPARK_PYTHON": sys.executable,
            "SPARK_LOCAL_IP": "127.0.0.1",
        },
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]


def test_the_examples_run(tmp_path: Path, built: Path) -> None:
    pytest.importorskip("duckdb")
    script = "\n".join(text for kind, text in BLOCKS if kind == "")
    ends = """
assert tickets.columns.tolist() == ["id", "body", "summary", "urgent", "error"]
assert rows == [("happy", True)], rows
assert Path("requests.jsonl").read_text().count("triage-0-of-2") == 1
if __name__ == "__main__":
    assert moods == ["happy", "happy"]
"""
    run(f"from pathlib import Path\n{script}{ends}", tmp_path, built)


@pytest.mark.parametrize(("kind", "package"), [("ray", "ray"), ("spark", "pyspark")])
def test_the_recipes_for_clusters_run(kind: str, package: str, tmp_path: Path, built: Path) -> None:
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is in the environment clusters of tox")
    (text,) = (text for each, text in BLOCKS if each == kind)
    if kind == "ray":
        text = text.replace("import ray\n", f"import ray\n{RAY}", 1)
    run(f"{FIRST}\n{text}", tmp_path, built)
