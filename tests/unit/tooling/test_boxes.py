from __future__ import annotations

from typing import Any, Literal

import pytest
from aigen.runtime.errors import ConfigurationError
from aigen.runtime.tools.catalogue import catalogue, first_sentence, line
from aigen.runtime.tools.search import Index, words
from aigen.runtime.tools.tokens import tokens
from aigen.tooling import add_docs, check, register, tool, toolbox
from pydantic import BaseModel


class Trial(BaseModel):
    id: str


def search(
    condition: str,  # the illness
    phase: Literal["1", "2", "3"] = "2",
    limit: int = 10,
) -> list[Trial]:
    """Search recruiting trials. Slowly."""
    return []


def refund_order(order: str, reason: str | None = None) -> None:
    """Give the money back."""


def getUserName(id: int) -> str:
    """Look somebody up."""
    return ""


def test_the_line_of_the_catalogue() -> None:
    assert line(tool(search, namespace="trials").definition) == (
        'trials.search(condition: str, phase: Literal["1", "2", "3"] = "2", limit: int = 10)'
        " -> list[Trial]  # Search recruiting trials."
    )


def test_a_line_of_ones_own_and_odd_orders() -> None:
    own = tool(search, signature="search(text)  # by\nwords").definition
    assert line(own) == line(own, described=False) == "search(text)  # by words"
    plain = tool(search, namespace="n").definition
    assert catalogue([own, plain]) == f"search(text)  # by words\n{line(plain)}"

    def f(a: int = 1, *, b: str) -> None: ...

    assert line(tool(f, namespace="n").definition) == "n.f(a: int = 1, *, b: str) -> None"


def test_the_budget_takes_descriptions_from_the_end_and_never_names() -> None:
    made = [tool(each, namespace="n").definition for each in (search, refund_order, getUserName)]
    full = catalogue(made, 10_000)
    assert full.count("#") == 3
    less = catalogue(made, tokens(full, "code") - 1)
    assert [("#" in each) for each in less.split("\n")] == [True, True, False]
    lines = [line(each, described=False) for each in made]
    bare = tokens("\n".join(lines), "code")
    assert catalogue(made, bare).split("\n") == lines
    assert catalogue(made, bare - 1).split("\n") == [*lines[:2], "n.getUserName(id)"]
    assert catalogue(made, 1).split("\n") == ["n.search", "n.refund_order", "n.getUserName"]
    assert catalogue([]) == ""


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("One. Two.", "One."),
        ("One\nline. Two", "One line."),
        ("Version 1.5 is new. Yes", "Version 1.5 is new."),
        ("No stop\n\nmore", "No stop"),
        ("", ""),
    ],
)
def test_the_first_sentence(text: str, first: str) -> None:
    assert first_sentence(text) == first


def test_words() -> None:
    assert words("getUserName HTTPServer snake_case v2 Größe") == [
        *("get", "user", "name", "http", "server", "snake", "case", "v2", "grösse"),
    ]
    assert words("退款") == ["退", "款"]


def test_search() -> None:
    box = toolbox(search, refund_order, getUserName)
    assert [each.__name__ for each in box.search("user")] == ["getUserName"]
    assert [each.__name__ for each in box.search("illness")] == ["search"]
    assert [each.__name__ for each in box.search("money for an ORDER")] == ["refund_order"]
    assert box.search("nothing like it") == []
    assert box.search("user", limit=0) == []


def test_scores_are_bm25() -> None:
    def definition(name: str, text: str) -> dict[str, Any]:
        return {"name": name, "module": "m", "description": text, "inputs": []}

    made = [definition("a", "tax tax tax"), definition("b", "tax"), definition("c", "law")]
    index = Index(made)
    assert index.search("tax law") == [2, 0, 1]  # the rarer word counts more
    assert index.search("tax") == [0, 1]
    equal = Index([definition("a", "x"), definition("b", "x"), definition("c", "x")])
    assert equal.search("x") == [0, 1, 2]
    assert equal.search("x", 2) == [0, 1]


def test_help() -> None:
    box = toolbox(tool(search, namespace="trials", guidelines=["Ask for the phase."]))
    assert box.help("search") == (
        'trials.search(condition: str, phase: Literal["1", "2", "3"] = "2", limit: int = 10)'
        " -> list[Trial]\n\n"
        "Search recruiting trials. Slowly.\n\n"
        "Arguments:\n"
        "  condition: the illness\n"
        "  phase: (no words)\n"
        "  limit: (no words)\n\n"
        "- Ask for the phase."
    )
    with pytest.raises(ConfigurationError, match="no tool serch; did you mean search"):
        box.help("serch")
    assert (len(box), [*box], repr(box)) == (1, [box["search"]], "<toolbox of 1: search>")


def test_names_in_a_box() -> None:
    box = toolbox(tool(search, namespace="a"), tool(search, namespace="b"))
    assert box["a__search"].definition["options"]["namespace"] == "a"
    with pytest.raises(ConfigurationError, match="two tools have it"):
        toolbox(search, search)


def test_the_registry() -> None:
    assert len(toolbox()) == 0
    made = tool(search)
    unregister = register(made)
    try:
        assert toolbox()["search"] is made
        register(made)  # the same again
        with pytest.raises(ConfigurationError, match="registered already"):
            register(tool(search))
    finally:
        unregister()
    unregister()
    assert len(toolbox()) == 0


def test_a_sound_tool_has_no_findings() -> None:
    assert check(search) == ()
    assert check(tool(search, strict=True, examples=[{"condition": "flu"}])) == ()


def _undescribed(x: int) -> None: ...


def _open(x: dict[str, Any]) -> None:
    """Take anything.

    Args:
        y: nothing
    """


def _deep(x: list[list[list[list[list[int]]]]]) -> None:
    """Take what is deep."""


@pytest.mark.parametrize(
    ("make", "ids"),
    [
        (lambda: _undescribed, ["AIG414"]),
        (lambda: tool(search, description="word " * 350), ["AIG414"] + ["AIG603"] * 2),
        (lambda: tool(search, description="word " * 500, exposure="code"), []),
        (lambda: tool(search, examples=[{"phase": "9"}, {"condition": 1, "x": 2}]), ["AIG408"] * 2),
        (lambda: tool(search, examples=[{"condition": "flu " * 3000}]), ["AIG415"]),
        (lambda: tool(_open, strict=True), ["AIG601"] * 3 + ["AIG409"]),
        (lambda: _implemented(lambda: None), ["AIG410"] * 3),
        (lambda: _implemented(lambda condition, phase, limit, more: None), ["AIG410"]),
    ],
)
def test_findings(make: Any, ids: list[str]) -> None:
    found = check(make())
    assert [each.id for each in found] == ids
    assert all(str(each).startswith(f"{each.severity}[{each.id}]: ") for each in found)


def test_findings_of_a_dialect() -> None:
    strict = tool(search, strict=True)
    assert [each.id for each in check(strict, ["gemini"])] == ["AIG601"]
    (deep,) = check(_deep, ["gemini"])
    assert (deep.id, deep.severity) == ("AIG605", "warning")
    with pytest.raises(ConfigurationError, match="no dialect 'x'"):
        check(strict, ["x"])


def test_a_finding_is_as_grave_as_in_a_spec() -> None:
    from aigen.diagnostics import all_rules

    long = tool(search, description="word " * 350, strict=True, examples=[{"phase": "9"}])
    found = [*check(long), *check(_deep, ["gemini"]), *check(tool(_open, strict=True))]
    assert {each.id for each in found} >= {"AIG408", "AIG414", "AIG601", "AIG603", "AIG605"}
    assert all(each.severity == all_rules()[each.id].severity for each in found)


def _implemented(func: Any) -> Any:
    made = tool(search)
    made.implement(func)
    return made


def test_docs_of_no_parameter() -> None:
    def f(x: int) -> None:
        """Do it."""

    with pytest.warns(UserWarning, match="the docs name y, which is no parameter"):
        add_docs(f, {"arguments": {"y": {"description": "no"}}})
    assert [each.id for each in check(f)] == ["AIG409"]
