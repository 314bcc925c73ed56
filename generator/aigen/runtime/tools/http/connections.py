"""Sending requests: one client an event loop, with the SDK's HTTP library.

The clients keep connections and nothing else: no cookies, no redirects of their own. A redirect is
followed on its own server only, so neither credentials nor arguments go elsewhere.
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import AsyncIterable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

from aigen.runtime.errors import ToolError
from aigen.runtime.tools.http.answer import Answer, without_secrets
from aigen.runtime.tools.http.request import Request
from aigen.runtime.wire.client import async_kept
from aigen.runtime.wire.packed import ENCODING, NotAsSaid, Packed

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
        "headers": {"Accept-Encoding": ENCODING},
        "cookies": CookieJar(DefaultCookiePolicy(allowed_domains=[])),
        "limits": _library().Limits(max_connections=200, max_keepalive_connections=50),
    }


class _Connections:
    """A client, closed as those of models are."""

    def __init__(self, client: Any) -> None:
        self.client = client

    async def close(self) -> None:
        """Closes its connections."""
        await self.client.aclose()


async def send(request: Request, seconds: float) -> Answer:
    """The answer to a request.

    Args:
        request: as it was built.
        seconds: until the last byte of the answer, redirects and all.

    Raises:
        ToolError: no whole answer came in time, or it is larger than it may be.
    """
    kept = async_kept(_KEY, lambda: _Connections(_library().AsyncClient(**_options())))
    with _problems(request, seconds):
        # The library's own times are of single reads, which a server can draw out for ever.
        async with asyncio.timeout(seconds):
            for _ in range(_REDIRECTS):
                answer = await _exchanged(kept.client, request)
                following = _followed(request, answer)
                if following is None:
                    return answer
                request = following
    raise _failed(request, "is redirected again and again")


async def _exchanged(client: Any, request: Request) -> Answer:
    asked = client.build_request(
        request.method,
        request.url,
        headers=[(key, value.encode("utf-8", "replace")) for key, value in request.headers],
        content=request.content,
        timeout=None,
    )
    asked.url = _logged_without_query(_library().URL)(asked.url)
    response = await client.send(asked, stream=True)
    try:
        headers = {key.lower(): value for key, value in response.headers.items()}
        packed = Packed(headers.get("content-encoding", ""))
        body = await _body(request, response.aiter_raw(), packed)
        packed.end()
        return Answer(response.status_code, headers, body)
    except NotAsSaid as problem:
        raise _failed(request, f"answered {problem}") from None
    finally:
        await response.aclose()


async def _body(request: Request, pieces: AsyncIterable[bytes], packed: Packed) -> bytes:
    found, left = [], request.largest
    async for piece in pieces:
        found.append(packed.opened(piece, left + 1))  # one more shows that there is more
        left -= len(found[-1])
        if left < 0:
            raise _failed(request, f"answered with more than {request.largest} bytes: ask for less")
    return b"".join(found)


@cache
def _logged_without_query(url: Hashable) -> Any:
    """The library's class of URLs, of which it logs no query: a secret may stand there."""
    plain: Any = url

    class Url(plain):  # type: ignore[misc]
        def __str__(self) -> str:
            return str(plain(super().__str__(), query=None))

        __repr__ = __str__

    return Url


def _followed(request: Request, answer: Answer) -> Request | None:
    """The request that a redirect asks for; None where it is none, or leads elsewhere."""
    location = answer.headers.get("location")
    reads = request.method in ("GET", "HEAD")
    follows = answer.status == 303 or answer.status in (_MOVED if reads else _SAME_METHOD)
    if not location or not follows:
        return None
    try:
        url = urljoin(request.url, location)
        if _server(url) != _server(request.url):
            return None
    except ValueError:  # it is no URL
        return None
    if answer.status != 303 or reads:
        return replace(request, url=url)
    kept = [each for each in request.headers if each[0].lower() != "content-type"]
    return replace(request, url=url, method="GET", content=None, headers=kept)


def _server(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    return parts.scheme, parts.hostname, port


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


__all__ = ["send"]
