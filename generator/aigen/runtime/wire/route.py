"""How requests get to a server: which address is called, and what is written there."""

from __future__ import annotations

import re
import urllib.parse
from collections.abc import Mapping
from typing import Final, TypeAlias

from aigen.runtime.errors import ConfigurationError
from aigen.runtime.wire.packed import ENCODING
from aigen.runtime.wire.server import Server, as_user, trusted, without_user

Headers: TypeAlias = Mapping[str, str]
Address: TypeAlias = tuple[str, int]

_NO_HEADER: Final = re.compile(r"[^\t\x20-\x7e\x80-\xff]")


class Route:
    """The way to one server.

    Args:
        server: where it is.

    Attributes:
        at: the host and port that is called: the server's, or its proxy's.
        certificates: for TLS with whom is called; None where there is none.
        through: the server's host and port, where a proxy tunnels to it.
        inner: the certificates for TLS through the tunnel.
        to_proxy: headers of the request for a tunnel.

    Raises:
        ConfigurationError: a header that cannot be sent.
    """

    def __init__(self, server: Server) -> None:
        parts = urllib.parse.urlsplit(server.url)
        self.at, self.certificates, self.inner = _address(parts), server.certificates, None
        self.through: Address | None = None
        self.to_proxy: dict[str, str] = {}
        self._before, headers, proxy = parts.path.removesuffix("/"), server.headers, server.proxy
        self._after = f"?{server.query}" if server.query else ""
        if proxy:
            over, told = urllib.parse.urlsplit(proxy), as_user(proxy, "Proxy-Authorization")
            if server.certificates:
                self.through, self.inner = self.at, server.certificates
                self.to_proxy = {"Host": _authority(self.through), **told}
            else:
                self._before = f"http://{without_user(parts)}{self._before}"
                headers = {**headers, **told}
            self.at = _address(over)
            self.certificates = trusted() if over.scheme == "https" else None
        self._headers = {"Host": without_user(parts), **headers, "Accept-Encoding": ENCODING}
        self._head = _lines(self._headers)

    def request(self, path: str, body: bytes, headers: Headers) -> bytes:
        """A request as it is written; its own headers go before the server's.

        Raises:
            ConfigurationError: a header that cannot be sent.
            UnicodeError: a path that cannot be.
        """
        return b"POST %b HTTP/1.1\r\n%bContent-Length: %d\r\n\r\n%b" % (
            self.target(path).encode("ascii"),
            _lines(self.headers(headers)) if headers else self._head,
            len(body),
            body,
        )

    def tunnel(self) -> bytes:
        """The request for a tunnel, as it is written.

        Raises:
            UnicodeError: a host that cannot be.
        """
        head = f"CONNECT {_authority(self.through or self.at)} HTTP/1.1\r\n"
        return head.encode("ascii") + _lines(self.to_proxy) + b"\r\n"

    def target(self, path: str) -> str:
        """What a request names, the whole URL for a proxy."""
        return self._before + path + self._after

    def headers(self, more: Headers) -> Headers:
        """All headers of a request that has these."""
        names = {name.lower() for name in more}
        return {
            **{n: value for n, value in self._headers.items() if n.lower() not in names},
            **more,
        }


def _lines(headers: Headers) -> bytes:
    for name, value in headers.items():
        if _NO_HEADER.search(f"{name}{value}"):
            raise ConfigurationError(
                f"the header {name!r} holds what no header takes", code="header"
            )
    return "".join(f"{name}: {value}\r\n" for name, value in headers.items()).encode("latin-1")


def _authority(address: Address) -> str:
    host, port = address
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _address(parts: urllib.parse.SplitResult) -> Address:
    return parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
