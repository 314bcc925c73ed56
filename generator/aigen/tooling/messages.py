"""Messages of a conversation: made of pairs, and printed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from aigen.runtime.errors import ConfigurationError

_ROLES: Final = ("system", "developer", "user", "assistant")


def form_msgs(pairs: Iterable[tuple[str, Any]]) -> list[dict[str, Any]]:
    """The messages of a chat request.

    Args:
        pairs: a role and its content each; a content is a text, or a list of parts.

    Raises:
        ConfigurationError: a role is none, or what is given is no pair.
    """
    return [_message(pair) for pair in pairs]


def _message(pair: Any) -> dict[str, Any]:
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise ConfigurationError(
            f"a message is a role and its content, not {pair!r:.80}", code="message"
        )
    role, content = pair
    if role not in _ROLES:
        raise ConfigurationError(
            f"a message is of {', '.join(_ROLES)}, not of {role!r}", code="message"
        )
    if not isinstance(content, str | list):
        raise ConfigurationError(
            f"the content of a message is a text or a list of parts, not {content!r:.80}",
            code="message",
        )
    return {"role": role, "content": content}


def print_msgs(messages: Iterable[Mapping[str, Any]]) -> None:
    """Prints what people said in a conversation: `>> Role:`, and the text beneath.

    What goes between the model and its tools is left out, as are messages without a text.
    """
    for message in messages:
        text = _text(message.get("content"))
        role = str(message.get("role", ""))
        if role in _ROLES and text:
            print(f">> {role.capitalize()}:\n{text}")


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [str(part.get("text", f"[{part.get('type')}]")) for part in parts]
    return "\n".join(texts)
