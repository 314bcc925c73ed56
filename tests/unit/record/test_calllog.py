"""The call log: its files, its records, and what must never be in it or fail because of it."""

from __future__ import annotations

import asyncio
import errno
import json
import logging
import os
import re
import signal
import stat
import subprocess
import sys
import threading
import time
import uuid
import warnings
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import servers
from aigen.runtime import calls, on_call, settings
from aigen.runtime.errors import ConfigurationError, InterfaceInputError, ReplyError
from aigen.runtime.record import calllog
from aigen.runtime.record.call import new_id
from aigen.runtime.record.entry import as_line, body_of, record_of
from aigen.runtime.record.reading import began
from aigen.runtime.testing import http_error, refusal, scripted, tool_call
from aigen.runtime.tools.outcome import Outcome
from aigen.runtime.wire import faking
from aigen.runtime.wire.messages import Reply
from log_folder import read
from shop_ai import support

GOOD = {"summary": "A kettle sparks.", "urgent": True}
Records = Callable[[], list[dict[str, Any]]]


def test_a_call_is_a_line(records: Records, folder: Path) -> None:
    with scripted([GOOD]), settings(caller="nightly"), calls() as seen:
        support.triage("It sparks.")
    (record,) = records()
    assert record["aigen_call"] == 1
    assert record["id"] == record["root"] == seen[0].id
    assert record["parent"] is None
    assert record["program"] == {"name": "triage", "module": "support", **support.triage.ids}
    assert record["inputs"] == {"message": "It sparks."}
    assert record["outputs"] == GOOD
    assert record["sizes"] == {"inputs": {"message": 12}, "outputs": {"summary": 18, "urgent": 4}}
    assert (record["error"], record["repairs"], record["content"]) == (None, [], True)
    assert record["caller"] == "nightly"
    assert record["usage"]["output_tokens"] == seen[0].usage.output_tokens > 0
    assert "omitted" not in record
    (exchange,) = record["exchanges"]
    assert exchange["request"]["messages"][-1]["content"].count("It sparks.") == 1
    assert json.loads(exchange["reply"]["text"]) == GOOD
    assert (exchange["finish"], exchange["cached"]) == ("stop", False)
    assert record["process"]["pid"] == os.getpid()


def test_where_it_lies(records: Records, folder: Path) -> None:
    with scripted([GOOD]):
        support.triage("a")
    (path,) = folder.glob("*/*.jsonl")
    assert path.parent.name == time.strftime("%Y-%m-%d", time.gmtime())
    assert re.fullmatch(rf"[A-Za-z0-9.-]+-{os.getpid()}-[0-9a-f]{{6}}\.jsonl", path.name)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "elsewhere").mkdir()
    for given, place in (("logs", "logs"), ("~/logs", "home/logs"), (True, ".aigen/calls")):
        with scripted([GOOD, GOOD]), settings(log_calls=given):
            support.triage("a")
            # A program that changes its folder keeps its log.
            os.chdir(tmp_path / "elsewhere")
            support.triage("b")
            os.chdir(tmp_path)
        (path,) = (tmp_path / place).glob("*/*.jsonl")
        assert len(path.read_text().splitlines()) == 2
    assert (tmp_path / ".aigen/calls/.gitignore").read_text() == "*\n"
    assert not (tmp_path / "logs/.gitignore").exists()


@pytest.mark.parametrize(
    ("text", "place"), [("1", ".aigen/calls"), ("yes", ".aigen/calls"), ("l", "l"), ("off", None)]
)
def test_the_variable(
    text: str, place: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AIGEN_LOG_CALLS", text)
    with scripted([GOOD]):
        support.triage("a")
    assert [path.parent.parent for path in tmp_path.rglob("*.jsonl")] == (
        [tmp_path / place] if place else []
    )


def test_off_is_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with scripted([GOOD, GOOD]):
        support.triage("a")
        support.triage.with_options(log_calls=False)("a")
    assert list(tmp_path.iterdir()) == []


def test_refused_and_failed_calls_are_logged(records: Records) -> None:
    with scripted([]), pytest.raises(InterfaceInputError):
        support.triage.apply({"message": None})
    with scripted(["no", "no"]), pytest.raises(ReplyError):
        support.triage("a")
    with scripted([http_error(400, "bad")]), pytest.raises(Exception, match="400"):
        support.triage("a")
    with pytest.raises(ConfigurationError, match="no model"):
        support.triage("a")
    refused, unread, failed, nowhere = records()
    assert (nowhere["error"]["code"], nowhere["model"]) == ("no-model", None)
    assert (refused["inputs"], refused["outputs"], refused["exchanges"]) == (None, None, [])
    assert refused["error"] == {
        "type": "InterfaceInputError",
        "code": "interface-input",
        "message": "triage: the input message wants text; got null.",
        "field": "message",
    }
    assert (unread["error"]["code"], len(unread["exchanges"])) == ("reply", 2)
    assert (failed["error"]["code"], failed["error"]["status"]) == ("provider", 400)


def test_calls_inside_a_call(records: Records, monkeypatch: pytest.MonkeyPatch) -> None:
    def model(request: Any) -> faking.Answer:
        if "Read the support ticket" not in str(request):
            if "inside" in str(request.messages[-1]):
                support.mood("deepest")
            return faking.Answer(Reply('{"result": "mixed"}'))
        support.mood("inside")
        return faking.Answer(Reply(json.dumps(GOOD)))

    monkeypatch.setattr(faking, "scripts", [model])
    support.triage("outside")
    support.mood("after")
    outer, inner, deepest, after = records()
    assert (inner["parent"], inner["root"]) == (outer["id"], outer["id"])
    assert (deepest["parent"], deepest["root"]) == (inner["id"], outer["id"])
    assert (outer["parent"], after["parent"], after["root"]) == (None, None, after["id"])


def test_tasks_and_threads_are_not_inside_each_other(records: Records) -> None:
    async def both() -> None:
        await asyncio.gather(*(support.triage.aio(f"{number}") for number in range(20)))

    with scripted(lambda request: GOOD):
        asyncio.run(both())
        support.triage.map([f"{number}" for number in range(20)])
    assert len(records()) == 40
    assert {record["parent"] for record in records()} == {None}


def test_a_call_that_is_cancelled_is_logged(records: Records) -> None:
    from aigen.runtime.testing import delayed

    async def cancelled() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.02):
                await support.triage.aio("a")

    with scripted([delayed(5, GOOD)]):
        asyncio.run(cancelled())
    assert records()[0]["error"]["type"] == "CancelledError"


def test_streams_are_logged(records: Records) -> None:
    with scripted([GOOD, GOOD]):
        with support.triage.stream("whole") as stream:
            assert stream.result().urgent
        with support.triage.stream("left") as stream:
            next(iter(stream))
    whole, left = records()
    assert (whole["inputs"], whole["outputs"]) == ({"message": "whole"}, GOOD)
    assert len(whole["exchanges"]) == 1
    assert (left["outputs"], left["error"]["code"]) == (None, "left")


def test_texts_that_are_no_unicode(records: Records) -> None:
    assert json.loads(as_line({"a": "\ud800é\u2028"})) == {"a": "\ud800é\u2028"}
    with scripted([{"summary": "\u2028 end\nline é", "urgent": True}]):
        support.triage("line\r\nline\x85\u2028")
    assert records()[0]["inputs"]["message"] == "line\r\nline\x85\u2028"


def test_tool_calls_are_an_output_that_was_added() -> None:
    with scripted([GOOD, tool_call("answer", GOOD)]), calls() as seen:
        support.triage("a")
        support.triage.with_options(adapter="tool")("a")
    asked, answered = seen
    assert [exchange.request.adapter for exchange in answered.exchanges] == ["tool_strict"]
    assert "calls" not in record_of(answered)["outputs"]
    asked.tools += [
        Outcome("look_up", "c1", "found", {"order": 7}, risk=0),
        Outcome("broken", "c2", "not JSON", "{", is_error=True),
    ]
    assert record_of(asked)["outputs"] == {
        "calls": [
            {
                "id": "c1",
                "name": "look_up",
                "input": {"order": 7},
                "output": "found",
                "seconds": 0.0,
                "risk": 0,
            },
            {
                "id": "c2",
                "name": "broken",
                "input": "{",
                "output": "not JSON",
                "seconds": 0.0,
                "is_error": True,
            },
        ],
        **GOOD,
    }


# ------------------------------------------------------------------ what must not be in it

SECRET = "zyx-secret-zyx"


@pytest.mark.parametrize("content", [{"message": False}, False, {"*": False, "urgent": True}])
def test_what_is_dropped_is_nowhere(content: Any, folder: Path, records: Records) -> None:
    function = support.triage.with_options(log_content=content, reasoning="cot")
    replies = [
        f"{SECRET} is unreadable",
        f'here: {{"reasoning": "{SECRET}", "summary": "s", "urgent": true, "{SECRET}": 1}}',
    ]
    with scripted(replies), calls() as seen:
        function(SECRET)
    assert seen[0].repairs
    with scripted([SECRET, SECRET]), pytest.raises(ReplyError):
        function(SECRET)
    with scripted([refusal(SECRET)]), pytest.raises(ReplyError):
        function(SECRET)
    with scripted([http_error(400, SECRET)]), pytest.raises(Exception, match="400"):
        function(SECRET)
    for inputs in ({"message": "a", SECRET: 1}, {"message": [SECRET, float("nan")]}):
        with scripted([]), pytest.raises(InterfaceInputError):
            function.apply(inputs)
    assert SECRET not in "".join(path.read_text() for path in folder.rglob("*.jsonl"))
    found = records()
    assert len(found) == 6
    assert all(record["content"] is False for record in found)
    assert found[0]["omitted"]["outputs"][0] == "reasoning"
    assert found[0]["sizes"]["inputs"] == {"message": len(SECRET) + 2}
    assert found[0]["repairs"] == ["…"] * len(seen[0].repairs)
    assert all("request" not in each and "reply" not in each for each in found[0]["exchanges"])


def test_the_variable_drops_every_value(
    folder: Path, records: Records, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AIGEN_LOG_CONTENT", "0")
    with scripted([{"summary": SECRET, "urgent": True}]):
        support.triage.with_options(log_content=True)(SECRET)
    (record,) = records()
    assert SECRET not in json.dumps(record)
    assert "inputs" not in record and "outputs" not in record


def test_the_logger_quotes_nothing_that_is_dropped(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "aigen")
    for content, quoted in ((True, True), ({"message": False}, False)):
        caplog.clear()
        function = support.triage.with_options(log_content=content)
        with scripted([http_error(400, SECRET)]), pytest.raises(Exception, match="400"):
            function("a")
        assert "ProviderError" in caplog.text or quoted
        assert (SECRET in caplog.text) is quoted


def test_no_key_is_written(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-from-the-environment")

    class Client:
        api_key = "sk-of-a-client"

    keys = ["sk-of-the-setting", "sk-from-the-environment", "sk-of-a-client", "sk-in-a-header"]
    keys += ["sk-in-the-body", "sk-deep-in-it"]
    quoting = {"summary": " ".join(keys[:4]), "urgent": True}
    with (
        scripted([quoting, http_error(401, "wrong key sk-of-the-setting")]),
        settings(
            api_key=keys[0],
            client=Client(),
            extra_headers={"Authorization": "Bearer sk-in-a-header", "X-Trace": "shown"},
            extra_body={"api_key": keys[4], "proxy": {"authToken": keys[5]}, "max_tokens": 7},
        ),
    ):
        support.triage("a")
        with pytest.raises(Exception, match="401"):
            support.triage("a")
    text = "".join(path.read_text() for path in folder.rglob("*.jsonl"))
    assert [key for key in keys if key in text] == []
    assert text.count('"max_tokens":7') == 1
    assert len([json.loads(line) for line in text.splitlines()]) == 2


def test_media_are_sized() -> None:
    data = "data:image/png;base64," + "A" * 1000
    parts = [
        {"type": "text", "text": "data:" + "x" * 1000},
        {"type": "image_url", "image_url": {"url": data}},
        {"type": "input_audio", "input_audio": {"data": "B" * 1000, "format": "wav"}},
    ]
    body = body_of({"model": "m", "messages": [{"role": "user", "content": parts}]})
    text, image, audio = body["messages"][0]["content"]
    assert text == parts[0]
    assert image["image_url"]["url"] == "data:image/png;base64,… (1,022 characters)"
    assert audio["input_audio"] == {"data": "… (1,000 characters)", "format": "wav"}


# ------------------------------------------------------------------ what goes wrong


def _calls_with_warning(count: int, **given: Any) -> list[str]:
    with scripted([GOOD] * count), settings(**given), warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for _ in range(count):
            assert support.triage("a").urgent
    return [str(warning.message) for warning in seen]


def test_a_log_that_cannot_be_written_warns_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file" / "below", Path("/proc/no/such")):
        (words,) = _calls_with_warning(3, log_calls=place)
        assert str(place) in words and "calls go on" in words


def test_a_warning_that_is_an_error_fails_no_call(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")
    with scripted([GOOD]), settings(log_calls=tmp_path / "file"), warnings.catch_warnings():
        warnings.simplefilter("error")
        assert support.triage("a").urgent
    assert "cannot write the call log" in caplog.text


def test_a_line_that_a_full_disk_cut_off_spoils_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, room = os.write, [10**9]

    def scarce(file: int, data: bytes) -> int:
        if room[0] == 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = write(file, data[: room[0]])
        room[0] -= written
        return written

    monkeypatch.setattr(calllog.os, "write", scarce)
    assert _calls_with_warning(1, log_calls=tmp_path) == []
    room[0] = 100
    (words,) = _calls_with_warning(1, log_calls=tmp_path)
    assert "No space left" in words
    assert _calls_with_warning(2, log_calls=tmp_path) == []
    room[0] = 10**9
    assert _calls_with_warning(1, log_calls=tmp_path) == []
    (path,) = tmp_path.glob("*/*.jsonl")
    first, torn, last = path.read_bytes().splitlines()
    assert len(torn) == 100
    assert json.loads(first)["id"] < json.loads(last)["id"]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 KB, where this machine lets one be mounted."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(place)]
    try:
        made = subprocess.run(mount, capture_output=True, check=False)
    except OSError:
        pytest.skip("there is no mount")
    if made.returncode:
        pytest.skip("may not mount")
    yield place
    for log in calllog._logs.values():
        log.close()
    subprocess.run(["umount", str(place)], check=True)


def test_a_full_disk(small_disk: Path) -> None:
    (words,) = _calls_with_warning(60, log_calls=small_disk / "log")
    assert "No space left" in words
    (path,) = small_disk.glob("log/*/*.jsonl")
    *whole, _ = path.read_bytes().split(b"\n")
    assert len([json.loads(line) for line in whole]) > 3


def test_a_read_only_disk(small_disk: Path) -> None:
    remount = ["mount", "-o", "remount,ro", str(small_disk)]
    if subprocess.run(remount, capture_output=True, check=False).returncode:
        pytest.skip("may not remount")
    (words,) = _calls_with_warning(2, log_calls=small_disk / "log")
    assert "Read-only" in words


@pytest.mark.parametrize("problem", [OSError("x"), ValueError("x"), RuntimeError("x")])
def test_no_trouble_with_a_line_fails_a_call(
    problem: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(call: Any) -> bytes:
        raise problem

    monkeypatch.setattr(calllog, "line_of", fails)
    (words,) = _calls_with_warning(2, log_calls=tmp_path)
    assert "cannot write the call log" in words


def test_a_relative_folder_stays_where_the_first_call_found_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    with settings(log_calls="log"), scripted([GOOD, GOOD]):
        support.triage("a")
        monkeypatch.chdir(tmp_path / "elsewhere")
        for path in tmp_path.rglob("*.jsonl"):
            path.unlink()
        support.triage("b")
    assert [each["inputs"]["message"] for each in read(tmp_path / "log")] == ["b"]
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="the system opens files in another way")
def test_lines_are_appended_by_the_system(folder: Path) -> None:
    import fcntl

    with scripted([GOOD]):
        support.triage("a")
    (log,) = calllog._logs.values()
    assert fcntl.fcntl(log._file, fcntl.F_GETFL) & os.O_APPEND


def test_seconds_are_seconds(records: Records, serve: Any) -> None:
    good = servers.completion(json.dumps(GOOD), delay=0.3)
    began = time.time()
    url = serve(good).url
    assert support.triage.with_options(model="m", base_url=url, api_key="none")("a").urgent
    took = time.time() - began
    (record,) = records()
    (exchange,) = record["exchanges"]
    assert 0.3 <= exchange["seconds"] <= record["seconds"] <= took + 0.01
    begun = [datetime.fromisoformat(each["started"]).timestamp() for each in (record, exchange)]
    assert began - 0.01 <= begun[0] <= begun[1] + 0.01
    assert begun[1] + exchange["seconds"] <= began + took + 0.01


def test_a_file_that_was_tidied_away_is_made_again(folder: Path, records: Records) -> None:
    with scripted([GOOD, GOOD]):
        support.triage("a")
        for path in folder.rglob("*.jsonl"):
            path.unlink()
        support.triage("b")
    assert [record["inputs"]["message"] for record in records()] == ["b"]


def test_another_day_is_another_folder(
    folder: Path, records: Records, monkeypatch: pytest.MonkeyPatch
) -> None:
    days = iter(["2026-01-31", "2026-01-31", "2026-02-01"])
    clock = SimpleNamespace(gmtime=time.gmtime, strftime=lambda form, moment: next(days))
    monkeypatch.setattr(calllog, "time", clock)
    with scripted([GOOD] * 3):
        for _ in range(3):
            support.triage("a")
    assert [
        (path.parent.name, len(path.read_text().splitlines()))
        for path in sorted(folder.glob("*/*"))
    ] == [("2026-01-31", 2), ("2026-02-01", 1)]


# ------------------------------------------------------------------ threads and processes


def test_threads(folder: Path, records: Records) -> None:
    def work() -> None:
        with settings(log_calls=folder):
            for _ in range(100):
                support.triage("x" * 5000)

    threads = [threading.Thread(target=work) for _ in range(8)]
    with scripted(lambda request: GOOD):
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len({record["id"] for record in records()}) == 800
    assert len(list(folder.rglob("*.jsonl"))) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_has_a_file_of_its_own(folder: Path, records: Records) -> None:
    with scripted(lambda request: GOOD):
        support.triage("parent")
        child = os.fork()
        if child == 0:
            os.chdir("/")
            try:
                support.triage("child")
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        support.triage("parent again")
    files = {path.name.split("-")[-2]: path.read_text() for path in folder.rglob("*.jsonl")}
    assert {pid: text.count("\n") for pid, text in files.items()} == {
        str(os.getpid()): 2,
        str(child): 1,
    }
    assert [record["process"]["pid"] for record in records()] == [os.getpid(), child, os.getpid()]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_child_waits_for_no_thread_of_its_parent(folder: Path, records: Records) -> None:
    held, done = threading.Event(), threading.Event()

    def writing() -> None:
        (log,) = calllog._logs.values()
        with log._lock:
            held.set()
            done.wait(60)

    with scripted(lambda request: GOOD):
        support.triage("parent")
        thread = threading.Thread(target=writing)
        thread.start()
        assert held.wait(60)
        child = os.fork()
        if child == 0:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(30)
            try:
                support.triage("child")
            finally:
                os._exit(0)
        status = os.waitpid(child, 0)[1]
        done.set()
        thread.join()
    assert status == 0
    assert [record["inputs"]["message"] for record in records()] == ["parent", "child"]


WORKER = """
import sys
sys.path.insert(0, sys.argv[1])
from shop_ai import support
for number in range(2000):
    support.mood(f"{number} " + "x" * (number % 700))
"""


def test_many_processes_tear_no_line(folder: Path) -> None:
    samples = str(Path(support.__file__).parents[1])
    environment = {**os.environ, "AIGEN_MODEL": "sample", "AIGEN_LOG_CALLS": str(folder)}
    command = [sys.executable, "-c", WORKER, samples]
    workers = [subprocess.Popen(command, env=environment) for _ in range(8)]
    assert [worker.wait(120) for worker in workers] == [0] * 8
    ids = set()
    for path in folder.rglob("*.jsonl"):
        ids.update(json.loads(line)["id"] for line in path.read_bytes().splitlines())
    assert len(ids) == 8 * 2000


def test_a_hook_and_the_log_see_the_same_call(records: Records) -> None:
    seen: list[Any] = []
    remove = on_call(seen.append)
    try:
        with scripted([GOOD]):
            support.triage("a")
    finally:
        remove()
    assert [call.id for call in seen] == [record["id"] for record in records()]


def test_ids_sort_by_their_time() -> None:
    ids = [new_id() for _ in range(1000) if not time.sleep(0.00001)]
    assert ids == sorted(ids)
    found = uuid.UUID(ids[0])
    assert (found.version, found.variant) == (7, uuid.RFC_4122)
    assert abs(began(ids[0]) - time.time()) < 60


def test_chance_of_an_id_is_nobody_elses() -> None:
    """Not that of a parent or sibling of a fork, nor that of a program which seeds its own."""
    code = (
        "import os, random\n"
        "from aigen.runtime.record.call import new_id\n"
        "random.seed(0)\n"
        "pairs = [os.pipe() for _ in range(4)]\n"
        "for _, out in pairs:\n"
        "    if os.fork() == 0:\n"
        "        os.write(out, new_id().encode())\n"
        "        os._exit(0)\n"
        "print(new_id(), *(os.read(into, 36).decode() for into, _ in pairs))\n"
    )
    found = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    ids = [each for one in found for each in one.stdout.split()]
    chances = {each[-17:] for each in ids}
    assert (len(ids), len(chances)) == (10, 10)
