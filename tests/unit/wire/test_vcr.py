"""vcrpy patches the HTTP libraries; what it records is what is replayed, over each of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from servers import Server, completion
from test_exchange import text_function

vcr = pytest.importorskip("vcr")

Serve = Callable[..., Server]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("awaited", [False, True])
@pytest.mark.parametrize("transport", ["auto", "raw", "sdk", "aiohttp", "direct"])
def test_vcr_records_and_replays(
    serve: Serve, tmp_path: Path, transport: str, awaited: bool
) -> None:
    server = serve(completion("recorded"), completion("not recorded"))
    function = text_function().with_options(
        model="m", base_url=server.url, api_key="none", transport=transport
    )

    def call() -> Any:
        if awaited:
            return asyncio.run(function.aapply({"text": "a"}))
        return function.apply({"text": "a"})

    tape = str(tmp_path / "tape.yaml")
    for _ in range(2):
        with vcr.use_cassette(tape, record_mode="once", match_on=["method", "uri", "body"]):
            assert call() == "recorded"
    assert len(server.requests) == 1
    assert call() == "not recorded"
    with vcr.use_cassette(tape, record_mode="none", match_on=["method", "uri", "body"]):
        assert call() == "recorded"  # though a connection is there
