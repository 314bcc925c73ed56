"""A fake model server on loopback: one fixed chat completion, as fast as it can.

A request for a stream names the length of the reply and its style in its message, `4000 compact`,
and gets the reply in pieces of four characters. Below the path `/slow`, an answer takes 0.2 s.

It speaks just enough HTTP/1.1 (keep-alive, a body of known length) to answer every client
measured here; its own maximum is in the results.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from functools import cache

ITEM = {
    "sku": "KETTLE-2",
    "quantity": 2,
    "price": 19.5,
    "gift": False,
    "tags": ["kitchen", "steel"],
    "note": None,
}
ANSWER = json.dumps({"item": ITEM, "queue": "returns"})
MESSAGE = {"role": "assistant", "content": ANSWER, "refusal": None}
SLOW = 0.2
"""Seconds that an answer takes below `/slow`."""

STREAM = re.compile(rb'"stream":\s*true')
WANTED = re.compile(rb"(\d+) (compact|spaced)")
TOOL_CALL = {"id": "call_1", "type": "function", "function": {"arguments": ANSWER}}


def completion(request: dict[str, object]) -> bytes:
    """The reply to a request: text, or the tool call that it forces."""
    tools = request.get("tools")
    message: dict[str, object] = dict(MESSAGE)
    if isinstance(tools, list) and tools:
        call = json.loads(json.dumps(TOOL_CALL))
        call["function"]["name"] = tools[0]["function"]["name"]
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "bench",
        "choices": [
            {
                "index": 0,
                "message": message,
                "finish_reason": "tool_calls" if tools else "stop",
                "logprobs": None,
            }
        ],
        "usage": {"prompt_tokens": 50, "completion_tokens": 40, "total_tokens": 90},
    }
    data = json.dumps(body).encode()
    head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(data)}\r\n"
    return head.encode() + b"\r\n" + data


@cache
def streamed(characters: int, style: bytes) -> bytes:
    """A whole stream of a reply whose note has so many characters."""
    item = {**ITEM, "note": ("The lid was missing. " * characters)[:characters]}
    marks = (",", ":") if style == b"compact" else None
    text = json.dumps({"item": item, "queue": "returns"}, separators=marks)
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "bench"}
    choices = [
        {"index": 0, "delta": {"content": text[start : start + 4]}, "finish_reason": None}
        for start in range(0, len(text), 4)
    ]
    choices.append({"index": 0, "delta": {}, "finish_reason": "stop"})
    usage = {"prompt_tokens": 50, "completion_tokens": 40, "total_tokens": 90}
    chunks = [{**head, "choices": [choice]} for choice in choices]
    chunks.append({**head, "choices": [], "usage": usage})
    events = [f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks]
    events.append(b"data: [DONE]\n\n")
    framed = b"".join(b"%x\r\n%b\r\n" % (len(event), event) for event in events)
    return (
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
        b"transfer-encoding: chunked\r\n\r\n" + framed + b"0\r\n\r\n"
    )


class Answering(asyncio.Protocol):
    """One connection."""

    plain = completion({})

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keeps the transport."""
        self.transport = transport
        self.pending = b""

    def data_received(self, data: bytes) -> None:
        """Answers every whole request that has arrived."""
        self.pending += data
        while True:
            head, found, rest = self.pending.partition(b"\r\n\r\n")
            if not found:
                return
            length = 0
            for line in head.split(b"\r\n")[1:]:
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            if len(rest) < length:
                return
            body, self.pending = rest[:length], rest[length:]
            wanted = WANTED.search(body) if STREAM.search(body) else None
            if wanted:
                self.transport.write(streamed(int(wanted[1]), wanted[2]))
                continue
            forced = b'"tools"' in body
            answer = completion(json.loads(body)) if forced else self.plain
            if head.startswith(b"POST /slow/"):
                asyncio.get_running_loop().call_later(SLOW, self.transport.write, answer)
            else:
                self.transport.write(answer)


async def main() -> None:
    """Serves on a free port of 127.0.0.1, prints it, and ends when standard input closes."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Answering, "127.0.0.1", 0, backlog=4096)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(main())
