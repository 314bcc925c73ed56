"""The fake server's own maximum: a connection a worker, bytes out and bytes in."""

import asyncio
import os
import socket
import threading
from types import SimpleNamespace
from urllib.parse import urlsplit

import harness

ADDRESS = urlsplit(os.environ["BENCH_URL"])
BODY = b'{"model":"bench","messages":[]}'
REQUEST = (
    b"POST " + ADDRESS.path.encode() + b"/chat/completions HTTP/1.1\r\nhost: localhost\r\n"
    b"content-type: application/json\r\ncontent-length: " + str(len(BODY)).encode() + b"\r\n\r\n"
) + BODY
SEEN = SimpleNamespace(item=SimpleNamespace(quantity=2))
local = threading.local()
idle: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []


def call(message: str) -> SimpleNamespace:
    """One exchange on this thread's connection."""
    if not hasattr(local, "connection"):
        local.connection = socket.create_connection((ADDRESS.hostname, ADDRESS.port))
    local.connection.sendall(REQUEST)
    local.connection.recv(65536)
    return SEEN


async def acall(message: str) -> SimpleNamespace:
    """One exchange on an idle connection."""
    connection = idle.pop() if idle else await asyncio.open_connection(*ADDRESS.netloc.split(":"))
    reader, writer = connection
    writer.write(REQUEST)
    await reader.read(65536)
    idle.append(connection)
    return SEEN


if __name__ == "__main__":
    harness.main(call, acall)
