"""Chaos and batches of a server by others: `aimock`, from npm's `@copilotkit/aimock`.

It is no Python package, so it is used where the command is on the PATH.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from aigen.runtime.errors import ProviderError
from conftest import free_port, serving
from openai import OpenAI

ANSWERS = {
    "fixtures": [
        {"match": {"userMessage": "t"}, "response": {"content": "kettles"}},
    ]
}
TRANSPORTS = ["sdk", "raw", "aiohttp", "direct"]

Chaos = Callable[..., None]


@pytest.fixture(scope="module")
def aimock(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    command = shutil.which("aimock")
    if command is None:
        pytest.skip("aimock is not on the PATH: tox -e npm installs it")
    folder = tmp_path_factory.mktemp("aimock")
    (folder / "answers").mkdir()
    (folder / "answers" / "all.json").write_text(json.dumps(ANSWERS), encoding="utf-8")
    llm = {"fixtures": str(folder / "answers"), "chunkSize": 4, "logLevel": "silent"}
    (folder / "aimock.json").write_text(json.dumps({"llm": llm}), encoding="utf-8")
    port = free_port()
    config = ["--config", str(folder / "aimock.json"), "--port", str(port)]
    with serving([command, *config], port) as url:
        yield url


@pytest.fixture
def chaos(aimock: str) -> Iterator[Chaos]:
    """Sets how often it does what; nothing of it stays."""

    def put(method: str, rates: dict[str, float]) -> None:
        request = urllib.request.Request(
            aimock.removesuffix("/v1") + "/__aimock/chaos",
            json.dumps(rates).encode(),
            {"Content-Type": "application/json"},
            method=method,
        )
        with urllib.request.urlopen(request, timeout=10):
            pass

    yield lambda **rates: put("POST", rates)
    put("DELETE", {})


def options(url: str, transport: str, **more: Any) -> dict[str, Any]:
    given = {"model": "gpt-4.1-mini", "base_url": url, "api_key": "k", "api_retries": 30}
    return {**given, "transport": transport, **more}


@pytest.mark.parametrize("awaited", [False, True])
@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("fault", ["dropRate", "malformedRate", "disconnectRate", "rateLimitRate"])
def test_calls_outlive_its_chaos(
    desk: ModuleType, aimock: str, chaos: Chaos, fault: str, transport: str, awaited: bool
) -> None:
    # It asks for a second of rest with each 429.
    chaos(**{fault: 0.2 if fault == "rateLimitRate" else 0.3})
    asked = desk.class_.with_options(**options(aimock, transport, concurrency=8))
    rows = [f"ticket {number}" for number in range(12)]
    found = asyncio.run(asked.amap(rows)) if awaited else asked.map(rows)
    assert list(found) == ["kettles"] * len(rows)


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("fault", ["dropRate", "malformedRate", "disconnectRate"])
def test_streams_outlive_its_chaos(
    desk: ModuleType, aimock: str, chaos: Chaos, fault: str, transport: str
) -> None:
    chaos(**{fault: 0.3})
    asked = desk.class_.with_options(**options(aimock, transport))
    for number in range(4):
        with asked.stream(f"ticket {number}") as stream:
            assert list(stream)[-1] == stream.result() == "kettles"


@pytest.mark.parametrize(
    ("fault", "code"),
    [("dropRate", None), ("malformedRate", "not-json"), ("disconnectRate", "connection")],
)
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_fault_without_an_end_is_said(
    desk: ModuleType, aimock: str, chaos: Chaos, fault: str, code: str | None, transport: str
) -> None:
    chaos(**{fault: 1.0})
    with pytest.raises(ProviderError) as caught:
        desk.class_.with_options(**options(aimock, transport, api_retries=1))("ticket")
    assert caught.value.code == code or (code is None and caught.value.status == 500)


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_its_latency_meets_the_request_timeout(
    desk: ModuleType, aimock: str, chaos: Chaos, transport: str
) -> None:
    chaos(latencyMs=3000)
    slow = options(aimock, transport, api_retries=0, request_timeout=0.3)
    with pytest.raises(ProviderError) as caught:
        desk.class_.with_options(**slow)("ticket")
    assert caught.value.code == "timeout"


@pytest.mark.parametrize("api", ["chat", "responses"])
def test_its_batches_there_and_back(
    desk: ModuleType, aimock: str, api: Any, tmp_path: Path
) -> None:
    asked = desk.class_.with_options(model="gpt-4.1-mini", api=api)
    path = tmp_path / "requests.jsonl"
    asked.batch.write(({"message": f"ticket {number}"} for number in range(20)), path)
    output, _ = fetched(aimock, path, api, "completed", tmp_path)
    assert output is not None
    assert list(asked.batch.read(output)) == ["Mock batch completion"] * 20
    # What it answers is no record: each row says so by itself.
    checked = desk.answer.with_options(model="gpt-4.1-mini", api=api)
    row = {"order": {"id": "A-1001", "lines": [], "placed": "2026-01-31", "note": None}}
    checked.batch.write([row, row], path)
    output, _ = fetched(aimock, path, api, "completed", tmp_path)
    found = checked.batch.read(output)
    assert [type(error).__name__ for error in found.errors.values()] == ["ReplyError"] * 2


def test_a_batch_that_fails_says_so_of_each_row(
    desk: ModuleType, aimock: str, tmp_path: Path
) -> None:
    asked = desk.class_.with_options(model="gpt-4.1-mini")
    path = tmp_path / "requests.jsonl"
    asked.batch.write([{"message": "ticket 1"}, {"message": "ticket 2"}], path)
    output, errors = fetched(aimock, path, "chat", "failed", tmp_path)
    assert output is None and errors is not None
    found = asked.batch.read(errors)
    assert [error.code for error in found.errors.values()] == ["batch"] * 2
    assert all("Mock batch failure" in error.message for error in found.errors.values())


def fetched(
    url: str, path: Path, api: str, outcome: str, folder: Path
) -> tuple[Path | None, Path | None]:
    """The output and error files of a batch that a file of requests is sent in."""
    endpoint: Any = "/v1/responses" if api == "responses" else "/v1/chat/completions"
    with OpenAI(base_url=url, api_key="k", max_retries=0) as client:
        sent = client.files.create(file=path, purpose="batch")
        batch = client.batches.create(
            input_file_id=sent.id,
            endpoint=endpoint,
            completion_window="24h",
            extra_headers={"X-AIMock-Batch-Outcome": outcome},
        )
        for _ in range(5):
            batch = client.batches.retrieve(batch.id)
        assert batch.status == outcome
        files = []
        for name in (batch.output_file_id, batch.error_file_id):
            files.append(folder / f"{name}.jsonl" if name else None)
            if name:
                client.files.content(name).write_to_file(folder / f"{name}.jsonl")
    return files[0], files[1]
