"""The layers that the settings of a call come from; 3-runtime, *Settings*.

Weakest first: built-in, `[tool.aigen.settings]`, environment, `configure()`, `settings(...)`
blocks, spec file and function, `with_options(...)`, `override(...)` blocks. Blocks are context
variables, so they are right in threads that copy the context and in tasks.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any, Final, Unpack

from aigen.runtime import own_providers
from aigen.runtime.errors import ConfigurationError
from aigen.runtime.mcp import servers as mcp_servers
from aigen.runtime.options import Options
from aigen.runtime.setting_kinds import KINDS, Settings, holds_half_a_pair, is_log_name

_BY_NAME: Final = MappingProxyType({"providers": own_providers, "mcp_servers": mcp_servers})
"""Settings that are mappings of servers: their layers are laid over each other, name by name."""


class _State:
    """What `configure()` set, for the process; and the environment, and the variables of it."""

    configured: Mapping[str, Any] = MappingProxyType({})
    variables: tuple[dict[Any, Any] | None, tuple[tuple[str, str | None], ...]] = (None, ())


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
        elif name in _BY_NAME and (fault := _BY_NAME[name].fault_in(value)) is not None:
            raise ConfigurationError(f"{where}: {fault}", code="setting")
        if not KINDS[name].fits(value):
            shown = "…" if name in ("api_key", "extra_headers") else repr(value)[:80]
            if holds_half_a_pair(value):
                shown += ", which holds half of a surrogate pair"
            raise ConfigurationError(
                f"{where}: {name} is {KINDS[name].wants}, not {shown}", code="setting"
            )
        found[name] = value
    return found


def _refuse_log_names(value: Any, where: str) -> None:
    for name in value if isinstance(value, (Mapping, list, tuple)) else ():
        if not is_log_name(name):
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
    for name in _BY_NAME.keys() & given.keys():
        kept[name] = _BY_NAME[name].laid_over(_State.configured.get(name, {}), given[name])
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
        _variables(),
    )


def _variables() -> tuple[tuple[str, str | None], ...]:
    """The environment's own layer; looked for again only where any variable has changed.

    To go through them decodes every name, which takes longer than reading a small reply.
    """
    held = getattr(os.environ, "_data", None)  # CPython's own; elsewhere they are gone through
    seen, found = _State.variables
    if held is not None and seen == held:
        return found
    seen = dict(held) if isinstance(held, dict) else None
    found = tuple([(name, os.environ.get(name)) for name in os.environ if name[:6] == "AIGEN_"])
    _State.variables = seen, found
    return found


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
            servers = {
                name: _BY_NAME[name].laid_over(merged[name], layer[name])
                for name in _BY_NAME
                if name in layer and merged.get(name)
            }
            merged.update(layer)
            merged.update(servers)
            if "log_content" in layer:
                contents.append(layer["log_content"])
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
