"""Runs the steps of a page in order, in one process: Python in shared names, shells beside it.

Called with a file of steps (JSON); writes what each printed, and how it ended, to another.
"""

from __future__ import annotations

import ast
import asyncio
import contextlib
import inspect
import io
import json
import os
import subprocess
import sys
import traceback
from pathlib import Path
from typing import Any

NAMES: dict[str, Any] = {"__name__": "__main__", "show": print}


def python(step: dict[str, Any]) -> int:
    source = "\n" * (step["line"] - 1) + step["text"]
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    try:
        code = compile(source, step["page"], "exec", flags=flags, dont_inherit=True)
        with contextlib.ExitStack() as stack:
            if step["replies"] is not None:
                from aigen.runtime.testing import scripted

                stack.enter_context(scripted(step["replies"]))
            if step["url"]:
                stack.enter_context(served(step["url"]))
            if code.co_flags & inspect.CO_COROUTINE:
                asyncio.run(eval(code, NAMES))
            else:
                exec(code, NAMES)
    except BaseException:
        traceback.print_exc(file=sys.stdout)
        return 1
    return 0


@contextlib.contextmanager
def served(url: str) -> Any:
    """Real traffic, to a server on loopback."""
    before = os.environ["AIGEN_MODEL"]
    os.environ |= {"AIGEN_BASE_URL": url, "AIGEN_API_KEY": "k", "AIGEN_MODEL": "gpt-4.1-mini"}
    try:
        yield
    finally:
        del os.environ["AIGEN_BASE_URL"], os.environ["AIGEN_API_KEY"]
        os.environ["AIGEN_MODEL"] = before


def shell(step: dict[str, Any]) -> int:
    done = subprocess.run(
        ["bash", "-e", "-c", step["text"]],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        check=False,
    )
    print(done.stdout, end="")
    return done.returncode


def write(step: dict[str, Any]) -> int:
    path = Path(step["path"])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(step["text"], encoding="utf-8")
    return 0


def main(steps: Path, results: Path) -> None:
    kinds = {"python": python, "shell": shell, "write": write}
    done = []
    for step in json.loads(steps.read_text(encoding="utf-8")):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            code = kinds[step["kind"]](step)
        done.append({"code": code, "printed": printed.getvalue()})
        if code and not step["may_fail"]:
            break
    results.write_text(json.dumps(done), encoding="utf-8")


if __name__ == "__main__":
    sys.path.insert(0, "")
    main(Path(sys.argv[1]), Path(sys.argv[2]))
