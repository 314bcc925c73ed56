"""Search of tools: BM25 as it is defined, over what tools say of themselves."""

from __future__ import annotations

import math
from itertools import pairwise
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


def scores(
    documents: list[list[str]], query: list[str], k1: float = 1.2, b: float = 0.75
) -> list[float]:
    """BM25, written out as the formula is."""
    mean = sum(map(len, documents)) / len(documents)

    def score(document: list[str]) -> float:
        total = 0.0
        for word in query:
            holders = sum(word in each for each in documents)
            idf = math.log(1 + (len(documents) - holders + 0.5) / (holders + 0.5))
            count = document.count(word)
            length = 1 - b + b * len(document) / mean
            total += idf * count * (k1 + 1) / (count + k1 * length)
        return total

    return [score(document) for document in documents]


def ranked(found: list[float]) -> list[int]:
    return sorted((at for at, score in enumerate(found) if score), key=lambda at: -found[at])


@given(st.lists(TEXTS, min_size=1, max_size=6), st.sets(st.sampled_from(VOCABULARY)))
def test_the_order_is_that_of_bm25(texts: list[str], query: set[str]) -> None:
    documents = [["n", "m", *text.split()] for text in texts]
    wanted = scores(documents, sorted(query))
    found = Index([definition("n", text) for text in texts]).search(" ".join(sorted(query)), 100)
    assert sorted(found) == sorted(ranked(wanted))
    for first, second in pairwise(found):
        assert wanted[first] > wanted[second] - 1e-9
        if texts[first] == texts[second]:
            assert first < second  # equals stay in their order


@pytest.mark.parametrize(
    ("counts", "order", "other"),
    [
        ([(0, 1, 3), (1, 1, 6), (5, 0, 0)], [2, 1, 0], (1.15, 0.75)),
        ([(1, 1, 12), (2, 0, 1), (0, 2, 5)], [0, 1, 2], (1.25, 0.75)),
        ([(2, 0, 2), (1, 2, 12), (4, 1, 5)], [2, 1, 0], (1.2, 0.7)),
        ([(2, 4, 5), (3, 2, 10), (4, 4, 11)], [2, 0, 1], (1.2, 0.8)),
    ],
)
def test_k1_and_b_decide(
    counts: list[tuple[int, int, int]], order: list[int], other: tuple[float, float]
) -> None:
    """Texts whose places are others with a slightly smaller or larger constant."""
    texts = [f"{'tax ' * tax}{'law ' * law}{'more ' * more}" for tax, law, more in counts]
    documents = [["n", "m", *text.split()] for text in texts]
    query = ["law", "tax"]
    assert ranked(scores(documents, query)) == order
    assert ranked(scores(documents, query, *other)) != order
    assert Index([definition("n", text) for text in texts]).search("law tax") == order


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
