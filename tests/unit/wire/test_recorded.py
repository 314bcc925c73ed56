"""Traffic that is recorded once and replayed after."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from aigen.runtime import AIFunction, calls
from aigen.runtime.errors import ConfigurationError, ProviderError, RefusalError, ReplyError
from aigen.runtime.testing import no_network, recorded, scripted
from servers import Seen, Server, Step, completion, message, response, said, status, whole
from test_exchange import text_function

Serve = Callable[..., Server]
KEY = "sk-very-secret-0123456789"
EACH = ["auto", "sdk", "raw", "aiohttp", "direct"]
NOBODY = "http://127.0.0.1:9/v1"


@pytest.fixture(params=["yaml", "jsonl"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return tmp_path / "deep" / f"traffic.{request.param}"


def at(server: Server | str, **more: Any) -> Any:
    url = server if isinstance(server, str) else server.url
    return text_function().with_options(**{"model": "m", "base_url": url, "api_key": KEY, **more})


def echo(seen: Seen) -> Step:
    text = seen.body["messages"][-1]["content"].split("\n")[1]
    return Step({**message(f"said {text}"), "model": "m-1"})


async def _all(function: Any, texts: list[str]) -> list[str]:
    return list(await asyncio.gather(*(function.aapply({"text": text}) for text in texts)))


@pytest.mark.parametrize("transport", EACH)
def test_recorded_once_and_replayed(serve: Serve, path: Path, transport: str) -> None:
    server = serve(echo)
    for turn in range(2):
        function = at(server if turn == 0 else NOBODY, transport=transport)
        with recorded(path) as traffic, calls() as seen:
            assert function.apply({"text": "a"}) == "said a"
            assert asyncio.run(_all(function, ["b", "c"])) == ["said b", "said c"]
        assert traffic.listens == (turn == 0)
        assert len(traffic.used) == 3
        assert [call.model for call in seen] == ["m-1"] * 3
        assert [call.usage.input_tokens for call in seen] == [7] * 3
    assert len(server.requests) == 3
    assert KEY not in path.read_text()


@pytest.mark.parametrize("transport", EACH)
def test_over_one_transport_for_all(serve: Serve, path: Path, transport: str) -> None:
    with recorded(path):
        at(serve(echo), transport=transport).apply({"text": "a"})
    for other in EACH:
        with recorded(path, "none"):
            assert at(NOBODY, transport=other).apply({"text": "a"}) == "said a"
            assert asyncio.run(_all(at(NOBODY, transport=other), ["a"])) == ["said a"]


def test_without_a_model_the_recorded_one_answers(serve: Serve, path: Path) -> None:
    with recorded(path):
        at(serve(echo)).apply({"text": "a"})
    with recorded(path, "none"):
        assert text_function().apply({"text": "a"}) == "said a"
        with pytest.raises(ConfigurationError, match="model"):
            at(NOBODY, model="other").apply({"text": "a"})
    with recorded(path, "all"), pytest.raises(ConfigurationError, match="no model is set"):
        text_function().apply({"text": "a"})


def numbers_function() -> AIFunction[Any, Any]:
    definition = json.loads(text_function()._text)
    shape = {"type": "array", "items": {"type": "integer"}}
    definition["outputs"] = [{"name": "result", "shape": shape}]
    return AIFunction(json.dumps(definition), list[int], list[int])


@pytest.mark.parametrize(
    ("model", "provider"),
    [
        ("groq:m", "groq"),
        ("anthropic:m", "anthropic"),
        ("local", "local"),
        ("openai:o3", "openai"),
        ("o3", "custom"),
        ("acme:m", "acme"),
    ],
)
def test_without_a_model_is_asked_as_the_recorded_one_was(
    serve: Serve, path: Path, model: str, provider: str
) -> None:
    server = serve(lambda seen: completion('{"result": [1]}'))
    acme = {"acme": {"base_url": server.url, "takes": ["json_object"]}}
    function = numbers_function().with_options(max_output_tokens=50, providers=acme)
    with recorded(path):
        asked = function.with_options(model=model, base_url=server.url, api_key=KEY)
        assert asked.apply({"text": "a"}) == [1]
    with recorded(path, "none") as traffic:
        assert function.apply({"text": "a"}) == [1]
    assert [one.provider for one in traffic.used] == [provider]
    assert len(server.requests) == 1
    with recorded(path, "none"), pytest.raises(ConfigurationError) as caught:
        function.apply({"text": "b"})
    assert "body.messages[1].content: wanted" in caught.value.message
    assert "body.model" not in caught.value.message


def test_a_provider_that_is_not_configured_any_more(serve: Serve, path: Path) -> None:
    server = serve(lambda seen: completion("hi"))
    acme = {"acme": {"base_url": server.url}}
    with recorded(path):
        at(server, model="acme:m", providers=acme).apply({"text": "a"})
    with recorded(path, "none"):
        assert text_function().apply({"text": "a"}) == "hi"


def test_a_recording_that_says_no_provider(serve: Serve, path: Path) -> None:
    with recorded(path):
        at(serve(echo)).apply({"text": "a"})
    text = path.read_text()
    older = text.replace("provider: custom\n  ", "").replace('"provider": "custom", ', "")
    assert "custom" not in older
    path.write_text(older)
    with recorded(path, "none"):
        assert text_function().apply({"text": "a"}) == "said a"
    path.write_text(text.replace("custom", "[3]").replace('"[3]"', "[3]"))
    with pytest.raises(ConfigurationError, match="provider of exchange 1 is no text"):
        recorded(path).__enter__()


def test_an_unknown_request_names_the_nearest(serve: Serve, path: Path) -> None:
    with recorded(path):
        for text in ("The kettle sparks.", "x" * 300):
            at(serve(echo)).apply({"text": text})
    with recorded(path), pytest.raises(ConfigurationError) as caught:
        at(NOBODY, temperature=0.5).apply({"text": "The kettle burns."})
    words = caught.value.message
    assert caught.value.code == "recording"
    assert "the nearest, number 1, differs:" in words
    assert "body.messages[1].content: wanted " in words
    assert "The kettle sparks." in words and "The kettle burns." in words
    assert "body.temperature: wanted nothing, found 0.5" in words
    assert "mode all" in words
    assert "xxxx" not in words


def test_the_same_request_gets_its_replies_in_order(serve: Serve, path: Path) -> None:
    server = serve(completion("one"), completion("two"))
    with recorded(path):
        assert [at(server).apply({"text": "a"}) for _ in range(2)] == ["one", "two"]
    with recorded(path):
        found = [at(NOBODY).apply({"text": "a"}) for _ in range(3)]
    assert found == ["one", "two", "two"]


def test_what_was_tried_again_is_not_recorded(serve: Serve, path: Path) -> None:
    server = serve(status(429, headers={"retry-after-ms": "1"}), Step("", cut=True), echo_step())
    with recorded(path) as traffic:
        at(server).apply({"text": "a"})
    assert len(traffic.used) == 1
    with recorded(path):
        assert at(NOBODY).apply({"text": "a"}) == "hi"


def echo_step() -> Step:
    return completion("hi")


def test_a_final_error_is_replayed(serve: Serve, path: Path) -> None:
    with pytest.raises(ProviderError), recorded(path):
        at(serve(status(404, f"no such model, {KEY}"))).apply({"text": "a"})
    # What is raised out of the block leaves no file; what is caught inside does.
    assert not path.exists()
    for server in (serve(status(404, f"no such model, {KEY}")), NOBODY):
        with recorded(path):
            with pytest.raises(ProviderError) as caught:
                at(server).apply({"text": "a"})
            assert (caught.value.status, caught.value.code) == (404, "provider")
            assert "no such model, …" in caught.value.message
    assert KEY not in path.read_text()


def test_refusals_and_questions_asked_again(serve: Serve, path: Path) -> None:
    server = serve(completion(None), completion("fine"), completion(None, refusal="no"))
    for where in (server, NOBODY):
        with recorded(path):
            assert at(where).apply({"text": "a"}) == "fine"
            with pytest.raises(RefusalError):
                at(where).apply({"text": "b"})


def test_the_other_api(serve: Serve, path: Path) -> None:
    server = serve(Step(response(said("hello"))))
    for where in (server, NOBODY):
        with recorded(path):
            assert at(where, api="responses").apply({"text": "a"}) == "hello"
    with recorded(path), pytest.raises(ConfigurationError, match="path: wanted"):
        at(NOBODY).apply({"text": "a"})


def test_ways_that_were_refused_are_asked_for_anew(serve: Serve, path: Path) -> None:
    """Whatever this process, or the one that replays, has learned before."""
    definition = json.loads(text_function()._text)
    definition["outputs"][0]["shape"] = {"type": "integer"}
    function = AIFunction(json.dumps(definition), Any, Any)

    def picky(seen: Seen) -> Step:
        held = seen.body.get("response_format", {}).get("json_schema", {})
        if held.get("strict"):
            return status(400, "response_format: strict json_schema is not supported")
        return completion('{"result": 3}')

    server = serve(picky)
    options = {"model": "openai:m", "base_url": server.url, "api_key": KEY}
    assert function.with_options(**options).apply({"text": "learned"}) == 3
    before = len(server.requests)
    with recorded(path) as traffic:
        assert function.with_options(**options).apply({"text": "a"}) == 3
    assert len(traffic.used) == len(server.requests) - before > 1
    with recorded(path):
        assert function.with_options(**options).apply({"text": "a"}) == 3
    assert len(server.requests) - before == len(traffic.used)


def test_secrets_are_nowhere(serve: Serve, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = "ghp_0123456789abcdefghijABCDEFGHIJ"
    server = serve(completion(f"I know {KEY} and {found}"))
    monkeypatch.setenv("OPENAI_API_KEY", "a plain word of a key")
    options = {"extra_headers": {"X-Secret": "header-secret"}, "extra_body": {"api_key": "in-body"}}
    for where in (server, NOBODY):
        with recorded(path, scrub=lambda text: text.replace("Ada", "[name]")):
            answer = at(where, api_key=None, **options).apply({"text": f"Ada, {KEY}, Bearer {KEY}"})
            assert "I know" in answer
    with recorded(path, scrub=lambda text: text.replace("Bob", "[name]")):
        at(NOBODY, api_key=None, **options).apply({"text": f"Bob, {KEY}, Bearer {KEY}"})
    text = path.read_text()
    for secret in (KEY, found, "header-secret", "in-body", "a plain word", "Ada"):
        assert secret not in text
    assert "[secret]" in text


def test_a_file_that_reviews_well(serve: Serve, tmp_path: Path) -> None:
    path = tmp_path / "traffic.yaml"
    with recorded(path):
        at(serve(completion("Line one.\nLine two: ü \U0001f600"))).apply({"text": "Hallo\nWelt"})
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "aigen_recording: 1"
    stripped = [line.strip() for line in lines]
    for line in ("Hallo", "Welt", "<text>", "path: /chat/completions", "model: m", "Line one."):
        assert line in stripped, lines
    before = path.read_bytes()
    with recorded(path, "all"):
        at(serve(completion("Line one.\nLine two: ü \U0001f600"))).apply({"text": "Hallo\nWelt"})
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["traffic.yaml"]


@pytest.mark.parametrize(
    "text", ["null", "2024-01-01", "1e3", " a ", "\u0085\ud83d", "\x00\x1b", "~"]
)
def test_texts_come_back_as_they_were(serve: Serve, path: Path, text: str) -> None:
    server = serve(completion(f"{text}\nx"))
    found = []
    for where in (server, NOBODY):
        with recorded(path), calls() as seen:
            try:
                at(where, retries=0).apply({"text": text.replace("\ud83d", "")})
            except ReplyError as problem:
                assert "\ud83d" in text, problem
        found.append(seen[0].exchanges[0].reply.text)
    assert found == [f"{text}\nx"] * 2


def test_threads(serve: Serve, path: Path) -> None:
    for where in (serve(echo), NOBODY):
        with recorded(path), ThreadPoolExecutor(16) as pool:
            function = at(where)
            found = list(
                pool.map(
                    lambda n, function=function: function.apply({"text": str(n % 8)}), range(64)
                )
            )
        assert found == [f"said {n % 8}" for n in range(64)]


def test_modes(serve: Serve, path: Path) -> None:
    with pytest.raises(ConfigurationError, match="there is no recording"), recorded(path, "none"):
        pass
    unknown = pytest.raises(ConfigurationError, match="once, none, all")
    with unknown, recorded(path, "new"):  # type: ignore[arg-type]
        pass
    for answer in ("one", "two"):
        with recorded(path, "all"):
            assert at(serve(completion(answer))).apply({"text": "a"}) == answer
    with recorded(path, "none"):
        assert at(NOBODY).apply({"text": "a"}) == "two"


def test_a_block_that_raises_writes_nothing(serve: Serve, path: Path) -> None:
    with pytest.raises(RuntimeError), recorded(path):
        at(serve(echo)).apply({"text": "a"})
        raise RuntimeError
    assert not path.exists()


def test_scripts_guards_and_samples_inside(serve: Serve, path: Path) -> None:
    server = serve(echo)
    with recorded(path) as traffic:
        with scripted(["from the script"]):
            assert at(server).apply({"text": "a"}) == "from the script"
        assert text_function().with_options(model="sample").apply({"text": "a"})
        with no_network(), pytest.raises(ConfigurationError, match="no_network"):
            at(server).apply({"text": "a"})
        assert at(server).apply({"text": "a"}) == "said a"
    assert len(traffic.used) == 1
    with no_network(), recorded(path):
        assert at(server).apply({"text": "a"}) == "said a"
        assert text_function().with_options(model="sample").apply({"text": "a"})


def test_a_cache_keeps_nothing_of_it(serve: Serve, path: Path) -> None:
    server = serve(completion("one"), completion("two"))
    function = at(server, cache_replies="memory")
    assert function.apply({"text": "cached"}) == "one"
    with recorded(path) as traffic:
        assert function.apply({"text": "cached"}) == "two"
    assert len(traffic.used) == 1


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("a.yaml", "a: [", "cannot be read"),
        ("a.yaml", "- 1", "does not begin with aigen_recording: 1"),
        ("a.yaml", "aigen_recording: 2\nexchanges: []", "does not begin with"),
        ("a.yaml", "aigen_recording: 1\nexchanges: [{reply: {}}]", "exchange 1 has no request"),
        ("a.yaml", "aigen_recording: 1\nexchanges: 3", "exchange 1 has no request"),
        ("a.jsonl", '{"aigen_recording": 1}\n{', "line 2 is no JSON"),
        ("a.jsonl", "", "does not begin with"),
        ("a.jsonl", '{"aigen_recording": 1}\n{"request": {"body": {}}}', "no reply and no error"),
    ],
)
def test_a_file_that_is_no_recording(tmp_path: Path, name: str, text: str, says: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(ConfigurationError, match=says) as caught, recorded(tmp_path / name):
        pass
    assert caught.value.code == "recording"


def test_yaml_is_needed_for_yaml(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    (tmp_path / "a.yaml").write_text("aigen_recording: 1\nexchanges: []")
    monkeypatch.setitem(sys.modules, "yaml", None)
    needed = pytest.raises(ConfigurationError, match="pip install pyyaml")
    with needed, recorded(tmp_path / "a.yaml"):
        pass


@pytest.mark.parametrize("awaited", [False, True])
def test_streams(serve: Serve, path: Path, awaited: bool) -> None:
    server = serve(whole("said slowly"))

    async def read(function: Any) -> Any:
        async with function._astream({"text": "a"}) as stream:
            partials = [partial async for partial in stream]
            return partials[-1], await stream.result()

    for where in (server, NOBODY):
        function = at(where)
        with recorded(path) as traffic:
            if awaited:
                found = asyncio.run(read(function))
            else:
                with function._stream({"text": "a"}) as stream:
                    found = [*stream][-1], stream.result()
            assert found == ("said slowly", "said slowly")
        assert len(traffic.used) == 1
    assert len(server.requests) == 1
