"""`aigen test`: recorded answers, live ones, what failed and how it is said."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from servers import Seen, Server, Step, completion, status

SPEC = """\
aigen: 1
functions:
  judge:
    formula: score + why ~ text
    description: Judge the text.
    fields:
      score: {type: int, ge: 0, le: 10}
    tests:
      - name: good
        inputs: {text: A fine day}
        expect: {score: 9}
      - name: bad
        inputs: {text: "Rain \\u0001"}
        expect: {score: 1, why: "It rains & pours."}
        check: rules:polite
  shout:
    formula: loud ~ text
    description: Shout.
    tests:
      - inputs: {text: hi}
        expect: {loud: HI}
  quiet:
    formula: soft ~ text
    description: Whisper.
"""
RULES = """\
def polite(inputs, outputs):
    return "please" in outputs["why"] or f"no please for {inputs['text'][:4]}"
"""


@pytest.fixture
def specs(here: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    import sys

    from aigen.runtime import callables

    (here / "specs").mkdir()
    (here / "aigen.toml").write_text('specs = ["specs"]\nout = "ai"\npython_path = ["src"]\n')
    (here / "specs" / "desk.yaml").write_text(SPEC)
    (here / "src").mkdir()
    (here / "src" / "rules.py").write_text(RULES)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-test-0123456789")
    monkeypatch.setattr(sys, "path", [*sys.path])
    callables.imported.cache_clear()
    yield here
    for name in ("rules", "rules_of_bills", *(each for each in sys.modules if each[:3] == "ai.")):
        sys.modules.pop(name, None)
    sys.modules.pop("ai", None)


@pytest.fixture
def answers(serve: Callable[..., Server], monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the model says, by a word of the request."""
    said: dict[str, Any] = {
        "A fine day": {"score": 9, "why": "please do"},
        "Rain": {"score": 1, "why": "It rains & pours."},
        "hi": "HI",
    }

    def answer(seen: Seen) -> Step:
        asked = seen.body["messages"][-1]["content"]
        value = next(value for word, value in said.items() if word in asked)
        if isinstance(value, Step):
            return value
        return completion(value if isinstance(value, str) else json.dumps(value))

    server = serve(answer)
    said["server"] = server
    monkeypatch.setenv("AIGEN_MODEL", "m")
    monkeypatch.setenv("AIGEN_BASE_URL", server.url)
    return said


def test_live_then_recorded(aigen: Any, specs: Path, answers: dict[str, Any]) -> None:
    answers["Rain"] = {"score": 1, "why": "It rains & pours."}
    ran = aigen("test", "--live")
    assert ran.code == 1
    assert ran.out.splitlines() == [
        "specs/desk.yaml:12: desk.judge: bad: failed",
        "  no please for Rain",
        "3 tests: 2 passed, 1 failed",
    ]
    files = sorted(file.name for file in (specs / "recordings").iterdir())
    assert files == ["desk.judge.yaml", "desk.shout.yaml"]
    assert "sk-of-the-test" not in (specs / "recordings" / "desk.judge.yaml").read_text()
    sent = len(answers["server"].requests)
    assert aigen("test").out == ran.out
    assert aigen("test", "shout").out == "1 test: 1 passed\n"
    assert aigen("test", "desk.shout", "shout").code == 0
    assert len(answers["server"].requests) == sent == 3


def test_recorded_needs_no_model_and_no_key(
    aigen: Any, specs: Path, answers: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    aigen("test", "--live")
    for name in ("AIGEN_MODEL", "AIGEN_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name)
    assert aigen("test").out.endswith("3 tests: 2 passed, 1 failed\n")


def test_what_is_not_recorded(aigen: Any, specs: Path, answers: dict[str, Any]) -> None:
    ran = aigen("test", "shout")
    assert (ran.code, ran.out.splitlines()) == (
        1,
        [
            "specs/desk.yaml:20: desk.shout: 1: error",
            "  nothing is recorded for it: run aigen test --live",
            "1 test: 1 could not run",
        ],
    )
    assert not answers["server"].requests
    aigen("test", "shout", "--live")
    text = (specs / "specs" / "desk.yaml").read_text()
    (specs / "specs" / "desk.yaml").write_text(text.replace("Shout.", "Shout it."))
    ran = aigen("test", "shout")
    assert ran.code == 1
    assert "the nearest, number 1, differs:" in ran.out
    assert "Shout it." in ran.out
    assert "record it anew: aigen test --live" in ran.out


def test_differences_are_shown(aigen: Any, specs: Path, answers: dict[str, Any]) -> None:
    answers["A fine day"] = {"score": 3, "why": "x"}
    long = "It pours and pours, and nobody knows when it will ever end."
    answers["Rain"] = {"score": 1, "why": f"please {long}"}
    lines = aigen("test", "judge", "--live").out.splitlines()
    assert lines == [
        "specs/desk.yaml:9: desk.judge: good: failed",
        "  score: expected 9, got 3",
        "specs/desk.yaml:12: desk.judge: bad: failed",
        "  why:",
        '    expected "It rains & pours."',
        f'    got      "please {long}"',
        "2 tests: 2 failed",
    ]


def test_json_and_junit(aigen: Any, specs: Path, answers: dict[str, Any]) -> None:
    answers["hi"] = status(404, "no such model \x01")
    ran = aigen("test", "--live", "--format", "json", "--junit", "reports/out.xml")
    assert ran.code == 1
    data = json.loads(ran.out)
    assert {key: data[key] for key in ("passed", "failed", "error")} == {
        "passed": 1,
        "failed": 1,
        "error": 1,
    }
    good, bad, loud = data["tests"]
    assert good["outcome"] == "passed" and good["seconds"] > 0
    assert (bad["message"], bad["place"]) == ("no please for Rain", "specs/desk.yaml:12")
    assert "no such model" in loud["message"]
    root = ElementTree.parse(specs / "reports" / "out.xml").getroot()
    assert root.attrib["tests"] == "3" and root.attrib["errors"] == "1"
    cases = {case.attrib["name"]: case for case in root.iter("testcase")}
    assert set(cases) == {"good", "bad", "1"}
    assert len(cases["good"]) == 0
    failure = cases["bad"].find("failure")
    assert failure is not None and failure.attrib["message"] == "no please for Rain"
    assert cases["1"].find("error") is not None
    assert cases["bad"].attrib["classname"] == "desk.judge"
    assert cases["bad"].attrib["file"] == "specs/desk.yaml"


def test_another_model(aigen: Any, specs: Path, answers: dict[str, Any]) -> None:
    assert aigen("test", "shout", "--live", "--model", "other").code == 0
    assert answers["server"].requests[0].body["model"] == "other"


def test_another_folder(aigen: Any, specs: Path, answers: dict[str, Any]) -> None:
    aigen("test", "shout", "--live", "--recordings", "tests/data")
    assert (specs / "tests" / "data" / "desk.shout.yaml").exists()
    assert aigen("test", "shout", "--recordings", "tests/data").code == 0


def test_wrong_use(aigen: Any, specs: Path) -> None:
    assert aigen("test", "quiet").code == 2
    ran = aigen("test", "shot")
    assert ran.code == 2 and 'did you mean "shout"?' in ran.err
    (specs / "recordings").mkdir()
    (specs / "recordings" / "desk.shout.yaml").write_text("nonsense: [")
    ran = aigen("test", "shout")
    assert ran.code == 1 and "cannot be read" in ran.out


def test_a_check_that_fails_itself(aigen: Any, specs: Path, answers: dict[str, Any]) -> None:
    (specs / "src" / "rules.py").write_text("def polite(inputs, outputs):\n    return 3\n")
    ran = aigen("test", "judge", "--live")
    assert ran.code == 1
    assert "the check rules:polite gave int" in ran.out


def test_a_check_that_cannot_be_imported(aigen: Any, specs: Path, answers: dict[str, Any]) -> None:
    """The answer is not to blame, so the test could not run."""
    (specs / "src" / "rules.py").write_text(f"import none_such\n\n\n{RULES}")
    ran = aigen("test", "judge", "--live")
    assert ran.code == 1 and ran.out.endswith("2 tests: 1 passed, 1 could not run\n")
    assert "none_such" in ran.out


def test_no_tests(aigen: Any, project: Path) -> None:
    ran = aigen("test")
    assert (ran.code, ran.out) == (0, "no tests: no function of the specs has any\n")


def test_errors_of_the_specs_come_first(aigen: Any, specs: Path) -> None:
    text = (specs / "specs" / "desk.yaml").read_text()
    (specs / "specs" / "desk.yaml").write_text(text.replace("{score: 9}", "{scor: 9}"))
    ran = aigen("test")
    assert ran.code == 1
    assert "AIG313" in ran.err


def test_levels_of_a_choice_that_a_call_gives(
    aigen: Any, specs: Path, answers: dict[str, Any]
) -> None:
    (specs / "specs" / "label.yaml").write_text(
        "aigen: 1\nfunctions:\n  label:\n    formula: kind ~ text\n    description: Sort it.\n"
        "    fields: {kind: {choice: {$given: kinds}}}\n    tests:\n"
        "      - {inputs: {text: money back, kinds: [refund, praise]}, expect: {kind: refund}}\n"
    )
    answers["money back"] = {"result": "refund"}
    assert aigen("test", "label", "--live").code == 0
    ran = aigen("test", "label")
    assert (ran.code, ran.out) == (0, "1 test: 1 passed\n")


@pytest.mark.parametrize(
    ("judged", "said"),
    [
        ('outputs["loud"]', "raised KeyError: 'loud'; the only output is called result"),
        ("outputs.result", "no attribute 'result'; outputs are taken by their names: outputs[\"re"),
        ("1 / 0", "raised ZeroDivisionError: division by zero\n"),
    ],
)
def test_a_check_that_takes_the_answer_for_another(
    aigen: Any, specs: Path, answers: dict[str, Any], judged: str, said: str
) -> None:
    (specs / "src" / "rules.py").write_text(f"def polite(inputs, outputs):\n    return {judged}\n")
    text = (specs / "specs" / "desk.yaml").read_text()
    text = text.replace("expect: {loud: HI}", "check: rules:polite")
    (specs / "specs" / "desk.yaml").write_text(text)
    ran = aigen("test", "shout", "--live")
    assert ran.code == 1 and said in ran.out


def test_a_folder_that_is_given_begins_at_the_current_one(
    aigen: Callable[..., Any],
    specs: Path,
    answers: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As a shell completes it; the default is the project's, wherever the command runs."""
    (specs / "tests").mkdir()
    monkeypatch.chdir(specs / "tests")
    assert aigen("test", "shout", "--live", "--recordings", "data").code == 0
    assert (specs / "tests" / "data" / "desk.shout.yaml").is_file()
    assert aigen("test", "shout", "--live").code == 0
    assert (specs / "recordings" / "desk.shout.yaml").is_file()


CHECKED = """\
aigen: 1
functions:
  bill:
    formula: total + lines ~ text
    description: Read the bill.
    fields:
      total: {record: {amount: float, due: date}}
      lines: {list: {record: {sku: str}, name: Line}}
    check: rules_of_bills:adds_up
    tests:
      - inputs: {text: one}
        expect: {lines: [{sku: A}]}
"""
RULES_OF_BILLS = """\
from datetime import date

def adds_up(inputs, outputs):
    total = outputs["total"]
    assert type(total.due) is date and inputs == {"text": "one"}
    return True if [line.sku for line in outputs["lines"]] == ["A"] else "no such line"
"""


def test_a_check_is_given_what_a_program_gives_it(
    aigen: Any, specs: Path, answers: dict[str, Any]
) -> None:
    """The objects of the built module; plain JSON where that is of another spec, or not there."""
    spec = specs / "specs" / "bills.yaml"
    spec.write_text(CHECKED)
    (specs / "src" / "rules_of_bills.py").write_text(RULES_OF_BILLS)
    answers["one"] = {"total": {"amount": 2.5, "due": "2026-01-02"}, "lines": [{"sku": "A"}]}
    ran = aigen("test", "bill", "--live")
    assert ran.code == 1 and "records are dictionaries" in ran.out
    assert aigen("build").code == 0
    ran = aigen("test", "bill", "--live")
    assert (ran.code, ran.out) == (0, "1 test: 1 passed\n")
    spec.write_text(CHECKED.replace("Read the bill", "Read this bill"))
    ran = aigen("test", "bill", "--live")
    assert ran.code == 1 and "where the module is not built: aigen build" in ran.out
