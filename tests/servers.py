"""A model server of our own on loopback: it answers what a test tells it to, and counts.

```python
with serving([status(429, headers={"Retry-After": "0"}), completion("hello")]) as server:
    ...
assert len(server.requests) == 2
```
"""

from __future__ import annotations

import json
import select
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Step:
    """One answer.

    Attributes:
        body: bytes and text go out as they are, anything else as JSON.
        delay: seconds before the first byte.
        drip: seconds between single bytes of the body; 0 sends it whole.
        cut: whether the connection is closed before any answer.
        pieces: of a body that is sent as it comes: bytes go out at once, a number of seconds waits,
            `RESET` resets the connection and `CUT` closes it before the body's end.
    """

    body: Any
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    drip: float = 0.0
    cut: bool = False
    pieces: Sequence[bytes | float | str] = ()


RESET = "reset"
CUT = "cut"


@dataclass(frozen=True)
class Seen:
    """One request as it came; a body that is no JSON is its text."""

    path: str
    headers: Mapping[str, str]
    body: Any
    connection: int
    method: str = "POST"


def message(text: str | None, *, finish: str = "stop", **more: Any) -> dict[str, Any]:
    """The body of a chat completion; `more` goes into its message."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "fake-1",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish,
                "message": {"role": "assistant", "content": text, **more},
            }
        ],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
    }


def response(*output: dict[str, Any], **more: Any) -> dict[str, Any]:
    """The body of a response of the Responses API; `more` goes into it."""
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "model": "fake-1",
        "output": list(output),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": 7,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": 3,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 10,
        },
        **more,
    }


def said(*texts: str, kind: str = "output_text") -> dict[str, Any]:
    """An output item of a response: a message of texts, or of a `refusal`."""
    word = "refusal" if kind == "refusal" else "text"
    parts = [{"type": kind, word: text, "annotations": []} for text in texts]
    return {
        "type": "message",
        "id": "msg_1",
        "role": "assistant",
        "status": "completed",
        "content": parts,
    }


def completion(text: str | None, *, finish: str = "stop", delay: float = 0.0, **more: Any) -> Step:
    """A good answer with a text."""
    return Step(message(text, finish=finish, **more), delay=delay)


def streamed(*pieces: bytes | float | str) -> Step:
    """A body of server-sent events."""
    return Step(None, headers={"Content-Type": "text/event-stream"}, pieces=pieces)


def event(data: Any) -> bytes:
    """One server-sent event."""
    return b"data: " + (data if isinstance(data, bytes) else json.dumps(data).encode()) + b"\n\n"


def chunk(delta: Mapping[str, Any] | None, finish: str | None = None, **more: Any) -> bytes:
    """One chunk of a chat completion; without a delta one without choices."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "fake-1"}
    return event({**head, "choices": [] if delta is None else [choice], **more})


DONE = event(b"[DONE]")
USED = chunk(None, usage={"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10})


def chunks(text: str, size: int = 4) -> list[bytes]:
    """The chunks of a text."""
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    return [chunk({"content": piece}) for piece in pieces]


def whole(text: str, finish: str = "stop") -> Step:
    """A chat completion streamed as OpenAI does."""
    return streamed(
        chunk({"role": "assistant", "content": ""}),
        *chunks(text),
        chunk({}, finish),
        USED,
        DONE,
    )


def whole_response(text: str, ending: str = "completed", **more: Any) -> Step:
    """A response streamed as OpenAI does; `more` goes into the last event's body."""
    pieces = [text[start : start + 4] for start in range(0, len(text), 4)]
    place = {"item_id": "msg_1", "output_index": 0, "content_index": 0, "logprobs": []}
    deltas = [
        {"type": "response.output_text.delta", "sequence_number": number, "delta": piece, **place}
        for number, piece in enumerate(pieces)
    ]
    started = response(status="in_progress", usage=None)
    body = response(said(text), **{"status": ending, **more})
    return streamed(
        event({"type": "response.created", "sequence_number": 0, "response": started}),
        *map(event, deltas),
        event({"type": f"response.{ending}", "sequence_number": 99, "response": body}),
    )


def status(
    code: int,
    words: str = "an error of the test",
    *,
    headers: Mapping[str, str] | None = None,
    **more: Any,
) -> Step:
    """An HTTP error in OpenAI's form; `more` goes into its `error` object."""
    return Step({"error": {"message": words, **more}}, code, headers or {})


class Server(ThreadingHTTPServer):
    """Answers with its steps in order, the last one again and again."""

    daemon_threads = True
    request_queue_size = 512

    def __init__(self, steps: Sequence[Step] | Callable[[Seen], Step]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.steps = steps
        self.requests: list[Seen] = []
        self.connections = 0
        self.left = threading.Event()
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        """The base URL, as the SDK wants it."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def next(self, seen: Seen) -> Step:
        """Notes a request; what it is answered."""
        with self.lock:
            self.requests.append(seen)
            number = len(self.requests)
        if callable(self.steps):
            return self.steps(seen)
        return self.steps[min(number, len(self.steps)) - 1]

    def shutdown_request(self, request: Any) -> None:
        """As the parent does, but for a connection that is closed already."""
        if request.fileno() >= 0:
            super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is no error of a test."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    server: Server

    def setup(self) -> None:
        super().setup()
        with self.server.lock:
            self.server.connections += 1
            self.number = self.server.connections

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = _read(raw)
        step = self.server.next(Seen(self.path, headers, body, self.number, self.command))
        time.sleep(step.delay)
        if step.cut:
            self.close_connection = True
            return
        said = step.body if isinstance(step.body, (bytes, str)) else json.dumps(step.body)
        data = said.encode() if isinstance(said, str) else said
        self.send_response(step.status)
        sent: dict[str, str] = {
            "Content-Type": "application/json",
            "x-request-id": f"req-{self.number}",
        }
        for name, value in {**sent, **step.headers}.items():
            self.send_header(name, value)
        if step.pieces:
            self._send_pieces(step.pieces)
            return
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command == "HEAD":
            return
        if not step.drip:
            self.wfile.write(data)
            return
        for byte in data:
            self.wfile.write(bytes((byte,)))
            self.wfile.flush()
            time.sleep(step.drip)

    do_GET = do_HEAD = do_PUT = do_PATCH = do_DELETE = do_POST

    def _send_pieces(self, pieces: Sequence[bytes | float | str]) -> None:
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            for piece in pieces:
                if piece in (RESET, CUT):
                    self._end(piece == RESET)
                    return
                if isinstance(piece, bytes):
                    self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
                    self.wfile.flush()
                elif self._leaves_within(float(piece)):
                    raise ConnectionResetError
            self.wfile.write(b"0\r\n\r\n")
            self.wfile.flush()
        except OSError:
            self.server.left.set()
            self.close_connection = True

    def _end(self, reset: bool) -> None:
        self.close_connection = True
        if reset:
            linger = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        # The parent's own end would shut the connection down politely.
        self.connection.shutdown(socket.SHUT_RD if reset else socket.SHUT_RDWR)
        self.connection.close()

    def _leaves_within(self, seconds: float) -> bool:
        """Waits; whether the client closes the connection meanwhile."""
        readable, _, _ = select.select([self.connection], [], [], seconds)
        return bool(readable) and not self.connection.recv(1, socket.MSG_PEEK)

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing."""


def _read(raw: bytes) -> Any:
    try:
        return json.loads(raw or b"null")
    except ValueError:
        return raw.decode("utf-8", "replace")


@contextmanager
def serving(steps: Sequence[Step] | Callable[[Seen], Step]) -> Iterator[Server]:
    """Runs a server until the block ends."""
    server = Server(steps)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def accepting(handle: Callable[[socket.socket], Any]) -> Iterator[int]:
    """The port of a server on loopback that handles each connection on a thread of its own."""
    listener = socket.create_server(("127.0.0.1", 0))

    def accept() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=handle, args=(connection,), daemon=True).start()

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(5)
