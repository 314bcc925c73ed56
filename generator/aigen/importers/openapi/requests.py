"""An operation as a tool: its arguments, where each goes, and what comes back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from aigen.importers.document import member
from aigen.importers.names import first_free
from aigen.importers.openapi.document import Document, Operation
from aigen.importers.openapi.schemas import Schemas
from aigen.resolve.http_tools import FRAMING, STYLES
from aigen.runtime.tools.http.bodies import FORM, PARTS, is_json
from aigen.runtime.tools.http.styles import USUAL
from aigen.spec.nodes import Entry, Mapping, Node, Scalar, Sequence, plain_value

_OWN_HEADERS: Final = frozenset({"accept", "content-type", "authorization"}) | FRAMING
"""Headers that OpenAPI describes elsewhere (3.1, *Parameter Object*), and the connection's."""

_LONGEST: Final = 64


class Argument(NamedTuple):
    """One argument of a tool.

    Attributes:
        name: as the tool has it.
        schema: of its values, in JSON Schema's words.
        place: where it goes, as `http` has it.
    """

    name: str
    schema: Node
    place: Any
    required: bool


class Request(NamedTuple):
    """What an operation sends.

    Attributes:
        http: the keys of `http` that are its own.
    """

    arguments: list[Argument]
    http: dict[str, Any]


class Requests:
    """Reads the requests and answers of operations."""

    def __init__(self, document: Document, schemas: Schemas) -> None:
        self._document = document
        self._schemas = schemas

    def of(self, operation: Operation) -> Request:
        """What an operation sends."""
        method = operation.method.upper()
        http: dict[str, Any] = {} if method == "GET" else {"method": method}
        http["path"] = operation.path
        arguments: list[Argument] = []
        taken: set[str] = set()
        for node in self._parameters(operation):
            argument = self._argument(node, taken)
            if argument is not None:
                arguments.append(argument)
                taken.add(argument.name)
        self._undeclared(operation, arguments)
        body = self._body(operation, {each.name for each in arguments}, http)
        if body is not None:
            arguments.append(body)
        if arguments:
            http["parameters"] = {each.name: each.place for each in arguments}
        return Request(arguments, http)

    # ------------------------------------------------------------------------ parameters

    def _parameters(self, operation: Operation) -> Iterator[Mapping]:
        """An operation's parameters, and those of its path that it does not have itself."""
        found: dict[tuple[str, str], Mapping] = {}
        for home in (operation.item, operation.node):
            for item in self._document.items(home, "parameters"):
                node = self._document.resolved(item)
                if not isinstance(node, Mapping):
                    if node is not None:
                        self._document.wrong(node, "this is no parameter, which is a mapping")
                    continue
                place, name = self._document.text(node, "in"), self._document.text(node, "name")
                if place not in USUAL or not name:
                    self._document.wrong(node, "a parameter has a name, and is in path, query,"
                                         " header or cookie")  # fmt: skip
                    continue
                found[place, name] = node
        for (place, name), node in found.items():
            if place != "header" or name.lower() not in _OWN_HEADERS:
                yield node

    def _argument(self, node: Mapping, taken: set[str]) -> Argument | None:
        place, name = self._document.text(node, "in"), self._document.text(node, "name")
        schema, style = self._schema_of(node)
        where: dict[str, Any] = {"in": place}
        called = _free(name, place, taken)
        if called != name:
            where["name"] = name
        style = style or self._style(node, place)
        if style != USUAL[place]:
            where["style"] = style
        flag = member(node, "explode")
        explode = style == "form" if flag is None else plain_value(flag) is True
        if explode != (style == "form") and style != "deepObject":
            where["explode"] = explode
        if place == "query" and _is_true(node, "allowReserved"):
            where["allow_reserved"] = True
        needed = place == "path" or _is_true(node, "required")
        said = self._document.text(node, "description")
        described = _with_words(schema, said, node, deprecated=_is_true(node, "deprecated"))
        return Argument(called, described, place if len(where) == 1 else where, needed)

    def _style(self, node: Mapping, place: str) -> str:
        written = self._document.text(node, "style") or USUAL[place]
        if written in STYLES[place]:
            return written
        said = f"what is in {place} has no style {written}, so it is {USUAL[place]}"
        self._document.diagnostics.report("AIG140", node.entries["style"].value.span, said)
        return USUAL[place]

    def _schema_of(self, node: Mapping) -> tuple[Node, str | None]:
        """A parameter's schema, and the style `json` where it is written so."""
        schema = member(node, "schema")
        style = None
        content = self._document.entries(node, "content")
        if schema is None and content:
            kind, entry = next(iter(content.items()))
            media = self._document.resolved(entry.value)
            schema = None if media is None else member(media, "schema")
            style = "json" if is_json(kind) else None
        if schema is None:
            return _text_schema(node), style
        return self._schemas.of(schema, request=True), style

    def _undeclared(self, operation: Operation, arguments: list[Argument]) -> None:
        """Adds what the path names and no parameter describes: a text."""
        declared = {
            arg.name if isinstance(arg.place, str) else arg.place.get("name", arg.name)
            for arg in arguments
            if (arg.place if isinstance(arg.place, str) else arg.place["in"]) == "path"
        }
        wanted = re.findall(r"\{([^{}]+)\}", operation.path)
        for name in dict.fromkeys(wanted):
            if name not in declared:
                taken = {arg.name for arg in arguments}
                called = _free(name, "path", taken)
                place = "path" if called == name else {"in": "path", "name": name}
                arguments.append(Argument(called, _text_schema(operation.at), place, True))
        for argument in [*arguments]:
            place = argument.place if isinstance(argument.place, dict) else {"in": argument.place}
            if place["in"] == "path" and place.get("name", argument.name) not in wanted:
                arguments.remove(argument)
                self._document.diagnostics.report(
                    "AIG140",
                    argument.schema.span,
                    f"{operation.path} has no {{{place.get('name', argument.name)}}}, so this"
                    " parameter is left out",
                )

    # ------------------------------------------------------------------------------ body

    def _body(self, operation: Operation, taken: set[str], http: dict[str, Any]) -> Argument | None:
        node = self._document.resolved(member(operation.node, "requestBody"))
        content = {} if node is None else self._document.entries(node, "content")
        if node is None or not content:
            return None
        kind = min(content, key=_rank)
        media = self._document.resolved(content[kind].value)
        if media is None:
            return None
        if kind != "application/json":
            http["content"] = kind if "*" not in kind else "application/octet-stream"
        found = member(media, "schema")
        schema: Node = Mapping({}, node.span) if found is None else found
        if not is_json(kind) and _base(kind) not in (FORM, PARTS):
            schema = _text_schema(schema)
        encoding = self._encoding(media, schema, kind)
        if encoding:
            http["encoding"] = encoding
        made = self._schemas.of(schema, request=True)
        made = _with_words(made, self._document.text(node, "description"), node)
        return Argument(_free("body", "request", taken), made, "body", _is_true(node, "required"))

    def _encoding(self, media: Node, schema: Node, kind: str) -> dict[str, Any]:
        """How a form's members are written, where the document says it."""
        if _base(kind) not in (FORM, PARTS):
            return {}
        found: dict[str, Any] = {}
        whole = self._document.resolved(schema)
        properties = {} if whole is None else self._document.entries(whole, "properties")
        for name, entry in properties.items():
            inner = self._document.resolved(entry.value)
            binary = inner is not None and self._document.text(inner, "format") == "binary"
            if binary and _base(kind) == PARTS:
                found[name] = {"content": "application/octet-stream"}
        for name, entry in self._document.entries(media, "encoding").items():
            said = {
                "style": self._document.text(entry.value, "style"),
                "explode": plain_value(node)
                if (node := member(entry.value, "explode")) is not None
                else None,
                "content": self._document.text(entry.value, "contentType").partition(",")[0],
            }
            if said["content"] and (_base(kind) == FORM or "*" in str(said["content"])):
                said["content"] = None
            if said["style"] == "deepObject":
                said["explode"] = None
            kept = {key: value for key, value in said.items() if value not in ("", None)}
            if kept:
                found[name] = kept
        return found

    # ---------------------------------------------------------------------------- answers

    def answer(self, operation: Operation, http: dict[str, Any]) -> Node | None:
        """The schema of what comes back; None where the document does not say it.

        Several answers that mean success are any of them, and one without a body is null.
        """
        found: list[Node] = []
        empty = False
        for status, entry in self._document.entries(operation.node, "responses").items():
            if not re.fullmatch(r"2(\d\d|XX)", status, re.IGNORECASE):
                continue
            node = self._document.resolved(entry.value)
            content = {} if node is None else self._document.entries(node, "content")
            kind = next((kind for kind in content if is_json(kind)), None)
            if kind is None and content:
                return None
            media = self._document.resolved(content[kind].value) if kind is not None else None
            schema = None if media is None else member(media, "schema")
            if kind is not None and schema is None:
                return None
            if kind not in (None, "application/json"):
                http["headers"] = {"Accept": kind}
            if schema is None:
                empty = True
            else:
                made = self._schemas.of(schema, request=False)
                found += [] if any(plain_value(made) == plain_value(e) for e in found) else [made]
        return _any_of(found, empty, operation.at) if found else None


def server_of(document: Document, operation: Operation) -> str:
    """The URL of an operation's server; a path only, or empty, where the document has no other."""
    for home in (operation.node, operation.item, document.root):
        for server in document.items(home, "servers"):
            url = document.text(server, "url")
            for name, entry in document.entries(server, "variables").items():
                url = url.replace(f"{{{name}}}", document.text(entry.value, "default"))
            try:
                parts = urlsplit(url)
            except ValueError:
                continue
            good = parts.scheme in ("http", "https") and parts.netloc and "{" not in url
            return url.rstrip("/") if good and not parts.query else ""
    return ""


def _rank(kind: str) -> int:
    """JSON before forms before text before all else."""
    plain = _base(kind)
    if plain == "application/json":
        return 0
    if is_json(kind):
        return 1
    ranks = {FORM: 2, PARTS: 3}
    return ranks.get(plain, 4 if plain.startswith("text/") else 5)


def _base(kind: str) -> str:
    return kind.partition(";")[0].strip().lower()


def _free(name: str, place: str, taken: set[str]) -> str:
    """A name for an argument that every provider takes, and that no other argument has."""
    plain = re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_")[:_LONGEST] or place
    plain = f"_{plain}"[:_LONGEST] if plain[0].isdigit() else plain
    return first_free(
        plain,
        lambda number: f"{place}_{plain}" if number == 1 else f"{plain}_{number}",
        taken.__contains__,
        first=1,
    )


def _is_true(node: Node, key: str) -> bool:
    value = member(node, key)
    return value is not None and plain_value(value) is True


def _text_schema(at: Node) -> Mapping:
    return Mapping({"type": entry_of("type", "string", at)}, at.span)


def _with_words(schema: Node, words: str, at: Node, *, deprecated: bool = False) -> Node:
    """A schema with a parameter's words, which go before its own."""
    if not isinstance(schema, Mapping):
        if plain_value(schema) is not True:
            return schema
        schema = Mapping({}, at.span)
    entries = dict(schema.entries)
    if words:
        entries["description"] = entry_of("description", words, at)
    if deprecated:
        key = Scalar("deprecated", at.span, "deprecated", False)
        entries["deprecated"] = Entry(key, Scalar(True, at.span, "true", True))
    return schema._replace(entries=entries)


def _any_of(schemas: list[Node], empty: bool, at: Node) -> Node:
    if empty:
        schemas = [*schemas, Mapping({"type": entry_of("type", "null", at)}, at.span)]
    if len(schemas) == 1:
        return schemas[0]
    key = Scalar("anyOf", at.span, "anyOf", False)
    return Mapping({"anyOf": Entry(key, Sequence(tuple(schemas), at.span))}, at.span)


def entry_of(key: str, value: str, at: Node) -> Entry:
    """An entry that is put together, standing where another node does."""
    return Entry(Scalar(key, at.span, key, False), Scalar(value, at.span, value, False))


__all__ = ["Argument", "Request", "Requests", "entry_of", "server_of"]
