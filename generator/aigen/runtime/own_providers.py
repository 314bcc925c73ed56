"""The setting `providers`: servers of the user's own, and facts that the bundled table lacks.

```toml
[tool.aigen.providers.acme]
base_url = "https://llm.example.com/v1"
key = "ACME_API_KEY"                        # the variable that holds it, never the key itself
takes = ["schema", "tool", "json_object"]   # of: strict, schema, tool, json_object; best first
[tool.aigen.providers.acme.models."large-*"]
fixed_sampling = true
limit = "max_completion_tokens"
media_bytes = 20_000_000
schema_with_tools = true                    # tools, and a reply held to a schema, in one request
price = {input = 0.4, output = 1.6, cached = 0.1}   # US dollars a million tokens
```
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

TAKES: Final = ("strict", "schema", "tool", "json_object")
LIMITS: Final = ("max_tokens", "max_completion_tokens")
URL: Final = "a URL that begins with http:// or https:// and names a host"

_variable = re.compile(r"[A-Za-z_][A-Za-z0-9_]*").fullmatch
_provider = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*").fullmatch


def fault_in(value: Any) -> str | None:
    """What is wrong with the setting, in words that say where; None where nothing is."""
    if not isinstance(value, Mapping):
        return "providers is a mapping of servers by name"
    for name, provider in value.items():
        if not isinstance(name, str) or not _provider(name):
            return f"{name!r} is no provider's name: write letters, digits, . _ and -"
        fault = fault_of(provider, f"providers.{name}", {**_FACTS, **_SERVER})
        if fault is not None:
            return fault
    return None


def laid_over(
    under: Mapping[str, Mapping[str, Any]], over: Mapping[str, Mapping[str, Any]]
) -> dict[str, Mapping[str, Any]]:
    """Two layers of the setting as one; what `over` says of a server or a model wins."""
    found = dict(under)
    for name, provider in over.items():
        known = found.get(name, {})
        models = {**known.get("models", {}), **provider.get("models", {})}
        found[name] = {**known, **provider, **({"models": models} if models else {})}
    return found


Test = tuple[Callable[[Any], bool], str]


def fault_of(value: Any, where: str, keys: Mapping[str, Test]) -> str | None:
    """What is wrong with a mapping of known keys, each with its test; None where nothing is."""
    if not isinstance(value, Mapping):
        return f"{where} is a mapping"
    for key, inner in value.items():
        if key not in keys:
            close = difflib.get_close_matches(str(key), keys, n=1)
            hint = f'did you mean "{close[0]}"?' if close else f"known: {', '.join(keys)}"
            return f'{where} has no key "{key}"; {hint}'
        fits, wants = keys[key]
        if not fits(inner):
            return f"{where}.{key} is {wants}"
        if key == "models":
            for pattern, facts in inner.items():
                fault = fault_of(facts, f'{where}.models."{pattern}"', _FACTS)
                if fault is not None:
                    return fault
    return None


def is_url(value: Any) -> bool:
    """Whether a value is a URL of HTTP with a host, and with a port only where it is one."""
    from urllib.parse import urlsplit

    if not isinstance(value, str) or not value.startswith(("http://", "https://")):
        return False
    try:
        parts = urlsplit(value)
        return value.isprintable() and bool(parts.hostname) and parts.port != 0
    except ValueError:  # of the port
        return False


def _is_key(value: Any) -> bool:
    names = value if isinstance(value, (list, tuple)) else [value]
    return all(isinstance(name, str) and _variable(name) for name in names)


def _is_takes(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(way in TAKES for way in value)


def _is_price(value: Any) -> bool:
    return (
        isinstance(value, Mapping)
        and {"input", "output"} <= set(value) <= {"input", "output", "cached"}
        and all(map(_is_amount, value.values()))
    )


def _is_amount(value: Any) -> bool:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return number and math.isfinite(value) and value >= 0


def _is_truth(value: Any) -> bool:
    return isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


_FACTS: Final[Mapping[str, Test]] = {
    "takes": (_is_takes, f"a list, best first, of {', '.join(TAKES)}"),
    "fixed_sampling": (_is_truth, "true or false"),
    "limit": (lambda value: value in LIMITS, " or ".join(LIMITS)),
    "price": (_is_price, "US dollars a million tokens: {input, output, cached}"),
    "media_bytes": (_is_count, "a whole number of 1 or more"),
    "schema_with_tools": (_is_truth, "true or false"),
}
_SERVER: Final[Mapping[str, Test]] = {
    "base_url": (is_url, URL),
    "key": (_is_key, "the name of the environment variable that holds the key, or a list of such"),
    "models": (lambda value: isinstance(value, Mapping), "a mapping of models by name or pattern"),
}
