"""Words, numbers and choices in text: what a model wrote in other letters, or in a sentence."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+", re.DOTALL)
_SENTENCE_END = re.compile(r"[.!?;](?=[\s\\\"'*`)\]]|\Z)|\n[^\S\n]*+\n|\n(?=[^\S\n]*+[-*#>•])")
_NEGATIONS = frozenset(
    (
        *("not", "no", "never", "neither", "nor", "none", "without", "except", "excluding"),
        *("unlike", "instead", "rather", "hardly", "wrong", "incorrect", "cannot", "far"),
        *("anything", "opposite", "if", "unless", "whether"),
        *("t", "isnt", "cant", "doesnt", "wasnt", "arent", "wont", "dont"),  # isn't: isn, t
        *("nicht", "kein", "keine", "nie", "ne", "pas", "jamais", "non", "nunca", "nao", "nem"),
        *("ni", "нет", "не"),
    )
)
"""Words that deny, or leave open; without accents."""
_MARKUP = "*_`\"'“”‘’«»()[]"
_LINK = re.compile(r"(?:[:=]|\b(?:is|are|equals))\s*\Z", re.IGNORECASE)

_CURRENCY = "$€£¥₹"
_NUMBER = re.compile(
    r"(?P<sign>[-+]?)(?:"
    r"(?P<grouped>\d{1,3}(?:,\d{3})+(?:\.\d+)?)"
    r"|(?P<under>\d+(?:_\d+)+(?:\.\d+)?)"
    r"|(?P<german>\d{1,3}(?:\.\d{3})+,\d+)"
    r"|(?P<plain>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?))"
)
_DIGITS = re.compile(r"[\d.,_/]*\d[\d.,_/]*")
_LONGEST = 400
"""Characters of a number; longer ones have no double."""


@lru_cache(maxsize=4096)
def folded(text: str) -> str:
    """A name without case, accents, punctuation and spaces."""
    return "".join(_words(text))


def _words(text: str) -> list[str]:
    plain = unicodedata.normalize("NFKD", text.casefold())
    if not plain.isascii():
        plain = "".join([mark for mark in plain if not unicodedata.combining(mark)])
    return _WORD.findall(plain)


def number(text: str) -> int | float | None:
    """The number that a text is: `1,200`, `$5.50`, `1_000`, `.5`, `12.` or JSON's own."""
    text = text.strip()
    if text[:1] in _CURRENCY or text[-1:] in _CURRENCY:
        text = text.strip(_CURRENCY + " ")
    if not text or len(text) > _LONGEST:
        return None
    found = _NUMBER.fullmatch(text)
    if found is None:
        return None
    digits = found["grouped"] or found["under"] or found["german"] or found["plain"]
    if found["german"]:
        digits = digits.replace(".", "").replace(",", ".")
    digits = found["sign"] + digits.replace(",", "").replace("_", "")
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        return None
    return int(digits) if digits.lstrip("+-").isdecimal() else value


def number_said(text: str) -> int | float | None:
    """The only number of a sentence that ends with it, as in "The total is **1,200**."."""
    text = text.strip().rstrip(".!" + _MARKUP)
    found = _DIGITS.search(text)
    if found is None or _DIGITS.search(text, found.end()) or found.end() != len(text):
        return None
    start = found.start()
    head = text[:start].rstrip()
    sign = ""
    if head[-1:] in ("-", "+", *_CURRENCY):
        head, sign = head[:-1].rstrip(), head[-1].strip(_CURRENCY)
    head = head.rstrip(_MARKUP + " ")
    if head and (not _LINK.search(head) or _negated(head)):
        return None
    return number(sign + found.group())


def _negated(text: str) -> bool:
    return not _NEGATIONS.isdisjoint(_words(text))


class Levels:
    """The levels of a choice, found in what a model wrote.

    Args:
        levels: texts.
        meanings: of levels, where they have one.
    """

    def __init__(self, levels: Sequence[str], meanings: Mapping[str, str]) -> None:
        self._levels = list(dict.fromkeys(levels))
        self._exact = frozenset(levels)
        self._folded = _by_key((folded(level), level) for level in self._levels)
        self._meant = _by_key(
            (key, level)
            for level, meaning in meanings.items()
            for key in {folded(meaning), folded(f"{level} {meaning}")}
        )
        # Where one level's words hold another's, the longer one stands there.
        self._cased = _by_words((tuple(_WORD.findall(level)), level) for level in self._levels)
        self._uncased = _by_words((tuple(_words(level)), level) for level in self._levels)

    def read(self, text: str) -> tuple[str, int, str] | None:
        """The level that a text is or names: the level, its cost, the repair.

        None where it names none, several, or one that it denies.
        """
        if text in self._exact:
            return text, 0, ""
        key = folded(text)
        for table, cost, repair in (
            (self._folded, 1, "choice matched by its letters"),
            (self._meant, 2, "choice matched by its meaning"),
        ):
            found = table.get(key) if key else None
            if found is not None:
                return (found, cost, repair) if found else None
        said = self._said(text)
        return (said, 3, "choice found in a sentence") if said is not None else None

    def _said(self, text: str) -> str | None:
        """The only level that sentences name, and that none of them denies or asks."""
        sentences = list(_sentences(text))
        for levels, split in ((self._cased, _WORD.findall), (self._uncased, _words)):
            named: set[str] = set()
            denied = False
            for at, sentence in enumerate(sentences):
                found, others = _named(split(sentence), levels, sentence)
                named |= found
                if found and (others or sentence.endswith("?")):
                    # What stands alone is the answer; `That is wrong.` is of the sentence before.
                    after = sentences[at + 1] if at + 1 < len(sentences) else ""
                    denied |= (
                        sentence.endswith("?") or _negated(" ".join(others)) or _negated(after)
                    )
            if named:
                return next(iter(named)) if len(named) == 1 and not denied else None
        return None


def _sentences(text: str) -> Iterator[str]:
    """The sentences of a text, each with the mark that ends it."""
    start = 0
    for mark in _SENTENCE_END.finditer(text):
        yield text[start : mark.end()].strip()
        start = mark.end()
    yield text[start:].strip()


def _by_key(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Levels by key; the empty text where several have one key."""
    found: dict[str, str] = {}
    for key, level in pairs:
        found[key] = level if found.get(key, level) == level else ""
    return found


def _by_words(
    pairs: Iterable[tuple[tuple[str, ...], str]],
) -> dict[str, list[tuple[tuple[str, ...], str]]]:
    """Levels by their first word, longest first."""
    found: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for words, level in pairs:
        if words:
            found.setdefault(words[0], []).append((words, level))
    for each in found.values():
        each.sort(key=lambda pair: -len(pair[0]))
    return found


def _named(
    words: Sequence[str], levels: Mapping[str, Sequence[tuple[tuple[str, ...], str]]], sentence: str
) -> tuple[set[str], list[str]]:
    """The levels that a sentence names, and its other words."""
    meant: dict[str, bool] = {}
    others, at = [], 0
    while at < len(words):
        for wanted, level in levels.get(words[at], ()):
            if tuple(words[at : at + len(wanted)]) == wanted:
                if level not in meant:
                    meant[level] = _stands_out(level, sentence)
                if meant[level]:
                    at += len(wanted)
                    break
        else:
            others.append(words[at])
            at += 1
    return {level for level, stands in meant.items() if stands}, others


def _stands_out(level: str, sentence: str) -> bool:
    """Whether a level of one letter or of digits is meant as one: `(A)`, `**B**`, `answer: 3`."""
    if len(folded(level)) > 1 and not level.isdecimal():
        return True
    shown, marks = re.escape(level), re.escape(_MARKUP)
    alone = rf"(?:\A|[{marks}]|[:=]\s?|\bis\s){shown}(?:\Z|[{marks}])"
    return re.search(alone, sentence.rstrip(".!;"), re.IGNORECASE) is not None
