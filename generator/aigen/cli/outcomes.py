"""Outcomes of tests: as text, JSON, and JUnit XML."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import Any
from xml.etree import ElementTree

from aigen.cli.testing import Outcome
from aigen.runtime.differences import Difference

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def as_text(outcomes: Sequence[Outcome]) -> str:
    """What failed, each with where and why, and one line of totals."""
    lines = []
    for one in outcomes:
        if one.kind != "passed":
            lines.append(f"{one.place}: {one.function}: {one.test}: {one.kind}")
            lines += [f"  {line}" for line in reasons(one)]
    return "\n".join([*lines, _totals(outcomes)])


def reasons(outcome: Outcome) -> list[str]:
    """Why a test did not pass, line by line."""
    lines = [line for found in outcome.differences for line in _lines(found)]
    return lines + outcome.message.splitlines()


def _lines(found: Difference) -> list[str]:
    if len(found.wanted) + len(found.found) < 60:
        return [f"{found.place}: expected {found.wanted}, got {found.found}"]
    # Long values stand one above the other, so that where they part is seen.
    return [f"{found.place}:", f"  expected {found.wanted}", f"  got      {found.found}"]


def _totals(outcomes: Sequence[Outcome]) -> str:
    if not outcomes:
        return "no tests: no function of the specs has any"
    counts = Counter[str](one.kind for one in outcomes)
    words = {"passed": "passed", "failed": "failed", "error": "could not run"}
    said = [f"{counts[kind]} {word}" for kind, word in words.items() if counts[kind]]
    return f"{len(outcomes)} test{'s' * (len(outcomes) != 1)}: {', '.join(said)}"


def as_json(outcomes: Sequence[Outcome]) -> str:
    """Counts, and every test with what came of it."""
    counts = Counter[str](one.kind for one in outcomes)
    data: dict[str, Any] = {kind: counts[kind] for kind in ("passed", "failed", "error")}
    data["tests"] = [
        {
            "function": one.function,
            "test": one.test,
            "place": one.place,
            "outcome": one.kind,
            "seconds": round(one.seconds, 3),
            "differences": [
                {"place": found.place, "expected": found.wanted, "got": found.found}
                for found in one.differences
            ],
            "message": one.message,
        }
        for one in outcomes
    ]
    return json.dumps(data, ensure_ascii=False, indent=2)


def as_junit(outcomes: Sequence[Outcome]) -> bytes:
    """JUnit XML, one suite a function."""
    root = ElementTree.Element("testsuites", _counted("aigen", outcomes))
    for function, group in groupby(outcomes, key=lambda one: one.function):
        several = list(group)
        suite = ElementTree.SubElement(root, "testsuite", _counted(function, several))
        for one in several:
            file, _, line = one.place.rpartition(":")
            case = ElementTree.SubElement(
                suite,
                "testcase",
                {
                    "classname": function,
                    "name": _clean(one.test),
                    "time": f"{one.seconds:.3f}",
                    "file": file,
                    "line": line,
                },
            )
            if one.kind != "passed":
                why = [_clean(line) for line in reasons(one)]
                word = "failure" if one.kind == "failed" else "error"
                said = ElementTree.SubElement(case, word, {"message": why[0] if why else word})
                said.text = "\n".join(why)
    ElementTree.indent(root)
    xml: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return xml + b"\n"


def _counted(name: str, outcomes: Sequence[Outcome]) -> dict[str, str]:
    counts = Counter[str](one.kind for one in outcomes)
    return {
        "name": name,
        "tests": str(len(outcomes)),
        "failures": str(counts["failed"]),
        "errors": str(counts["error"]),
        "time": f"{sum(one.seconds for one in outcomes):.3f}",
    }


def _clean(text: str) -> str:
    return _NOT_IN_XML.sub("\ufffd", text)
