"""Reading a file's text: bytes, encoding and size, before any syntax."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from aigen.diagnostics import Diagnostics, Source, Span

_PIECE = 1 << 16

LARGEST_SPEC = 4 * 1024 * 1024
"""Bytes. A hand-written spec has thousands; what is larger is no spec, or needs splitting."""

LARGEST_FILE = 16 * 1024 * 1024
"""Bytes of a further file that a spec names (`$file`, demos)."""


def load(
    path: Path, shown: str, diagnostics: Diagnostics, *, limit: int = LARGEST_SPEC
) -> Source | None:
    """A file's text without its byte order mark, or None where a finding says why not.

    Lines may end in CR LF or CR; the text has LF alone, so the same file gives the same output on
    every checkout.
    """
    try:
        with path.open("rb") as file:
            data = read_up_to(file, limit)
    except OSError as problem:
        reason = problem.strerror or type(problem).__name__
        diagnostics.report("AIG101", whole(shown), f"cannot read {shown}: {reason}")
        return None
    return _text(data, shown, diagnostics, limit)


def read(
    file: BinaryIO, shown: str, diagnostics: Diagnostics, *, limit: int = LARGEST_SPEC
) -> Source | None:
    """Like `load`, of what is open.

    Raises:
        OSError: it cannot be read.
    """
    return _text(read_up_to(file, limit), shown, diagnostics, limit)


def _text(data: bytes, shown: str, diagnostics: Diagnostics, limit: int) -> Source | None:
    if len(data) > limit:
        diagnostics.report(
            "AIG103",
            whole(shown),
            f"{shown} is larger than {limit // (1024 * 1024)} MB",
            hint="split it into several files",
        )
        return None
    return decode(data, shown, diagnostics)


def read_up_to(file: BinaryIO, limit: int) -> bytes:
    """What a file holds, and a byte more than the limit at most.

    Piece by piece: asking for the limit would hold that much memory for a while, and the size that
    the system tells of a pipe or a device says nothing.
    """
    data = bytearray()
    while len(data) <= limit and (piece := file.read(min(_PIECE, limit + 1 - len(data)))):
        data += piece
    return bytes(data)


def decode(data: bytes, shown: str, diagnostics: Diagnostics) -> Source | None:
    """The text of UTF-8 bytes, or None with a finding at the first byte that is not."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        before = data[: problem.start].decode("utf-8-sig", errors="replace")
        line = before.count("\n") + 1
        column = len(before) - (before.rfind("\n") + 1) + 1
        diagnostics.report(
            "AIG102",
            Span(shown, line, column, line, column + 1),
            f"byte 0x{data[problem.start]:02x} is not UTF-8",
            hint="save the file as UTF-8",
        )
        return None
    return Source(shown, text.replace("\r\n", "\n").replace("\r", "\n"))


def whole(shown: str) -> Span:
    """The first character of a file: the place of what concerns all of it."""
    return Span(shown, 1, 1, 1, 2)
