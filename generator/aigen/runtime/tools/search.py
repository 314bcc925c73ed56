"""Finding tools by words: BM25 over what tools say of themselves; 4-tools, *Exposure*."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from aigen.runtime.tools.catalogue import namespace, offered_inputs

K1: Final = 1.2
B: Final = 0.75
LIMIT: Final = 8

_CASES = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORDS = re.compile("[\u2e80-\u9fff\uac00-\ud7af]|[^\\W_\u2e80-\u9fff\uac00-\ud7af]+")
"""A word; scripts that write none between them are searched by character."""


class Index:
    """Tools that can be searched.

    Args:
        definitions: of the tools, in the order they are declared.
    """

    def __init__(self, definitions: Sequence[Mapping[str, Any]]) -> None:
        self._counts = [Counter(words(_text(each))) for each in definitions]
        self._lengths = [count.total() for count in self._counts]
        self._mean = sum(self._lengths) / max(len(self._lengths), 1) or 1.0
        self._found_in = Counter(word for count in self._counts for word in count)

    def search(self, query: str, limit: int = LIMIT) -> list[int]:
        """The positions of the tools that fit best, the best first; equals in their order.

        Args:
            query: words.
            limit: how many at most.
        """
        wanted = dict.fromkeys(words(query))
        scores = [self._score(at, wanted) for at in range(len(self._counts))]
        found = sorted((at for at, score in enumerate(scores) if score), key=lambda at: -scores[at])
        return found[: max(limit, 0)]

    def _score(self, at: int, wanted: Mapping[str, None]) -> float:
        count, length = self._counts[at], self._lengths[at]
        norm = K1 * (1 - B + B * length / self._mean)
        return sum(
            self._weight(word) * count[word] * (K1 + 1) / (count[word] + norm)
            for word in wanted
            if word in count
        )

    def _weight(self, word: str) -> float:
        """How much a word says: the fewer tools have it, the more."""
        holders = self._found_in[word]
        return math.log(1 + (len(self._counts) - holders + 0.5) / (holders + 0.5))


def words(text: str) -> list[str]:
    """The words of a text in lower case, names in `camelCase` and `snake_case` taken apart."""
    return [word.casefold() for word in _WORDS.findall(_CASES.sub(" ", text))]


def _text(definition: Mapping[str, Any]) -> str:
    parts = [definition["name"], namespace(definition), definition["description"]]
    for field in offered_inputs(definition):
        parts += [field["name"], field.get("desc", "")]
    return " ".join(parts)
