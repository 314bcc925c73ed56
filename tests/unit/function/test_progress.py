"""How far a `map` is: where it shows, and where it does not."""

from __future__ import annotations

import asyncio
import io
import sys
from typing import Any

import pytest
from aigen.runtime import override
from aigen.runtime.columns import progress
from aigen.runtime.testing import delayed, refusal, scripted
from shop_ai import support


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def mapped(awaited: bool = False, rows: int = 4) -> None:
    texts = ["m"] * rows
    with scripted(lambda request: {"summary": "s", "urgent": False}):
        if awaited:
            asyncio.run(support.triage.amap(texts))
        else:
            support.triage.map(texts)


@pytest.mark.parametrize("awaited", [False, True])
def test_lines_elsewhere_and_nothing_on_stdout(awaited: bool, capsys: Any) -> None:
    with override(progress=True, concurrency=1):
        mapped(awaited)
    out, err = capsys.readouterr()
    first, last = err.splitlines()
    assert out == ""
    assert first.startswith("triage: 1 of 4 rows, 0 s, about 0 s left")
    assert last == "triage: 4 of 4 rows, 0 s"


def test_what_is_short_says_nothing(capsys: Any) -> None:
    mapped()
    assert capsys.readouterr() == ("", "")


def test_what_takes_longer_says_so_now_and_then(capsys: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(progress, "_LINE_AFTER", 0.05)
    monkeypatch.setattr(progress, "_LINE_EVERY", 0.05)

    def slow(request: Any) -> Any:
        return delayed(0.02, refusal())

    with scripted(slow), override(concurrency=1), pytest.warns(UserWarning, match="10 of 10"):
        support.triage.map(["m"] * 10)
    out, err = capsys.readouterr()
    lines = err.splitlines()
    assert out == "" and 2 <= len(lines) < 10
    assert lines[-1].startswith("triage: 10 of 10 rows, 10 failed,")
    assert "about" not in lines[-1] and "left" in lines[0]


def test_off_is_off(capsys: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(progress, "_LINE_AFTER", 0.0)
    with override(progress=False):
        mapped()
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("setting", [True, None])
def test_a_bar_on_a_terminal(setting: bool | None, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.setattr(progress, "_BAR_AFTER", 0.0)
    monkeypatch.setenv("TERM", "xterm")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with override(progress=setting):
        mapped()
    assert "triage" in terminal.getvalue() and "100%" in terminal.getvalue()
    assert capsys.readouterr().out == ""


def test_a_bar_that_would_only_flash_does_not_show(monkeypatch: Any) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    mapped()
    assert terminal.getvalue() == ""


def test_lines_on_a_terminal_without_rich(monkeypatch: Any) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setitem(sys.modules, "rich.progress", None)
    with override(progress=True):
        mapped()
    assert terminal.getvalue().startswith("triage: 1 of 4 rows")


@pytest.mark.parametrize("broken", ["none", "closed"])
def test_a_program_without_stderr(broken: str, monkeypatch: Any) -> None:
    gone = io.StringIO()
    gone.close()
    monkeypatch.setattr(sys, "stderr", None if broken == "none" else gone)
    with override(progress=True):
        mapped()
