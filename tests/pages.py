"""The pages of the documentation: their snippets, run in order as one project.

A comment before a snippet says what cannot be seen of it; readers do not see the comment:

- `<!-- file: specs/support.yaml -->` (or a first line `# specs/support.yaml`): it is this file.
- `<!-- replies: [...] -->`: what the scripted model says to the Python that follows, in order.
- `<!-- served: [...] -->`: the same from a server on loopback, for what must see real traffic.
- `<!-- part of: app/ai/support.py -->`: it stands in this generated file, piece by piece.
- `<!-- prints -->`: what the snippet before it has printed.

Python without replies is run on `AIGEN_MODEL=sample`; a shell's lines are run one by one, and lines
that begin with `$` are followed by what they print.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGES = {
    path.relative_to(ROOT).as_posix(): path
    for path in (
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        *sorted((ROOT / "docs").glob("*.md")),
    )
}
_SNIPPET = re.compile(
    r"((?:^<!-- [^\n]* -->\n)*)^(?P<fence>```+) ?(?P<language>\w*)(?P<more>[^\n]*)\n"
    r"(?P<text>.*?)^(?P=fence)$",
    re.MULTILINE | re.DOTALL,
)
_COMMENT = re.compile(r"<!-- ([\w ]+)(?:: (.*?))? -->")
_PATH = re.compile(r"# ([\w./-]+\.(?:yaml|py|pyi|toml|md|jinja))\n")
_TABLE = re.compile(r"(<!-- table: ([\w ]+) -->\n)((?:\|[^\n]*\n)*)")


@dataclass(frozen=True)
class Snippet:
    """A block of code in a page.

    Attributes:
        line: of its first line in the page.
        language: `python`, `yaml`, `sh`, …
        more: what stands behind the language.
        said: what the comments before it say, by their first words.
    """

    line: int
    language: str
    more: str
    text: str
    said: Mapping[str, str]

    @property
    def file(self) -> str | None:
        """The path that it is the text of; None where it is not a file."""
        first = _PATH.match(self.text)
        return self.said.get("file") or (first[1] if first else None)

    @property
    def replies(self) -> list[Any] | None:
        """What a scripted model says."""
        return json.loads(self.said["replies"]) if "replies" in self.said else None


def snippets(page: str) -> Iterator[Snippet]:
    """The snippets of a page, in order."""
    text = PAGES[page].read_text(encoding="utf-8")
    for found in _SNIPPET.finditer(text):
        said = {name: words or "" for name, words in _COMMENT.findall(found[1])}
        line = text.count("\n", 0, found.start("text")) + 1
        yield Snippet(line, found["language"], found["more"].strip(), found["text"], said)


def tables(page: str) -> dict[str, str]:
    """The tables of a page that are made, by name."""
    text = PAGES[page].read_text(encoding="utf-8")
    return {name: table for _, name, table in _TABLE.findall(text)}


def write_tables(page: str, made: Mapping[str, str]) -> None:
    """Puts tables in their places in a page."""
    text = PAGES[page].read_text(encoding="utf-8")
    PAGES[page].write_text(
        _TABLE.sub(lambda found: found[1] + made[found[2]], text), encoding="utf-8"
    )


def table(head: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> str:
    """A table in Markdown."""
    lines = [head, ("---",) * len(head), *rows]
    return "".join(f"| {' | '.join(cell or ' ' for cell in line)} |\n" for line in lines)
