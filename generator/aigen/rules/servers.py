"""Lint of specs that say to which server requests go, and a key of the environment with them."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from aigen.diagnostics import Diagnostics
from aigen.rules.context import Context


def named_in_a_spec(context: Context, diagnostics: Diagnostics) -> None:
    """AIG817: a `base_url` of a spec that the project does not name; each once a module."""
    known = set(_of_the_project(context.configured))
    for module in context.modules:
        said: set[str] = set()
        for function in module.functions:
            url = function.settings.get("base_url")
            if not isinstance(url, str) or url.rstrip("/") in known | said or _is_here(url):
                continue
            said.add(url.rstrip("/"))
            target = context.target(function)
            keys = " or ".join(target.key_variables) if target else "OPENAI_API_KEY"
            goes = f"the inputs of {function.name}" + (f", and the key in {keys}," if keys else "")
            diagnostics.report(
                "AIG817",
                function.span,
                f"base_url sends {goes} to {urlsplit(url).hostname or url}",
                hint="name the server and its key in [tool.aigen.providers], and set "
                "model: <its name>:<model>",
            )


def _of_the_project(configured: Mapping[str, Any]) -> list[str]:
    """The servers that the project itself names."""
    own = configured.get("providers") or {}
    urls = [configured.get("base_url"), *(each.get("base_url") for each in own.values())]
    return [url.rstrip("/") for url in urls if isinstance(url, str)]


def _is_here(url: str) -> bool:
    """Whether a URL is of this machine."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
