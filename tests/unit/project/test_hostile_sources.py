"""Sources and texts that are made to break a build get a finding, or the right result, in time."""

from __future__ import annotations

import time

import pytest
from aigen.emit.layout import wrapped
from projects import SPEC, Folder

TOOL = 'aigen: 1\ntools:\n  look: {python: "app.m0:look"}\n'
LOOK = 'def look(x: {}) -> str:\n    """Finds it."""\n    return ""\n'
HUGE = f"0x{'f' * 10_000}"


def _classes(count: int) -> str:
    first = "from dataclasses import dataclass\n@dataclass\nclass C0:\n    a: int\n"
    rest = (f"@dataclass\nclass C{at}(C{at - 1}):\n    a{at}: int\n" for at in range(1, count))
    return first + "".join(rest) + LOOK.format(f"C{count - 1}")


def _doubled(count: int) -> str:
    rest = (f"A{at} = tuple[A{at - 1}, A{at - 1}]\n" for at in range(1, count))
    return "A0 = int\n" + "".join(rest) + LOOK.format(f"A{count - 1}")


SOURCES = {
    "a base under thousands of classes": (_classes(1_500), ["AIG506"]),
    "aliases that double": (_doubled(60), ["AIG411"]),
    "a union of hundreds": (LOOK.format(" | ".join(["list[int]"] * 980)), ["AIG411"]),
    "a name of hundreds of parts": (LOOK.format("a." * 900 + "b"), ["AIG411"]),
    "a default no decimal can write": (LOOK.format(f"int = {HUGE}"), ["AIG505"]),
    "a literal no decimal can write": (
        f"from typing import Literal\n{LOOK.format(f'Literal[{HUGE}]')}",
        ["AIG411"],
    ),
}


@pytest.mark.parametrize("what", SOURCES)
def test_a_tools_source_that_is_made_to_break(folder: Folder, what: str) -> None:
    source, codes = SOURCES[what]
    folder.write("specs/shop.yaml", TOOL)
    folder.write("app/m0.py", source)
    began = time.monotonic()
    assert folder.build()[1] == codes
    assert time.monotonic() - began < 30


def test_a_name_that_is_passed_on_by_thousands_of_modules(folder: Folder) -> None:
    folder.write("specs/shop.yaml", TOOL)
    for at in range(1_200):
        folder.write(f"app/m{at}.py", f"from app.m{at + 1} import look\n")
    folder.write("app/m1200.py", LOOK.format("int"))
    assert folder.build()[1] == ["AIG413"]


def test_every_name_of_two_modules_each_of_two(folder: Folder) -> None:
    """Two to the power of thirty ways, and no name at the end of any."""
    folder.write("specs/shop.yaml", TOOL)
    both = "from app.a{0} import *\nfrom app.b{0} import *\n"
    folder.write("app/m0.py", both.format(1))
    for at in range(1, 30):
        for side in "ab":
            folder.write(f"app/{side}{at}.py", both.format(at + 1))
    assert folder.build()[1] == ["AIG218"]


@pytest.mark.parametrize(
    "source",
    [
        f"@ai(temperature={HUGE})\ndef f(x: str) -> str:",
        f"@ai(demos=[{{'x': -{HUGE}}}])\ndef f(x: str) -> str:",
    ],
)
def test_a_stub_with_a_number_that_no_decimal_can_write(folder: Folder, source: str) -> None:
    text = f'from aigen.declare import ai\n\n\n{source}\n    """Does it."""\n    ...\n'
    folder.write("specs/shop.pyi", text)
    (folder.root / "specs/shop.yaml").unlink()
    assert folder.build()[1] == ["AIG510"]


def test_a_setting_beyond_any_float(folder: Folder) -> None:
    folder.write("specs/shop.yaml", SPEC + f"settings: {{temperature: {'9' * 400}}}\n")
    assert folder.build()[1] == ["AIG308"]
    folder.write("aigen.toml", f"specs = ['specs']\nout = 'ai'\n[settings]\nseed = {'9' * 5_000}\n")
    assert "AIG707" in folder.build()[1]


def test_records_a_thousand_deep_in_one_another(folder: Folder) -> None:
    members = (f"  A{at}: {{record: {{x: A{at - 1}}}}}\n" for at in range(1, 1_500))
    types = "types:\n  A0: {record: {x: {type: int, description: The innermost.}}}\n"
    folder.write("specs/shop.yaml", f"{SPEC}      review: A1499\n{types}{''.join(members)}")
    outcome, codes = folder.build()
    assert codes == [] and outcome.changes is not None


LONG = {"one word": "a" * 400_000, "dots": "a." * 200_000, "accents": "é" * 100_000}


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
@pytest.mark.parametrize("where", ["description", "demos"])
def test_a_long_text_without_a_space_takes_no_longer_by_its_square(
    folder: Folder, text: str, where: str
) -> None:
    if where == "description":
        spec = SPEC.replace("How does the customer feel?", text)
    else:
        spec = f"{SPEC}    demos:\n      - {{review: {text}, mood: happy}}\n"
    folder.write("specs/shop.yaml", spec)
    began = time.monotonic()
    assert not [code for code in folder.build()[1] if code not in ("AIG810", "AIG811")]
    assert time.monotonic() - began < 30


WORDS = {
    "no columns": ("e" + "\u0301" * 50_000 + "漢" * 60, 40),
    "wide": ("漢" * 20_000, 76),
    "escaped": ('é"""\\' * 5_000, 30),
}


@pytest.mark.parametrize("word, columns", WORDS.values(), ids=WORDS)
def test_a_long_word_is_cut_into_lines_and_loses_nothing(word: str, columns: int) -> None:
    began = time.monotonic()
    lines = wrapped(word, columns)
    assert "".join(lines) == word and len(lines) > 1
    assert time.monotonic() - began < 10


@pytest.mark.parametrize("link", ["file", "folder"])
def test_a_link_that_comes_to_lead_elsewhere(folder: Folder, link: str) -> None:
    spec = SPEC.replace("How does the customer feel?", "{$file: words/said.md}")
    folder.write("specs/shop.yaml", spec)
    for name in ("one", "two"):
        folder.write(f"specs/{name}/said.md", f"The {name} text.\n")
    path = folder.root / "specs/words"
    if link == "file":
        path.mkdir()
        path = path / "said.md"
    for name in ("one", "two", "one"):
        path.unlink(missing_ok=True)
        path.symlink_to(f"{name}" if link == "folder" else f"../{name}/said.md")
        assert folder.build()[1] == []
        assert f"The {name} text.".encode() in folder.files()["shop.py"]
    folder.write("specs/one/said.md", "What it leads to.\n")
    folder.build()
    assert b"What it leads to." in folder.files()["shop.py"]
