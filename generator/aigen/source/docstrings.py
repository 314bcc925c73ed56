"""Docstrings as they are written: a new one, and one of which some lines change."""

from __future__ import annotations

import ast
import inspect
import re
from difflib import SequenceMatcher

_LITERAL = re.compile(
    r"(?P<head>\s*(?P<prefix>[rRuU]?)(?P<quotes>\"{3}|'{3}))(?P<body>.*)(?P=quotes)", re.DOTALL
)


def is_docstring(node: ast.stmt) -> bool:
    """Whether a statement is a text alone."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def literal(text: str, indent: str, newline: str) -> str:
    """A docstring of a text, indented."""
    safe = _escaped(text, '"""')
    if safe.endswith('"'):
        safe = f'{safe[:-1]}\\"'
    lines = [f"{indent}{line}" if line else "" for line in safe.split("\n")]
    lines[0] = f'{indent}"""{lines[0].lstrip()}'
    if len(lines) == 1:
        return f'{lines[0]}"""'
    return newline.join([*lines, f'{indent}"""'])


def edited(written: str, text: str, newline: str) -> str | None:
    """A docstring in which the lines that change are written anew, and no other.

    Args:
        written: the statement, from the beginning of its first line.
        text: what is to be read of it, without indentation.
        newline: ends the lines of the source.

    Returns:
        None where it has no lines that stand for those of its text, or new ones cannot stand in it.
    """
    found = _LITERAL.fullmatch(written)
    if found is None:
        return None
    lines = found["body"].split(newline)
    value = ast.literal_eval(written.strip()).split("\n")
    before = inspect.cleandoc("\n".join(value)).split("\n")
    if len(value) != len(lines) or len(lines) == 1:
        return None
    start = next((at for at, line in enumerate(value) if line.strip()), 0)
    indent = re.match(r"\s*", written)[0]  # type: ignore[index]
    new: list[str] = []
    after = text.split("\n")
    for kind, i, j, m, n in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind == "equal":
            new += lines[start + i : start + j]
        else:
            new += [_line(each, indent, found) for each in after[m:n]]
            if new and m == 0 and start == 0:
                new[0] = new[0].lstrip()
    end = start + len(before)
    tail = lines[end:] or ([indent] if len(after) > len(before) else [])
    made = newline.join([*lines[:start], *new, *tail])
    whole = f"{found['head']}{made}{found['quotes']}"
    return whole if _reads(whole, text) else None


def _line(text: str, indent: str, written: re.Match[str]) -> str:
    safe = text if written["prefix"] in ("r", "R") else _escaped(text, written["quotes"])
    return f"{indent}{safe}" if safe else ""


def _escaped(text: str, quotes: str) -> str:
    mark = quotes[0]
    return text.replace("\\", "\\\\").replace(quotes, f"\\{mark}" * 3)


def _reads(written: str, text: str) -> bool:
    try:
        return inspect.cleandoc(ast.literal_eval(written.strip())) == text.rstrip()
    except (SyntaxError, ValueError):
        return False
