"""What is emitted is what ruff would write, whatever words, names and numbers a spec has."""

from __future__ import annotations

import itertools
import json
import re
import subprocess
import sys
import unicodedata
from pathlib import Path
from typing import Any

import programs
import pytest
from aigen.emit.literals import quote
from aigen.emit.render import RenderOptions, render
from aigen.emit.widths import width
from aigen.ir import (
    Alias,
    Choice,
    Default,
    Enumeration,
    Integer,
    Level,
    List,
    Module,
    Number,
    Record,
    Ref,
    Text,
    Tool,
)

RUFF = [sys.executable, "-m", "ruff"]
COMMON = ["--isolated", "--line-length", "100", "--target-version", "py311", "--no-cache"]
RULES = ["--select", "E,F,I,UP,B,D", "--config", 'lint.pydocstyle.convention="google"']

WORDS = {
    "blank": "   ",
    "wide blanks": "\u3000\t\n \u2003",
    "stop": "要約する。",
    "stops": "要約する！ 次に。",
    "no stop": "要約する",
    "backslashes": "\\" * 5_000,
    "some backslashes": " ".join(["\\" * 9] * 40),
    "one long line": "\\d+ and \\w+ \u200b " * 12,
    "quotes": ' \\""" ' * 30,
    "a quote at the end": 'say "hi"',
    "controls": "\x00\x01" * 60,
    "hidden": "a\u202eb " * 40,
    "combining": "a\u0301" * 120,
    "combining words": "a\u0301b\u0323 " * 60,
    "emoji": "👩‍👩‍👧 " * 40,
    "thai": "ภาษาไทย" * 30,
    "hangul": "\u1100\u1161\u11a8" * 40,
    "colon": "as follows:",
    "marks": ":;,",
    "list": "Do:\n- \\" + "x" * 200 + "\n- " + "word " * 40,
    "sections": "Args:\n    x: \\" + "y " * 60,
    "long word": "https://example.com/" + "x" * 300,
}


def module(words: str) -> Module:
    record = Record(
        "Thing",
        (
            programs.field("a", Text(), words),
            programs.field("b", Text(), words, optional=True, default=Default(words)),
            programs.field("c", Integer(), words, optional=True),
        ),
        programs.SPAN,
        words,
    )
    choice = Choice((Level("one", words), Level("two")))
    made = programs.function(
        "make",
        [
            programs.field("x", Text(), words),
            programs.field("y", choice, words, optional=True, default=Default("one")),
        ],
        [programs.field("out", Ref("m", "Thing"), words)],
        description=words,
        deprecated=words,
    )
    plain = programs.function(
        "tell", [programs.field("x", List(Text()))], [programs.field("told", Integer(), words)]
    )
    tool = Tool(
        "use",
        "use",
        programs.SPAN,
        words,
        parameters=(programs.field("n", Number(), words),),
        returns=programs.field("result", Text(), words),
    )
    types = (
        record,
        Alias("Level", choice, programs.SPAN, words),
        Alias("Names", List(Text()), programs.SPAN, words),
        Enumeration("Kind", choice.levels, programs.SPAN, words),
    )
    return Module("m", "m.yaml", words, types, (made, plain), (tool,))


def unchanged(text: str, path: Path, *ignored: str) -> None:
    path.write_text(text.replace("# fmt: off\n# ruff: noqa\n", ""), encoding="utf-8")
    rules = [*RULES, *(word for rule in ignored for word in ("--ignore", rule))]
    for command in (["format", *COMMON, "--diff"], ["check", *COMMON, *rules]):
        done = subprocess.run([*RUFF, *command, str(path)], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


def rendered(made: Module) -> str:
    return render(programs.program(made), RenderOptions())[f"{made.name}.py"]


@pytest.mark.parametrize("name", WORDS)
def test_words(name: str, tmp_path: Path) -> None:
    text = rendered(module(WORDS[name]))
    assert '""" Args' not in text
    unchanged(text, tmp_path / "m.py")


@pytest.mark.parametrize("size", [10, 400, 3_500])
def test_numbers(size: int, tmp_path: Path) -> None:
    number = 16**size // 7
    members = (
        programs.field("a", Integer(ge=-number, le=number), "words"),
        programs.field("b", Integer(ge=number), optional=True, default=Default(number)),
        programs.field("c", Integer(), optional=True, default=Default(-number)),
        programs.field("d", Integer(multiple_of=number)),
    )
    made = Module("m", "m.yaml", None, (Record("R", members, programs.SPAN),), ())
    unchanged(rendered(made), tmp_path / "m.py", "E501")  # a number has no place to break it


@pytest.mark.parametrize("level", ["a\u0301" * 50, "é" * 90, "日" * 45, "x" * 70, "y" * 300])
def test_levels_and_members(level: str, tmp_path: Path) -> None:
    others = [level + "z", f"1{level}"]
    kind = Enumeration("Kind", tuple(map(Level, [level, *others])), programs.SPAN)
    members = tuple(
        programs.field(name, Text(), words, optional=optional)
        for name, (words, optional) in zip(
            [level, *others], [(None, False), ("words", False), (None, True)], strict=True
        )
    )
    record = Record("R", members, programs.SPAN)
    made = Module("m", "m.yaml", None, (kind, record), ())
    text = rendered(made)
    unchanged(text, tmp_path / "m.py")
    names: dict[str, Any] = {"__name__": "m"}
    exec(text, names)
    assert [each.value for each in names["Kind"]] == [level, *others]


def test_widths_are_ruffs(tmp_path: Path) -> None:
    places = itertools.chain(range(0xA1, 0xD800, 7), range(0xF900, 0x1FFFF, 11))
    shown = [char for char in map(chr, places) if char in quote(char)]
    assigned = [char for char in shown if unicodedata.category(char) != "Cn"]
    path = tmp_path / "m.py"
    path.write_text("".join(f'a = "{char} {"b" * 9}"\n' for char in assigned), encoding="utf-8")
    command = ["check", "--isolated", "--no-cache", "--line-length", "1", "--select", "E501"]
    done = subprocess.run(
        [*RUFF, *command, "--output-format", "json", str(path)], capture_output=True, text=True
    )
    found = {}
    for one in json.loads(done.stdout):
        match = re.search(r"\((\d+) >", one["message"])
        assert match
        found[assigned[one["location"]["row"] - 1]] = int(match[1]) - len('a = " bbbbbbbbb"')
    assert len(found) == len(assigned) > 5_000
    assert {c: (width(c), n) for c, n in found.items() if width(c) != n} == {}
