"""Imports a module of tools and runs them, in a process of its own: `python -m aigen.verify.tried`.

It reads one JSON object from standard input, `{module, roots, tools: [{key, definition, runs}]}`,
and writes one JSON object a line: what it begins with (`began`), and what it finds (`code`, `tool`,
`message`). What a module does while it is imported is seen by an audit hook.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import Any, Final, TextIO

from aigen.runtime.errors import InterfaceInputError
from aigen.runtime.setting_kinds import Settings
from aigen.runtime.tool import AITool
from aigen.runtime.tools.offered import offered
from aigen.runtime.tools.outcome import Outcome
from aigen.runtime.tools.printing import OUTPUT_TOKENS
from aigen.runtime.tools.running import Runner
from aigen.runtime.tools.tokens import tokens
from aigen.runtime.wire.deadline import Deadline
from aigen.runtime.wire.messages import ToolCall

SECONDS: Final = 10.0
"""How long one run of a tool may take that has no `timeout` of its own."""

_EFFECTS: Final[Mapping[str, str]] = {
    "os.mkdir": "makes the folder {}",
    "os.remove": "removes {}",
    "os.rename": "renames {}",
    "os.rmdir": "removes the folder {}",
    "os.system": "runs a command",
    "os.exec": "runs {}",
    "os.posix_spawn": "runs {}",
    "subprocess.Popen": "runs {}",
    "socket.connect": "opens a connection",
    "socket.bind": "listens on a socket",
    "sqlite3.connect": "opens the database {}",
}
"""Audit events that change something outside the process, in words."""

_WRITES: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

Tell = Callable[[str, "str | None", str], None]
"""Takes a code, the key of a tool or None for the module, and a message."""


class Watch:
    """Tells what a module of the user's own does while it is imported."""

    def __init__(self, roots: Sequence[str], tell: Callable[[str], None]) -> None:
        self._roots = tuple(f"{Path(root).resolve()}{os.sep}" for root in roots)
        self._tell = tell
        self.on = False
        sys.addaudithook(self._heard)

    def _heard(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.on and (words := _effect(event, arguments)) is not None:
            self.saw(words)

    def saw(self, words: str) -> None:
        """Tells an effect, once its line is known to be the user's own."""
        self.on = False  # what is done here is no effect of the module's
        place = self._place(sys._getframe(1))
        if place is not None:
            self._tell(f"{place}: {words}")
        self.on = True

    def _place(self, frame: FrameType | None) -> str | None:
        """The line of the user's that did it; None where another module's import did."""
        while frame is not None:
            name = frame.f_code.co_filename
            path = str(Path(name).resolve()) if not name.startswith("<") else name
            root = next((root for root in self._roots if path.startswith(root)), None)
            if root is not None:
                return f"{path.removeprefix(root)}:{frame.f_lineno}"
            if name.startswith("<frozen importlib"):
                return None
            frame = frame.f_back
        return None


def _effect(event: str, arguments: tuple[Any, ...]) -> str | None:
    if event == "open":
        path, mode, flags = arguments
        writes = any(letter in (mode or "") for letter in "wax+") or (flags or 0) & _WRITES
        named = writes and isinstance(path, str | bytes | os.PathLike)
        return f"writes {os.fsdecode(path)}" if named else None
    words = _EFFECTS.get(event)
    return words.format(arguments[0] if arguments else "") if words is not None else None


class _Printed:
    """Standard output while a module is imported."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch

    def write(self, text: str) -> int:
        if text.strip() and self._watch.on:
            self._watch.saw(f"prints {text.strip()[:60]!r}")
        return len(text)

    def flush(self) -> None: ...


class _Tried(AITool[Any]):
    """A tool without a generated module: its result is judged by its schema."""

    _adapter = None

    def __call__(self, **arguments: Any) -> Any:
        return self._call(arguments)


def imported(module: str, roots: Sequence[str], tell: Tell) -> bool:
    """Imports a module and tells what that does; whether it could be."""
    watch = Watch(roots, lambda words: tell("AIG416", None, words))
    printed: Any = _Printed(watch)
    sys.stdout = sys.stderr = printed
    watch.on = True
    try:
        importlib.import_module(module)
    except BaseException as problem:
        watch.on = False
        last = traceback.extract_tb(problem.__traceback__)[-1]
        where = f"{Path(last.filename).name}:{last.lineno}"
        tell("AIG420", None, f"{module} cannot be imported: {_said(problem)} ({where})")
        return False
    finally:
        watch.on = False
        sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__
    return True


def _said(problem: BaseException) -> str:
    return f"{type(problem).__name__}: {problem}".rstrip(": ")


def tried(key: str, definition: Mapping[str, Any], tell: Tell) -> None:
    """Runs a tool with no input and with its examples, and tells what goes wrong."""
    options = dict(definition.get("options", {}))
    budget = options.pop("output_tokens", OUTPUT_TOKENS)
    options["output_tokens"] = sys.maxsize
    tool = _Tried(json.dumps({**definition, "options": options}), None, Any)
    try:
        tool._bound({}, tool._context())
    except InterfaceInputError:
        pass  # refused, as it should be
    else:
        outcome = _run(tool, {})
        if outcome.is_error:
            tell("AIG417", key, f"{key} takes no input and fails: {outcome.text}")
    for number, example in enumerate(options.get("examples") or (), 1):
        outcome = _run(tool, example)
        if outcome.is_error:
            tell("AIG418", key, f"example {number} of {key}: {outcome.text}")
            continue
        kind: Any = "prose" if isinstance(outcome.value, str) else "json"
        size = tokens(outcome.text, kind)
        if size > budget:
            said = (
                f"example {number} of {key} gives about {size:,} tokens, and is cut to {budget:,}"
            )
            tell("AIG419", key, said)


def _run(tool: AITool[Any], arguments: Any) -> Outcome:
    own: Any = tool.definition.get("options", {}).get("timeout")
    seconds = float(own or SECONDS)
    runner = Runner(offered([tool]), "check", Settings(approve="never"), Deadline(seconds + 1))
    call = ToolCall("1", tool.definition["name"], json.dumps(arguments))
    try:
        (outcome,) = runner.run([call], 1, True)
    except Exception as problem:
        return Outcome(call.name, call.id, _said(problem), is_error=True)
    return outcome


def main(asked: Mapping[str, Any], out: TextIO) -> None:
    """Does what is asked for, line by line."""

    def say(**what: Any) -> None:
        out.write(json.dumps(what) + "\n")
        out.flush()

    def tell(code: str, key: str | None, message: str) -> None:
        say(code=code, tool=key, message=message)

    say(began=None)
    if imported(asked["module"], asked["roots"], tell):
        for each in asked["tools"]:
            say(began=each["key"])
            if each["runs"]:
                tried(each["key"], each["definition"], tell)
    say(done=True)


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as lines:
        # What the tools print, from C too, is none of the answer.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        main(json.load(sys.stdin), lines)
        os._exit(0)  # threads that a module started keep nobody waiting
