"""Files too large, too deep or in no text, and files that vanish: one finding each, and at once."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from aigen.building import build
from aigen.diagnostics import Source
from aigen.spec.source import load
from projects import SPEC, Folder

DEEP, HUGE = 10_000, 100 << 20
TOOL = 'aigen: 1\ntools: {look: {python: "app.shop:look"}}\n'
FILE = SPEC.replace("How does the customer feel?", "{$file: named.md}")
DATA = SPEC.replace("    description", "    data: %s\n    description")
JSON = '{"aigen": 1, "x": '
DECLARED = "from aigen.declare import ai\n"


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ({"specs/shop.yaml": SPEC}, "AIG103"),
        ({"specs/shop.json": JSON}, "AIG103"),
        ({"specs/shop.pyi": DECLARED}, "AIG103"),
        ({"specs/shop.yaml": FILE, "specs/named.md": ""}, "AIG103"),
        ({"specs/shop.yaml": SPEC + "    demos: d.jsonl\n", "specs/d.jsonl": ""}, "AIG103"),
        ({"specs/shop.yaml": DATA % "d.json", "specs/d.json": '{"fields": []}'}, "AIG103"),
        ({"specs/shop.yaml": DATA % "d.csv", "specs/d.csv": "review,mood\nx,"}, "AIG139"),
        ({"specs/shop.yaml": TOOL, "app/shop.py": "def look(x: int) -> int: ...\n"}, "AIG413"),
    ],
)
def test_files_of_100_mb(folder: Folder, files: dict[str, str], code: str) -> None:
    """The last file grows to that size without a block on the disk."""
    (folder.root / "specs/shop.yaml").unlink()
    for name, text in files.items():
        last = folder.write(name, text)
    with last.open("r+b") as file:
        file.truncate(HUGE)
    started = time.process_time()
    assert folder.build()[1] == [code]
    assert time.process_time() - started < 20  # not for ever; on a busy machine too


def _within(opening: str, inside: str, closing: str) -> str:
    return opening * DEEP + inside + closing * DEEP


PROMPT = _within("{% if review %}", "x", "{% endif %}")
TYPE = _within("list[", "int", "]")


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ({"specs/shop.yaml": f"aigen: 1\nx: {_within('[', '', ']')}\n"}, "AIG108"),
        ({"specs/shop.yaml": f"aigen: 1\nx: {_within('{a: ', '', '}')}\n"}, "AIG108"),
        ({"specs/shop.json": JSON + _within("[", "", "]") + "}"}, "AIG108"),
        ({"specs/shop.json": JSON + _within('{"a": ', "1", "}") + "}"}, "AIG108"),
        ({"specs/shop.pyi": DECLARED + "x = " + _within("(", "", ")")}, "AIG510"),
        ({"specs/shop.pyi": DECLARED + "x = " + _within("-", "1", "")}, "AIG510"),
        ({"specs/shop.pyi": DECLARED + "x = " + _within("1 + ", "1", "")}, "AIG510"),
        ({"specs/shop.yaml": TOOL, "app/shop.py": f"look = {_within('-', '1', '')}"}, "AIG413"),
        ({"specs/shop.yaml": SPEC + "    demos: d.jsonl\n",
          "specs/d.jsonl": '{"review": ' + _within("[", "", "]") + "}\n"}, "AIG108"),
        ({"specs/shop.yaml": DATA % "d.json", "specs/d.json": _within("[", "", "]")}, "AIG108"),
        ({"specs/shop.yaml": f"{SPEC}    prompt: [{{user: '{PROMPT}'}}]\n"}, "AIG135"),
        ({"specs/shop.yaml": f"{SPEC}      review: {{type: '{TYPE}'}}\n"}, "AIG129"),
        ({"aigen.toml": f"specs = ['specs']\nsettings = {_within('[', '', ']')}\n"}, "AIG707"),
    ],
)  # fmt: skip
def test_nesting_of_10_000_levels(folder: Folder, files: dict[str, str], code: str) -> None:
    (folder.root / "specs/shop.yaml").unlink()
    for name, text in files.items():
        folder.write(name, text)
    project = folder.load()
    if not project.diagnostics.failed:
        build(project)
    (found,) = project.diagnostics
    assert found.code == code
    assert not found.message.endswith(": ")  # it says why


@pytest.mark.parametrize(
    ("loader", "said"),
    [
        ("document", "cannot read specs/shop.yaml: No such file or directory"),
        ("reading", 'there is no file "named.md"'),  # it is looked for again, to say all faults
    ],
)
def test_a_file_that_vanishes_before_it_is_read(
    folder: Folder, monkeypatch: pytest.MonkeyPatch, loader: str, said: str
) -> None:
    """A spec, and a file that a spec names."""
    folder.write("specs/shop.yaml", FILE)
    folder.write("specs/named.md", "How does the customer feel?")
    assert folder.build()[1] == []
    before = folder.files()
    name = {"document": "specs/shop.yaml", "reading": "specs/named.md"}[loader]
    folder.write(name, FILE + "# changed\n" if loader == "document" else "What is it?")

    def gone(path: Path, *args: Any, **rest: Any) -> Source | None:
        path.unlink(missing_ok=True)
        return load(path, *args, **rest)

    monkeypatch.setattr(f"aigen.spec.{loader}.load", gone)
    project = folder.load()
    assert build(project).changes is None
    (found,) = project.diagnostics
    assert found.message == said
    assert folder.files() == before
