"""An OpenAPI document as a spec."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final

from aigen.diagnostics import Diagnostics, nearest
from aigen.importers.document import member, read_document
from aigen.importers.fields import Fields
from aigen.importers.foreign import fitting
from aigen.importers.names import Names
from aigen.importers.openapi.document import Document, Operation, opened
from aigen.importers.openapi.requests import Requests, entry_of, server_of
from aigen.importers.openapi.schemas import Schemas
from aigen.importers.openapi.security import Security, prefix_of
from aigen.importers.proof import proved
from aigen.spec import nodes
from aigen.spec.nodes import Entry, Node, Scalar, plain_value

_READS: Final = ("get", "head", "options")
_IDEMPOTENT: Final = ("put", "delete")


@dataclass(frozen=True, slots=True)
class Wish:
    """What is wanted of a document.

    Attributes:
        only: patterns of an operation's id, path or tag; none: all operations.
        url: of the server, instead of the document's.
        prefix: what the names of variables begin with; by default the file's name.
        closed: whether an object of a request that says nothing of other members has none.
        returns: whether what comes back has a type.
    """

    only: Sequence[str] = ()
    url: str | None = None
    prefix: str | None = None
    closed: bool = False
    returns: bool = True


@dataclass(frozen=True, slots=True)
class _Tool:
    """An operation, read: its schemas stand among the definitions, under these keys."""

    operation: Operation
    http: Mapping[str, Any]
    parameters: str
    returns: str | None


def import_openapi(path: Path, diagnostics: Diagnostics, wish: Wish | None = None) -> str | None:
    """The spec of an OpenAPI document's operations.

    Args:
        path: of the document, JSON or YAML.
        diagnostics: takes what is wrong and what had to change, at its place in that file.
        wish: what is wanted of it.

    Returns:
        A spec that builds, as YAML; None where a finding is an error.
    """
    node = read_document(path, diagnostics)
    document = None if node is None else opened(node, diagnostics)
    if document is None:
        return None
    return _Import(document, path, wish or Wish()).spec()


class _Import:
    def __init__(self, document: Document, path: Path, wish: Wish) -> None:
        self._document = document
        self._path = path
        self._wish = wish
        self._prefix = prefix_of(wish.prefix or path.name.partition(".")[0])
        self._schemas = Schemas(document)
        self._security = Security(document, self._prefix)
        self._servers: dict[str, None] = {}

    def spec(self) -> str | None:
        """The whole spec."""
        operations = [*self._document.operations()]
        # A document of schemas alone is a library of types.
        types = [] if operations or self._wish.only else self._schemas.every()
        tools, held = ([], {}) if types else self._read(operations)
        if self._document.diagnostics.failed:
            return None
        place = self._document.root.span
        definitions = {**self._schemas.definitions, **held}
        key = Scalar("$defs", place, "$defs", False)
        whole = nodes.Mapping({"$defs": Entry(key, nodes.Mapping(definitions, place))}, place)
        root: Any = fitting(whole, self._document.diagnostics)
        if root is None:
            return None
        return proved(
            lambda kept: self._types(types, root, kept) if types else self._made(tools, root, kept),
            place,
            self._document.diagnostics,
            hint="import a part: --only PATTERN; or leave out what comes back: --no-returns",
        )

    # ----------------------------------------------------------------------- reading

    def _read(self, operations: Sequence[Operation]) -> tuple[list[_Tool], dict[str, Entry]]:
        """The operations that are wanted, and their own schemas by key."""
        requests = Requests(self._document, self._schemas)
        tools: list[_Tool] = []
        held: dict[str, Entry] = {}
        wanted = [each for each in operations if self._is_wanted(each)]
        for number, operation in enumerate(wanted):
            request = requests.of(operation)
            http = {**self._where(operation), **request.http}
            answer = requests.answer(operation, http) if self._wish.returns else None
            auth = self._security.of(operation)
            if auth:
                http["auth"] = auth
            keys = f"parameters of {number}", f"returns of {number}"
            held[keys[0]] = Entry(operation.at, _object(request.arguments, operation.at))
            if answer is not None:
                held[keys[1]] = Entry(operation.at, answer)
            returns = None if answer is None else keys[1]
            tools.append(_Tool(operation, http, keys[0], returns))
        if not wanted:
            self._report_none(operations)
        return tools, held

    def _is_wanted(self, operation: Operation) -> bool:
        names = (operation.name, operation.path, *operation.tags)
        patterns = self._wish.only
        return not patterns or any(fnmatchcase(n, each) for n in names for each in patterns)

    def _report_none(self, operations: Sequence[Operation]) -> None:
        names = [each.name for each in operations]
        if not names:
            self._document.wrong(None, "the document has no operation", None)
            return
        close = [one for each in self._wish.only if (one := nearest(each, names)) is not None]
        some = ", ".join([*names[:5], "…"] if len(names) > 5 else names)
        hint = f"did you mean {' or '.join(close)}?" if close else f"there are {some}"
        self._document.wrong(None, f"no operation is {' or '.join(self._wish.only)}", hint)

    def _where(self, operation: Operation) -> dict[str, Any]:
        url = self._wish.url or server_of(self._document, operation)
        self._servers[url] = None
        variable = f"{self._prefix}_URL"
        return {"url": url, "url_env": variable} if url else {"url_env": variable}

    # ------------------------------------------------------------------------ writing

    def _made(
        self, tools: Sequence[_Tool], root: dict[str, Any], whole: Container[str]
    ) -> dict[str, Any]:
        """The spec, with the schemas of these tools and types left whole."""
        names = Names()
        called = [names.of_tool(_word(tool.operation.name)) for tool in tools]
        answers = Fields(root, names, "Answer", closed=False, whole=whole)
        requests = answers
        if self._wish.closed:
            requests = Fields(root, names, "Request", closed=True, whole=whole)
        made = {
            key: self._tool(tool, key, name, requests, answers, key in whole)
            for (key, name), tool in zip(called, tools, strict=True)
        }
        types = {**requests.used(_in_tools(made)), **answers.used(_in_tools(made))}
        spec = {"aigen": 1, "description": self._words(), "types": types, "tools": made}
        return {key: value for key, value in spec.items() if value != {}}

    def _types(
        self, wanted: Sequence[str], root: dict[str, Any], whole: Container[str]
    ) -> dict[str, Any]:
        """The spec of schemas alone, of which these types stay JSON Schemas."""
        fields = Fields(root, Names(), "Type", closed=self._wish.closed, whole=whole)
        for key in wanted:
            fields.named("$defs", key)
        return {"aigen": 1, "description": f"Types of {self._path.name}.", "types": fields.types}

    def _tool(
        self, tool: _Tool, key: str, name: str, requests: Fields, answers: Fields, whole: bool
    ) -> dict[str, Any]:
        operation = tool.operation
        made: dict[str, Any] = {"name": name} if name != key else {}
        words = _description(self._document, operation)
        if words:
            made["description"] = words
        found = None if whole else requests.members(requests.definition(tool.parameters))
        made["parameters"] = (
            {"json_shape": requests.alone(tool.parameters)} if found is None else found
        )
        if tool.returns is not None:
            said = {"json_shape": answers.alone(tool.returns)}
            made["returns"] = said if whole else answers.field(answers.definition(tool.returns))
            made["returns"].pop("default", None)
        made["http"] = dict(tool.http)
        annotations = _annotations(operation)
        if annotations:
            made["annotations"] = annotations
        if operation.method == "delete":
            made["risk"] = "dangerous"
        if operation.name != name:
            made["metadata"] = {"original_name": operation.name}
        return made

    def _words(self) -> str:
        """What the spec says of itself: where its requests go, and with which credentials."""
        info = member(self._document.root, "info")
        title = "" if info is None else self._document.text(info, "title")
        of = f"{title}, from {self._path.name}" if title else self._path.name
        to = ", ".join(url for url in self._servers if url) or f"the server in {self._prefix}_URL"
        held = ", ".join(self._security.variables)
        return f"Operations of {of}. Requests go to {to}" + (f", with {held}." if held else ".")


def _object(arguments: Sequence[Any], at: Node) -> nodes.Mapping:
    """The arguments of a tool as one closed object."""
    properties = {
        each.name: Entry(Scalar(each.name, each.schema.span, each.name, False), each.schema)
        for each in arguments
    }
    required = tuple(
        Scalar(each.name, each.schema.span, each.name, False) for each in arguments if each.required
    )
    entries = {
        "type": entry_of("type", "object", at),
        "properties": Entry(
            Scalar("properties", at.span, "properties", False), nodes.Mapping(properties, at.span)
        ),
        "required": Entry(
            Scalar("required", at.span, "required", False), nodes.Sequence(required, at.span)
        ),
        "additionalProperties": Entry(
            Scalar("additionalProperties", at.span, "additionalProperties", False),
            Scalar(False, at.span, "false", True),
        ),
    }
    return nodes.Mapping(entries, at.span)


def _word(name: str) -> str:
    """An operation's id as models can call it; a method and a path as `get_pets_id`."""
    return re.sub(r"[^A-Za-z0-9_-]+", "_", name).strip("_")


def _description(document: Document, operation: Operation) -> str:
    node = operation.node
    summary, words = document.text(node, "summary"), document.text(node, "description")
    summary, words = summary.strip(), words.strip()
    said = [summary] if summary and not words.startswith(summary.rstrip(".")) else []
    said += [words] if words else []
    flag = node.entries.get("deprecated")
    if flag is not None and plain_value(flag.value) is True:
        said.insert(0, "Deprecated.")
    return "\n\n".join(said)


def _annotations(operation: Operation) -> dict[str, bool]:
    """What HTTP says of a method (RFC 9110, *Common Method Properties*)."""
    if operation.method in _READS:
        return {"read_only": True}
    found = {"destructive": True} if operation.method == "delete" else {}
    return {**found, "idempotent": True} if operation.method in _IDEMPOTENT else found


def _in_tools(tools: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of tools, as one field, of which the types that are used can be asked."""
    return {
        key: {"parameters": tool["parameters"], "returns": tool.get("returns", {})}
        for key, tool in tools.items()
    }


__all__ = ["Wish", "import_openapi"]
