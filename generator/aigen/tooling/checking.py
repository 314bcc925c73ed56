"""Whether a tool keeps to what models, providers and its own function need.

The codes are those of `aigen explain`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from aigen.runtime.dialects import DIALECTS, tool_form
from aigen.runtime.errors import AigenError, ConfigurationError
from aigen.runtime.tool import AITool
from aigen.runtime.tools.annotations import NAMESPACE, RESERVED
from aigen.runtime.tools.tokens import DESCRIPTION, EXAMPLES, tokens
from aigen.tooling.docs import docs_on
from aigen.tooling.keys import NAME
from aigen.tooling.signature import read_signature


@dataclass(frozen=True, slots=True)
class Finding:
    """Something about a tool that should be mended.

    Attributes:
        id: the code, as `aigen explain` knows it.
        severity: an error keeps the tool from working.
        message: what, and where.
        mend: what to write instead.
    """

    id: str
    severity: Literal["error", "warning"]
    message: str
    mend: str = ""

    def __str__(self) -> str:
        mend = f" ({self.mend})" if self.mend else ""
        return f"{self.severity}[{self.id}]: {self.message}{mend}"


STRICT: Final = ("openai-chat", "openai-responses", "anthropic")
"""The dialects that have a strict form."""


_ERRORS: Final = ("AIG601", "AIG602")
"""What a dialect cannot say at all; of the rest it says less."""


def check(tool: Any, dialects: Sequence[str] = STRICT) -> tuple[Finding, ...]:
    """Looks at a tool without running it.

    Args:
        tool: a tool, or a function at hand.
        dialects: those that the tool is to be sent in.

    Returns:
        What is wrong, errors first; empty where nothing is.

    Raises:
        ConfigurationError: `tool` is a function that no tool can be made of, or there is no such
            dialect.
    """
    if not isinstance(tool, AITool):
        from aigen.tooling.making import tool as made

        tool = made(tool)
    found = [*_names(tool), *_words(tool), *_parameters(tool), *_examples(tool)]
    found += _dialects(tool, dialects)
    return tuple(sorted(found, key=lambda each: each.severity))


def _names(tool: AITool[Any]) -> Iterator[Finding]:
    definition: Mapping[str, Any] = tool.definition
    if not NAME.fullmatch(definition["name"]):
        yield Finding(
            "AIG401",
            "error",
            f"{definition['name']!r} is no tool's name: 1 to 64 of a-z A-Z 0-9 _ -",
            "give it another name",
        )
    space = definition.get("options", {}).get("namespace")
    if space and (not NAMESPACE.fullmatch(space) or {*space.split(".")} & {*RESERVED}):
        yield Finding("AIG405", "error", f"{space!r} is no namespace", "letters, digits, _ and .")


def _words(tool: AITool[Any]) -> Iterator[Finding]:
    definition: Mapping[str, Any] = tool.definition
    name, words = definition["name"], definition["description"]
    if not words.strip():
        yield Finding(
            "AIG414",
            "warning",
            f"{name} has no description, so the model must guess from its name",
            "write a docstring, or description=…",
        )
    size = tokens(words)
    exposure = definition.get("options", {}).get("exposure", "direct")
    if exposure == "direct" and size >= DESCRIPTION:
        yield Finding(
            "AIG414",
            "warning",
            f"the description of {name} is about {size} tokens, and a direct tool's stays under"
            f" {DESCRIPTION}",
            "shorten it; guidelines: has room for more",
        )


def _parameters(tool: AITool[Any]) -> Iterator[Finding]:
    """Parameters against the function that takes them, where it is at hand."""
    definition: Mapping[str, Any] = tool.definition
    func: Any = tool._implementation
    if func is None or "shape" in definition or "parameters" in definition:
        return
    try:
        signature = read_signature(func)
    except AigenError as problem:
        yield Finding("AIG413", "error", problem.message)
        return
    takes = {each.name for each in signature.arguments}
    given = {field["name"] for field in definition["inputs"]} | {*tool._inject}
    if "others" not in signature.passing.values():
        for name in sorted(given - takes - {*signature.context}):
            yield Finding(
                "AIG410",
                "error",
                f"{signature.name} takes no {name}",
                f"it takes {', '.join(sorted(takes)) or 'nothing'}",
            )
    for each in signature.arguments:
        if each.name not in given and not each.optional:
            yield Finding(
                "AIG410",
                "error",
                f"{signature.name} needs {each.name}, which nothing gives it",
                "add it to the parameters, or inject it",
            )
    documented = [*signature.documented, *docs_on(func).get("arguments", {})]
    for name in dict.fromkeys(documented):
        if name not in {*takes, *signature.context}:
            yield Finding(
                "AIG409",
                "warning",
                f"the documentation of {signature.name} names {name}, which is no parameter",
                "correct the name, or remove the words",
            )


def _examples(tool: AITool[Any]) -> Iterator[Finding]:
    definition: Mapping[str, Any] = tool.definition
    examples = definition.get("options", {}).get("examples") or ()
    size = tokens(json.dumps(examples, ensure_ascii=False, default=str), "json")
    if size >= EXAMPLES:
        yield Finding(
            "AIG415",
            "warning",
            f"the examples of {definition['name']} have about {size:,} tokens; they stay under"
            f" {EXAMPLES:,}",
            "keep the short ones",
        )
    for number, example in enumerate(examples, 1):
        try:
            tool._bound(example, tool._context())
        except AigenError as problem:
            yield Finding(
                "AIG408", "error", f"example {number}: {problem.message}", "correct the example"
            )


def _dialects(tool: AITool[Any], dialects: Sequence[str]) -> Iterator[Finding]:
    """What a dialect cannot say, or not strictly though it must."""
    for dialect in dialects:
        if dialect not in DIALECTS:
            raise ConfigurationError(f"no dialect {dialect!r}; there are {', '.join(DIALECTS)}")
        exposure = tool.definition.get("options", {}).get("exposure", "direct")
        if exposure not in ("direct", "deferred") or "parameters" in tool.definition:
            continue
        for problem in tool_form(dialect, tool.definition).problems:
            severity: Any = "error" if problem.code in _ERRORS else "warning"
            message = f"{dialect}: {problem.message}"
            yield Finding(problem.code, severity, message, problem.mend or "")


__all__ = ["Finding", "check"]
