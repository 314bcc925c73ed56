"""Whether code is the same whatever the words of a spec are.

A module is made twice, of the same texts and of texts whose literals say nothing. If the two are
the same code but for what their literals say, then no word of a spec became code, and none decided
what the code is. This judges templates that are not aigen's.
"""

from __future__ import annotations

import ast
import dataclasses
import io
import re
import tokenize
import warnings
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

_SAID: Final = re.compile(
    r'[rR]?"""(?:\\.|[^\\])*?"""'
    r'|[rR]?"(?:\\.|[^"\\\n])*"'
    r"|[rR]?'(?:\\.|[^'\\\n])*'"
    r"|#[^\n]*",
    re.DOTALL,
)


def wordless(value: Any) -> Any:
    """The same texts with literals and comments that say nothing."""
    if isinstance(value, str):
        return _SAID.sub(lambda found: "#" if found[0][0] == "#" else '"-"', value)
    if isinstance(value, tuple):
        return tuple(map(wordless, value))
    if isinstance(value, Mapping):
        return {name: wordless(each) for name, each in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        members = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return dataclasses.replace(value, **wordless(members))
    return value


def wrong_code(text: str, bare: str, *, exports: bool) -> tuple[str, str] | None:
    """What is wrong with a module, and the mend; None where nothing is.

    Args:
        text: the module.
        bare: the same, made of texts whose literals say nothing.
        exports: whether it must bind the names in its `__all__`.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            data = text.encode()
            encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
            if encoding != "utf-8":  # a comment in the first two lines may say so
                return f"the module it makes says that it is {encoding}", "say nothing of a coding"
            tree = ast.parse(data)
            compile(data, "<module>", "exec", dont_inherit=True)
    except SyntaxError as problem:
        line = (text.splitlines() or [""])[max(0, min(problem.lineno or 1, text.count("\n")) - 1)]
        return f"the module it makes is no Python: {problem.msg}: {line.strip()[:80]}", _LAYOUT
    except (ValueError, RecursionError, MemoryError):
        return "the module it makes is no Python", _LAYOUT
    if _unworded(text) != _unworded(bare):
        message = "words of a spec become code, or decide what the code is"
        return message, "write them only where a literal may stand, whole and as they are"
    return _names(tree, exports)


_LAYOUT: Final = "blocks hold whole lines; the indentation is that of the block they override"


def _unworded(text: str) -> str | None:
    """The code without what its literals say; None where it is none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value, node.kind = "", None
    return ast.dump(tree)


def _names(tree: ast.Module, exports: bool) -> tuple[str, str] | None:
    bound: Counter[str] = Counter()
    for statement in tree.body:
        bound.update(_bound(statement))
    for name, times in bound.items():
        if times > 1 and name not in ("__all__", "_"):
            message = f'the module it makes binds "{name}" twice'
            return message, "import it under another name: as _name"
    missing = [name for name in _exported(tree) if name not in bound] if exports else []
    if missing:
        return f'the module it makes lacks "{missing[0]}"', "keep {{ super() }} in the block"
    return None


def _bound(statement: ast.stmt) -> list[str]:
    """The names that a statement of the module's own level binds."""
    match statement:
        case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
            return [name]
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return [each.asname or each.name.partition(".")[0] for each in names]
        case ast.Assign(targets=targets):
            return [target.id for target in targets if isinstance(target, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
        case ast.If(body=body, orelse=orelse):
            return [*{name: None for each in (*body, *orelse) for name in _bound(each)}]
    return []


def _exported(tree: ast.Module) -> list[str]:
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.List):
            target = statement.targets[0]
            if isinstance(target, ast.Name) and target.id == "__all__":
                items = statement.value.elts
                return [str(each.value) for each in items if isinstance(each, ast.Constant)]
    return []
