"""How inputs and outputs are laid out for a model, one module a way.

An adapter is a function from a definition and bound inputs to messages and response format. `auto`
goes down a ladder: strict schema, schema, any JSON object with the form in the prompt, the form
alone; it steps down where a server says that it does not take the parameter, and remembers that for
the process. What comes back is always judged here, for servers accept a schema and ignore it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from aigen.runtime.definition import Definition
from aigen.runtime.errors import ConfigurationError, ProviderError
from aigen.runtime.layers import Settings
from aigen.runtime.wire.adapters import json_schema, prompted
from aigen.runtime.wire.adapters.layout import (
    instruction,
    is_text,
    messages,
    reply_schema,
)
from aigen.runtime.wire.messages import Request, Target
from aigen.runtime.wire.providers import FIXED, fixed_sampling

Laid = tuple[list[dict[str, Any]], dict[str, Any] | None]

LADDER: Final[Mapping[str, Callable[[Definition, Mapping[str, Any]], Laid]]] = {
    "strict": json_schema.strict,
    "schema": json_schema.schema,
    "json_object": prompted.json_object,
    "prompted": prompted.told,
}
"""Every way, best first: from a definition and bound inputs to messages and response format."""

_refused: dict[tuple[Any, ...], set[str]] = {}
"""Ways that a server said it does not take, by target."""

_warned: set[tuple[str, str]] = set()

_SAYS_SO = re.compile(
    r"response_format|json_schema|json_object|structured output|strict|schema", re.IGNORECASE
).search


def ways(definition: Definition, target: Target, adapter: str) -> list[str]:
    """The ways to try, best first: at least one."""
    if adapter == "prompted":
        return ["prompted"]
    if adapter == "json":
        wanted = ["strict", "schema"]
    else:
        refused = _refused.get(target.key, set())
        wanted = [way for way in (*target.takes, "prompted") if way not in refused]
    if is_text(definition):
        # The whole reply is the answer, so there is nothing to hold a server to.
        return ["schema"]
    if "strict" in wanted and json_schema.strict_form(definition).reasons:
        wanted.remove("strict")
        if not wanted or wanted == ["prompted"]:
            wanted.insert(0, "schema")
    return wanted


def lay_out(
    way: str,
    definition: Definition,
    inputs: Mapping[str, Any],
    target: Target,
    settings: Settings,
) -> Request:
    """The request for bound inputs.

    Raises:
        ConfigurationError: the function has inputs or tools that this version cannot send yet.
    """
    laid, response_format = LADDER[way](definition, inputs)
    body: dict[str, Any] = {"model": target.model, "messages": laid}
    if response_format is not None:
        body["response_format"] = response_format
    body.update(_parameters(target, settings))
    decode = json_schema.strict_form(definition).decode if way == "strict" else None
    schema = None if is_text(definition) else json_schema.reply_form(definition)
    return Request("chat", target, body, way, decode, dict(settings.extra_headers or {}), schema)


def step_down(way: str, target: Target, problem: ProviderError) -> bool:
    """Whether a server's answer says that it does not take a way; remembered where it does."""
    if way == "prompted" or problem.status not in (400, 404, 415, 422, 501):
        return False
    if not _SAYS_SO(problem.message):
        return False
    _refused.setdefault(target.key, set()).add(way)
    return True


def _parameters(target: Target, settings: Settings) -> dict[str, Any]:
    plain = ("temperature", "top_p", "seed", "stop", "service_tier", "prompt_cache_key", "metadata")
    found = {}
    fixed = fixed_sampling(target.model)
    for name in plain:
        value = getattr(settings, name)
        if value is None:
            continue
        if fixed and name in FIXED:
            _warn_fixed(name, target.model)
            continue
        found[name] = list(value) if isinstance(value, tuple) else value
    if settings.max_output_tokens is not None:
        # OpenAI's own models want the newer name; other servers know the older one.
        newer = target.provider in ("openai", "azure")
        found["max_completion_tokens" if newer else "max_tokens"] = settings.max_output_tokens
    if settings.reasoning is not None:
        found["reasoning_effort"] = settings.reasoning
    found.update(settings.extra_body or {})
    return found


def _warn_fixed(name: str, model: str) -> None:
    if (name, model) in _warned:
        return
    _warned.add((name, model))
    import warnings

    warnings.warn(f"{model} refuses {name}, so it is left out", stacklevel=2)


def version_id(definition: Definition) -> str:
    """A function's `version`: what a model is sent, and what inputs are when they are left out.

    SHA-256 of the messages for a fixed sample input and of the reply's schema, as the definition's
    layout has them, and of the defaults. Model and sampling are not in it. The schema is the
    canonical one: what a provider's strict form makes of it is the provider's affair.
    """
    inputs = {field["name"]: f"<{field['name']}>" for field in definition["inputs"]}
    sent = [
        definition["layout"],
        messages(definition, instruction(definition), inputs),
        reply_schema(definition),
    ]
    data = json.dumps([*sent, definition.get("prompt"), definition.get("defaults")], sort_keys=True)
    return "sha256:" + hashlib.sha256(data.encode()).hexdigest()


def refuse_unsendable(definition: Definition) -> None:
    """Says what this version cannot send yet.

    Raises:
        ConfigurationError: the function has tools, its own prompt, or media inputs.
    """
    for key, what in (("tools", "tools"), ("prompt", "a prompt of its own")):
        if definition.get(key):
            raise ConfigurationError(
                f"{definition['name']}: {what} cannot be sent by this version of aigen yet",
                code="not-yet",
            )
    for field in definition["inputs"]:
        if "x-aigen-media" in field["shape"]:
            raise ConfigurationError(
                f"{definition['name']}: media inputs cannot be sent by this version of aigen yet",
                code="not-yet",
            )
