"""Sending requests: one client a process and one an event loop, with the SDK's HTTP library.

The clients keep connections and nothing else: no cookies, no redirects of their own. A redirect is
followed on its own server only, so neither credentials nor arguments go elsewhere.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

from aigen.runtime.errors import ToolError
from aigen.runtime.tools.http.answer import Answer, without_secrets
from aigen.runtime.tools.http.request import Request
from aigen.runtime.wire.client import async_kept, sync_kept

_KEY: Final = ("http tools",)
_REDIRECTS: Final = 5
_SAME_METHOD: Final = (307, 308)
_MOVED: Final = (301, 302, *_SAME_METHOD)


@cache
def _library() -> Any:
    """The HTTP library that the SDK brings: httpx2 since its version 3."""
    try:
        return importlib.import_module("httpx2")
    except ImportError:
        return importlib.import_module("httpx")


def _options() -> dict[str, Any]:
    return {
        "follow_redirects": False,
        "cookies": CookieJar(DefaultCookiePolicy(allowed_domains=[])),
        "limits": _library().Limits(max_connections=200, max_keepalive_connections=50),
    }


class _Connections:
    """A client, closed as those of models are."""

    def __init__(self, client: Any) -> None:
        self.client = client

    def close(self) -> Any:
        """Closes its connections; awaited where the client is async."""
        closing = getattr(self.client, "aclose", None) or self.client.close
        return closing()


def send(request: Request, seconds: float) -> Answer:
    """The answer to a request.

    Args:
        request: as it was built.
        seconds: until the last byte of the answer.

    Raises:
        ToolError: no whole answer came in time, or it is larger than it may be.
    """
    kept = sync_kept(_KEY, lambda: _Connections(_library().Client(**_options())))
    until = time.monotonic() + seconds
    for _ in range(_REDIRECTS):
        with _problems(request, seconds):
            asked = _asked(kept.client, request, until)
            response = kept.client.send(asked, stream=True)
            body = _Body(request, until)
            try:
                for piece in response.iter_bytes():
                    body.add(piece)
            finally:
                response.close()
        answer = Answer(response.status_code, _headers(response), body.whole())
        following = _followed(request, answer)
        if following is None:
            return answer
        request = following
    raise _failed(request, "is redirected again and again")


async def asend(request: Request, seconds: float) -> Answer:
    """Like `send`, awaited."""
    kept = async_kept(_KEY, lambda: _Connections(_library().AsyncClient(**_options())))
    until = time.monotonic() + seconds
    for _ in range(_REDIRECTS):
        with _problems(request, seconds):
            asked = _asked(kept.client, request, until)
            response = await kept.client.send(asked, stream=True)
            body = _Body(request, until)
            try:
                async for piece in response.aiter_bytes():
                    body.add(piece)
            finally:
                await response.aclose()
        answer = Answer(response.status_code, _headers(response), body.whole())
        following = _followed(request, answer)
        if following is None:
            return answer
        request = following
    raise _failed(request, "is redirected again and again")


def _asked(client: Any, request: Request, until: float) -> Any:
    return client.build_request(
        request.method,
        request.url,
        headers=[(key, value.encode("utf-8", "replace")) for key, value in request.headers],
        content=request.content,
        timeout=max(until - time.monotonic(), 0.001),
    )


class _Body:
    """The body of an answer, which is neither too long nor too late."""

    def __init__(self, request: Request, until: float) -> None:
        self._request = request
        self._until = until
        self._pieces: list[bytes] = []
        self._size = 0

    def add(self, piece: bytes) -> None:
        """Takes the next piece.

        Raises:
            TimeoutError: the time is over.
            ToolError: the answer is larger than it may be.
        """
        self._pieces.append(piece)
        self._size += len(piece)
        if self._size > self._request.largest:
            words = f"answered with more than {self._request.largest} bytes: ask for less"
            raise _failed(self._request, words)
        if time.monotonic() > self._until:
            raise TimeoutError

    def whole(self) -> bytes:
        """All of it."""
        return b"".join(self._pieces)


def _headers(response: Any) -> Mapping[str, str]:
    return {key.lower(): value for key, value in response.headers.items()}


def _followed(request: Request, answer: Answer) -> Request | None:
    """The request that a redirect asks for; None where it is none, or leads elsewhere."""
    location = answer.headers.get("location")
    reads = request.method in ("GET", "HEAD")
    follows = answer.status == 303 or answer.status in (_MOVED if reads else _SAME_METHOD)
    if not location or not follows:
        return None
    url = urljoin(request.url, location)
    if _server(url) != _server(request.url):
        return None
    if answer.status != 303 or reads:
        return replace(request, url=url)
    kept = [each for each in request.headers if each[0].lower() != "content-type"]
    return replace(request, url=url, method="GET", content=None, headers=kept)


def _server(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        port = -1
    return parts.scheme, parts.hostname, port or {"http": 80, "https": 443}.get(parts.scheme)


@contextmanager
def _problems(request: Request, seconds: float) -> Iterator[None]:
    """Says what the library, or the clock, says as an error that a model can read."""
    library = _library()
    try:
        yield
    except (TimeoutError, library.TimeoutException) as problem:
        raise _failed(request, f"gave no whole answer in {seconds:g} s") from problem
    except library.ConnectError as problem:
        host = urlsplit(request.url).netloc.rpartition("@")[2]
        raise _failed(request, f"cannot reach {host}: {problem}") from problem
    except (library.HTTPError, library.InvalidURL) as problem:
        words = str(problem) or type(problem).__name__
        raise _failed(request, f"failed: {words}") from problem


def _failed(request: Request, words: str) -> ToolError:
    said = without_secrets(request, f"{request.method} {request.path} {words}")
    return ToolError(said, tool=request.tool, code="tool-http")


__all__ = ["asend", "send"]
