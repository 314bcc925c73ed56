"""The `version` id of a function: what a model is sent, hashed."""

from __future__ import annotations

import hashlib
import json
from typing import Final

from aigen.runtime.definition import Definition
from aigen.runtime.wire.adapters.layout import labelled, reply_schema
from aigen.runtime.wire.adapters.said import JSON, opening
from aigen.runtime.wire.content import Message

_BARE: Final = JSON._replace(how="")
"""The layout of `json`, without what is said of the reply."""

_sorted = json.JSONEncoder(check_circular=False, sort_keys=True).encode


def version_id(definition: Definition) -> str:
    """A function's `version`: what a model is sent, and what inputs are when they are left out.

    SHA-256 of the messages for a fixed sample input and of the reply's schema, as the definition's
    layout has them, and of the defaults. Model and sampling are not in it. The schema is the
    canonical one: what a provider's strict form makes of it is the provider's affair.
    """
    inputs = {field["name"]: f"<{field['name']}>" for field in definition["inputs"]}
    said = [*opening(definition, _BARE), Message("user", labelled(definition, inputs))]
    sent = [
        definition["layout"],
        [{"role": message.role, "content": message.content} for message in said],
        reply_schema(definition),
    ]
    data = _sorted([*sent, definition.get("prompt"), definition.get("defaults")])
    return "sha256:" + hashlib.sha256(data.encode()).hexdigest()
