"""Images, audio and files as inputs."""

from __future__ import annotations

import base64
import mimetypes
import os
from pathlib import Path
from typing import Any, ClassVar, final
from urllib.parse import urlsplit

_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"%PDF-", "application/pdf"),
    (b"ID3", "audio/mpeg"),
    (b"\xff\xfb", "audio/mpeg"),
    (b"fLaC", "audio/flac"),
    (b"OggS", "audio/ogg"),
)
_ODD = {"audio/x-wav": "audio/wav", "audio/vnd.wave": "audio/wav", "audio/x-flac": "audio/flac"}


LARGEST = 100_000_000
"""Bytes of a file or an open file that are read; no API takes as much in one request."""


class Media:
    """Bytes, or a URL that the provider fetches, with their media type.

    Args:
        source: a path, an `http(s):`, `gs:` or `data:` URL, bytes, or an open binary file (read
            once, from where it stands).
        media_type: such as `image/png`; else taken from the name, then from the first bytes.
        name: a file name for the model.

    Raises:
        TypeError: the source is none of these.
        FileNotFoundError: there is no file at the path.
        OSError: the file is larger than `LARGEST`.
    """

    __aigen_media__: ClassVar[str] = "file"
    __slots__ = ("data", "media_type", "name", "url")
    _default: ClassVar[str] = "application/octet-stream"

    def __init__(
        self, source: Any, *, media_type: str | None = None, name: str | None = None
    ) -> None:
        self.name: str | None
        self.media_type: str
        self.url: str | None = None
        self.data: bytes | None = None
        found = name
        if isinstance(source, Media):
            self.url, self.data = source.url, source.data
            media_type, found = media_type or source.media_type, found or source.name
        elif isinstance(source, bytes | bytearray | memoryview):
            self.data = bytes(source)
        elif isinstance(source, str) and source.startswith("data:"):
            media_type, self.data = _inline(source, media_type)
        elif isinstance(source, str) and source.startswith(("http://", "https://", "gs://")):
            self.url = source
            found = found or Path(urlsplit(source).path).name or None
        elif isinstance(source, str | os.PathLike):
            path = Path(source)
            with path.open("rb") as file:
                self.data = _read(file)
            found = found or path.name
        elif hasattr(source, "read"):
            self.data = _read(source)
            given = getattr(source, "name", None)
            found = found or (Path(given).name if isinstance(given, str) else None)
        else:
            raise TypeError(f"no path, URL, bytes or binary file: {type(source).__name__}")
        self.name = found
        self.media_type = media_type or _guess(found, self.data) or self._default

    @property
    def kind(self) -> str:
        """`image`, `audio` or `file`."""
        return self.__aigen_media__

    def base64(self) -> str:
        """The bytes in base64; empty for a URL."""
        return base64.b64encode(self.data or b"").decode("ascii")

    def data_url(self) -> str:
        """The URL, or the bytes as a `data:` URL."""
        return self.url or f"data:{self.media_type};base64,{self.base64()}"

    def describe(self) -> dict[str, Any]:
        """What a log holds of it: the URL, or the size; never the bytes."""
        shown: dict[str, Any] = {"media": self.kind, "media_type": self.media_type}
        if self.name:
            shown["name"] = self.name
        if self.url is not None:
            shown["url"] = self.url
        else:
            shown["bytes"] = len(self.data or b"")
        return shown

    def __repr__(self) -> str:
        place = self.url or f"{len(self.data or b''):,} bytes"
        return f"{type(self).__name__}({self.media_type}, {place})"

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        mine = (self.url, self.data, self.media_type, self.name)
        return mine == (other.url, other.data, other.media_type, other.name)

    def __hash__(self) -> int:
        return hash((self.url, self.data, self.media_type, self.name))


@final
class Image(Media):
    """An image; a matplotlib figure or Pillow image is saved first: `Image(buffer)`."""

    __aigen_media__ = "image"
    __slots__ = ()
    _default = "image/png"


@final
class Audio(Media):
    """A recording."""

    __aigen_media__ = "audio"
    __slots__ = ()
    _default = "audio/wav"


@final
class File(Media):
    """A document, such as a PDF."""

    __aigen_media__ = "file"
    __slots__ = ()


KINDS: dict[str, type[Media]] = {"image": Image, "audio": Audio, "file": File}


def _inline(url: str, media_type: str | None) -> tuple[str | None, bytes]:
    from urllib.parse import unquote_to_bytes

    head, comma, body = url[5:].partition(",")
    if not comma:
        raise TypeError("a data: URL without a comma")
    kind, *parameters = head.split(";")
    data = unquote_to_bytes(body)
    if "base64" in parameters:
        data = base64.b64decode(data)
    return media_type or kind or None, data


def _read(source: Any) -> bytes:
    data = source.read(LARGEST + 1)
    if not isinstance(data, bytes):
        raise TypeError("the file is open as text; open it with mode 'rb'")
    if len(data) > LARGEST:
        raise OSError(f"the file is larger than {LARGEST:,} bytes")
    return data


def _guess(name: str | None, data: bytes | None) -> str | None:
    if name:
        found = mimetypes.guess_type(name)[0]
        if found:
            return _ODD.get(found, found)
    for start, kind in _SIGNATURES:
        if data is not None and data.startswith(start):
            return kind
    if data is not None and data[:4] == b"RIFF":
        return {b"WEBP": "image/webp", b"WAVE": "audio/wav"}.get(data[8:12])
    return None
