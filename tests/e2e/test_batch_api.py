"""Batch files through a Batch API, over the SDK: written, sent, fetched, read."""

from __future__ import annotations

import email
import email.policy
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from aigen.runtime.errors import ProviderError
from openai import OpenAI
from servers import message, response, said


class Provider(ThreadingHTTPServer):
    """Files and batches: each request is answered with its last word, the last one first.

    A request whose text holds `refuse` goes to the error file, and one that holds `expire` has no
    answer in time.
    """

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, dict[str, Any]] = {}

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def keep(self, content: bytes) -> str:
        name = f"file-{len(self.files)}"
        self.files[name] = content
        return name

    def run(self, given: dict[str, Any]) -> dict[str, Any]:
        output, errors = [], []
        requests = [json.loads(line) for line in self.files[given["input_file_id"]].splitlines()]
        assert len({request["custom_id"] for request in requests}) == len(requests)
        for request in reversed(requests):
            assert (request["method"], request["url"]) == ("POST", given["endpoint"])
            line = self.answer(request)
            (output if line["error"] is None and "s_400" not in line["id"] else errors).append(line)
        name = f"batch_{len(self.batches)}"
        self.batches[name] = {
            "id": name,
            "object": "batch",
            "created_at": 1,
            "status": "completed",
            "output_file_id": self.keep(b"".join(map(_line, output))),
            "error_file_id": self.keep(b"".join(map(_line, errors))),
            **given,
        }
        return self.batches[name]

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        body = request["body"]
        words = (body.get("messages") or body["input"])[-1]["content"]
        made = {"id": "r", "custom_id": request["custom_id"], "error": None}
        if "expire" in words:
            error = {"code": "batch_expired", "message": "This request could not be executed"}
            return {**made, "response": None, "error": error}
        if "refuse" in words:
            error = {"message": "This is too long", "code": "context_length_exceeded"}
            refused = {"status_code": 400, "request_id": "q", "body": {"error": error}}
            return {**made, "id": "s_400", "response": refused}
        text = json.dumps({"summary": words.split()[-2], "urgent": False})
        reply = message(text) if "messages" in body else response(said(text))
        return {**made, "response": {"status_code": 200, "request_id": "q", "body": reply}}


def _line(value: Any) -> bytes:
    return json.dumps(value).encode() + b"\n"


class Handler(BaseHTTPRequestHandler):
    server: Provider

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/v1/batches":
            return self.give(json.dumps(self.server.run(json.loads(body))).encode())
        assert self.path == "/v1/files"
        head = f"Content-Type: {self.headers['Content-Type']}\r\n\r\n".encode()
        parts = email.message_from_bytes(head + body, policy=email.policy.HTTP).iter_parts()
        form = {part.get_param("name", header="content-disposition"): part for part in parts}
        assert form["purpose"].get_payload(decode=True) == b"batch"
        name = self.server.keep(form["file"].get_payload(decode=True))
        made = {"id": name, "object": "file", "bytes": 1, "created_at": 1, "filename": "f"}
        self.give(json.dumps({**made, "purpose": "batch", "status": "processed"}).encode())

    def do_GET(self) -> None:
        kind, name = self.path.split("/")[2:4]
        if kind == "files":
            return self.give(self.server.files[name])
        self.give(json.dumps(self.server.batches[name]).encode())

    def give(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        return None


@pytest.fixture
def provider() -> Iterator[Provider]:
    with Provider() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("api", "endpoint"), [("chat", "/v1/chat/completions"), ("responses", "/v1/responses")]
)
def test_there_and_back(
    provider: Provider, support: ModuleType, api: Any, endpoint: Any, tmp_path: Path
) -> None:
    triage = support.triage.with_options(model="gpt-4.1-mini", api=api)
    words = [f"ticket t{number}" for number in range(50)]
    words[7], words[9] = "refuse this", "expire this"
    path = tmp_path / "requests.jsonl"
    triage.batch.write(({"message": text} for text in words), path)

    with OpenAI(base_url=provider.url, api_key="k") as client:
        sent = client.files.create(file=path, purpose="batch")
        batch = client.batches.create(
            input_file_id=sent.id, endpoint=endpoint, completion_window="24h"
        )
        batch = client.batches.retrieve(batch.id)
        output, errors = tmp_path / "output.jsonl", tmp_path / "errors.jsonl"
        client.files.content(batch.output_file_id).write_to_file(output)
        client.files.content(batch.error_file_id).write_to_file(errors)

    found = triage.batch.read(output, errors)
    assert len(found) == 50 and list(found.errors) == [7, 9]
    for number, row in enumerate(found.values_or(None)):
        assert row is None or row == support.Triage(summary=f"t{number}", urgent=False)
    assert all(isinstance(error, ProviderError) for error in found.errors.values())
    alone = triage.batch.read(output)
    assert [error.code for error in alone.errors.values()] == ["no-result", "no-result"]
