"""An OpenAPI document: its version, and what its references lead to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple
from urllib.parse import unquote

from aigen.diagnostics import Diagnostics, Span, nearest
from aigen.importers.document import member
from aigen.resolve.words import quoted
from aigen.spec.nodes import Entry, Mapping, Node, Scalar, Sequence, plain_value

METHODS: Final = ("get", "head", "post", "put", "patch", "delete", "options")
_DEEPEST: Final = 20
_PATH: Final = re.compile(r"(?:[^{}]|\{[^{}]+\})*")
_VERSION: Final = re.compile(r"3\.\d+(\.\d+.*)?")


class Operation(NamedTuple):
    """One operation.

    Attributes:
        path: the template.
        item: the path's own entry, whose parameters and servers hold for all of its operations.
    """

    path: str
    method: str
    node: Mapping
    item: Mapping
    at: Scalar

    @property
    def name(self) -> str:
        """What it is called: its id, else its method and path."""
        said = plain_value(node) if (node := member(self.node, "operationId")) else None
        return said if isinstance(said, str) and said.strip() else f"{self.method} {self.path}"

    @property
    def tags(self) -> list[str]:
        """The groups that it is in."""
        found = plain_value(node) if (node := member(self.node, "tags")) else []
        return [tag for tag in found if isinstance(tag, str)] if isinstance(found, list) else []


class Document:
    """A document, and what is wrong with it.

    Attributes:
        root: the whole.
        old: whether its schemas are those of OpenAPI 3.0, which are no JSON Schemas.
    """

    def __init__(self, root: Mapping, diagnostics: Diagnostics) -> None:
        self.root = root
        self.diagnostics = diagnostics
        version = member(root, "openapi")
        self.old = version is not None and str(plain_value(version)).startswith("3.0")
        self._told: set[Span] = set()

    def operations(self) -> Iterator[Operation]:
        """All operations, in the order written."""
        paths = member(self.root, "paths")
        if paths is None:
            return
        if not isinstance(paths, Mapping):
            self.wrong(paths, "paths is a mapping of paths")
            return
        for path, entry in paths.entries.items():
            if path.startswith("x-"):
                continue
            item = self.resolved(entry.value)
            if not path.startswith("/") or not isinstance(item, Mapping):
                self.wrong(entry.key, f"{quoted(path)} is no path with its operations")
                continue
            if not _PATH.fullmatch(path):
                said = f"the braces of path {quoted(path)} do not close, or are doubled"
                self.wrong(entry.key, said, "write an argument as {name}")
                continue
            for method in METHODS:
                node = member(item, method)
                if isinstance(node, Mapping):
                    yield Operation(path, method, node, item, item.entries[method].key)
                elif node is not None:
                    self.wrong(node, f"{method} {path} is no operation, which is a mapping")

    def resolved(self, node: Node | None) -> Node | None:
        """What a node is once its references are followed; None where they lead nowhere."""
        for _ in range(_DEEPEST):
            ref = reference(node)
            if ref is None or node is None:
                return node
            node = self.target(ref)
        self.wrong(node, "references go in a circle")
        return None

    def target(self, ref: Scalar) -> Node | None:
        """What a reference leads to; None where that is nothing, which is reported once."""
        words = str(ref.value)
        if not words.startswith("#"):
            said = f"$ref {quoted(words)} leads out of the document"
            self.wrong(ref, said, "put all of it into one document; nothing is fetched", "AIG231")
            return None
        node: Node = self.root
        if not words.startswith("#/"):
            said = f"$ref {quoted(words)} is no place in the document: write #/components/…"
            self.wrong(ref, said, code="AIG231")
            return None
        for step in pointer(words):
            inner = _child(node, step)
            if inner is None:
                names = [*node.entries] if isinstance(node, Mapping) else []
                close = nearest(step, names)
                hint = f"did you mean {close}?" if close else None
                self.wrong(ref, f"$ref {quoted(words)} leads to nothing", hint, "AIG231")
                return None
            node = inner
        return node

    def wrong(
        self, node: Node | None, message: str, hint: str | None = None, code: str = "AIG121"
    ) -> None:
        """Reports a fault of the document, once a place."""
        span = self.root.span if node is None else node.span
        if span not in self._told:
            self._told.add(span)
            self.diagnostics.report(code, span, message, hint=hint)

    def items(self, node: Node, key: str) -> tuple[Node, ...]:
        """The items of a list, none where it is absent."""
        value = member(node, key)
        if value is None or isinstance(value, Sequence):
            return () if value is None else value.items
        self.wrong(value, f"{key} is a list")
        return ()

    def entries(self, node: Node, key: str) -> dict[str, Entry]:
        """The entries of a mapping, none where it is absent."""
        value = self.resolved(member(node, key))
        if value is None or isinstance(value, Mapping):
            return {} if value is None else value.entries
        self.wrong(value, f"{key} is a mapping")
        return {}

    def text(self, node: Node, key: str) -> str:
        """A text, empty where it is absent."""
        value = member(node, key)
        if value is None or (isinstance(value, Scalar) and isinstance(value.value, str)):
            return "" if value is None else str(value.value)
        self.wrong(value, f"{key} is a text")
        return ""


def opened(node: Node, diagnostics: Diagnostics) -> Document | None:
    """A document of a version that is read here; None where a finding says why not."""
    version = member(node, "openapi")
    if isinstance(node, Mapping) and version is not None:
        if _VERSION.fullmatch(str(plain_value(version))):
            return Document(node, diagnostics)
        span, said = version.span, f"this is OpenAPI {plain_value(version)}"
    else:
        swagger = member(node, "swagger")
        span = node.span if swagger is None else swagger.span
        said = "this is no OpenAPI document"
        said = said if swagger is None else f"this is Swagger {plain_value(swagger)}"
    hint = "OpenAPI 3.0 and 3.1 are read: openapi: 3.1.0; there are converters for Swagger 2"
    diagnostics.report("AIG121", span, said, hint=hint)
    return None


def reference(node: Node | None) -> Scalar | None:
    """The text of a node's `$ref`."""
    found = member(node, "$ref") if node is not None else None
    return found if isinstance(found, Scalar) and isinstance(found.value, str) else None


def pointer(ref: str) -> list[str]:
    """The steps of a reference within the document."""
    steps = ref.partition("#")[2].split("/")[1:]
    return [unquote(step).replace("~1", "/").replace("~0", "~") for step in steps]


def _child(node: Node, step: str) -> Node | None:
    if isinstance(node, Mapping):
        entry = node.entries.get(step)
        return None if entry is None else entry.value
    if isinstance(node, Sequence) and step.isdigit() and int(step) < len(node.items):
        return node.items[int(step)]
    return None


__all__ = ["METHODS", "Document", "Operation", "opened", "pointer", "reference"]
