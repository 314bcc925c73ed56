"""The SDK's own `create()` with a schema, and pydantic's reading of the text."""

import os

import harness
from models import Sort
from openai import AsyncOpenAI, OpenAI

URL = os.environ["BENCH_URL"]
FORMAT = {
    "type": "json_schema",
    "json_schema": {"name": "Sort", "strict": True, "schema": Sort.model_json_schema()},
}
client = OpenAI(base_url=URL, api_key="none", max_retries=0)
aclient: AsyncOpenAI | None = None


def messages(message: str) -> list[dict[str, str]]:
    """The request's messages."""
    return [
        {"role": "system", "content": "Read the request and say where it belongs."},
        {"role": "user", "content": message},
    ]


def call(message: str) -> Sort:
    """One call."""
    reply = client.chat.completions.create(
        model="bench", messages=messages(message), response_format=FORMAT
    )
    return Sort.model_validate_json(reply.choices[0].message.content)


async def acall(message: str) -> Sort:
    """One call, awaited."""
    global aclient
    aclient = aclient or AsyncOpenAI(base_url=URL, api_key="none", max_retries=0)
    reply = await aclient.chat.completions.create(
        model="bench", messages=messages(message), response_format=FORMAT
    )
    return Sort.model_validate_json(reply.choices[0].message.content)


if __name__ == "__main__":
    harness.main(call, acall)
