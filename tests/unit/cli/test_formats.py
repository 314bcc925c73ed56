from __future__ import annotations

import json

from aigen.diagnostics import Diagnostic, Span, formats


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
