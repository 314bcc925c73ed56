"""Callables that specs name: written `pkg.mod:func`, and inside what the project trusts.

Nothing is imported: a module counts as there when its file is.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from aigen.diagnostics import Diagnostics, nearest
from aigen.resolve.python_modules import FunctionIn, PythonModules, Unreadable
from aigen.source.parameters import required
from aigen.spec.python_names import module_file
from aigen.spec.tree import Text

_FORM = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*:[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*", re.ASCII)
_DEFINED = re.compile(r"^\s*(?:async\s+def|def|class)\s+(\w+)|^(\w+)\s*[:=]", re.MULTILINE)


class _Problem(NamedTuple):
    code: str
    message: str
    hint: str | None


class Callables:
    """Judges the callables that specs name, each target once.

    Attributes:
        python_path: the folders that modules are looked up under.
        modules: reads the modules there, each once.
        named: every target asked for since it was last cleared.
    """

    def __init__(
        self, python_path: Sequence[Path], trust: Sequence[str], diagnostics: Diagnostics
    ) -> None:
        self.python_path = tuple(python_path)
        self.modules = PythonModules(self.python_path, trust)
        self.named: set[str] = set()
        self._trust = frozenset(trust)
        self._diagnostics = diagnostics
        self._judged: dict[str, _Problem | None] = {}
        self._files: dict[str, Path | None] = {}

    def check(self, target: Text) -> bool:
        """Whether a spec may name this callable; reports at its place why not."""
        text = target.value
        self.named.add(text)
        if text not in self._judged:
            self._judged[text] = self._judge(text)
        problem = self._judged[text]
        if problem is None:
            return True
        self._diagnostics.report(problem.code, target.span, problem.message, hint=problem.hint)
        return False

    def check_default(self, target: Text) -> bool:
        """Whether a spec may name this callable as a default, which is called with no arguments."""
        if not self.check_called(target, "a default"):
            return False
        found = self._plain_function(target.value)
        wanted = [] if found is None else required(found.node.args)
        if wanted:
            self._diagnostics.report(
                "AIG218",
                target.span,
                f"{target.value} requires {' and '.join(wanted)}, and a default is called without "
                "arguments",
                hint="name a function that needs none",
            )
        return not wanted

    def check_called(self, target: Text, what: str) -> bool:
        """Whether a spec may name this callable where what it gives is taken at once.

        Args:
            target: the callable.
            what: it is, for the message.
        """
        if not self.check(target):
            return False
        found = self._plain_function(target.value)
        if found is None or not isinstance(found.node, ast.AsyncFunctionDef):
            return True
        self._diagnostics.report(
            "AIG218",
            target.span,
            f"{target.value} is async, and {what} is called without await",
            hint="write it with def",
        )
        return False

    def _plain_function(self, target: str) -> FunctionIn | None:
        """The function that is called, as far as the source says it."""
        if not self.is_own(target):
            return None
        module, _, name = target.partition(":")
        try:
            read = self.modules.module(module)
            found = None if read is None else self.modules.meaning(read, name)
        except Unreadable:
            return None
        # A decorator may give arguments of its own, and a method has its instance or class.
        if not isinstance(found, FunctionIn) or found.owner or found.node.decorator_list:
            return None
        return found

    def is_own(self, target: str) -> bool:
        """Whether a callable's module lies under the python path."""
        return self._file(target.partition(":")[0]) is not None

    def _judge(self, target: str) -> _Problem | None:
        if not _FORM.fullmatch(target):
            dots = target.rpartition(".")
            fits = _FORM.fullmatch(f"{dots[0]}:{dots[2]}")
            hint = f"write {dots[0]}:{dots[2]}" if fits else "write pkg.mod:func"
            return _Problem("AIG219", f"{target!r} is no callable's name", hint)
        module, _, name = target.partition(":")
        if module in self._trust or target in self._trust:
            return None
        file = self._file(module)
        if file is None:
            return _Problem(
                "AIG218",
                f"{target} is neither under python_path nor trusted",
                f'add "{module}" to trust in [tool.aigen], or its folder to python_path',
            )
        return _missing(target, name.partition(".")[0], file)

    def _file(self, module: str) -> Path | None:
        if module not in self._files:
            found = module_file(module, self.python_path)
            self._files[module] = None if found is None else found.path
        return self._files[module]


def _missing(target: str, name: str, file: Path) -> _Problem | None:
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return _Problem("AIG218", f"{target} cannot be read: {file.name}", None)
    # A name may also come from an import, so a name the file mentions at all is believed.
    if re.search(rf"\b{re.escape(name)}\b", text):
        return None
    defined = {group for match in _DEFINED.finditer(text) for group in match.groups() if group}
    close = nearest(name, sorted(defined))
    return _Problem(
        "AIG218",
        f"{target.partition(':')[0]} defines no {name}",
        f"did you mean {target.partition(':')[0]}:{close}?" if close else None,
    )
