"""pydantic-ai's agent with native structured output."""

import os

import harness
from models import Sort
from pydantic_ai import Agent, NativeOutput
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

provider = OpenAIProvider(base_url=os.environ["BENCH_URL"], api_key="none")
agent = Agent(
    OpenAIChatModel("bench", provider=provider),
    output_type=NativeOutput(Sort),
    system_prompt="Read the request and say where it belongs.",
)


def call(message: str) -> Sort:
    """One call."""
    return agent.run_sync(message).output


async def acall(message: str) -> Sort:
    """One call, awaited."""
    return (await agent.run(message)).output


if __name__ == "__main__":
    harness.main(call, acall)
