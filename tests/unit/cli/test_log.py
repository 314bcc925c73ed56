"""`aigen log`: what it lists, shows and sums up, and what it makes of a damaged log."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from aigen.runtime.record.totals import Durations

Aigen = Callable[..., Any]
DAY = "2026-11-2{}"


def record(number: int, **changes: Any) -> dict[str, Any]:
    """The record of a call; each is a minute later than the one before it."""
    day, minute = DAY.format(number // 60), number % 60
    return {
        "aigen_call": 1,
        "id": f"0193{number:04x}-0000-7000-8000-000000000000",
        "parent": None,
        "root": f"0193{number:04x}-0000-7000-8000-000000000000",
        "program": {"name": "triage", "module": "support", "interface": None, "version": None},
        "started": f"{day}T10:{minute:02}:00.000000Z",
        "seconds": 1.0 + number,
        "caller": None,
        "model": "m",
        "usage": {"input_tokens": 10, "output_tokens": 2},
        "error": None,
        "repairs": [],
        "content": True,
        "sizes": {"inputs": {"message": 7}, "outputs": {}},
        "inputs": {"message": "hello"},
        "outputs": {"result": {"a": 1}},
        "exchanges": [],
        **changes,
    }


def write(folder: Path, *records: Any, name: str = "host-1-abcdef") -> None:
    """Writes records as the log does; a text as the line it is."""
    for each in records:
        text = each if isinstance(each, str) else json.dumps(each, separators=(",", ":"))
        day = DAY.format(0) if isinstance(each, str) else each.get("started", DAY.format(0))[:10]
        (folder / day).mkdir(parents=True, exist_ok=True)
        with (folder / day / f"{name}.jsonl").open("a", encoding="utf-8") as file:
            file.write(text + "\n")


@pytest.fixture
def log(here: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("AIGEN_LOG_CALLS", raising=False)
    return here / ".aigen" / "calls"


def numbers(out: str) -> list[int]:
    """Which records a listing shows, in its order."""
    return [int(line.split()[-1][4:8], 16) for line in out.splitlines()[1:]]


def test_the_newest_first(aigen: Aigen, log: Path) -> None:
    write(log, *(record(number) for number in range(0, 150, 2)))
    write(log, *(record(number) for number in range(1, 150, 2)), name="other-2-abcdef")
    ran = aigen("log", "-n", "45")
    assert (ran.code, ran.err) == (0, "")
    assert numbers(ran.out) == list(range(149, 104, -1))
    assert ran.out.splitlines()[1].split() == [
        *("2026-11-22", "10:29:00", "triage", "m", "150.00", "10+2", "ok"),
        "01930095-0000-7000-8000-000000000000",
    ]
    assert len(aigen("log").out.splitlines()) == 21
    assert len(json.loads(aigen("log", "-n", "1000", "--format", "json").out)) == 150
    assert aigen("log", "list", "-n", "45", "--function", "triage") == ran


def test_a_call_that_ended_a_day_later_stands_in_its_place(aigen: Aigen, log: Path) -> None:
    write(log, record(5), record(7))
    late = json.dumps(record(6))
    (log / DAY.format(1)).mkdir()
    (log / DAY.format(1) / "host-1-fedcba.jsonl").write_text(late + "\n")
    assert numbers(aigen("log", "-n", "1").out) == [7]
    assert numbers(aigen("log", "-n", "2").out) == [7, 6]


OUTCOMES = {
    "ok": {"exchanges": [{"cached": True}, {"cached": False}]},
    "cached": {"exchanges": [{"cached": True}]},
    "repaired": {"repairs": ["code fence removed"]},
    "reply": {"error": {"type": "ReplyError", "code": "reply"}},
    "KeyError": {"error": {"type": "KeyError", "code": None}},
}


def test_outcomes(aigen: Aigen, log: Path) -> None:
    write(log, *(record(number, **each) for number, each in enumerate(OUTCOMES.values())))
    lines = aigen("log").out.splitlines()[:0:-1]
    assert [line.split()[-2] for line in lines] == list(OUTCOMES)


FAILED = {"type": "ReplyError", "code": "reply", "message": "no"}
FILTERS = {
    "function": (["--function", "mood"], [4]),
    "with its module": (["--function", "support.triage"], [3, 2, 1, 0]),
    "error": (["--error"], [3, 1]),
    "code": (["--error", "quota"], [3]),
    "type": (["--error", "ReplyError"], [1]),
    "model": (["--model", "big"], [2]),
    "caller": (["--caller", "nightly"], [0]),
    "since a time": (["--since", "2026-11-20T10:03"], [4, 3]),
    "since a time with its zone": (["--since", "2026-11-20T12:03+02:00"], [4, 3]),
    "since a day": (["--since", "2026-11-21"], []),
    "all of them": (["--since", "2026-11-20", "--error", "--model", "m"], [3, 1]),
}


@pytest.mark.parametrize("name", FILTERS)
def test_filters(name: str, aigen: Aigen, log: Path) -> None:
    arguments, wanted = FILTERS[name]
    mood = {"name": "mood", "module": "support"}
    write(log, record(0, caller="nightly"), record(1, error=FAILED), record(2, model="big"))
    write(log, record(3, error={**FAILED, "type": "ProviderError", "code": "quota"}))
    write(log, record(4, program=mood))
    ran = aigen("log", *arguments)
    assert ran.code == 0
    assert numbers(ran.out) == wanted
    assert ran.err == ("" if wanted else "no such calls\n")
    calls = json.loads(aigen("log", "totals", *arguments, "--format", "json").out)["all"]["calls"]
    assert calls == len(wanted)


def test_ago(aigen: Aigen, log: Path) -> None:
    now = time.gmtime(time.time() - 3000)
    write(log, record(0), record(1, started=time.strftime("%Y-%m-%dT%H:%M:%S.000000Z", now)))
    assert numbers(aigen("log", "--since", "1h").out) == [1]
    assert numbers(aigen("log", "--since", "40m").out) == []
    for long in ("999999999999w", "0001-01-01", "0001-01-01T00:00:00+14:00"):
        assert numbers(aigen("log", "--since", long).out) == [1, 0]


def test_totals(aigen: Aigen, log: Path) -> None:
    write(log, *(record(number, seconds=number + 1, cost=0.5) for number in range(100)))
    write(log, record(100, model="big", error=FAILED, usage=None, seconds=0))
    data = json.loads(aigen("log", "totals", "--by", "model", "--format", "json").out)
    assert data["skipped"] == 0
    assert data["by_model"]["big"] == {
        "calls": 1,
        "errors": 1,
        "input_tokens": 0,
        "output_tokens": 0,
        "cost": None,
        "p50": 1e-06,
        "p95": 1e-06,
    }
    m = data["by_model"]["m"]
    assert (m["calls"], m["errors"], m["cost"]) == (100, 0, 50.0)
    assert (m["input_tokens"], m["output_tokens"]) == (1000, 200)
    assert m["p50"] == pytest.approx(50, rel=0.011)
    assert m["p95"] == pytest.approx(95, rel=0.011)
    assert data["all"]["calls"] == 101
    lines = aigen("log", "totals").out.splitlines()
    assert lines[0].split() == [
        "function",
        "calls",
        "errors",
        "tokens",
        "in",
        "tokens",
        "out",
        "cost",
        "p50",
        "s",
        "p95",
        "s",
    ]
    assert lines[1].split()[:6] == ["support.triage", "101", "1", "1,000", "200", "$50.0000"]


def test_one_call(aigen: Aigen, log: Path) -> None:
    exchange = {
        "provider": "openai",
        "model": "m",
        "seconds": 0.5,
        "finish": "stop",
        "request": {"messages": [{"role": "user", "content": "say\x1b[31m it"}]},
        "reply": {"text": '{"a": 1}'},
    }
    gone = {"inputs": ["message"], "outputs": []}
    write(log, record(1, exchanges=[exchange]), record(2, inputs={}, omitted=gone, error=FAILED))
    write(
        log,
        '{"aigen_rating":1,"id":"b","call":"' + record(1)["id"] + '","verdict":"wrong","answer":2}',
    )
    ran = aigen("log", "show", record(1)["id"])
    assert ran.code == 0
    for words in ("message: hello", 'result: {"a": 1}', "rated wrong, 2", "openai m, 0.5 s, stop"):
        assert words in ran.out
    assert "user: say\ufffd[31m it" in ran.out
    shown = aigen("log", "show", "01930002").out
    assert "message: dropped (7 bytes)" in shown
    assert "error: no" in shown
    data = json.loads(aigen("log", "show", "01930001", "--format", "json").out)
    assert data["ratings"][0]["answer"] == 2
    assert {**data, "ratings": []} == {**record(1, exchanges=[exchange]), "ratings": []}
    for start, says in (("0193", "several calls have"), ("ffff", "no call has")):
        assert aigen("log", "show", start) == (
            1,
            "",
            f"aigen: {says} an id that begins with {start}\n",
        )


def test_a_rating_is_shown_with_its_own_call(aigen: Aigen, log: Path) -> None:
    def rating(number: int, call: Any, answer: Any) -> dict[str, Any]:
        return {
            "aigen_rating": 1,
            "id": f"0194000{number}-0000-7000-8000-000000000000",
            "call": call["id"],
            "verdict": "wrong",
            "answer": answer,
        }

    one, other = record(0), record(1)
    write(log, one, other, rating(0, one, "mine"), rating(1, other, f"not as in {one['id']}"))
    shown = aigen("log", "show", one["id"]).out
    assert 'rated wrong, "mine"' in shown and "not as in" not in shown


def test_shares_of_durations() -> None:
    durations = Durations()
    assert durations.at(0.5) is None
    for seconds in (3, 1, 2):
        durations.add(seconds)
    found = [durations.at(share) for share in (0.3, 0.5, 0.95)]
    assert found == [pytest.approx(seconds, rel=0.01) for seconds in (1, 2, 3)]


DAMAGED = [
    '{"aigen_call":1,"id":"0193',
    "",
    "null",
    '{"aigen_call":2,"id":"x"}',
    '{"aigen_call":1,"id":"01930000-0000-7000-8000-000000000000"}',
    json.dumps(record(3, aigen_call=2)),
    json.dumps(record(3, seconds=float("nan"))),
    json.dumps(record(3, usage=[])),
    json.dumps(record(3, exchanges=[1])),
    json.dumps(record(3, program={"name": 1})),
    "[" * 100_000,
    "\udcff".encode("utf-8", "surrogateescape").decode("latin-1"),
    '{"aigen_rating":1}',
]


def test_damaged_lines_are_passed_over_and_counted(aigen: Aigen, log: Path) -> None:
    write(log, record(0), *DAMAGED, record(1))
    (path,) = log.glob("*/*.jsonl")
    with path.open("ab") as file:
        file.write(b'\xff\xfe{"a\n{"aigen_call":1,"id":"cut off')
    skipped = f"skipped {len(DAMAGED) - 1 + 2} lines: damaged, or of a later format\n"
    ran = aigen("log")
    assert (ran.code, numbers(ran.out), ran.err) == (0, [1, 0], skipped)
    ran = aigen("log", "totals")
    assert (ran.code, ran.err) == (0, skipped)
    assert aigen("log", "show", "01930001").code == 0


EXCHANGE = {"request": {"messages": [{"role": "user", "content": "hi"}]}, "reply": {"text": "x"}}


@pytest.mark.parametrize("wrong", [3, "text", [1], {"inputs": 5}, {"inputs": [[]]}])
@pytest.mark.parametrize("member", ["omitted", "sizes", "exchanges", "request", "reply", "message"])
def test_no_record_is_too_odd_to_be_shown(member: str, wrong: Any, aigen: Aigen, log: Path) -> None:
    """Others write such logs too; a record is shown, or passed over and counted."""
    odd = {
        "request": {"exchanges": [{**EXCHANGE, "request": wrong}]},
        "reply": {"exchanges": [{**EXCHANGE, "reply": wrong}]},
        "message": {"exchanges": [{**EXCHANGE, "request": {"messages": wrong}}]},
    }.get(member, {member: wrong})
    write(log, record(0), record(1, **odd), record(2, sizes=None, exchanges=[EXCHANGE]))
    for command in ([], ["totals"], ["show", "01930001"], ["show", "01930002"]):
        ran = aigen("log", *command)
        assert ran.code == (1 if "no call" in ran.err else 0)
    assert "inputs:\n  message: hello" in ran.out


def test_an_id_that_is_no_text(aigen: Aigen, log: Path) -> None:
    write(log, record(0), record(1, id="\ud800"))
    assert (numbers(aigen("log").out), aigen("log").err[:14]) == ([0], "skipped 1 line")


def test_a_line_without_an_end_takes_no_memory(
    aigen: Aigen, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from aigen.runtime.record import reading

    monkeypatch.setattr(reading, "_LONGEST", 4096)
    write(log, record(0), "x" * 20_000, record(1))
    ran = aigen("log")
    assert (numbers(ran.out), ran.err[:14]) == ([1, 0], "skipped 1 line")


def test_where_the_log_is(aigen: Aigen, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AIGEN_LOG_CALLS", raising=False)
    ran = aigen("log")
    assert (ran.code, ran.out) == (1, "")
    assert "there is no call log in" in ran.err and "set log_calls" in ran.err
    for number, place in enumerate((".aigen/calls", "configured", "variable", "given")):
        write(here / place, record(number))
    assert numbers(aigen("log").out) == [0]
    (here / "aigen.toml").write_text('[settings]\nlog_calls = "configured"\n')
    assert numbers(aigen("log").out) == [1]
    monkeypatch.setenv("AIGEN_LOG_CALLS", "variable")
    assert numbers(aigen("log").out) == [2]
    assert numbers(aigen("log", "--folder", "given").out) == [3]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--since", "yesterday"], '"yesterday" is no time: write 2026-11-30'),
        (["--since", "9999-12-31T23:59:59-12:00"], "is no time: write 2026-11-30"),
        (["--since", "9999999999999s"], "is no time: write 2026-11-30"),
        (["-n", "0"], "0 is not in the range"),
        (["--error", "reply", "totals"], "options stand behind totals"),
        (["sum"], "No such command 'sum'"),
    ],
)
def test_wrong_use(arguments: list[str], says: str, aigen: Aigen, log: Path) -> None:
    write(log, record(0))
    ran = aigen("log", *arguments)
    assert ran.code == 2
    assert says in ran.err


def test_the_memory_does_not_grow_with_the_log(aigen: Aigen, log: Path) -> None:
    import tracemalloc

    from aigen.runtime.record.reading import LogReader, Wanted

    peaks = []
    for count in (2_000, 8_000):
        write(log, *(record(number % 600, seconds=number / 10) for number in range(count)))
        tracemalloc.start()
        assert aigen("log", "totals").code == 0
        assert len(LogReader(log).newest(Wanted(), 20)) == 20
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] + 300_000
