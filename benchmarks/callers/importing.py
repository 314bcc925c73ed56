"""Imports JSON Schemas as specs: `python importing.py schemas specs found.json`.

What is written for each file: the type that is its root, or what is wrong and whether the place is
told.
"""

import json
import sys
from pathlib import Path
from typing import Any

from aigen.diagnostics import Diagnostics
from aigen.importers.json_schema import import_json_schema

SCHEMAS, SPECS, FOUND = map(Path, sys.argv[1:4])


def imported(path: Path) -> dict[str, Any]:
    found = Diagnostics()
    text = import_json_schema(path, found)
    if text is None:
        errors = [each for each in found if each.severity == "error"]
        return {
            "error": "; ".join(each.message for each in errors),
            "placed": any(each.span is not None for each in errors),
        }
    (SPECS / f"{path.stem}.yaml").write_text(text, encoding="utf-8")
    return {"root": text.split("types:\n", 1)[1].strip().partition(":")[0]}


results = {path.stem: imported(path) for path in sorted(SCHEMAS.glob("*.json"))}
FOUND.write_text(json.dumps(results))
