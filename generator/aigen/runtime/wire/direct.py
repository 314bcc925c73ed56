"""The `direct` transport: connections of our own, for servers that take a plain key.

The SDK's client still says where the server is and with which headers; only the HTTP is ours:
urllib3 for calls, aiohttp for awaited ones (extra `aigen[fast]`). Proxies and certificates come
from the environment, as the SDK's own connections take them.
"""

from __future__ import annotations

import base64
import json
import os
import ssl
import time
import urllib.parse
import urllib.request
from collections.abc import Mapping
from typing import Any

from aigen.runtime.errors import ConfigurationError
from aigen.runtime.setting_kinds import Settings
from aigen.runtime.wire.client import (
    async_client,
    async_kept,
    client_key,
    sync_client,
    sync_kept,
)
from aigen.runtime.wire.messages import Request
from aigen.runtime.wire.reading import Body, Refused

_PIECE = 1 << 16
_IDLE = 50
"""Seconds that an idle connection is kept: servers behind the usual balancers keep theirs 60."""

_POOL = 1024
"""Connections kept to a server; more calls in flight open some that are closed again."""


class _Server:
    """Where a target's server is, and what every request to it says."""

    def __init__(self, client: Any) -> None:
        self.url = str(client.base_url).rstrip("/")
        said = {**client.default_headers, **client.auth_headers, "User-Agent": "aigen"}
        self.headers = {
            name: value
            for name, value in said.items()
            if isinstance(value, str) and not name.startswith("X-Stainless-")
        }
        parts = urllib.parse.urlsplit(self.url)
        proxies = urllib.request.getproxies()
        bypassed = urllib.request.proxy_bypass(parts.netloc)
        self.proxy = None if bypassed else proxies.get(parts.scheme, proxies.get("all"))
        self.certificates = _certificates() if parts.scheme == "https" else None


def _certificates() -> ssl.SSLContext:
    if not os.environ.get("SSL_CERT_FILE") and not os.environ.get("SSL_CERT_DIR"):
        try:
            import certifi
        except ImportError:
            pass
        else:
            return ssl.create_default_context(cafile=certifi.where())
    return ssl.create_default_context()


def _as_user(proxy: str) -> dict[str, str]:
    """The name and password that a proxy's URL holds, as it is told them."""
    parts = urllib.parse.urlsplit(proxy)
    if parts.username is None:
        return {}
    said = urllib.parse.unquote(f"{parts.username}:{parts.password or ''}")
    return {"Proxy-Authorization": "Basic " + base64.b64encode(said.encode()).decode()}


class _Session:
    """A process's connections to one server."""

    def __init__(self, client: Any) -> None:
        urllib3 = _library("urllib3")
        self._timeout = urllib3.Timeout
        self.server = server = _Server(client)
        options = {"maxsize": _POOL, "ssl_context": server.certificates}
        self._manager = (
            urllib3.ProxyManager(server.proxy, proxy_headers=_as_user(server.proxy), **options)
            if server.proxy
            else urllib3.PoolManager(**options)
        )
        self._send, self._before = self._manager.urlopen, server.url
        if not server.proxy:
            # Which of its pools has a server's connections is not asked for each call.
            parts = urllib.parse.urlsplit(server.url)
            self._send = self._manager.connection_from_url(server.url).urlopen
            self._before = parts.path
        self._headers = {**server.headers, "Accept-Encoding": "gzip, deflate"}
        self._never_again = urllib3.Retry.from_int(False)
        self._errors = urllib3.exceptions

    def post(
        self, path: str, body: bytes, headers: Mapping[str, str], timeout: float
    ) -> tuple[Any, bytes]:
        """The response and its body, whole before `timeout` seconds have passed.

        Raises:
            TimeoutError: they have.
            ConnectionError: the server cannot be reached, or the answer broke off.
        """
        until = time.monotonic() + timeout
        try:
            response = self._send(
                "POST",
                self._before + path,
                body=body,
                headers={**self._headers, **headers},
                timeout=self._timeout(total=timeout),
                retries=self._never_again,
                redirect=False,
                preload_content=False,
            )
            return response, _read(response, until)
        except self._errors.HTTPError as problem:
            # A refused connection is a subclass of a timed out one here.
            timed_out = isinstance(problem, self._errors.TimeoutError)
            if timed_out and not isinstance(problem, self._errors.NewConnectionError):
                raise TimeoutError from problem
            raise ConnectionError(str(problem)) from problem

    def close(self) -> None:
        """Closes the idle connections."""
        self._manager.clear()


def _read(response: Any, until: float) -> bytes:
    body = Body()
    try:
        while piece := response.read1(_PIECE):
            body.add(piece)
            if time.monotonic() > until:
                raise TimeoutError
    except BaseException:
        response.close()  # what is left of the answer must not be read as the next one
        raise
    return body.whole()


class _AsyncSession:
    """An event loop's connections to one server."""

    def __init__(self, client: Any) -> None:
        aiohttp = _library("aiohttp")
        self.server = server = _Server(client)
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                limit=0, keepalive_timeout=_IDLE, ssl=server.certificates or True
            ),
            headers=server.headers,
            proxy=server.proxy,
        )
        self._timeout = aiohttp.ClientTimeout
        self._error = aiohttp.ClientError

    async def post(
        self, path: str, body: bytes, headers: Mapping[str, str], timeout: float
    ) -> tuple[int, Any, bytes]:
        """Status, headers and body, whole before `timeout` seconds have passed.

        Raises:
            TimeoutError: they have.
            ConnectionError: the server cannot be reached, or the answer broke off.
        """
        url = self.server.url + path
        try:
            async with self._session.post(
                url,
                data=body,
                headers=headers,
                timeout=self._timeout(total=timeout),
                allow_redirects=False,
            ) as response:
                found = Body()
                async for piece in response.content.iter_any():
                    found.add(piece)
                return response.status, response.headers, found.whole()
        except TimeoutError:
            raise
        except self._error as problem:
            raise ConnectionError(str(problem) or type(problem).__name__) from problem

    async def close(self) -> None:
        """Closes the connections."""
        await self._session.close()


def exchange(request: Request, settings: Settings, timeout: float) -> tuple[Any, str | None]:
    """Sends one request; the body as data, and the request's id.

    Raises:
        Refused: the answer is an error.
        TimeoutError: it is not whole in time.
        ConnectionError: the server cannot be reached, or the answer broke off.
        ValueError: a body that is not JSON.
        ConfigurationError: the target takes more than a plain key, or a package is missing.
    """
    key = _key(request, settings)
    session = sync_kept(key, lambda: _Session(sync_client(request.target, settings)))
    response, body = session.post(request.path, _encoded(request.body), request.headers, timeout)
    return _answer(response.status, response.headers, body)


async def aexchange(request: Request, settings: Settings, timeout: float) -> tuple[Any, str | None]:
    """Like `exchange`, awaited."""
    key = _key(request, settings)
    session = async_kept(key, lambda: _AsyncSession(async_client(request.target, settings)))
    body = _encoded(request.body)
    return _answer(*await session.post(request.path, body, request.headers, timeout))


def _answer(status: int, headers: Any, body: bytes) -> tuple[Any, str | None]:
    if not 200 <= status < 300:
        raise Refused(status, headers, body)
    return json.loads(body), headers.get("x-request-id")


def _key(request: Request, settings: Settings) -> Any:
    if request.target.provider == "azure":
        raise ConfigurationError(
            "transport direct takes servers with a plain key; for azure use auto", code="client"
        )
    return "direct", client_key(request.target, settings)


_write = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def _encoded(body: Mapping[str, Any]) -> bytes:
    return _write(body).encode()


def _library(name: str) -> Any:
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError:
        raise ConfigurationError(
            f'transport direct needs {name}: pip install "aigen[fast]"', code="transport"
        ) from None
