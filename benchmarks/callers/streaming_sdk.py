"""The SDK's own `create(stream=True)`: text by pieces, and pydantic's reading of the whole."""

from collections.abc import Iterator
from typing import Any

import sdk
import streaming
from models import Sort


def stream(message: str) -> Iterator[Any]:
    """The pieces and the answer."""
    pieces = []
    for chunk in sdk.client.chat.completions.create(
        model="bench",
        messages=sdk.messages(message),
        response_format=sdk.FORMAT,
        stream=True,
        stream_options={"include_usage": True},
    ):
        text = chunk.choices[0].delta.content if chunk.choices else None
        if text:
            pieces.append(text)
            yield text
    yield Sort.model_validate_json("".join(pieces))


if __name__ == "__main__":
    streaming.main(stream)
