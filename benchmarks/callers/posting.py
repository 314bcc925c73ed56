"""aiohttp alone: the request as it is written, and pydantic's reading of the text."""

from __future__ import annotations

import os
from functools import cache

import aiohttp
import harness
import sdk
from models import Sort

URL = f"{os.environ['BENCH_URL']}/chat/completions"


@cache
def session() -> aiohttp.ClientSession:
    """The process's session, made inside its loop."""
    return aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))


async def acall(message: str) -> Sort:
    """One call, awaited."""
    body = {
        "model": "bench",
        "messages": sdk.messages(message),
        "response_format": sdk.FORMAT,
    }
    async with session().post(URL, json=body) as response:
        reply = await response.json()
    return Sort.model_validate_json(reply["choices"][0]["message"]["content"])


if __name__ == "__main__":
    harness.main(None, acall)
