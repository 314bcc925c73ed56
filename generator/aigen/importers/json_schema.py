"""JSON Schema files: a type of the document itself, and types of its definitions."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

from aigen.diagnostics import Diagnostics, Span
from aigen.importers.apart import TooMuch
from aigen.importers.document import read_document
from aigen.importers.fields import Fields
from aigen.importers.foreign import Read, fitted, rewritten
from aigen.importers.names import Names, first_free
from aigen.importers.proof import proved
from aigen.resolve import ResolveContext
from aigen.resolve.json_shape import judge_shape
from aigen.resolve.shape_keywords import KEYWORDS
from aigen.resolve.shape_references import joined
from aigen.runtime.wire.plain import everything
from aigen.spec.nodes import Entry, Json, Mapping, Node, Scalar, Sequence, plain_value

_DEFINITIONS: Final = ("$defs", "definitions")
_SAYS_NOTHING: Final = frozenset(
    {*_DEFINITIONS, "$schema", "$id", "id", "$comment", "title", "description"}
)


def import_json_schema(path: Path, diagnostics: Diagnostics, *, closed: bool = False) -> str | None:
    """The spec of a JSON Schema file's types; arguments as of `mcp.import_mcp`."""
    document = read_document(path, diagnostics)
    read = None if document is None else _read(document, path, diagnostics)
    return None if read is None else _text(read, path, diagnostics, closed=closed)


def _read(document: Node, path: Path, diagnostics: Diagnostics) -> Read | None:
    """A JSON Schema that refers to itself only, read.

    Args:
        document: what stands in the file.
        path: of the file; references lead to files in its folder, and in folders of this.
        diagnostics: takes what is wrong.
    """
    if not isinstance(document, Mapping) and not (
        isinstance(document, Scalar) and isinstance(document.value, bool)
    ):
        diagnostics.report("AIG230", document.span, "a schema is a mapping, true or false")
        return None
    if isinstance(document, Mapping) and _is_other(document, diagnostics):
        return None
    before = len(diagnostics)
    schema = plain_value(document)
    whole: Node = document
    if isinstance(document, Mapping) and _names_files(schema):
        whole = _Bundle(path, document, diagnostics).whole()
    if len(diagnostics) > before and diagnostics.failed:
        return None
    schema = schema if whole is document else plain_value(whole)
    return fitted(whole, schema, diagnostics, words=("examples",))


def _is_other(document: Mapping, diagnostics: Diagnostics) -> bool:
    """Whether a document is clearly of another kind, which is reported."""
    entries = document.entries
    said = entries.get("openapi") or entries.get("swagger")
    if said is not None and ("paths" in entries or KEYWORDS.isdisjoint(entries)):
        wrong = "this is an OpenAPI document, and no JSON Schema"
        diagnostics.report("AIG230", said.key.span, wrong, hint="aigen import openapi")
        return True
    if not entries or not KEYWORDS.isdisjoint(entries):
        return False
    inner = (key for key, entry in entries.items() if _seems_schema(entry.value))
    under = next(inner, None)
    hint = f"put what stands under {under} into a file of its own" if under else None
    wrong = "this is no JSON Schema: none of its keys is a keyword"
    diagnostics.report("AIG230", document.span, wrong, hint=hint)
    return True


def _seems_schema(node: Node) -> bool:
    return isinstance(node, Mapping) and not {"type", "properties", "$ref"}.isdisjoint(node.entries)


def _text(read: Read, path: Path, diagnostics: Diagnostics, *, closed: bool) -> str | None:
    """The spec of a JSON Schema, as `aigen.importers.proof` proves it.

    Args:
        read: the schema.
        path: of its file.
        diagnostics: takes what is wrong, at its place in that file.
        closed: whether an object that says nothing of other members has none.
    """
    source = read.source
    spec = _spec(source.given, path, whole=False, closed=closed)
    same = (name for name, kind in spec["types"].items() if source.says(kind.get("json_shape")))
    known = dict.fromkeys(same, source)  # the proof judges it where it stands in its file
    if not known:
        judge_shape(source, _stem(path), "imported")
        if not read.tell(diagnostics):
            return None
    text = proved(
        lambda kept: _spec(source.given, path, whole=True, closed=closed) if kept else spec,
        read.node.span,
        diagnostics,
        context=ResolveContext(shapes=known),
    )
    return text if read.tell(diagnostics) else None


def _spec(schema: Any, path: Path, *, whole: bool, closed: bool) -> dict[str, Any]:
    """A spec that declares the types of a JSON Schema.

    Args:
        schema: as plain data.
        path: of its file.
        whole: whether it stays a JSON Schema.
        closed: whether an object that says nothing of other members has none.
    """
    root = schema if isinstance(schema, dict) else {}
    names = Names()
    title = root.get("title")
    name = names.of_type(title if title and len(title) < 40 else _stem(path))
    spec: dict[str, Any] = {"aigen": 1, "description": f"Types of {path.name}."}
    stays = {**spec, "types": {name: {"json_shape": schema}}}
    if whole or not isinstance(schema, dict):
        return stays
    try:
        return {**spec, "types": _types(root, names, name, closed=closed)}
    except TooMuch:
        return stays


def _types(root: dict[str, Any], names: Names, name: str, *, closed: bool) -> dict[str, Any]:
    """The types of a document and of its definitions, by name."""
    fields = Fields(root, names, name, closed=closed, itself=True)
    types: dict[str, Any] = {}
    alone = not any(root.get(word) for word in _DEFINITIONS)
    says = bool(root.keys() - _SAYS_NOTHING)
    if says or alone or fields.recursive:
        types[name] = fields.document()
        types[name].pop("default", None)
        types[name].pop("examples", None)
    if "json_shape" not in types.get(name, ()):
        # A schema that stays one holds what it needs.
        for word in _DEFINITIONS:
            for key in root.get(word, {}):
                fields.named(word, key)
        types.update(fields.types)
    return types


def _names_files(schema: Json) -> bool:
    """Whether a reference leads elsewhere than into the document, as far as its text says."""
    refs = (part.get("$ref") for part in everything(schema))
    return any(isinstance(ref, str) and not ref.startswith("#") for ref in refs)


def _stem(path: Path) -> str:
    return path.name.partition(".")[0] or "schema"


class _Bundle:
    """Brings what a schema refers to in the files beside it into its definitions."""

    def __init__(self, path: Path, root: Mapping, diagnostics: Diagnostics) -> None:
        self._folder = path.resolve().parent
        self._home = path.resolve()
        self._shown = path.parent
        self._root = root
        self._diagnostics = diagnostics
        self._files: dict[Path, Node | None] = {self._home: root}
        self._names: dict[tuple[Path, str], str] = {}
        self._added: dict[str, Entry] = {}
        self._ids: set[str] = set()
        self._bases: dict[Span, str] = {}
        self._note(root, "")
        held = root.entries.get("$defs")
        self._held = held.value.entries if held and isinstance(held.value, Mapping) else {}

    def whole(self) -> Mapping:
        """The schema with all it refers to."""
        found = rewritten(self._root, lambda schema: self._local(schema, self._home))
        if not self._added:
            return self._root
        assert isinstance(found, Mapping)
        place = found.span
        held = found.entries.get("$defs")
        inner = held.value.entries if held and isinstance(held.value, Mapping) else {}
        defs = Entry(
            Scalar("$defs", place, "$defs", False), Mapping({**inner, **self._added}, place)
        )
        return found._replace(entries={**found.entries, "$defs": defs})

    def _note(self, node: Node, base: str) -> None:
        """Notes what schemas call themselves, which is no file, and where references begin."""
        if isinstance(node, Sequence):
            for item in node.items:
                self._note(item, base)
        if not isinstance(node, Mapping):
            return
        for key in ("$id", "id"):
            entry = node.entries.get(key)
            if entry is not None and isinstance(entry.value, Scalar):
                base = joined(base, str(entry.value.value))
                self._ids.add(base)
        for key, entry in node.entries.items():
            if key == "$ref":
                self._bases[entry.value.span] = base
            self._note(entry.value, base)

    def _local(self, schema: Mapping, file: Path) -> Mapping:
        """A schema of a file, its reference as one of the whole."""
        entry = schema.entries.get("$ref")
        if entry is None or not isinstance(entry.value, Scalar):
            return schema
        ref = entry.value.value
        if not isinstance(ref, str) or "://" in ref or ref.startswith("urn:"):
            return schema
        name, _, fragment = ref.partition("#")
        base = self._bases.get(entry.value.span, "")
        if file == self._home and joined(base, name) in self._ids:
            return schema
        target = (file.parent / unquote(name)).resolve() if name else file
        if target == self._home:
            made = f"#{fragment}"
        else:
            found = self._brought(target, fragment, entry.value, ref)
            if found is None:
                return schema
            made = f"#/$defs/{found}"
        value = entry.value._replace(value=made, text=made)
        return schema._replace(entries={**schema.entries, "$ref": entry._replace(value=value)})

    def _brought(self, file: Path, fragment: str, at: Scalar, ref: str) -> str | None:
        """The name under `$defs` of a part of another file."""
        place = (file, fragment.rstrip("/"))
        if place in self._names:
            return self._names[place]
        root = self._read(file, at, ref)
        found = None if root is None else _pointed(root, fragment)
        if found is None:
            if root is not None:
                self._diagnostics.report("AIG231", at.span, f"$ref {ref} leads to nothing")
            return None
        last = unquote(fragment.rpartition("/")[2]).replace("~1", "/").replace("~0", "~")
        name = self._free(last or _stem(file))
        self._names[place] = name
        key = Scalar(name, at.span, name, False)
        self._added[name] = Entry(key, found)
        self._added[name] = Entry(key, rewritten(_bare(found), lambda s: self._local(s, file)))
        return name

    def _read(self, file: Path, at: Scalar, ref: str) -> Node | None:
        if file in self._files:
            return self._files[file]
        root = None
        if file.is_relative_to(self._folder):
            inside = self._shown / file.relative_to(self._folder)
            if file.is_file():
                root = read_document(inside, self._diagnostics)
            else:
                self._diagnostics.report("AIG231", at.span, f"$ref {ref}: there is no {inside}")
        else:
            self._diagnostics.report(
                "AIG231",
                at.span,
                f"$ref {ref} leads out of the folder of the schema",
                hint="put the file beside it",
            )
        self._files[file] = root
        return root

    def _free(self, wanted: str) -> str:
        name = "".join(char if char.isalnum() or char in "_-" else "_" for char in wanted)
        return first_free(
            name,
            lambda number: f"{name}_{number}",
            lambda tried: tried in self._held or tried in self._added,
        )


def _pointed(root: Node, fragment: str) -> Node | None:
    """What a JSON pointer leads to."""
    node: Node | None = root
    for step in fragment.split("/")[1:] if fragment.strip("/") else []:
        key = unquote(step).replace("~1", "/").replace("~0", "~")
        entry = node.entries.get(key) if isinstance(node, Mapping) else None
        if entry is None:
            return None
        node = entry.value
    return node


def _bare(node: Node) -> Node:
    """A schema without what belongs to the document that it came from."""
    if not isinstance(node, Mapping):
        return node
    gone = ("$schema", "$id", "id", *_DEFINITIONS)
    return node._replace(entries={k: e for k, e in node.entries.items() if k not in gone})


__all__ = ["import_json_schema"]
