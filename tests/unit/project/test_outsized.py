"""Files too large, too deep or in no text, and files that vanish: one finding each, and at once."""

from __future__ import annotations

import ast
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from aigen.building import build
from aigen.diagnostics import Source
from aigen.diagnostics.formats import as_text
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


MB = 1_000_000
IF = "{% if review %}x{% endif %}"
FIELD = SPEC + "      review: {type: str, %s}\n"


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (SPEC.replace("How does", "word " * (MB // 5)), ["AIG810"]),
        (SPEC.replace("  mood:", f"  ? {'k' * MB}\n  :", 1), []),
        (SPEC.replace("~ review", "~ " + " + ".join(f"x{i}" for i in range(MB // 9))), ["AIG131"]),
        (SPEC.replace("happy, unhappy", ", ".join(f"c{i}" for i in range(MB // 9))), []),
        (FIELD % f'default: "{"d" * MB}"', []),
        (FIELD % f'pattern: "{"(a|b)" * (MB // 5)}"', []),
        (FIELD % f'pattern: "{"(a*)*" * (MB // 5)}"', []),
        (SPEC + f"    prompt: [{{user: '{{{{ review }}}}{IF * 30_000}'}}]\n", ["AIG810"]),
        (SPEC + f"    ? {'k' * MB}\n    : 1\n", ["AIG120"]),
    ],
    ids=["words", "name", "formula", "levels", "default", "pattern", "stars", "prompt", "key"],
)  # fmt: skip
def test_specs_of_1_mb(folder: Folder, text: str, codes: list[str]) -> None:
    """Each is made, or one finding says why not; what it says is read by people."""
    folder.write("specs/shop.yaml", text)
    started = time.process_time()
    project = folder.load()
    outcome = build(project)
    assert time.process_time() - started < 30
    found = list(project.diagnostics)
    assert [one.code for one in found] == codes
    assert (outcome.changes is None) == project.diagnostics.failed
    assert len(as_text(found, lambda path: text.split("\n"))) < 3_000 * max(1, len(found))


@pytest.mark.parametrize(
    "docstring",
    [
        "Say.\n\n    Args:\n        x: " + ":" * MB,
        "Say.\n\n    Args:\n        x (" + "(" * MB + "): hi",
        "Say.\n\n    Args:\n        x (" + "Optional[" * (MB // 9) + "): hi",
        "Say.\n\n    Args:\n        " + "*" * MB + "x: hi",
        "Say.\n\n    Args:\n" + "        x: hi\n" * (MB // 14),
        "Say.\n\n" + "    Args:\n" * (MB // 10),
        "Say.\n\n    Parameters\n    " + "-" * MB + "\n    x : int\n        hi",
        "Say.\n\n    Parameters\n    ----------\n    x : int\n        " + "hi " * (MB // 3),
        "Say.\n\n    :param" + " " * MB + "x: hi",
        "Say." + "\n" * MB + "    Args:\n        x: hi",
        "Say." + " " * MB + "\n    Args:\n        x: hi",
        "Say " + "`" * MB,
        "\\x00\\u202e\\ud800\\N{BELL}",
    ],
    ids=lambda text: text[:60].split("\n")[-1].strip()[:16],
)
def test_docstrings_of_1_mb(folder: Folder, docstring: str) -> None:
    """They are a stranger's: what they say is taken, or a warning, and never an error."""
    folder.write("specs/shop.yaml", TOOL)
    source = f'def look(x: int) -> int:\n    """{docstring}\n    """\n    return x\n'
    folder.write("app/shop.py", source)
    started = time.process_time()
    outcome, codes = folder.build()
    assert time.process_time() - started < 30
    assert outcome.changes is not None and set(codes) <= {"AIG414", "AIG803"}
    module = (folder.out / "shop.py").read_text(encoding="utf-8")
    ast.parse(module)
    assert not {"\0", "\u202e"} & set(module)


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
        pytest.param(
            {"specs/shop.pyi": DECLARED + "x = " + _within("1 + ", "1", "")}, "AIG510",
            marks=pytest.mark.skipif(sys.version_info >= (3, 14), reason="it reads that"),
        ),
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
