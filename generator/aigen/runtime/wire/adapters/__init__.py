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
from collections.abc import Callable, Mapping, Sequence
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
from aigen.runtime.wire.body import body_of
from aigen.runtime.wire.messages import Request, Target

Laid = tuple[list[dict[str, Any]], dict[str, Any] | None]

LADDER: Final[Mapping[str, Callable[[Definition, Mapping[str, Any]], Laid]]] = {
    "strict": json_schema.strict,
    "schema": json_schema.schema,
    "json_object": prompted.json_object,
    "prompted": prompted.told,
}
"""Every way, best first: from a definition and bound inputs to messages, and what the reply is held
to."""

_refused: dict[tuple[Any, ...], set[str]] = {}
"""Ways that a server said it does not take, by target."""

_SAYS_SO = re.compile(
    r"response_format|text\.format|json_schema|json_object|structured output|strict|schema",
    re.IGNORECASE,
).search


def ways(definition: Definition, target: Target, adapter: str) -> list[str]:
    """The ways to try, best first: at least one."""
    if adapter == "prompted":
        return ["prompted"]
    if is_text(definition):
        # The whole reply is the answer, so there is nothing to hold a server to.
        return ["schema"]
    held = ("strict", "schema") if adapter == "json" else (*target.takes, "prompted")
    refused = _refused.get(target.key, ())
    wanted = [way for way in held if way not in refused]
    if "strict" in wanted and json_schema.strict_form(definition).reasons:
        wanted.remove("strict")
    return wanted or ["schema"]


def lay_out(
    way: str,
    definition: Definition,
    inputs: Mapping[str, Any],
    target: Target,
    settings: Settings,
) -> Request:
    """The request for bound inputs.

    Raises:
        ConfigurationError: an input has no JSON form.
    """
    said, held = LADDER[way](definition, inputs)
    body = body_of(said, held, target, settings)
    decode = json_schema.strict_form(definition).decode if way == "strict" else None
    schema = None if is_text(definition) else json_schema.reply_form(definition)
    api: Any = settings.api
    return Request(api, target, body, way, decode, dict(settings.extra_headers or {}), schema)


def refuses_the_way(problem: ProviderError) -> bool:
    """Whether a server's answer may mean that it does not take a way of holding it to a schema."""
    return problem.status in (400, 404, 415, 422, 501) and bool(_SAYS_SO(problem.message))


def remember_refused(refused: Sequence[str], target: Target) -> None:
    """Keeps, for the process, that a target does not take some ways."""
    if refused:
        _refused.setdefault(target.key, set()).update(refused)


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
