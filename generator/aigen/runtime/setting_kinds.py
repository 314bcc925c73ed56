"""The settings of a call: each one's default, and what it takes; 3-runtime, *Settings*."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from aigen.runtime.own_providers import URL, is_url


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting with its built-in default. Times are seconds."""

    model: str | None = None
    fallback: Sequence[str] = ()
    api: str = "chat"
    adapter: str = "auto"
    reasoning: str | None = None
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    stop: str | Sequence[str] | None = None
    max_output_tokens: int | None = None
    service_tier: str | None = None
    prompt_cache_key: str | None = None
    metadata: Mapping[str, str] | None = None
    extra_body: Mapping[str, Any] | None = None
    extra_headers: Mapping[str, str] | None = None
    client: Any = None
    api_key: str | None = None
    base_url: str | None = None
    providers: Mapping[str, Any] | None = None
    mcp_servers: Mapping[str, Any] | None = None
    transport: str = "auto"
    retries: int = 1
    api_retries: int = 3
    request_timeout: float = 120.0
    timeout: float = 600.0
    max_steps: int = 8
    tool_calling: str = "auto"
    tool_errors: str = "report"
    approve: Any = None
    policies: Sequence[Any] = ()
    context: Mapping[str, Any] | None = None
    concurrency: int = 8
    on_error: str = "warn"
    progress: bool | None = None
    limits: Mapping[str, Any] | None = None
    cache_replies: str | bool | None = None
    reading: str = "repair"
    log_calls: str | os.PathLike[str] | bool | None = None
    log_content: Any = True
    caller: str | None = None
    log_contents: tuple[Any, ...] = ()
    """`log_content` of every layer; each only removes. Set by `resolve`, never by a user."""

    def __repr__(self) -> str:
        # A key must not reach a log by way of a repr.
        shown = {
            field.name: getattr(self, field.name)
            for field in fields(self)
            if getattr(self, field.name) != field.default
        }
        for name in ("api_key", "extra_headers", "extra_body", "log_contents"):
            if name in shown:
                shown[name] = "…"
        return f"Settings({', '.join(f'{name}={value!r}' for name, value in shown.items())})"


class Kind(NamedTuple):
    """What a setting takes: a test, and words for it.

    Attributes:
        in_spec: whether a spec may set it (it is data, and the spec's to say).
    """

    fits: Callable[[Any], bool]
    wants: str
    in_spec: bool = True


def _one_of(*words: str) -> Kind:
    return Kind(lambda value: value in words, " | ".join(words))


def _text(value: Any) -> bool:
    return _sendable(value) and bool(value)


def _sendable(value: Any) -> bool:
    return isinstance(value, str) and not holds_half_a_pair(value)


def holds_half_a_pair(value: Any) -> bool:
    """Whether a text, or one inside a value, has a lone surrogate: no request can hold it."""
    try:
        json.dumps(value, ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError:
        return True
    except (TypeError, ValueError, RecursionError):
        return False
    return False


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _positive(value: Any) -> bool:
    return _whole(value) and value > 0


def _number(value: Any) -> bool:
    return (
        isinstance(value, (int, float))
        and not isinstance(value, bool)
        and 0 <= value <= sys.float_info.max
    )


def _seconds(value: Any) -> bool:
    return _number(value) and value > 0


def _mapping(value: Any) -> bool:
    return isinstance(value, Mapping) and all(isinstance(key, str) for key in value)


def is_json(value: Any) -> bool:
    """Whether a value can stand in a file or a request: no dates, bytes or infinite numbers."""
    try:
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError):
        return False
    return True


def _json_mapping(value: Any) -> bool:
    return _mapping(value) and is_json(dict(value))


def _text_mapping(value: Any) -> bool:
    return _mapping(value) and all(_sendable(text) for text in (*value, *value.values()))


_header_name = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+").fullmatch
_header_value = re.compile(r"[\t\x20-\x7e]*").fullmatch


def _headers(value: Any) -> bool:
    """What every transport sends; some take more, and some of them send it as something else."""
    return _text_mapping(value) and all(
        _header_name(name) and _header_value(text) for name, text in value.items()
    )


def _texts(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(map(_sendable, value))


def _folder(value: Any) -> bool:
    return isinstance(value, (bool, os.PathLike)) or _path(value)


def _path(value: Any) -> bool:
    """A path's bytes that are no UTF-8 stand in it as surrogates."""
    return isinstance(value, str) and bool(value)


def _models(value: Any) -> bool:
    return _texts(value) and all(value)


def _limits(value: Any) -> bool:
    known = ("requests_per_minute", "tokens_per_minute", "in_flight")
    return _mapping(value) and all(name in known and _positive(value[name]) for name in value)


def _anything(value: Any) -> bool:
    return True


def log_content_fits(value: Any) -> bool:
    """true, false, names to keep, or a mapping of names (and `*`) to true or false."""
    if isinstance(value, bool):
        return True
    if isinstance(value, Mapping):
        names, flags = list(value), list(value.values())
        return all(isinstance(flag, bool) for flag in flags) and all(map(is_log_name, names))
    return _texts(value) and all(map(is_log_name, value))


def is_log_name(name: Any) -> bool:
    """Whether it can be a field's name in `log_content`, or `*`."""
    return isinstance(name, str) and (name == "*" or (name.isascii() and name.isidentifier()))


KINDS: Final[Mapping[str, Kind]] = MappingProxyType(
    {
        "model": Kind(_text, "a model's name"),
        "fallback": Kind(_models, "a list of models"),
        "api": _one_of("chat", "responses"),
        "adapter": _one_of("auto", "json", "tool", "prompted", "xml", "chat", "prompt"),
        "reasoning": Kind(_text, "cot, or an effort level"),
        "temperature": Kind(_number, "a number of 0 or more"),
        "top_p": Kind(_number, "a number of 0 or more"),
        "seed": Kind(_whole, "a whole number"),
        "stop": Kind(lambda value: _text(value) or _texts(value), "a text or a list of texts"),
        "max_output_tokens": Kind(_positive, "a whole number of 1 or more"),
        "service_tier": Kind(_text, "a text"),
        "prompt_cache_key": Kind(_text, "a text"),
        "metadata": Kind(_text_mapping, "a mapping of texts"),
        "extra_body": Kind(_json_mapping, "a mapping of JSON values"),
        "extra_headers": Kind(
            _headers, "a mapping of texts in the printable ASCII that HTTP headers hold"
        ),
        "client": Kind(_anything, "a factory of an openai client", in_spec=False),
        "api_key": Kind(_text, "a text", in_spec=False),
        "base_url": Kind(is_url, URL),
        "providers": Kind(_mapping, "a mapping of servers by name", in_spec=False),
        "mcp_servers": Kind(_mapping, "a mapping of servers by name", in_spec=False),
        "transport": _one_of("auto", "sdk", "raw", "aiohttp", "direct"),
        "retries": Kind(_whole, "a whole number"),
        "api_retries": Kind(_whole, "a whole number"),
        "request_timeout": Kind(_seconds, "seconds"),
        "timeout": Kind(_seconds, "seconds"),
        "max_steps": Kind(_positive, "a whole number of 1 or more"),
        "tool_calling": _one_of("auto", "native", "text"),
        "tool_errors": _one_of("report", "raise"),
        "approve": Kind(_anything, "never, changes, always, names, or a function"),
        "policies": Kind(lambda value: isinstance(value, (list, tuple)), "a list"),
        "context": Kind(_mapping, "a mapping", in_spec=False),
        "concurrency": Kind(_positive, "a whole number of 1 or more"),
        "on_error": _one_of("warn", "raise"),
        "progress": Kind(lambda value: isinstance(value, bool), "true or false"),
        "limits": Kind(
            _limits,
            "a mapping of requests_per_minute, tokens_per_minute and in_flight to whole numbers "
            "of 1 or more",
        ),
        "cache_replies": Kind(
            lambda value: value is False or _path(value), "memory, a file's path, or false"
        ),
        "reading": _one_of("repair", "strict"),
        "log_calls": Kind(_folder, "true, false, or a folder"),
        "log_content": Kind(log_content_fits, "true, false, names, or a mapping of names"),
        "caller": Kind(_text, "a text"),
    }
)
"""Every setting by name."""
