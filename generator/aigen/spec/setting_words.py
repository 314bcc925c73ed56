"""What each setting means and which JSON it takes: for the editor's schema and the docs.

`aigen.runtime.setting_kinds.KINDS` judges; a test holds the two together.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple


class SettingWords(NamedTuple):
    """A setting's meaning, and the JSON Schema of what a spec may write."""

    doc: str
    schema: Mapping[str, Any]


_TEXT: Final = {"type": "string", "minLength": 1}
_WHOLE: Final = {"type": "integer", "minimum": 0}
_POSITIVE: Final = {"type": "integer", "minimum": 1}
_NUMBER: Final = {"type": "number", "minimum": 0}
_SECONDS: Final = {"type": "number", "exclusiveMinimum": 0}
_TEXTS: Final = {"type": "array", "items": {"type": "string"}}
_MAPPING: Final = {"type": "object"}
_TEXT_MAPPING: Final = {"type": "object", "additionalProperties": {"type": "string"}}
_HEADERS: Final = {
    "type": "object",
    "propertyNames": {"pattern": "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$"},
    "additionalProperties": {"type": "string", "pattern": "^[\\t -~]*$"},
}
_FLAG: Final = {"type": "boolean"}
_LIMITS: Final = {
    "type": "object",
    "properties": dict.fromkeys(
        ("requests_per_minute", "tokens_per_minute", "in_flight"), _POSITIVE
    ),
    "additionalProperties": False,
}
_ANY: Final[Mapping[str, Any]] = {}


def _one_of(*words: str) -> Mapping[str, Any]:
    return {"enum": list(words)}


def _either(*options: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"anyOf": list(options)}


SETTING_WORDS: Final[Mapping[str, SettingWords]] = {
    "model": SettingWords("The model: its name, or `provider:model`.", _TEXT),
    "fallback": SettingWords(
        "Models tried in turn when the first cannot answer.", {"type": "array", "items": _TEXT}
    ),
    "api": SettingWords("Which API: chat completions, or responses.", _one_of("chat", "responses")),
    "adapter": SettingWords(
        "How inputs and outputs are laid out; `auto` takes the strictest form the server takes.",
        _one_of("auto", "json", "tool", "prompted", "xml", "chat", "prompt"),
    ),
    "reasoning": SettingWords(
        "`cot`: a text of reasoning before the answer; else a provider's effort level.", _TEXT
    ),
    "temperature": SettingWords("Sampling temperature, sent as it is.", _NUMBER),
    "top_p": SettingWords("Nucleus sampling, sent as it is.", _NUMBER),
    "seed": SettingWords("Seed of the sampling, sent as it is.", _WHOLE),
    "stop": SettingWords("Texts that end a reply.", _either(_TEXT, _TEXTS)),
    "max_output_tokens": SettingWords("Most tokens of a reply.", _POSITIVE),
    "service_tier": SettingWords("The provider's tier, sent as it is.", _TEXT),
    "prompt_cache_key": SettingWords("The provider's key of prompt caching.", _TEXT),
    "metadata": SettingWords("Texts that the provider keeps with the request.", _TEXT_MAPPING),
    "extra_body": SettingWords("Further members of the request's body: JSON values.", _MAPPING),
    "extra_headers": SettingWords("Further headers of the request.", _HEADERS),
    "client": SettingWords(
        "A factory of an `openai` client, or a pair: for calls and awaited ones.", _ANY
    ),
    "api_key": SettingWords("The key; else the provider's variable is read.", _TEXT),
    "base_url": SettingWords(
        "The server; wins over the provider's.", {"type": "string", "pattern": "^https?://"}
    ),
    "providers": SettingWords("Servers of your own, and what servers and models take.", _MAPPING),
    "mcp_servers": SettingWords("Where the MCP servers are whose tools specs name.", _MAPPING),
    "transport": SettingWords(
        "How requests are sent.", _one_of("auto", "sdk", "raw", "aiohttp", "direct")
    ),
    "retries": SettingWords("Times a model is asked again after what is no answer.", _WHOLE),
    "api_retries": SettingWords("Times a request is sent again after 408, 409, 429, 5xx.", _WHOLE),
    "request_timeout": SettingWords("Seconds of one request.", _SECONDS),
    "timeout": SettingWords("Seconds of the whole call.", _SECONDS),
    "max_steps": SettingWords("Most requests of a call that uses tools.", _POSITIVE),
    "tool_calling": SettingWords(
        "How tools are offered: the API's own way, or as text.", _one_of("auto", "native", "text")
    ),
    "tool_errors": SettingWords(
        "What a failing tool does: the model is told, or the call raises.",
        _one_of("report", "raise"),
    ),
    "approve": SettingWords(
        "Which tool calls are asked about: `never`, `changes`, `always`, or names.",
        _either(_one_of("never", "changes", "always"), _TEXTS, _TEXT),
    ),
    "policies": SettingWords("Rules for tool calls, in order.", {"type": "array"}),
    "context": SettingWords("What tools are given beside the model's arguments.", _MAPPING),
    "concurrency": SettingWords("Calls in flight of `map`.", _POSITIVE),
    "on_error": SettingWords("What a failed row of `map` does.", _one_of("warn", "raise")),
    "progress": SettingWords("Whether `map` shows how far it is.", _FLAG),
    "limits": SettingWords("Requests and tokens a minute, and calls in flight.", _LIMITS),
    "cache_replies": SettingWords(
        "Where replies are kept: `memory`, or an SQLite file.", _either(_TEXT, {"const": False})
    ),
    "reading": SettingWords(
        "Whether a reply that is nearly right is mended.", _one_of("repair", "strict")
    ),
    "log_calls": SettingWords(
        "The folder of the call log; `true` is `.aigen/calls`.", _either(_TEXT, _FLAG)
    ),
    "log_content": SettingWords(
        "Which values the call log keeps; every layer only removes.",
        _either(_FLAG, _TEXTS, {"type": "object", "additionalProperties": _FLAG}),
    ),
    "caller": SettingWords("Who calls, for the call log.", _TEXT),
}
