"""instructor over the SDK's client."""

import os

import harness
import instructor
from models import Sort
from openai import AsyncOpenAI, OpenAI
from sdk import messages

URL = os.environ["BENCH_URL"]
MODE = instructor.Mode.JSON_SCHEMA
client = instructor.from_openai(OpenAI(base_url=URL, api_key="none", max_retries=0), mode=MODE)
aclient: instructor.AsyncInstructor | None = None


def call(message: str) -> Sort:
    """One call."""
    return client.chat.completions.create(
        model="bench", messages=messages(message), response_model=Sort
    )


async def acall(message: str) -> Sort:
    """One call, awaited."""
    global aclient
    if aclient is None:
        raw = AsyncOpenAI(base_url=URL, api_key="none", max_retries=0)
        aclient = instructor.from_openai(raw, mode=MODE)
    return await aclient.chat.completions.create(
        model="bench", messages=messages(message), response_model=Sort
    )


if __name__ == "__main__":
    harness.main(call, acall)
