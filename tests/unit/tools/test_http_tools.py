"""Tools with `http`: called, awaited, and by a model; over connections of loopback."""

from __future__ import annotations

import asyncio
import gzip
import json
import logging
import os
import subprocess
import sys
import tracemalloc
import zlib
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from aigen.runtime import settings
from aigen.runtime.errors import ConfigurationError, ToolError
from aigen.runtime.tools.context import ToolContext
from aigen.runtime.tools.http import connections
from aigen.runtime.wire.messages import ToolCall
from aigen.serving.listing import why_not
from runners import ran, runner
from servers import Seen, Server, Step, serving

SPEC = """
types:
  Pet: {record: {id: int, name: str}}
tools:
  get_pet:
    description: Get a pet.
    http:
      url_env: PETS_URL
      path: /pets/{id}
      auth: [{header: X-Key, env: PETS_KEY}, none]
      max_bytes: 1000
    parameters: {id: int, fields: {type: 'list[str]', required: false}}
    returns: Pet
    annotations: {read_only: true}
  fetch:
    description: Fetch what is there.
    http: {url_env: PETS_URL, path: /any, auth: [{query: key, env: PETS_KEY}, none]}
    parameters: {}
    timeout: 0.5
  add_pet:
    description: Add a pet.
    http: {method: POST, url_env: PETS_URL, path: /pets}
    parameters: {name: str, owner: str}
    inject: [owner]
"""

Module = Callable[..., ModuleType]


@pytest.fixture
def pets(module: Module) -> ModuleType:
    return module(SPEC)


def at(server: Server, monkeypatch: pytest.MonkeyPatch, key: str | None = None) -> None:
    monkeypatch.setenv("PETS_URL", server.url)
    if key is not None:
        monkeypatch.setenv("PETS_KEY", key)


def test_a_call_and_an_awaited_one(pets: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving([Step({"id": 7, "name": "Rex"})]) as server:
        at(server, monkeypatch, "kkkk")
        pet = pets.get_pet(7, fields=["a", "b"])
        assert (type(pet), pet.name) == (pets.Pet, "Rex")
        assert asyncio.run(pets.get_pet.aio(8)).id == 7
        assert pets.get_pet(9).id == 7
    first, second, third = server.requests
    assert (first.method, first.path) == ("GET", "/v1/pets/7?fields=a&fields=b")
    assert (second.path, third.path) == ("/v1/pets/8", "/v1/pets/9")
    assert first.headers["x-key"] == "kkkk"
    assert first.connection == third.connection  # kept between calls


def test_awaited_calls_share_their_connections(
    pets: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def all_of_them() -> list[Any]:
        await pets.get_pet.aio(1)
        return [await pets.get_pet.aio(number) for number in range(5)]

    with serving([Step({"id": 7, "name": "Rex"})]) as server:
        at(server, monkeypatch)
        assert len(asyncio.run(all_of_them())) == 5
    assert {seen.connection for seen in server.requests} == {1}


def test_what_the_context_gives_goes_into_the_request(
    pets: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "owner" not in json.dumps(pets.add_pet.schema())
    with serving([Step({"ok": True})]) as server, settings(context={"owner": "Ann"}):
        at(server, monkeypatch)
        outcome = ran(
            pets.add_pet, name="add_pet", arguments='{"name": "Rex"}', context={"owner": "Ann"}
        )
        assert outcome.value == {"ok": True}, outcome.text
    assert server.requests[0].body == {"name": "Rex", "owner": "Ann"}


@pytest.mark.parametrize(
    ("step", "value"),
    [
        (Step(b"", 204), None),
        (Step({"a": 1}, 201), {"a": 1}),
        (Step("[1]", headers={"Content-Type": "application/problem+json; charset=utf-8"}), [1]),
        (Step("gr\xfc\xdfe".encode("latin-1"),
              headers={"Content-Type": "text/plain; charset=latin-1"}), "grüße"),
        (Step(b"\x89PNG", headers={"Content-Type": "image/png"}),
         "(4 bytes of image/png, not shown)"),
        (Step(gzip.compress(b'{"a": 2}'), headers={"Content-Encoding": "gzip"}), {"a": 2}),
        (Step(gzip.compress(b"[1,") + gzip.compress(b"2]"), headers={"Content-Encoding": "gzip"}),
         [1, 2]),
        (Step(b"a-b9", headers={"Content-Type": "text/plain; charset=punycode"}), "a-b9"),
        (Step(b"a-b9", headers={"Content-Type": "text/plain; charset=idna"}), "a-b9"),
        (Step(b"a-b9", headers={"Content-Type": "text/plain; charset=undefined"}), "a-b9"),
        (Step(b"a-b9", headers={"Content-Type": "text/plain; charset=none"}), "a-b9"),
    ],
)  # fmt: skip
def test_what_an_answer_gives(
    pets: ModuleType, monkeypatch: pytest.MonkeyPatch, step: Step, value: Any
) -> None:
    with serving([step]) as server:
        at(server, monkeypatch)
        assert pets.fetch() == value


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (Step({"message": "no such pet"}, 404),
         'GET /v1/any answered 404 Not Found: {"message": "no such pet"}'),
        (Step({"message": "bad key kkkk"}, 401),
         'answered 401 Unauthorized: {"message": "bad key ***"} (the credentials in PETS_KEY do '
         "not suffice)"),
        (Step("", 429, {"Retry-After": "30"}), "429 Too Many Requests (try again after 30 s)"),
        (Step("<html><style>x{}</style><h1>Broken</h1></html>", 500,
              {"Content-Type": "text/html"}), "500 Internal Server Error: Broken"),
        (Step("x" * 5000, 400, {"Content-Type": "text/plain"}), "x" * 2000 + "…"),
        (Step("{", 200), "answered with what is no JSON"),
        (Step(zlib.compress(b"1"), headers={"Content-Encoding": "deflate"}), "nobody asked for"),
        (Step("", 302, {"Location": "http://127.0.0.2:1/x"}), "leads to another server"),
        (Step("", 302, {"Location": "/v1/any"}), "redirected again and again"),
        (Step("", cut=True), "failed: "),
        (Step({"late": 1}, delay=1.5), "gave no whole answer in 0.5 s"),
        (Step({"late": 1}, drip=0.2), "gave no whole answer in 0.5 s"),
        (Step("", pieces=[b"HTTP/1.1 200 OK\r\n", *[b"X: y\r\n", 0.2] * 9]), "answer in 0.5 s"),
        (Step("", pieces=[b"HTTP/1.1 100 Continue\r\n\r\n", 0.2] * 9), "no whole answer in 0.5 s"),
        (Step("", 302, {"Location": "http://[/v1/any"}), "302 Found"),
        # Which httpx reads as no redirect, and older ones as a fault.
        (Step("", 302, {"Location": "http://127.0.0.1:x/v1"}), "GET /v1/any "),
        (Step(b"1", headers={"Content-Encoding": "br"}), "in the encoding 'br', which"),
        (Step(gzip.compress(b"1" * 999)[:-9], headers={"Content-Encoding": "gzip"}), "breaks off"),
        (Step("x" * 1998 + "kkkk", 400, {"Content-Type": "text/plain"}), "x" * 1998 + "**…"),
        (Step("<" * 30_000 + "b", 500, {"Content-Type": "text/html"}), "Internal Server Error: b"),
        (Step("<Script>a</b></script >c<style>" * 999, 500, {"Content-Type": "text/html"}),
         "Internal Server Error: c"),
    ],
)  # fmt: skip
def test_what_a_model_is_told_of_an_answer_that_is_none(
    pets: ModuleType, monkeypatch: pytest.MonkeyPatch, step: Step, said: str
) -> None:
    with serving([step]) as server:
        at(server, monkeypatch, "kkkk")
        with pytest.raises(ToolError) as failed:
            pets.fetch()
        assert said in failed.value.message
        assert "kkkk" not in failed.value.message
        with pytest.raises(ToolError) as failed:
            asyncio.run(pets.fetch.aio())
        assert said in failed.value.message


def test_a_server_that_is_not_there(pets: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PETS_URL", "http://127.0.0.1:9")
    outcome = ran(pets.fetch, name="fetch")
    assert outcome.is_error and "cannot reach 127.0.0.1:9" in outcome.text


def test_an_answer_that_is_too_large(pets: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = gzip.compress(b'"' + b" " * 100_000 + b'"')
    with serving([Step(bomb, headers={"Content-Encoding": "gzip"})]) as server:
        at(server, monkeypatch)
        with pytest.raises(ToolError, match="more than 1000 bytes: ask for less"):
            pets.get_pet(1)


@pytest.mark.parametrize("library", ["httpx", "httpx2"])
def test_an_answer_that_is_packed_many_times(
    pets: ModuleType, monkeypatch: pytest.MonkeyPatch, library: str
) -> None:
    """A few kilobytes can stand for gigabytes, and not every version of the library minds."""
    module = pytest.importorskip(library)
    monkeypatch.setattr(connections, "_library", lambda: module)
    monkeypatch.setattr(connections, "_KEY", (library,))
    once = gzip.compress(b" " * 50_000_000, 9)
    for packed, times in ((gzip.compress(once), 2), (once, 1)):
        encoding = ", ".join(["gzip"] * times)
        with serving([Step(packed, headers={"Content-Encoding": encoding})]) as server:
            at(server, monkeypatch)
            tracemalloc.start()
            with pytest.raises(ToolError, match=r"than 1000 bytes|in the encoding"):
                asyncio.run(pets.get_pet.aio(1))
            _, most = tracemalloc.get_traced_memory()
            tracemalloc.stop()
        assert most < 5_000_000


def test_no_key_is_logged(
    pets: ModuleType, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with serving([Step({"a": 1})]) as server:
        at(server, monkeypatch, "k/kkkkkk")
        assert pets.fetch() == {"a": 1}
        assert asyncio.run(pets.fetch.aio()) == {"a": 1}
    assert server.requests[0].path == "/v1/any?key=k%2Fkkkkkk"
    said = [record for record in caplog.records if "HTTP Request" in record.getMessage()]
    assert len(said) == 2 and all("/v1/any" in record.getMessage() for record in said)
    assert "kkkk" not in caplog.text + repr([record.args for record in said])


def test_redirects_stay_on_their_server(pets: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(seen: Seen) -> Step:
        if seen.path.endswith("moved"):
            return Step({"id": 1, "name": "Rex"})
        return Step("", 303 if seen.method == "POST" else 301, {"Location": "/v1/moved"})

    with serving([Step({"stolen": True})]) as other, serving(answer) as server:
        at(server, monkeypatch, "kkkk")
        assert pets.get_pet(1).name == "Rex"
        with settings(context={"owner": "Ann"}):
            assert pets.add_pet("Rex")["name"] == "Rex"
        last = server.requests[-1]
        assert (last.method, last.body, "content-type" in last.headers) == ("GET", None, False)
        server.steps = [Step("", 302, {"Location": other.url})]
        with pytest.raises(ToolError, match="302 Found"):
            pets.get_pet(1)
        server.steps = [Step("", 301, {"Location": "/v1/moved"})]
        with pytest.raises(ToolError, match="301"), settings(context={"owner": "Ann"}):
            pets.add_pet("Rex")  # which a changed method would not add
    assert other.requests == []


def test_no_cookie_of_one_call_goes_with_the_next(
    pets: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving([Step({"a": 1}, headers={"Set-Cookie": "sid=mine; Path=/"})]) as server:
        at(server, monkeypatch)
        pets.fetch()
        pets.fetch()
    assert all("cookie" not in seen.headers for seen in server.requests)


def test_a_model_calls_it(pets: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving([Step({"id": 7, "name": "Rex"}), Step({"error": "gone"}, 410)]) as server:
        at(server, monkeypatch)
        outcome = ran(pets.get_pet, name="get_pet", arguments='{"id": 7}')
        assert (outcome.is_error, json.loads(outcome.text)["name"], outcome.risk) == (
            False, "Rex", 0,
        )  # fmt: skip
        calls = [ToolCall("1", "get_pet", '{"id": 8}'), ToolCall("2", "get_pet", '{"id": "x"}')]
        gone, refused = asyncio.run(runner(pets.get_pet).arun(calls, 1, True))
    assert gone.is_error and "get_pet failed: GET /v1/pets/8 answered 410 Gone" in gone.text
    assert refused.is_error and "not run" in refused.text
    assert len(server.requests) == 2


def test_a_result_that_is_not_what_the_spec_says(
    pets: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving([Step({"id": "seven"})]) as server:
        at(server, monkeypatch)
        outcome = ran(pets.get_pet, name="get_pet", arguments='{"id": 7}')
    assert outcome.is_error and "not what its spec says" in outcome.text


def test_a_function_goes_before_the_request(pets: ModuleType) -> None:
    pets.fetch.implement(lambda: "mine")
    assert pets.fetch() == "mine"
    assert asyncio.run(pets.fetch.aio()) == "mine"


def test_what_is_not_set_up(pets: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PETS_URL", raising=False)
    with pytest.raises(ConfigurationError, match="set PETS_URL"):
        pets.fetch()
    assert "http: <dict of" in repr(pets.fetch)


def test_the_deadline_of_the_whole_call(pets: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    from aigen.runtime.tools.http import arun

    with serving([Step({"late": 1}, delay=1.0)]) as server:
        at(server, monkeypatch)
        ctx = ToolContext("get_pet", deadline=time.monotonic() + 0.2)
        with pytest.raises(ToolError, match="gave no whole answer in"):
            asyncio.run(arun(pets.get_pet.definition, {"id": 1}, ctx))


def test_nothing_of_it_is_imported_before_a_call(
    pets: ModuleType, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = (
        "import sys, own_tools.desk as d; d.fetch.schema();"
        "print([m for m in ('openai', 'httpx', 'httpx2', 'aigen.runtime.tools.http')"
        " if m in sys.modules])"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True,
                          check=True, timeout=300)  # fmt: skip
    assert done.stdout.strip() == "[]"


def test_it_is_served_as_other_tools_are(pets: ModuleType) -> None:
    assert why_not(pets.get_pet) is None
