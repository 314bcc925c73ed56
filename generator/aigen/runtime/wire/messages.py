"""What goes out and what comes back, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple

from aigen.runtime.values.secret_names import without_secrets

Json = Any

CONTENT: Final = frozenset(("messages", "input", "tools", "response_format", "text", "model"))
"""Members of a body that hold what is said; elsewhere in it a name may be that of a key."""


class Price(NamedTuple):
    """US dollars a million tokens; `cached` is of input that the server had in its cache."""

    input: float
    output: float
    cached: float | None = None

    def of(self, usage: Usage) -> float:
        """What some tokens cost, in US dollars."""
        cached = self.input if self.cached is None else self.cached
        fresh = usage.input_tokens - usage.cached_tokens
        spent = fresh * self.input + usage.cached_tokens * cached
        return (spent + usage.output_tokens * self.output) / 1_000_000


MEDIA_BYTES: Final = 50_000_000
"""The most bytes of media in one request, where nothing else is known."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where a request goes, and what is known of it.

    Attributes:
        provider: a name of the table of providers, or `custom`.
        model: as the server knows it.
        base_url: None for the SDK's own default.
        key_variables: environment variables that may hold the key, in order.
        takes: how the server can be held to a form, best first: `strict`, `schema`, `tool`,
            `json_object`.
        fixed_sampling: whether the model refuses `temperature` and `top_p`.
        limit: the parameter of chat completions that bounds a reply's tokens.
        price: of its tokens, where known.
        media_bytes: the most bytes of media in one request.
        schema_with_tools: whether the server holds a reply to a schema in a request that offers
            tools, and still lets the model use them.
    """

    provider: str
    model: str
    base_url: str | None = None
    key_variables: tuple[str, ...] = ()
    takes: tuple[str, ...] = ("strict", "schema", "tool", "json_object")
    fixed_sampling: bool = False
    limit: str = "max_tokens"
    price: Price | None = None
    media_bytes: int = MEDIA_BYTES
    schema_with_tools: bool = False

    @property
    def key(self) -> tuple[str | None, str]:
        """What is remembered of a server is remembered under this."""
        return self.base_url, self.model


@dataclass(frozen=True, slots=True)
class Request:
    """One request: what `function.request(...)` shows and what is sent.

    Attributes:
        api: the API that the body is for.
        body: the JSON body.
        adapter: how inputs and outputs were laid out.
        decode: where the strict form turned *absent* into null; the reader turns it back.
        headers: further headers.
        reply_schema: of the reply's object, whether it is sent or not; None for plain text.
        settings: by which it is sent, where they are not the call's: those of a fallback.
    """

    api: Literal["chat", "responses"]
    target: Target
    body: Mapping[str, Json]
    adapter: str
    decode: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    reply_schema: Mapping[str, Any] | None = None
    settings: Any = field(default=None, compare=False)

    def __repr__(self) -> str:
        # A key must not reach a log by way of a repr; headers and settings can hold one.
        names = ("api", "target", "adapter", "decode", "reply_schema")
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        body = {
            name: value if name in CONTENT else without_secrets(value, name)
            for name, value in self.body.items()
        }
        return f"Request({shown}, body={body!r})"

    @property
    def path(self) -> str:
        """Of the endpoint, behind the base URL."""
        return "/responses" if self.api == "responses" else "/chat/completions"

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The messages of the body."""
        return list(self.body["input" if self.api == "responses" else "messages"])

    def __str__(self) -> str:
        import json

        return json.dumps(self.body, ensure_ascii=False, indent=2)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens, as the server counted them; `cached_tokens` are some of the input's."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cached_tokens + other.cached_tokens,
        )


def usage_of(usage: Mapping[str, Any], sent: str, received: str) -> Usage:
    """The tokens under the names of an API; those it does not say are none."""
    details = usage.get(f"{sent}_details")
    cached = details.get("cached_tokens") if isinstance(details, Mapping) else None
    counts = (usage.get(sent), usage.get(received), cached)
    return Usage(*(count if isinstance(count, int) else 0 for count in counts))


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call that a reply asks for; `arguments` is text, as it came."""

    id: str
    name: str
    arguments: str


class Reply(NamedTuple):
    """One reply.

    Attributes:
        text: the content; None where there was none.
        finish: why it ended: `stop`, `length`, `content_filter`, `tool_calls`, or the server's
            word.
        refusal: the words of a refusal.
        reasoning: what a reasoning model thought aloud.
        raw: the body as it came.
        seconds: from sending to the last byte.
        cached: whether it was kept (`cache_replies`), so that nothing was sent.
    """

    text: str | None
    finish: str = "stop"
    refusal: str | None = None
    reasoning: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    model: str | None = None
    usage: Usage | None = None
    raw: Any = None
    request_id: str | None = None
    seconds: float = 0.0
    cached: bool = False
