"""What a provider is sent: tools and replies, from their canonical schemas.

A dialect is a module of pure functions. What it cannot say is a `Problem`, which fails the build
(or warns, where the provider ignores it) and says what to write instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

from aigen.runtime.definition import ToolDefinition
from aigen.runtime.dialects import anthropic, gemini, mcp, openai_chat, openai_responses
from aigen.runtime.dialects.form import Form, Problem, Reply, ToolForm


class Dialect(Protocol):
    """A module of this package."""

    def tool(self, form: ToolForm) -> Form:
        """One tool, as it stands in the request's array."""

    def tools(self, forms: Sequence[ToolForm]) -> Form:
        """All tools of a request."""

    def reply(self, reply: Reply) -> Form:
        """What holds a reply to its schema, as it stands in the request."""


DIALECTS: Final[Mapping[str, Dialect]] = {
    "openai-chat": openai_chat,
    "openai-responses": openai_responses,
    "anthropic": anthropic,
    "gemini": gemini,
    "mcp": mcp,
}
"""Every dialect by its name."""


def tool_form(dialect: str, definition: ToolDefinition) -> Form:
    """A tool in a dialect.

    Raises:
        KeyError: there is no such dialect.
    """
    return DIALECTS[dialect].tool(ToolForm.of(definition))


def tools_form(dialect: str, definitions: Sequence[ToolDefinition]) -> Form:
    """Tools in a dialect, ready to send; hidden ones are not.

    Those that are found by search, or called from code, are where the provider has its own tool
    for that, which is then there too.

    Raises:
        KeyError: there is no such dialect.
    """
    forms = [ToolForm.of(definition) for definition in definitions]
    return DIALECTS[dialect].tools([form for form in forms if form.exposure != "hidden"])


def reply_form(dialect: str, name: str, schema: Mapping[str, Any]) -> Form:
    """A function's reply in a dialect.

    Args:
        dialect: its name.
        name: of the function, as the model reads it.
        schema: of the reply, canonical, an object with its own `$defs`.

    Raises:
        KeyError: there is no such dialect.
    """
    return DIALECTS[dialect].reply(Reply(name, schema))


__all__ = ["DIALECTS", "Dialect", "Form", "Problem", "reply_form", "tool_form", "tools_form"]
