"""What may be given as a setting, for type checkers and completion.

`setting_kinds.KINDS` judges the same values at run time; a test holds the two together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI


class Limits(TypedDict, total=False):
    """Limits of each model in this process."""

    requests_per_minute: int
    tokens_per_minute: int
    in_flight: int


class Options(TypedDict, total=False):
    """Settings by name; None unsets one. Times are seconds."""

    model: str | None
    fallback: Sequence[str] | None
    api: Literal["chat", "responses"] | None
    adapter: Literal["auto", "json", "tool", "prompted", "xml", "chat", "prompt"] | None
    reasoning: str | None
    temperature: float | None
    top_p: float | None
    seed: int | None
    stop: str | Sequence[str] | None
    max_output_tokens: int | None
    service_tier: str | None
    prompt_cache_key: str | None
    metadata: Mapping[str, str] | None
    extra_body: Mapping[str, Any] | None
    extra_headers: Mapping[str, str] | None
    client: (
        OpenAI
        | AsyncOpenAI
        | Callable[[], OpenAI | AsyncOpenAI]
        | tuple[OpenAI | Callable[[], OpenAI], AsyncOpenAI | Callable[[], AsyncOpenAI]]
        | None
    )
    api_key: str | None
    base_url: str | None
    providers: Mapping[str, Any] | None
    mcp_servers: Mapping[str, Any] | None
    transport: Literal["auto", "sdk", "raw", "aiohttp", "direct"] | None
    retries: int | None
    api_retries: int | None
    request_timeout: float | None
    timeout: float | None
    max_steps: int | None
    tool_calling: Literal["auto", "native", "text"] | None
    tool_errors: Literal["report", "raise"] | None
    approve: Any
    policies: Sequence[Any] | None
    context: Mapping[str, Any] | None
    concurrency: int | None
    on_error: Literal["warn", "raise"] | None
    progress: bool | None
    limits: Limits | None
    cache_replies: str | bool | None
    reading: Literal["repair", "strict"] | None
    log_calls: str | PathLike[str] | bool | None
    log_content: bool | Sequence[str] | Mapping[str, bool] | None
    caller: str | None
