"""Settings of a call, and the layers they come from; 3-runtime, *Settings*.

Weakest first: built-in, `[tool.aigen.settings]`, environment, `configure()`, `settings(...)`
blocks, spec file and function, `with_options(...)`, `override(...)` blocks. Blocks are context
variables, so they are right in threads that copy the context and in tasks.
"""

from __future__ import annotations

import difflib
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any, Final, NamedTuple, Unpack

from aigen.runtime.errors import ConfigurationError
from aigen.runtime.options import Options
from aigen.runtime.own_providers import fault_in, laid_over


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
        for name in ("api_key", "extra_headers", "log_contents"):
            if name in shown:
                shown[name] = "…"
        return f"Settings({', '.join(f'{name}={value!r}' for name, value in shown.items())})"


class Kind(NamedTuple):
    """What a setting takes: a test, and words for it. `later` values are accepted and not yet done.

    Attributes:
        in_spec: whether a spec may set it (it is data, and the spec's to say).
    """

    fits: Callable[[Any], bool]
    wants: str
    in_spec: bool = True
    not_yet: Callable[[Any], bool] | None = None


def _one_of(*words: str, later: tuple[str, ...] = ()) -> Kind:
    every = (*words, *later)
    return Kind(
        lambda value: value in every,
        " | ".join(every),
        not_yet=(lambda value: value in later) if later else None,
    )


def _text(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _positive(value: Any) -> bool:
    return _whole(value) and value > 0


def _number(value: Any) -> bool:
    return (
        isinstance(value, (int, float))
        and not isinstance(value, bool)
        and math.isfinite(value)
        and value >= 0
    )


def _seconds(value: Any) -> bool:
    return _number(value) and value > 0


def _mapping(value: Any) -> bool:
    return isinstance(value, Mapping) and all(isinstance(key, str) for key in value)


def _text_mapping(value: Any) -> bool:
    return _mapping(value) and all(isinstance(item, str) for item in value.values())


def _url(value: Any) -> bool:
    return _text(value) and value.startswith(("http://", "https://"))


def _texts(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(isinstance(item, str) for item in value)


def _folder(value: Any) -> bool:
    return isinstance(value, (bool, os.PathLike)) or _text(value)


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
        return all(isinstance(flag, bool) for flag in flags) and all(map(_is_log_name, names))
    return _texts(value) and all(map(_is_log_name, value))


def _is_log_name(name: Any) -> bool:
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
        "extra_body": Kind(_mapping, "a mapping"),
        "extra_headers": Kind(_text_mapping, "a mapping of texts"),
        "client": Kind(_anything, "a factory of an openai client", in_spec=False),
        "api_key": Kind(_text, "a text", in_spec=False),
        "base_url": Kind(_url, "a URL that begins with http:// or https://"),
        "providers": Kind(
            lambda value: fault_in(value) is None, "a mapping of servers by name", in_spec=False
        ),
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
            lambda value: value is False or _text(value), "memory, a file's path, or false"
        ),
        "reading": _one_of("repair", "strict"),
        "log_calls": Kind(_folder, "true, false, or a folder"),
        "log_content": Kind(log_content_fits, "true, false, names, or a mapping of names"),
        "caller": Kind(_text, "a text"),
    }
)
"""Every setting by name."""


class _State:
    """What `configure()` set, for the process."""

    configured: Mapping[str, Any] = MappingProxyType({})


_BLOCKS: ContextVar[tuple[Mapping[str, Any], ...]] = ContextVar("aigen_settings", default=())
_OVERRIDES: ContextVar[tuple[Mapping[str, Any], ...]] = ContextVar("aigen_override", default=())


def checked(values: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The values whose names are settings and that fit; None is *unset* and left out.

    Raises:
        ConfigurationError: an unknown name, with the nearest one, or a value that does not fit.
    """
    found = {}
    for name, value in values.items():
        if name not in KINDS:
            close = difflib.get_close_matches(name, KINDS, n=1)
            hint = f'; did you mean "{close[0]}"?' if close else ""
            raise ConfigurationError(
                f'{where}: there is no setting "{name}"{hint}', code="unknown-setting"
            )
        if value is None:
            continue
        if name == "log_content":
            _refuse_log_names(value, where)
        elif name == "providers" and (fault := fault_in(value)) is not None:
            raise ConfigurationError(f"{where}: {fault}", code="setting")
        if not KINDS[name].fits(value):
            shown = "…" if name in ("api_key", "extra_headers") else repr(value)[:80]
            raise ConfigurationError(
                f"{where}: {name} is {KINDS[name].wants}, not {shown}", code="setting"
            )
        found[name] = value
    return found


def _refuse_log_names(value: Any, where: str) -> None:
    for name in value if isinstance(value, (Mapping, list, tuple)) else ():
        if not _is_log_name(name):
            raise ConfigurationError(
                f"{where}: log_content names {name!r}, which is no field's name",
                code="log-content-field",
                field=str(name),
            )


def configure(**values: Unpack[Options]) -> None:
    """Sets settings for the process; a later call adds to an earlier one, and None unsets.

    Raises:
        ConfigurationError: an unknown name or a value that does not fit.
    """
    given = checked(values, "configure()")
    kept = {**_State.configured, **given}
    if "providers" in given:
        kept["providers"] = laid_over(_State.configured.get("providers", {}), given["providers"])
    for name, value in values.items():
        if value is None:
            kept.pop(name, None)
    _State.configured = MappingProxyType(kept)


@contextmanager
def settings(**values: Unpack[Options]) -> Iterator[None]:
    """Sets settings for the calls inside the block; what a function itself says is stronger.

    Raises:
        ConfigurationError: an unknown name or a value that does not fit.
    """
    with _block(_BLOCKS, checked(values, "settings()")):
        yield


@contextmanager
def override(**values: Unpack[Options]) -> Iterator[None]:
    """Sets settings for the calls inside the block, above everything else: tests, emergencies.

    Raises:
        ConfigurationError: an unknown name or a value that does not fit.
    """
    with _block(_OVERRIDES, checked(values, "override()")):
        yield


@contextmanager
def _block(
    variable: ContextVar[tuple[Mapping[str, Any], ...]], values: Mapping[str, Any]
) -> Iterator[None]:
    token = variable.set((*variable.get(), values))
    try:
        yield
    finally:
        variable.reset(token)


def layers_now() -> tuple[Any, ...]:
    """What `resolve` depends on besides its arguments; equal values give equal settings."""
    return (
        _State.configured,
        _BLOCKS.get(),
        _OVERRIDES.get(),
        # Names first: to read a variable costs as much as to skip it.
        tuple([(name, os.environ.get(name)) for name in os.environ if name[:6] == "AIGEN_"]),
    )


def resolve(
    spec: Mapping[str, Any],
    configured: Mapping[str, Any],
    options: Mapping[str, Any],
) -> Settings:
    """The settings of a call.

    Args:
        spec: of the spec file and the function, already laid over each other.
        configured: `[tool.aigen.settings]`, baked in at build.
        options: `with_options(...)`.

    Raises:
        ConfigurationError: an unknown name or a value that does not fit in the environment, or a
            value that this version accepts but does not do yet.
    """
    environment = _environment()
    forced = {}
    if environment.get("model") in ("sample", "local"):
        forced["model"] = environment["model"]
    blocks, overrides = _BLOCKS.get(), _OVERRIDES.get()
    layers = [
        configured,
        environment,
        _State.configured,
        *blocks,
        spec,
        options,
        forced,
        *overrides,
    ]
    merged: dict[str, Any] = {}
    contents = []
    for layer in layers:
        if layer:
            servers = merged.get("providers")
            merged.update(layer)
            if servers and "providers" in layer:
                merged["providers"] = laid_over(servers, layer["providers"])
            if "log_content" in layer:
                contents.append(layer["log_content"])
    for name, value in merged.items():
        later = KINDS[name].not_yet
        if later is not None and later(value):
            raise ConfigurationError(
                f"{name}: {value!r} is not done by this version of aigen yet", code="not-yet"
            )
    return Settings(**merged, log_contents=tuple(contents))


_ON: Final = ("1", "true", "yes", "on")
_OFF: Final = ("0", "false", "no", "off")


def _environment() -> dict[str, Any]:
    texts = {
        name[6:].lower(): text.strip()
        for name, text in os.environ.items()
        if name.startswith("AIGEN_") and text.strip()
    }
    found = {}
    for name, text in texts.items():
        if name == "log_content":
            # This one variable can only turn everything off: it must never be read as more.
            if text.lower() in _OFF:
                found[name] = False
        elif name == "log_calls":
            # A folder called 1 or off is nobody's wish.
            lower = text.lower()
            found[name] = lower in _ON if lower in (*_ON, *_OFF) else _read(name, text)
        elif name in KINDS:
            found[name] = _read(name, text)
        elif close := difflib.get_close_matches(name, KINDS, n=1, cutoff=0.8):
            # Other programs have variables of this prefix; what is nearly a setting is a slip.
            raise ConfigurationError(
                f"environment: AIGEN_{name.upper()} is no setting; "
                f"did you mean AIGEN_{close[0].upper()}?",
                code="unknown-setting",
            )
    return checked(found, "environment")


def _read(name: str, text: str) -> Any:
    """A variable as YAML; as text where the setting is one that the YAML value does not fit."""
    from aigen.runtime.variables import flow_value

    fits = KINDS[name].fits
    value = flow_value(text)
    return text if value is not None and not fits(value) and fits(text) else value
