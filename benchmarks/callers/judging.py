"""Imports generated modules and asks their types about documents.

`python judging.py package cases.json`, from the folder that holds the package, prints JSON for each
module: whether it is imported, for each document whether it is taken, and what its checks say. A
document is JSON text, read by pydantic as the type of the module that is its root.
"""

import importlib
import json
import signal
import sys
import warnings
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

sys.path.insert(0, ".")
LONGEST = 60


def too_long(*_: object) -> None:
    raise TimeoutError


def judged(case: dict[str, Any]) -> dict[str, Any]:
    signal.alarm(LONGEST)
    try:
        module = importlib.import_module(f"{sys.argv[1]}.{case['module']}")
        kind = getattr(module, case["root"])
        adapter: TypeAdapter[Any] = TypeAdapter(kind)
        adapter.rebuild()
    except Exception as problem:
        return {"error": f"{type(problem).__name__}: {problem}"[:300]}
    finally:
        signal.alarm(0)
    taken = [takes(adapter, document) for document in case["documents"]]
    checks = [checked(case["check"], module, kind)] if case["check"] else []
    return {"taken": taken, "checks": checks}


def takes(adapter: TypeAdapter[Any], document: Any) -> bool | None:
    """Whether a document is taken; None where asking fails."""
    signal.alarm(LONGEST)
    try:
        adapter.validate_json(json.dumps(document))
    except ValidationError:
        return False
    except Exception:
        return None
    finally:
        signal.alarm(0)
    return True


def checked(code: str, module: Any, kind: Any) -> bool:
    try:
        return bool(eval(code, {"M": module, "R": kind}))
    except Exception:
        return False


warnings.simplefilter("ignore")
signal.signal(signal.SIGALRM, too_long)
cases = json.loads(Path(sys.argv[2]).read_text(encoding="utf-8"))
print(json.dumps({case["module"]: judged(case) for case in cases}))
