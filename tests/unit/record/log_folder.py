"""Reading a log folder as a test does: every line must be whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def read(folder: Path) -> list[dict[str, Any]]:
    """Its records, oldest first."""
    lines = [line for path in folder.glob("*/*.jsonl") for line in path.read_bytes().split(b"\n")]
    found = [json.loads(line) for line in lines if line]
    return sorted(found, key=lambda record: str(record["id"]))
