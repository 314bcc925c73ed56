"""Names under which keys stand, in headers and in bodies."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

is_secret = re.compile(
    r"(?i)^(?:proxy-)?authorization$|^(?:set-)?cookie$"
    r"|(?:api[-_]?key|token|secret|password|credentials?)$"
).search
"""Whether what stands under a name is not to be seen."""


def without_secrets(value: Any, name: str = "") -> Any:
    """A JSON value that stands under a name, with `…` in place of what is not to be seen."""
    if is_secret(name):
        return "…"
    if isinstance(value, Mapping):
        return {str(key): without_secrets(member, str(key)) for key, member in value.items()}
    return [without_secrets(item) for item in value] if isinstance(value, (list, tuple)) else value
