"""What every part of the reader shares: the file at hand, and checks of a node's kind."""

from __future__ import annotations

import contextlib
import math
import os
import posixpath
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from aigen.diagnostics import Diagnostics, Source, Span, nearest
from aigen.spec import places
from aigen.spec.advice import instead
from aigen.spec.keys import Keys
from aigen.spec.nodes import UNREAD, Entry, Mapping, Node, Scalar, Sequence
from aigen.spec.source import LARGEST_FILE, load
from aigen.spec.tree import Call, Text

MOST_TEXT = 64 * 1024 * 1024
"""Characters that all `$file` of one spec may give together, each reference counted."""

MOST_FOUND = 500
"""Findings in one file that are reported; a file of more is no spec."""


@dataclass(slots=True)
class Reading:
    """One spec file while it is read.

    Attributes:
        folder: of the spec file; what it names is looked up from there.
        root: of the specs; nothing outside it is read.
        reads: further files that were read, as absolute paths.
        spent: characters that `$file` gave, all references together.
        found: findings so far.
        lines: of the source, once they were needed.
        has_files: whether any value can be a `$file`; hardly any data has one.
    """

    source: Source
    folder: Path
    root: Path
    diagnostics: Diagnostics
    reads: list[str] = field(default_factory=list)
    spent: int = 0
    found: int = 0
    lines: list[str] = field(default_factory=list)
    has_files: bool = field(init=False)

    def __post_init__(self) -> None:
        self.has_files = "$file" in self.source.text

    def report(self, code: str, span: Span, message: str, hint: str | None = None) -> None:
        """Adds a finding, up to the number that anyone would mend at once."""
        if self.found < MOST_FOUND:
            self.found += 1
            self.diagnostics.report(code, span, message, hint=hint)

    def mapping(self, node: Node, what: str, keys: Keys | None = None) -> dict[str, Entry]:
        """The entries of a mapping; unknown keys are reported and left out.

        A node that is no mapping is reported and has no entries; null has none either.
        """
        if isinstance(node, Scalar) and node.value is None:
            return {}
        if not isinstance(node, Mapping):
            hint = "write key: … for each, without dashes" if isinstance(node, Sequence) else None
            self.wrong(node, f"{what} is a mapping", hint)
            return {}
        if keys is None or node.entries.keys() <= keys.keys():
            return node.entries
        return {
            name: entry for name, entry in node.entries.items() if self.known(entry, what, keys)
        }

    def known(self, entry: Entry, what: str, keys: Iterable[str]) -> bool:
        """Whether a key is one of these; reports the nearest one where it is not."""
        name = entry.key.text
        if name in keys:
            return True
        hint = instead(entry, keys) if self.found < MOST_FOUND else None
        self.report("AIG120", entry.key.span, f'{what} has no key "{name[:80]}"', hint)
        return False

    def text(self, node: Node, what: str) -> Text | None:
        """A text, or the text of the file that `{$file: path}` names."""
        file = file_of(node)
        if file is None:
            if isinstance(node, Mapping) and any(name[:1] == "$" for name in node.entries):
                self.wrong(node, f"{what} is a text", "a file's text is {$file: path}, alone")
                return None
            return self.word(node, what)
        found = self.file(file)
        return None if found is None else Text(found.text, node.span)

    def word(self, node: Node, what: str) -> Text | None:
        """A text that stands in the spec itself: a name, a type, a formula."""
        if isinstance(node, Scalar) and isinstance(node.value, str):
            return Text(node.value, node.span)
        hint = None
        if isinstance(node, Scalar) and node.plain and node.value is not None:
            hint = f'quote it: "{node.text[:40]}"'
        elif file_of(node) is not None:
            hint = "write it here: $file stands for words"
        self.wrong(node, f"{what} is a text", hint)
        return None

    def data(self, node: Node) -> Node:
        """A value with every `{$file: path}` in it replaced by the file's text."""
        return self._filled(node) if self.has_files else node

    def _filled(self, node: Node) -> Node:
        if isinstance(node, Scalar):
            return node
        if isinstance(node, Sequence):
            return Sequence(tuple(self._filled(item) for item in node.items), node.span)
        file = file_of(node)
        if file is not None:
            found = self.file(file)
            text = UNREAD if found is None else found.text
            return Scalar(text, node.span, text, False)
        entries = {
            name: entry._replace(value=self._filled(entry.value))
            for name, entry in node.entries.items()
        }
        return Mapping(entries, node.span)

    def file(self, node: Node) -> Source | None:
        """The text of a file under the root, without the line breaks at its end."""
        path = self.path(node)
        if path is None or not isinstance(node, Scalar):
            return None
        found = self.load(path, node, LARGEST_FILE)
        if found is None:
            return None
        self.spent += len(found.text)
        if self.spent > MOST_TEXT:
            wrong = f"files named here hold more than {MOST_TEXT // (1024 * 1024)} MB together"
            self.report("AIG103", node.span, wrong)
            return None
        return Source(found.path, found.text.rstrip("\n"))

    def load(self, path: Path, node: Scalar, limit: int) -> Source | None:
        """The text of a file that a spec names; what is wrong there says where it is named."""
        wrong = Diagnostics()
        found = load(path, self.shown(node), wrong, limit=limit)
        for one in wrong:
            self.diagnostics.add(replace(one, related=((node.span, "named here"),)))
        return found

    def _nearby(self, name: str) -> str:
        """What to write for a file that is not there: the same path from a folder further up."""
        for folder in self.folder.parents:
            if not folder.is_relative_to(self.root):
                break
            with contextlib.suppress(OSError, ValueError):
                if (folder / name).is_file():
                    meant = Path(os.path.relpath(folder / name, self.folder)).as_posix()
                    return f'did you mean "{meant}"?'
        return "a file is named from the folder of its spec, and lies under the specs' root"

    def path(self, node: Node) -> Path | None:
        """A file that a spec names, under the root, links followed; None with a finding."""
        if not (isinstance(node, Scalar) and isinstance(node.value, str) and node.value):
            self.wrong(node, "a file's path is a text")
            return None
        shown = node.value if len(node.value) < 80 else f"{node.value[:80]}…"
        if Path(node.value).is_absolute():
            hint = "write it relative to the spec"
            self.report("AIG123", node.span, f'"{shown}" is an absolute path', hint)
            return None
        try:
            named = self.folder / node.value
            path = named.resolve()
            inside = path.is_relative_to(self.root.resolve())
            size = path.stat().st_size if inside and path.is_file() else None
        except (OSError, ValueError, RuntimeError):
            inside, size = True, None
        if not inside:
            hint = "files that a spec names lie under its root"
            self.report(
                "AIG123", node.span, f'"{shown}" lies outside the folder of the specs', hint
            )
            return None
        if size is None:
            self.report(
                "AIG123", node.span, f'there is no file "{shown}"', self._nearby(node.value)
            )
            return None
        # Also by the names that lead to it: a link may come to lead elsewhere.
        self.reads += map(str, (named, os.path.normpath(named), path))
        return path

    def shown(self, node: Scalar) -> str:
        """The path of a file that a spec names, as messages show it."""
        return posixpath.normpath(posixpath.join(posixpath.dirname(self.source.path), node.text))

    def place(self, node: Node, text: str, start: int, end: int) -> Span:
        """The place of a part of a text that stands at `node`, or in the file that it names."""
        file = file_of(node)
        if isinstance(file, Scalar):
            return Source(self.shown(file), text).span(start, max(end, start + 1))
        if isinstance(node, Scalar):
            self.lines = self.lines or self.source.text.split("\n")
            return places.within_lines(self.lines, node, start, end)
        return node.span

    def flag(self, node: Node, what: str) -> bool | None:
        """True or false."""
        if isinstance(node, Scalar) and isinstance(node.value, bool):
            return node.value
        hint = None
        if isinstance(node, Scalar) and node.text.lower() in ("yes", "no", "on", "off"):
            hint = f"write {'true' if node.text.lower() in ('yes', 'on') else 'false'}"
        self.wrong(node, f"{what} is true or false", hint)
        return None

    def number(self, node: Node, what: str, *, whole: bool = False) -> bool:
        """Whether a node is a finite number (a whole one of 0 or more); reports where not."""
        if isinstance(node, Scalar) and not isinstance(node.value, (str, bool, type(None))):
            value = node.value
            if _finite(value) and (not whole or (value >= 0 and value == int(value))):
                return True
        self.wrong(
            node, f"{what} is a whole number of 0 or more" if whole else f"{what} is a number"
        )
        return False

    def flag_or_text(self, node: Node, what: str) -> str | bool:
        """True, false or a text."""
        if isinstance(node, Scalar) and isinstance(node.value, (str, bool)):
            return node.value
        self.wrong(node, f"{what} is true, false or a text")
        return False

    def texts(self, node: Node, what: str) -> tuple[Text, ...]:
        """One text or a list of texts."""
        items = node.items if isinstance(node, Sequence) else (node,)
        found = (self.text(item, what) for item in items)
        return tuple(text for text in found if text is not None)

    def callable(self, node: Node, what: str) -> Text | None:
        """`pkg.mod:func`."""
        text = self.word(node, what)
        if text is None:
            return None
        module, _, name = text.value.partition(":")
        if all(part.isidentifier() for part in [*module.split("."), *name.split(".")]):
            return text
        hint = "write pkg.mod:func"
        if ":" not in text.value and "." in text.value:
            head, _, tail = text.value.rpartition(".")
            hint = f"write {head}:{tail}"
        self.report("AIG127", text.span, f'"{text.value}" names no callable', hint)
        return None

    def callables(self, node: Node, what: str) -> tuple[Text, ...]:
        """One callable or a list of them."""
        items = node.items if isinstance(node, Sequence) else (node,)
        found = (self.callable(item, what) for item in items)
        return tuple(text for text in found if text is not None)

    def call(self, node: Node) -> Call | None:
        """The callable of `{$call: pkg.mod:func}`, or None where the node is something else."""
        if not (isinstance(node, Mapping) and "$call" in node.entries):
            return None
        if len(node.entries) > 1:
            self.report("AIG127", node.span, "beside $call stands nothing else")
        target = self.callable(node.entries["$call"].value, "$call")
        return None if target is None else Call(target, node.span)

    def wrong(self, node: Node, wanted: str, hint: str | None = None) -> None:
        """Reports that a node is of another kind than wanted."""
        self.report("AIG121", node.span, f"{wanted}, not {kind_of(node)}", hint)


def file_of(node: Node) -> Node | None:
    """What `{$file: …}` names, or None where the node is something else."""
    if isinstance(node, Mapping) and "$file" in node.entries and len(node.entries) == 1:
        return node.entries["$file"].value
    return None


def misspelt(node: Node, wanted: tuple[str, ...], keys: Keys) -> bool:
    """Whether one of these keys is there but misspelt, which `mapping` has reported."""
    if not isinstance(node, Mapping):
        return False
    unknown = [name for name in node.entries if name not in keys]
    return any(nearest(name, keys) in wanted for name in unknown[:MOST_FOUND])


def _finite(value: float) -> bool:
    return not isinstance(value, float) or math.isfinite(value)


def kind_of(node: Node) -> str:
    """What a node is, for messages."""
    if isinstance(node, Mapping):
        return "a mapping"
    if isinstance(node, Sequence):
        return "a list"
    if node.value is None:
        return "nothing"
    if isinstance(node.value, bool):
        return f"the truth value {node.text}"
    if isinstance(node.value, (int, float)):
        return f"the number {node.text[:40]}"
    return f'the text "{node.text[:40]}"'
