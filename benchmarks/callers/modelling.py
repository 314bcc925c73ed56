"""Runs datamodel-code-generator's command on each JSON Schema of a folder, in one process.

`python modelling.py schemas package found.json [option …]` writes a module for each, or what is
wrong with it and whether a place is told.
"""

import contextlib
import io
import json
import re
import signal
import sys
import warnings
from pathlib import Path
from typing import Any

from datamodel_code_generator.__main__ import main

SCHEMAS, PACKAGE, FOUND = map(Path, sys.argv[1:4])
OPTIONS = sys.argv[4:]
ROOT = "RootOfSchema"
LONGEST = 60
"""Seconds for one schema; what takes more does not end."""

PLACE = re.compile(r"\bline \d+|#/\w|:\d+:\d+")


def too_long(*_: object) -> None:
    raise TimeoutError(f"more than {LONGEST} s")


def modelled(path: Path) -> dict[str, Any]:
    out = PACKAGE / f"{path.stem}.py"
    command = ["--input", str(path), "--input-file-type", "jsonschema", "--output", str(out)]
    said = io.StringIO()
    signal.alarm(LONGEST)
    try:
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
            status = main([*command, "--class-name", ROOT, *OPTIONS])
    except (Exception, SystemExit) as problem:
        status = 1
        said.write(f"{type(problem).__name__}: {problem}")
    finally:
        signal.alarm(0)
    if status or not out.exists():
        text = said.getvalue()
        return {"error": text[-500:], "placed": PLACE.search(text) is not None}
    return {"root": ROOT}


warnings.simplefilter("ignore")
signal.signal(signal.SIGALRM, too_long)
results = {path.stem: modelled(path) for path in sorted(SCHEMAS.glob("*.json"))}
FOUND.write_text(json.dumps(results))
