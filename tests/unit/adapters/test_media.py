"""Images, recordings and files: the parts they become, and what is refused before it is sent."""

from __future__ import annotations

import asyncio
import base64
import io
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from aigen.runtime import AIFunction, Audio, File, Image
from aigen.runtime.errors import ConfigurationError, InterfaceInputError
from aigen.runtime.testing import scripted
from aigen.runtime.values import media

Compile = Callable[[str], dict[str, AIFunction[Any, Any]]]
SPEC = """\
aigen: 1
functions:
  see:
    formula: words ~ picture + question
    fields: {picture: image, question: {default: What is it?}}
  look:
    formula: words ~ picture + more + sound + paper + named
    fields:
      picture: image
      more: {type: 'list[image]', default: []}
      sound: {type: audio | None, default: null}
      paper: {type: file | None, default: null}
      named: {type: 'dict[str, image]', default: {}}
  own:
    formula: words ~ picture
    fields: {picture: image}
    prompt:
      - system: Look.
      - user: "This: {{ picture }}."
  wrong:
    formula: words ~ picture
    fields: {picture: image}
    prompt:
      - system: "{{ picture }}"
      - user: Look.
"""
PNG = b"\x89PNG\r\n\x1a\n" + b"0" * 8
URL = "data:image/png;base64," + base64.b64encode(PNG).decode()
WAV = b"RIFF\x00\x00\x00\x00WAVEfmt "


@pytest.fixture(scope="module")
def functions(compiled: Compile) -> dict[str, AIFunction[Any, Any]]:
    return compiled(SPEC)


@pytest.fixture(scope="module")
def look(functions: Any) -> Any:
    return functions["look"].with_options(model="m", base_url="http://127.0.0.1:1/v1")


def parts(function: Any, **inputs: Any) -> Any:
    return function.request(inputs).messages[-1]["content"]


def only(function: Any, **inputs: Any) -> Any:
    """The parts that are no text."""
    found = parts(function, picture="https://example.com/a.png", **inputs)
    return [part for part in found if part["type"] not in ("text", "input_text")][1:]


def text(words: str, kind: str = "text") -> dict[str, str]:
    return {"type": kind, "text": words}


ADAPTERS = {
    "json": ("<picture>\n", "\n</picture>\n<question>\nWhat is it?\n</question>"),
    "xml": ("<picture>\n", "\n</picture>\n<question>\nWhat is it?\n</question>"),
    "chat": ("[[ ## picture ## ]]\n", "\n\n[[ ## question ## ]]\nWhat is it?"),
}


@pytest.mark.parametrize("adapter", ["auto", "json", "tool", "prompted", "xml", "chat"])
def test_an_image_stands_in_its_place(functions: Any, adapter: str) -> None:
    before, after = ADAPTERS.get(adapter, ADAPTERS["json"])
    function = functions["see"].with_options(model="m", adapter=adapter)
    assert parts(function, picture=PNG) == [
        text(before),
        {"type": "image_url", "image_url": {"url": URL}},
        text(after),
    ]
    assert parts(function.with_options(api="responses"), picture=PNG) == [
        text(before, "input_text"),
        {"type": "input_image", "image_url": URL},
        text(after, "input_text"),
    ]


def test_every_source_of_an_image(look: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(PNG)
    with path.open("rb") as file:
        opened = parts(look, picture=file)[1]
    sources = [path, str(path), PNG, io.BytesIO(PNG), URL, Image(PNG)]
    for found in [opened, *(parts(look, picture=source)[1] for source in sources)]:
        assert found == {"type": "image_url", "image_url": {"url": URL}}
    url = "https://example.com/a.png"
    assert parts(look, picture=url)[1]["image_url"] == {"url": url}


def test_many_images(look: Any) -> None:
    one, two = Image(PNG), Image("https://example.com/b.png")
    found = parts(look, picture=one, more=[one, two], named={"left": two})
    kinds = [part["type"] for part in found]
    assert kinds.count("image_url") == 4
    assert "<more>\n" in found[2]["text"]
    assert found[4]["image_url"] == {"url": two.url}
    assert found[5]["text"].endswith("<named>\nleft:\n")
    assert found[7]["text"] == "\n\n</named>"
    assert "<more>\n[]\n</more>" in parts(look, picture=one)[2]["text"]


def test_recordings_and_files(look: Any) -> None:
    data = base64.b64encode(WAV).decode()
    assert only(look, sound=WAV) == [
        {"type": "input_audio", "input_audio": {"data": data, "format": "wav"}}
    ]
    pdf = b"%PDF-1.7"
    url = "data:application/pdf;base64," + base64.b64encode(pdf).decode()
    named = {"filename": "bill.pdf", "file_data": url}
    assert only(look, paper=File(pdf, name="bill.pdf")) == [{"type": "file", "file": named}]
    assert only(look, paper=pdf)[0]["file"]["filename"] == "file.pdf"
    responses = look.with_options(api="responses")
    assert only(responses, paper=File(pdf, name="bill.pdf")) == [{"type": "input_file", **named}]
    link = "https://example.com/bill.pdf"
    assert only(responses, paper=link) == [{"type": "input_file", "file_url": link}]


@pytest.mark.parametrize(
    ("settings", "inputs", "words"),
    [
        ({}, {"sound": "https://example.com/a.wav"}, "no URL of a recording"),
        (
            {},
            {"sound": Audio(b"fLaC", media_type="audio/flac")},
            "as WAV or MP3, not as audio/flac",
        ),
        ({}, {"paper": "https://example.com/a.pdf"}, "or set api: responses"),
        ({"api": "responses"}, {"sound": WAV}, "takes no recordings: set api: chat"),
        ({}, {"picture": "gs://bucket/a.png"}, "does not read gs: URLs"),
        ({}, {"picture": b"%PDF-"}, "this is application/pdf"),
        (
            {"providers": {"custom": {"media_bytes": 20}}},
            {"picture": PNG, "more": [PNG]},
            "32 bytes of media in one request; custom takes at most 20",
        ),
    ],
)
def test_what_an_api_does_not_take_is_refused(
    look: Any, settings: dict[str, Any], inputs: dict[str, Any], words: str
) -> None:
    function = look.with_options(**settings)
    with scripted([]) as model, pytest.raises(ConfigurationError, match=words) as caught:
        function.apply({"picture": PNG, **inputs})
    assert caught.value.code == "media"
    assert model.requests == []


def test_gemini_reads_urls_of_its_own(functions: Any) -> None:
    function = functions["look"].with_options(model="gemini:gemini-2.5-flash")
    assert parts(function, picture="gs://b/a.png")[1]["image_url"] == {"url": "gs://b/a.png"}


@pytest.mark.parametrize("picture", ["nowhere.png", 5, "", io.StringIO("a"), {"a": 1}])
def test_what_is_no_image_is_refused(look: Any, picture: Any) -> None:
    with scripted([]) as model, pytest.raises(InterfaceInputError, match="picture wants"):
        look.apply({"picture": picture})
    assert model.requests == []


def test_a_file_too_large_is_not_read(
    look: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(media, "LARGEST", 100)
    path = tmp_path / "a.png"
    path.write_bytes(PNG * 100)
    for source in (path, io.BytesIO(PNG * 100)):
        with pytest.raises(InterfaceInputError, match="larger than 100 bytes"):
            look.request(picture=source)


def test_media_in_a_prompt(functions: Any) -> None:
    function = functions["own"].with_options(model="m")
    assert parts(function, picture=PNG) == [
        text("This: "),
        {"type": "image_url", "image_url": {"url": URL}},
        text("."),
    ]
    with pytest.raises(ConfigurationError, match="stands in a system message"):
        functions["wrong"].with_options(model="m").request(picture=PNG)


def test_awaited_calls_read_files_in_a_thread(functions: Any, tmp_path: Path) -> None:
    threads = []

    class Slow(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            threads.append(threading.current_thread())
            return super().read(size)

    async def run() -> Any:
        return await functions["own"].aapply({"picture": Slow(PNG)})

    with scripted(["A kettle."]) as model:
        assert asyncio.run(run()) == "A kettle."
    assert threads[0] is not threading.main_thread()
    assert model.requests[0].messages[-1]["content"][1]["image_url"]["url"] == URL
