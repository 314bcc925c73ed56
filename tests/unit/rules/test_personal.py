from __future__ import annotations

import json
from pathlib import Path

import pytest
from aigen.project import Project

SPEC = "aigen: 1\nfunctions:\n  mood:\n    formula: mood ~ review\n    demos: [{}]\n"


def messages(folder: Path, review: str) -> list[str]:
    (folder / "specs").mkdir()
    demo = json.dumps({"review": review, "mood": "happy"})
    (folder / "specs" / "spec.yaml").write_text(SPEC.replace("{}", demo))
    project = Project.load(folder)
    project.program(project.specs()[0])
    assert {found.code for found in project.diagnostics} <= {"AIG812"}
    return [found.message for found in project.diagnostics]


@pytest.mark.parametrize(
    ("review", "what"),
    [
        ("Write to j.doe+shop@mail.acme.co.uk.", "an e-mail address"),
        ("Call +31 6 12345678 today", "a phone number"),
        ("Call +442079460000.", "a phone number"),
        ("Call (415) 867-5309.", "a phone number"),
        ("Paid with 4539 1488 0343 6467.", "a card number"),
        ("Paid with 379354508162306", "a card number"),
        ("Refund to NL39 RABO 0300 0652 64", "a bank account"),
        ("BE68539007547034 IS MY ACCOUNT", "a bank account"),
    ],
)
def test_what_looks_like_somebodys_is_found_and_not_quoted(
    tmp_path: Path, review: str, what: str
) -> None:
    (message,) = messages(tmp_path, review)
    assert message == f"a demo of mood holds what looks like {what} in review"


@pytest.mark.parametrize(
    "review",
    [
        "Write to jane@example.com, help@shop.example or me@localhost.test.",
        "Order A-1001 of 2024-05-13 cost 1,234.50 and came at 10:30.",
        "The part is 4539 1488 0343 6468.",
        "The part is 5000 0000 0000 0009.",
        "Version 1.2.3.4, id 550e8400-e29b-41d4-a716-446655440000.",
        "Test card 4242 4242 4242 4242, test account DE89 3704 0044 0532 0130 00.",
        "Call +1 202 555 0123 or 202-555-0199.",
        "NL39 RABO 0300 0652 65 is no account.",
        "SKU AB12CDEF3456GHIJ is sold out; 1234567890123456 too.",
        "It is +5 degrees, +100 points and 3-2-1 go.",
        "Follow @jane and see a@b.",
        "The picture is img/icon@2x.png.",
        "NL39RABO030006526 is too short.",
    ],
)
def test_what_is_made_up_is_left_alone(tmp_path: Path, review: str) -> None:
    assert messages(tmp_path, review) == []


def test_names_of_a_table_are_looked_at(tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    text = SPEC.replace("{}", "{review: {jane.doe@gmail.com: 1}, mood: happy}")
    text += "    fields: {review: 'dict[str, int]'}\n"
    (tmp_path / "specs" / "spec.yaml").write_text(text)
    project = Project.load(tmp_path)
    project.program(project.specs()[0])
    assert [found.code for found in project.diagnostics] == ["AIG812"]
