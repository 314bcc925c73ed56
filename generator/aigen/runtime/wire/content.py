"""What a message says, text and media, as the parts that an API takes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from aigen.runtime.errors import ConfigurationError
from aigen.runtime.wire.messages import Target, ToolCall

Piece: TypeAlias = Any
"""A text, or an `aigen.runtime.Media`."""

_AUDIO: Final = {
    "audio/wav": "wav",
    "audio/x-wav": "wav",
    "audio/wave": "wav",
    "audio/mpeg": "mp3",
    "audio/mp3": "mp3",
}


class Message(NamedTuple):
    """A message of a layout, before it is put into the words of an API.

    Attributes:
        role: `system`, `user`, `assistant`, or `tool` for what is said to a call.
        content: a text, or texts and media in order.
        call: the tool call that an assistant's message is, or that a tool's message is said to.
    """

    role: str
    content: str | Sequence[Piece]
    call: ToolCall | None = None


def sendable(text: str) -> str:
    """A text that UTF-8 can hold: halves of surrogate pairs, which JSON may escape, are marked."""
    return text if text.isascii() else re.sub("[\ud800-\udfff]", "\ufffd", text)


def is_media(value: Any) -> bool:
    """Whether a value is an image, a recording or a file."""
    return hasattr(value, "__aigen_media__")


def joined(pieces: Iterable[Piece]) -> str | list[Piece]:
    """Pieces with neighbouring texts as one; the text alone where there are no media."""
    given = list(pieces)
    if all(isinstance(piece, str) for piece in given):
        return "".join(given)
    found: list[Piece] = []
    for piece in given:
        if isinstance(piece, str) and found and isinstance(found[-1], str):
            found[-1] += piece
        elif piece != "":
            found.append(piece)
    return found


def sent(messages: Sequence[Message], target: Target, api: str) -> list[dict[str, Any]]:
    """Messages in the words of an API.

    Raises:
        ConfigurationError: media that the API does not take, or that are too large (code `media`).
    """
    size = sum(_size(each) for each in messages if not isinstance(each.content, str))
    if size > target.media_bytes:
        raise _refused(
            f"{size:,} bytes of media in one request; {target.provider} takes at most "
            f"{target.media_bytes:,}: send less, or give a URL"
        )
    return [_message(each, target, api) for each in messages]


def _size(message: Message) -> int:
    return sum(len(piece.data or b"") for piece in message.content if not isinstance(piece, str))


def _message(message: Message, target: Target, api: str) -> dict[str, Any]:
    if message.call is not None:
        return _said_of_call(message, message.call, api)
    # OpenAI's servers know a message without its type; llama.cpp's refuses one of the assistant's.
    said = {"type": "message"} if api == "responses" else {}
    content = message.content
    if isinstance(content, str):
        return {**said, "role": message.role, "content": content}
    if message.role != "user":
        raise _refused(
            f"an image, a recording or a file stands in a {message.role} message; the APIs take "
            "them in user messages only"
        )
    part = _of_responses if api == "responses" else _of_chat
    return {**said, "role": message.role, "content": [part(piece, target) for piece in content]}


def _said_of_call(message: Message, call: ToolCall, api: str) -> dict[str, Any]:
    if api == "responses":
        if message.role == "tool":
            return {
                "type": "function_call_output",
                "call_id": call.id,
                "output": message.content,
            }
        return {
            "type": "function_call",
            "call_id": call.id,
            "name": call.name,
            "arguments": call.arguments,
        }
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": call.id, "content": message.content}
    function = {"name": call.name, "arguments": call.arguments}
    calls = [{"id": call.id, "type": "function", "function": function}]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def _of_chat(piece: Piece, target: Target) -> dict[str, Any]:
    """A part of a chat completion's message."""
    if isinstance(piece, str):
        return {"type": "text", "text": piece}
    if piece.kind == "image":
        return {"type": "image_url", "image_url": {"url": _image(piece, target)}}
    if piece.url is not None:
        raise _refused(
            f"chat completions take no URL of {_named(piece)}: give the path or the bytes"
            + (", or set api: responses" if piece.kind == "file" else "")
        )
    if piece.kind == "audio":
        form = _AUDIO.get(piece.media_type)
        if form is None:
            raise _refused(
                f"chat completions take recordings as WAV or MP3, not as {piece.media_type}"
            )
        return {"type": "input_audio", "input_audio": {"data": piece.base64(), "format": form}}
    return {"type": "file", "file": {"filename": _filename(piece), "file_data": piece.data_url()}}


def _of_responses(piece: Piece, target: Target) -> dict[str, Any]:
    """A part of an input message of the Responses API."""
    if isinstance(piece, str):
        return {"type": "input_text", "text": piece}
    if piece.kind == "image":
        return {"type": "input_image", "image_url": _image(piece, target)}
    if piece.kind == "audio":
        raise _refused("the responses API takes no recordings: set api: chat")
    if piece.url is not None:
        return {"type": "input_file", "file_url": _url(piece, target)}
    return {"type": "input_file", "filename": _filename(piece), "file_data": piece.data_url()}


def of_result(text: str, images: Sequence[Any]) -> str | list[dict[str, Any]]:
    """What a tool gave, as the Responses API takes it; chat completions take no images there."""
    if not images:
        return text
    from aigen.runtime.values.media import Image

    shown = [{"type": "input_image", "image_url": Image(each).data_url()} for each in images]
    return [{"type": "input_text", "text": text}, *shown]


def _image(media: Any, target: Target) -> str:
    if media.url is None and not media.media_type.startswith("image/"):
        raise _refused(f"an image is wanted, and this is {media.media_type}; see media_type")
    return _url(media, target)


def _url(media: Any, target: Target) -> str:
    if media.url is not None and media.url.startswith("gs:") and target.provider != "gemini":
        raise _refused(f"{target.provider} does not read gs: URLs: give https:, or the bytes")
    return str(media.data_url())


def _filename(media: Any) -> str:
    # Where a file is only bytes, the API still wants a name, and may go by its ending.
    import mimetypes

    return media.name or f"file{mimetypes.guess_extension(media.media_type) or '.bin'}"


def _named(media: Any) -> str:
    return {"image": "an image", "audio": "a recording", "file": "a file"}[media.kind]


def _refused(words: str) -> ConfigurationError:
    return ConfigurationError(words, code="media")


def forced(tool: Mapping[str, Any], api: str) -> dict[str, Any]:
    """What of a body makes a model call one tool.

    Args:
        tool: its `name`, `description`, `parameters` and `strict`.
        api: `chat` or `responses`.
    """
    if api == "responses":
        return {
            "tools": [{"type": "function", **tool}],
            "tool_choice": {"type": "function", "name": tool["name"]},
        }
    # This API is not strict where nothing is said, and there are servers that refuse the word.
    said = {name: value for name, value in tool.items() if name != "strict" or value}
    return {
        "tools": [{"type": "function", "function": said}],
        "tool_choice": {"type": "function", "function": {"name": tool["name"]}},
    }
