"""Estimates of tokens, and what keeps within a budget of them."""

from __future__ import annotations

import math

import pytest
from aigen.runtime.tools.printing import OUTPUT_TOKENS, printed
from aigen.runtime.tools.tokens import Kind, cut, tokens


@pytest.mark.parametrize(
    ("kind", "characters"), [("prose", 4.36), ("code", 3.24), ("json", 2.9), ("error", 2.98)]
)
def test_ascii_by_its_kind(kind: Kind, characters: float) -> None:
    for length in (0, 1, 29, 1000, 99_991):
        assert tokens("x" * length, kind) == math.ceil(length / characters)


@pytest.mark.parametrize("text", ["退款", "カナ", "환불", "！", "\U00020bb7"])
def test_cjk(text: str) -> None:
    assert tokens(text * 1000) == math.ceil(0.848 * len(text) * 1000)


@pytest.mark.parametrize("text", ["é", "Ж", "λ", "😀", "ع"])
def test_other_scripts(text: str) -> None:
    assert tokens(text * 1000) == math.ceil(0.35 * 1000)


def test_a_mixture_is_the_sum_rounded_up_once() -> None:
    text = "order 退款 für Ж"
    assert tokens(text) == math.ceil(10 / 4.36 + 0.848 * 2 + 0.35 * 2) == 5
    assert tokens(text, "json") == math.ceil(10 / 2.9 + 0.848 * 2 + 0.35 * 2) == 6


def test_what_is_cut_keeps_40_percent_of_its_head_and_60_of_its_tail() -> None:
    text = "".join(chr(ord("a") + at % 26) for at in range(10_000))
    head, notice, tail = cut(text, 500).split("\n")
    kept = int(10_000 * 500 / tokens(text))
    assert (len(head), len(tail)) == (kept * 2 // 5, kept - kept * 2 // 5)
    assert text.startswith(head) and text.endswith(tail)
    assert notice == f"[… {10_000 - kept:,} of 10,000 characters left out …]"
    assert cut(text, tokens(text)) == text


def test_a_result_has_4000_tokens_where_its_tool_says_none() -> None:
    assert OUTPUT_TOKENS == 4000
    fits = "x" * int(4000 * 4.36)
    assert printed(fits) == fits
    assert "left out" in printed(fits + "xx")
    rows = ["x" * 90] * 130  # what is no text is JSON, of which a token is shorter
    assert "left out" in printed(rows)
    assert printed(rows, 5000).startswith('["xxx')
    assert "left out" not in printed(rows, 5000)
