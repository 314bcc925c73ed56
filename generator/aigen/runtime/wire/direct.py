"""The `direct` transport: connections of our own, for servers that take a plain key.

The SDK's client still says where the server is and with which headers; only the HTTP is ours:
sockets and httptools for calls, aiohttp for awaited ones (extra `aigen[fast]`).
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from typing import Any

from pydantic_core import to_json

from aigen.runtime.errors import ConfigurationError
from aigen.runtime.setting_kinds import Settings
from aigen.runtime.wire.client import (
    async_client,
    async_kept,
    client_key,
    sync_client,
    sync_kept,
)
from aigen.runtime.wire.connections import IDLE, Connections
from aigen.runtime.wire.messages import Request
from aigen.runtime.wire.reading import Body, Refused
from aigen.runtime.wire.server import Server

_LONG = 1 << 18
"""Bytes that an awaited call sends in pieces."""


def _connections(client: Any) -> Connections:
    return Connections(Server(client), _library("httptools").HttpResponseParser)


class _AsyncSession:
    """An event loop's connections to one server."""

    def __init__(self, client: Any) -> None:
        aiohttp = _library("aiohttp")
        self.server = server = Server(client)
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                limit=0, keepalive_timeout=IDLE, ssl=server.certificates or True
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
        # It warns of bytes that are long, for it hands them on in one piece.
        data = io.BytesIO(body) if len(body) > _LONG else body
        try:
            async with self._session.post(
                url,
                data=data,
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
    session = sync_kept(key, lambda: _connections(sync_client(request.target, settings)))
    body = _encoded(request.body)
    return _answer(*session.post(request.path, body, request.headers, timeout))


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
    try:
        return to_json(body)
    except ValueError:  # it goes no deeper than some hundred levels
        return _write(body).encode()


def _library(name: str) -> Any:
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError:
        raise ConfigurationError(
            f'transport direct needs {name}: pip install "aigen[fast]"', code="transport"
        ) from None
