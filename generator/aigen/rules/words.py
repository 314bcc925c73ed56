"""Lint of words: those that say nothing, and those that must not be said."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aigen.diagnostics import Diagnostics, Span
from aigen.rules.context import Context

# Forms that issuers document: their prefix and length make a chance hit unlikely.
_SECRET = re.compile(
    r"\b(?:sk-(?:proj-|ant-)?[A-Za-z0-9_-]{20,}"  # OpenAI, Anthropic
    r"|gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{40,}"  # GitHub
    r"|AKIA[0-9A-Z]{16}"  # AWS
    r"|AIza[0-9A-Za-z_-]{35}"  # Google
    r"|xox[abprs]-[0-9A-Za-z-]{20,}"  # Slack
    r"|glpat-[0-9A-Za-z_-]{20,})"  # GitLab
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----"
)
_NOTHING = re.compile(
    r".|answer|data|items?|out|outputs?|res|response|results?|ret|text|thing|values?", re.I
)
"""Names that any output could have."""
_LETTERS = re.compile(r"[\W_]+")


def vague(context: Context, diagnostics: Diagnostics) -> None:
    """AIG803: a description that is empty, or only repeats the name."""
    for name, words, span in _described(context):
        if words is not None and _plain(words) in ("", _plain(name)):
            said = "is empty" if not words.strip() else "only repeats the name"
            diagnostics.report(
                "AIG803",
                span,
                f"the description of {name} {said}",
                hint="say what it means, or leave it out",
            )


def undescribed(context: Context, diagnostics: Diagnostics) -> None:
    """AIG808: no description, and outputs whose names say nothing of what is asked for."""
    for function in context.functions:
        if function.description is not None or function.instructions or function.prompt:
            continue
        names = [function.output_name or field.name for field in function.outputs]
        if any(field.description for field in function.outputs):
            continue
        if all(_NOTHING.fullmatch(name) for name in names):
            diagnostics.report(
                "AIG808",
                function.span,
                f"{function.name} has no description, and {' and '.join(names)} "
                f"say{'s' * (len(names) == 1)} nothing of what is asked for",
                hint="add a description",
            )


def _plain(words: str) -> str:
    return _LETTERS.sub("", words).casefold()


def _described(context: Context) -> Iterator[tuple[str, str | None, Span]]:
    for function in context.functions:
        yield function.name, function.description, function.span
    for tool in context.tools:
        yield tool.name, tool.description, tool.span
    for definition in context.types:
        yield definition.name, definition.description, definition.span
    for name, field in context.fields:
        yield name, field.description, field.span


def secrets(context: Context, diagnostics: Diagnostics) -> None:
    """AIG804: a key in words, demos, instructions or settings. The message never quotes it."""
    for what, text, span in _texts(context):
        if _SECRET.search(text):
            diagnostics.report(
                "AIG804",
                span,
                f"{what} holds what looks like a secret",
                hint="remove it and revoke the key",
            )


def _texts(context: Context) -> Iterator[tuple[str, str, Span]]:
    for name, words, span in _described(context):
        if words:
            yield f"the description of {name}", words, span
    for function in context.functions:
        if function.instructions:
            yield f"the instructions of {function.name}", function.instructions, function.span
        for what, value in (
            ("a demo", function.demos),
            ("a setting", function.settings),
            ("the prompt", function.prompt),
            ("a test", [(test.inputs, test.expect) for test in function.tests]),
        ):
            if value:
                yield f"{what} of {function.name}", repr(value), function.span
    for tool in context.tools:
        if tool.options:
            yield f"an option of {tool.name}", repr(tool.options), tool.span
    for name, field in context.fields:
        if field.default is not None and field.default.value is not None:
            yield f"the default of {name}", repr(field.default.value), field.span
        if field.examples:
            yield f"an example of {name}", repr(field.examples), field.span
    for name, levels, span, _ in context.choices:
        yield f"a level of {name}", " ".join(level.meaning or "" for level in levels), span
