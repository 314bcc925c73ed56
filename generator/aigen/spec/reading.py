"""What every part of the reader shares: the file at hand, and checks of a node's kind."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from aigen.diagnostics import Diagnostics, Source, Span, nearest
from aigen.spec.keys import Keys
from aigen.spec.nodes import Entry, Mapping, Node, Scalar, Sequence
from aigen.spec.source import LARGEST_FILE, load
from aigen.spec.tree import Call, Text


@dataclass(slots=True)
class Reading:
    """One spec file while it is read.

    Attributes:
        folder: of the spec file; what it names is looked up from there.
        root: of the specs; nothing outside it is read.
        reads: further files that were read, as absolute paths.
    """

    source: Source
    folder: Path
    root: Path
    diagnostics: Diagnostics
    reads: list[str] = field(default_factory=list)

    def report(self, code: str, span: Span, message: str, hint: str | None = None) -> None:
        """Adds a finding."""
        self.diagnostics.report(code, span, message, hint=hint)

    def mapping(self, node: Node, what: str, keys: Keys | None = None) -> dict[str, Entry]:
        """The entries of a mapping; unknown keys are reported and left out.

        A node that is no mapping is reported and has no entries; null has none either.
        """
        if isinstance(node, Scalar) and node.value is None:
            return {}
        if not isinstance(node, Mapping):
            self.wrong(node, f"{what} is a mapping")
            return {}
        if keys is None:
            return node.entries
        return {
            name: entry for name, entry in node.entries.items() if self.known(entry, what, keys)
        }

    def known(self, entry: Entry, what: str, keys: Iterable[str]) -> bool:
        """Whether a key is one of these; reports the nearest one where it is not."""
        name = entry.key.text
        if name in keys:
            return True
        close = nearest(name, keys)
        hint = f'did you mean "{close}"?' if close else f"known here: {', '.join(keys)}"
        if name == "<<":
            hint = "merge keys are not read: write the keys"
        self.report("AIG120", entry.key.span, f'{what} has no key "{name}"', hint)
        return False

    def text(self, node: Node, what: str) -> Text | None:
        """A text, or the text of the file that `{$file: path}` names."""
        if isinstance(node, Scalar) and isinstance(node.value, str):
            return Text(node.value, node.span)
        if isinstance(node, Mapping) and list(node.entries) == ["$file"]:
            return self.file(node.entries["$file"].value)
        hint = None
        if isinstance(node, Scalar) and node.plain and node.value is not None:
            hint = f'quote it: "{node.text}"'
        self.wrong(node, f"{what} is a text", hint)
        return None

    def file(self, node: Node) -> Text | None:
        """The text of a file under the root."""
        path = self.path(node)
        if path is None:
            return None
        found = load(path, str(node.text if isinstance(node, Scalar) else path), self.diagnostics)
        return None if found is None else Text(found.text.strip("\n"), node.span)

    def path(self, node: Node) -> Path | None:
        """A file that a spec names, under the root, links followed; None with a finding."""
        if not (isinstance(node, Scalar) and isinstance(node.value, str) and node.value):
            self.wrong(node, "a file's path is a text")
            return None
        try:
            path = (self.folder / node.value).resolve()
            inside = path.is_relative_to(self.root.resolve())
            exists = inside and path.is_file()
        except (OSError, ValueError, RuntimeError):
            inside, exists = True, False
        if not inside:
            self.report(
                "AIG123",
                node.span,
                f'"{node.value}" lies outside the folder of the specs',
                "files that a spec names lie under its root",
            )
            return None
        if not exists:
            self.report("AIG123", node.span, f'there is no file "{node.value}"')
            return None
        if path.stat().st_size > LARGEST_FILE:
            self.report("AIG103", node.span, f'"{node.value}" is larger than 16 MB')
            return None
        self.reads.append(str(path))
        return path

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
        if isinstance(node, Scalar) and isinstance(node.value, (int, float)):
            value = node.value
            fits = not whole or (value >= 0 and value == int(value)) if _finite(value) else False
            if fits:
                return True
        self.wrong(node, f"{what} is a whole number" if whole else f"{what} is a number")
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
        text = self.text(node, what)
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


def _finite(value: float) -> bool:
    return not isinstance(value, bool) and math.isfinite(value)


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
