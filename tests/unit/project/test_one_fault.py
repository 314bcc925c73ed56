"""One fault is one message: what cannot be read is missed nowhere else."""

from __future__ import annotations

import pytest
from aigen.building import build
from projects import Folder

OTHER = """\
aigen: 1
functions:
  answer:
    formula: reply ~ question + line
    description: Answer the question from the line of the order.
    fields: {line: "list[shop.Line]"}
    tools: [shop.refund, shop.lookup]
"""


@pytest.mark.parametrize(
    ("spec", "codes"),
    [
        ("aigen: 1\ntypes: [\n", ["AIG105"]),
        ("", ["AIG104"]),
        ("aigen: 7\n", ["AIG114"]),
        ("aigen: 1\ntypes: {Line: {record: {a: int}, list: int}}\ntools: {lookup: 3}\n"
         "functions: {refund: {formula: a ~~ b}}\n", ["AIG131", "AIG134", "AIG121"]),
        ("aigen: 1\ntypes: {Line: 7}\ntools: {lookup: [x]}\nfunctions: {refund: {}}\n",
         ["AIG121", "AIG121", "AIG130"]),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_no_unknown_name(
    folder: Folder, spec: str, codes: list[str]
) -> None:
    folder.write("specs/shop.yaml", spec)
    folder.write("specs/other.yaml", OTHER)
    _, found = folder.build("specs/shop.yaml", "specs/other.yaml")
    assert sorted(found) == sorted(codes)


def test_what_is_not_there_is_told(folder: Folder) -> None:
    folder.write("specs/shop.yaml", "aigen: 1\ntypes: {Lines: int}\nfunctions: {refunds: {}}\n")
    folder.write("specs/other.yaml", OTHER)
    _, found = folder.build()
    assert sorted(found) == ["AIG130", "AIG201", "AIG306", "AIG306"]


def test_a_function_of_ones_own_that_cannot_be_read(folder: Folder) -> None:
    folder.write(
        "specs/shop.yaml",
        "aigen: 1\nfunctions:\n  a: {formula: x ~ y, description: Say it, tools: [b]}\n  b: {}\n",
    )
    _, found = folder.build()
    assert found == ["AIG130"]


def test_lint_says_nothing_of_what_could_not_be_read(folder: Folder) -> None:
    words = "{formula: r ~ x, description: {$file: no.md}, demos: no.csv}"
    folder.write(
        "specs/shop.yaml",
        f"aigen: 1\nfunctions:\n  a: {words}\n  b: {words}\n  c: {{formula: r ~ x}}\n",
    )
    _, found = folder.build()
    assert sorted(found) == [*["AIG123"] * 4, "AIG808"]


@pytest.mark.parametrize("data", [b"\xff", bytes(17 << 20)], ids=["encoding", "size"])
def test_a_named_file_that_cannot_be_read_is_told_once(folder: Folder, data: bytes) -> None:
    folder.write("specs/words.md", data)
    folder.write(
        "specs/shop.yaml",
        "aigen: 1\nfunctions:\n  a: {formula: r ~ x, description: {$file: words.md}}\n",
    )
    project = folder.load()
    build(project)
    (found,) = project.diagnostics
    assert found.span is not None and found.span.path == "specs/words.md"
    ((named, _),) = found.related
    assert named[:3] == ("specs/shop.yaml", 3, 44)
