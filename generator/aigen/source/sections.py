"""Changes the words of a docstring: its text, an entry of a parameter, what is returned."""

from __future__ import annotations

import re

from aigen.source.words import read_docstring

_MEMBERS = re.compile(r"(?:Args|Arguments|Parameters|Params):\s*")
_RETURNS = re.compile(r"Returns?:\s*")
_RULE = re.compile(r"\s*-{3,}\s*")


def with_text(docs: str, text: str) -> str:
    """A docstring with another description, its sections as they were."""
    old = read_docstring(docs).text
    rest = docs.strip()[len(old) :].lstrip("\n") if docs.strip().startswith(old) else docs
    return "\n\n".join(part for part in (text.strip(), rest.rstrip()) if part)


def with_entry(docs: str, name: str, words: str) -> str:
    """A docstring in which a parameter has these words, in the style that it is written in."""
    lines = docs.split("\n") if docs else []
    found = _entry(lines, name)
    if found is not None:
        start, end, head = found
        return "\n".join([*lines[:start], *_said(head, words), *lines[end:]])
    fields = [at for at, line in enumerate(lines) if line.startswith(":")]
    if fields:
        params = [at + 1 for at in fields if lines[at].startswith(":param")]
        at = params[-1] if params else fields[0]
        return "\n".join([*lines[:at], f":param {name}: {words}", *lines[at:]])
    return _in_section(lines, name, words)


def _said(head: str, words: str) -> list[str]:
    """The head of an entry with other words behind or beneath it."""
    return [f"{head} {words}"] if head.endswith(":") else [head, f"    {words}"]


def _entry(lines: list[str], name: str) -> tuple[int, int, str] | None:
    """Where an entry stands; what of it stays: `name (type):`, `:param name:`, `name : type`."""
    for at, line in enumerate(lines):
        google = re.match(rf"(\s+\*{{0,2}}{name}\s*(?:\(.*?\))?:)(?:\s|$)", line)
        rest = re.match(rf"(:(?:param|arg|argument|keyword)\s+(?:[^:]*\s)?{name}\s*:)", line)
        numpy = re.match(rf"(\*{{0,2}}{name}(?:\s*:.*)?)$", line) and _is_ruled(lines, at)
        if google or rest or numpy:
            indent = len(line) - len(line.lstrip())
            end = at + 1
            while end < len(lines) and lines[end].strip() and _indent(lines[end]) > indent:
                end += 1
            match = google or rest
            return at, end, match[1] if match else line
    return None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _is_ruled(lines: list[str], at: int) -> bool:
    """Whether a line stands in a section whose title is underlined."""
    return any(_RULE.fullmatch(line) for line in lines[:at])


def _in_section(lines: list[str], name: str, words: str) -> str:
    for at, line in enumerate(lines):
        ruled = at + 1 < len(lines) and _RULE.fullmatch(lines[at + 1]) is not None
        if _MEMBERS.fullmatch(line) or (ruled and line.strip() in ("Parameters", "Args")):
            end = at + (2 if ruled else 1)
            while end < len(lines) and lines[end].strip():
                end += 1
            new = [name, f"    {words}"] if ruled else [f"    {name}: {words}"]
            return "\n".join([*lines[:end], *new, *lines[end:]])
    returns = next((at for at, line in enumerate(lines) if _RETURNS.fullmatch(line)), len(lines))
    before, after = lines[:returns], lines[returns:]
    while before and not before[-1].strip():
        before.pop()
    gap, more = ([""] if before else []), ([""] if after else [])
    return "\n".join([*before, *gap, "Args:", f"    {name}: {words}", *more, *after])


def with_returned(docs: str, words: str) -> str:
    """A docstring that says what is returned, in the style that it is written in."""
    lines = docs.rstrip().split("\n") if docs.strip() else []
    for at, line in enumerate(lines):
        ruled = at + 1 < len(lines) and _RULE.fullmatch(lines[at + 1]) is not None
        rest = re.match(r":returns?:", line)
        titled = ruled and line.strip() in ("Returns", "Return")
        if not (titled or rest or _RETURNS.fullmatch(line)):
            continue
        start = at + (2 if ruled else 1)
        end = start
        while end < len(lines) and lines[end].strip() and (ruled or _indent(lines[end])):
            end += 1
        if rest:
            return "\n".join([*lines[:at], f"{rest[0]} {words}", *lines[end:]])
        kept = lines[start : start + 1] if ruled and not _indent(lines[start]) else []
        typed = re.match(r"\s+([\w.\[\], |]+:)\s", lines[start]) if start < end else None
        said = f"    {typed[1]} {words}" if typed and not ruled else f"    {words}"
        return "\n".join([*lines[:start], *kept, said, *lines[end:]])
    if any(line.startswith(":param") for line in lines):
        return "\n".join([*lines, f":returns: {words}"])
    return "\n".join([*lines, *([""] if lines else []), "Returns:", f"    {words}"])
