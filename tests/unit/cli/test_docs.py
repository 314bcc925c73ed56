"""`aigen docs get` and `add`: a function's documentation, read and not run."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

SOURCE = '''\
import sys
from typing import Literal

sys.exit("it was run")


class Desk:
    @staticmethod
    def look(
        order: str,
        kind: Literal["a", "b"] = "b",  # which one
        count: int | None = None,
    ) -> list[str]:
        return []


def untyped(x):
    """Say it."""
'''

DOCS = {
    "name": "look",
    "description": "",
    "arguments": {
        "order": {"type": "string"},
        "kind": {"description": "which one", "type": "match.arg", "default_value": ["b", "a"]},
        "count": {"type": "integer | None", "default_value": None},
    },
    "return": {},
}


@pytest.fixture
def app(here: Path) -> Path:
    (here / "aigen.toml").write_text('specs = ["specs"]\nout = "ai"\npython_path = ["src"]\n')
    (here / "src").mkdir()
    path = here / "src" / "app.py"
    path.write_bytes(SOURCE.replace("\n", "\r\n").encode())
    return path


def test_get(aigen: Callable[..., Any], app: Path) -> None:
    ran = aigen("docs", "get", "app:Desk.look")
    assert (ran.code, ran.err) == (0, "")
    assert yaml.safe_load(ran.out) == DOCS
    assert json.loads(aigen("docs", "get", "app:Desk.look", "--json").out) == DOCS


def test_a_parameter_without_a_type_is_told(aigen: Callable[..., Any], app: Path) -> None:
    ran = aigen("docs", "get", "app:untyped")
    assert yaml.safe_load(ran.out)["description"] == "Say it."
    assert (ran.code, ran.err.startswith("warning[AIG411]: ")) == (0, True)


def test_names_of_no_parameter_are_told(aigen: Callable[..., Any], app: Path, here: Path) -> None:
    (here / "docs.yaml").write_text("arguments: {ordr: {description: x}}\n")
    ran = aigen("docs", "add", "app:Desk.look", "docs.yaml")
    assert (ran.code, "ordr" in ran.out) == (0, True)
    assert ran.err == "aigen: ordr is no parameter of app:Desk.look; did you mean order?\n"


@pytest.mark.parametrize("text", ["", "# nothing\n", "null\n"])
def test_docs_that_say_nothing(aigen: Callable[..., Any], app: Path, here: Path, text: str) -> None:
    (here / "docs.yaml").write_text(text)
    ran = aigen("docs", "add", "app:Desk.look", "docs.yaml")
    assert (ran.code, ran.err, "docs: {}" in ran.out) == (0, "", True)


def test_add_prints_an_entry_that_builds(aigen: Callable[..., Any], app: Path, here: Path) -> None:
    (here / "docs.yaml").write_text("arguments: {order: {description: its number}}\n")
    ran = aigen("docs", "add", "app:Desk.look", "docs.yaml")
    assert ran.code == 0
    (here / "specs").mkdir()
    (here / "specs" / "desk.yaml").write_text(f"aigen: 1\n{ran.out}")
    shown = json.loads(aigen("schema", "look", "--dialect", "mcp").out)
    assert shown["inputSchema"]["properties"]["order"]["description"] == "its number"


def test_write_source(aigen: Callable[..., Any], app: Path, here: Path) -> None:
    docs = {**DOCS, "description": "Look it up.", "return": {"description": "its lines"}}
    docs["arguments"] = {**DOCS["arguments"], "order": {"description": "its number"}}  # type: ignore[dict-item]
    (here / "docs.json").write_text(json.dumps(docs))
    app.chmod(0o640)
    ran = aigen("docs", "add", "app:Desk.look", "docs.json", "--write-source")
    assert (ran.code, ran.out) == (0, "src/app.py\n")
    wanted = (
        SOURCE.replace("order: str,\n", "order: str,  # its number\n")
        .replace("-> list[str]:\n", '-> list[str]:  # its lines\n        """Look it up."""\n')
        .replace("\n", "\r\n")
    )
    assert app.read_bytes() == wanted.encode()
    assert app.stat().st_mode & 0o777 == 0o640
    assert [each.name for each in app.parent.iterdir()] == ["app.py"]
    got = yaml.safe_load(aigen("docs", "get", "app:Desk.look").out)
    assert got["arguments"]["order"] == {"description": "its number", "type": "string"}
    assert got["return"] == {"description": "its lines"}


@pytest.mark.parametrize(
    ("docs", "words"),
    [
        ("arguments: {ordr: {description: x}}", "takes no ordr; it takes order, kind, count"),
        ("arguments: {order: {type: integer}}", "the type of order stands in the signature"),
        ("name: seek", "rename the function yourself"),
        ("arguments: {order: {description: ' '}}", "the words of order are empty"),
    ],
)
def test_what_cannot_be_written(
    aigen: Callable[..., Any], app: Path, here: Path, docs: str, words: str
) -> None:
    (here / "docs.yaml").write_text(docs)
    before = app.read_bytes()
    ran = aigen("docs", "add", "app:Desk.look", "docs.yaml", "--write-source")
    assert ran.code == 1
    assert words in ran.err
    assert app.read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("get", "app"), 2, "write pkg.mod:func"),
        (("get", "app:Desk.lok"), 1, "AIG413"),
        (("get", "none:f"), 1, "AIG413"),
        (("add", "app:Desk.look", "none.yaml"), 2, "none.yaml"),
        (("add", "app:Desk.look", "bad.yaml"), 1, "bad.yaml:2:1: error[AIG105]: not YAML: "),
        (("add", "app:Desk.look", "deep.yaml"), 1, "AIG108"),
        (("add", "app:Desk.look", "lone.yaml", "--write-source"), 1, "AIG105"),
        (("add", "app:Desk.look", "large.yaml"), 1, "large.yaml is larger than 4 MB"),
        (("add", "app:Desk.look", "odd.yaml"), 2, "did you mean arguments"),
        (("add", "app:Desk.look", "list.yaml"), 2, "the docs"),
    ],
)
def test_wrong_use(
    aigen: Callable[..., Any], app: Path, here: Path, arguments: Any, code: int, words: str
) -> None:
    (here / "bad.yaml").write_text("a: [")
    (here / "odd.yaml").write_text("argumnts: {}")
    (here / "list.yaml").write_text("[]")
    (here / "deep.yaml").write_text("[" * 10_000)
    (here / "lone.yaml").write_text(r'description: "\ud800"')
    (here / "large.yaml").write_text("#" * (4 << 20) + "\n")
    ran = aigen("docs", *arguments)
    assert ran.code == code
    assert words in ran.err
    assert "Traceback" not in ran.err


def test_docs_from_standard_input(
    aigen: Callable[..., Any], app: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = io.TextIOWrapper(io.BytesIO(b"description: Looks it up.\n"))
    monkeypatch.setattr("sys.stdin", given)
    ran = aigen("docs", "add", "app:Desk.look", "-")
    assert ran.code == 0 and "description: Looks it up." in ran.out
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"a: [")))
    ran = aigen("docs", "add", "app:Desk.look", "-")
    assert ran.code == 1 and ran.err.startswith("standard input:2:1: error[AIG105]")
    monkeypatch.setattr("sys.stdin", None)  # as Python has it where it is closed
    ran = aigen("docs", "add", "app:Desk.look", "-")
    assert ran.code == 2 and ran.err.endswith("Error: -: standard input is closed\n")
