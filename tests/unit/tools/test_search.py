"""Search of tools: BM25 as it is defined, over what tools say of themselves."""

from __future__ import annotations

import math
from typing import Any

import pytest
from aigen.runtime.tools.catalogue import BUDGET, catalogue, line
from aigen.runtime.tools.search import Index, words
from aigen.runtime.tools.tokens import tokens
from aigen.tooling import tool, toolbox
from hypothesis import given
from hypothesis import strategies as st

VOCABULARY = ["tax", "law", "order", "refund", "ship"]
TEXTS = st.lists(st.sampled_from(VOCABULARY), max_size=8).map(" ".join)


def definition(name: str, text: str = "", **more: Any) -> dict[str, Any]:
    return {"name": name, "module": "m", "description": text, "inputs": [], **more}


def bm25(documents: list[list[str]], query: list[str]) -> list[int]:
    """The positions by their scores, written out as the formula is: k1 1.2, b 0.75."""
    mean = sum(map(len, documents)) / len(documents)

    def score(document: list[str]) -> float:
        total = 0.0
        for word in query:
            holders = sum(word in each for each in documents)
            idf = math.log(1 + (len(documents) - holders + 0.5) / (holders + 0.5))
            count = document.count(word)
            length = 0.25 + 0.75 * len(document) / mean
            total += idf * count * 2.2 / (count + 1.2 * length)
        return total

    scores = [score(document) for document in documents]
    return sorted((at for at, found in enumerate(scores) if found), key=lambda at: -scores[at])


@given(st.lists(TEXTS, min_size=1, max_size=6), st.sets(st.sampled_from(VOCABULARY)))
def test_the_order_is_that_of_bm25(texts: list[str], query: set[str]) -> None:
    made = [definition("n", text) for text in texts]
    documents = [["n", "m", *text.split()] for text in texts]
    wanted = sorted(query)
    assert Index(made).search(" ".join(wanted), 100) == bm25(documents, wanted)


def test_k1_and_b_decide() -> None:
    # With other constants these change places.
    many = [definition("a", "tax " * 3 + "x " * 9), definition("b", "tax y z"), definition("c")]
    assert Index(many).search("tax") == [0, 1]
    long = [definition("a", "tax " * 2 + "x " * 14), definition("b", "tax"), definition("c")]
    assert Index(long).search("tax") == [1, 0]


@pytest.mark.parametrize(
    "word", ["findTrial", "find", "trial", "registry", "recruiting", "phase", "illness", "studies"]
)
def test_what_is_looked_through(word: str) -> None:
    field = {"name": "trial_phase", "shape": {"type": "string"}, "desc": "of the illness"}
    options = {"namespace": "studies.registry"}
    found = definition("findTrial", "Recruiting ones.", inputs=[field], options=options)
    assert Index([definition("other"), found]).search(word) == [1]


def test_what_the_caller_gives_is_not_looked_through() -> None:
    field = {"name": "database", "shape": {}}
    found = definition("a", inputs=[field], options={"inject": ["database"]})
    assert Index([found]).search("database") == []


def test_names_are_taken_apart() -> None:
    assert words("getUserName snake_case HTTPServer a-b") == [
        *("get", "user", "name", "snake", "case", "http", "server", "a", "b")
    ]
    found = [definition("refundOrder"), definition("order_refund")]
    assert Index(found).search("REFUND") == [0, 1]


def test_a_search_gives_eight() -> None:
    def look() -> None:
        """Look."""

    box = toolbox(*(tool(look, name=f"look_{at}") for at in range(12)))
    assert [each.definition["name"] for each in box.search("look")] == [
        f"look_{at}" for at in range(8)
    ]
    assert len(box.search("look", limit=10)) == 10
    assert box.search("look", limit=-1) == []


def test_a_catalogue_has_1500_tokens() -> None:
    made = [definition(f"tool_{at}", f"Says something of the number {at}.") for at in range(200)]
    assert BUDGET == 1500
    shown = catalogue(made)
    assert 1450 < tokens(shown, "code") <= 1500
    assert [text.partition("(")[0] for text in shown.split("\n")] == [
        f"m.tool_{at}" for at in range(200)
    ]
    assert shown.split("\n")[0] == line(made[0])  # descriptions go from the end
    described = [("#" in text) for text in shown.split("\n")]
    assert described == sorted(described, reverse=True) and not described[-1]
