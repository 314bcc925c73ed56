"""Where a target's server is, and what connections of our own to it need.

The SDK's client says the address and the headers; proxies and certificates come from the
environment, as the SDK's own connections take them.
"""

from __future__ import annotations

import base64
import os
import ssl
import urllib.parse
import urllib.request
from typing import Any

from aigen.runtime.errors import ConfigurationError


class Server:
    """A target's server.

    Args:
        client: of the SDK, for the target.

    Attributes:
        url: the base URL, without its query.
        query: of every request.
        headers: of every request.
        proxy: the URL of the proxy in between, or None.
        certificates: that are trusted; None where there is no TLS.

    Raises:
        ConfigurationError: the environment names a proxy that does not speak HTTP.
    """

    def __init__(self, client: Any) -> None:
        self.url, self.query = str(client.base_url), str(client._client.params)
        said = {**client.default_headers, **client.auth_headers, "User-Agent": "aigen"}
        said |= as_user(self.url, "Authorization")
        self.headers = {
            name: value
            for name, value in said.items()
            if isinstance(value, str) and not name.startswith("X-Stainless-")
        }
        parts = urllib.parse.urlsplit(self.url)
        self.proxy = _proxy(parts)
        self.certificates = trusted() if parts.scheme == "https" else None


def _proxy(server: urllib.parse.SplitResult) -> str | None:
    if urllib.request.proxy_bypass(without_user(server)):
        return None
    proxies = urllib.request.getproxies()
    proxy = proxies.get(server.scheme, proxies.get("all"))
    if not proxy:
        return None
    found = proxy if "://" in proxy else f"http://{proxy}"
    scheme = found.partition("://")[0].lower()
    if scheme not in ("http", "https"):
        raise ConfigurationError(
            f"transport direct takes HTTP proxies, and the environment names one of {scheme}: "
            "use auto",
            code="transport",
        )
    return found


def trusted() -> ssl.SSLContext:
    """The certificates that the environment names, else those of `certifi` or of the system."""
    if not os.environ.get("SSL_CERT_FILE") and not os.environ.get("SSL_CERT_DIR"):
        try:
            import certifi
        except ImportError:
            pass
        else:
            return ssl.create_default_context(cafile=certifi.where())
    return ssl.create_default_context()


def as_user(url: str, header: str) -> dict[str, str]:
    """The name and password that a URL holds, in the header that tells them."""
    parts = urllib.parse.urlsplit(url)
    if parts.username is None:
        return {}
    said = urllib.parse.unquote(f"{parts.username}:{parts.password or ''}")
    return {header: "Basic " + base64.b64encode(said.encode()).decode()}


def without_user(parts: urllib.parse.SplitResult) -> str:
    """A URL's host and port as they are written."""
    return parts.netloc.rpartition("@")[2]
