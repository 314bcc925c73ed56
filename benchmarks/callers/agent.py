"""pydantic-ai's agent with native structured output.

A shared agent fails when several threads call it (its client belongs to one event loop), so each
thread has its own, with a client of its own.
"""

import os
import threading

import harness
from models import Sort
from openai import AsyncOpenAI
from pydantic_ai import Agent, NativeOutput
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

local = threading.local()


def agent() -> Agent[None, Sort]:
    """This thread's agent."""
    if not hasattr(local, "agent"):
        client = AsyncOpenAI(base_url=os.environ["BENCH_URL"], api_key="none", max_retries=0)
        local.agent = Agent(
            OpenAIChatModel("bench", provider=OpenAIProvider(openai_client=client)),
            output_type=NativeOutput(Sort),
            system_prompt="Read the request and say where it belongs.",
        )
    return local.agent


def call(message: str) -> Sort:
    """One call."""
    return agent().run_sync(message).output


async def acall(message: str) -> Sort:
    """One call, awaited."""
    return (await agent().run(message)).output


if __name__ == "__main__":
    harness.main(call, acall)
