"""The key `http` of a tool: the request that implements it, checked key by key."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from aigen.diagnostics import Span, nearest
from aigen.ir.model import Json
from aigen.resolve.binding import FAILED, entries
from aigen.resolve.home import Home
from aigen.resolve.words import quoted
from aigen.spec import nodes
from aigen.spec.nodes import Node, plain_value

METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
PLACES: Final = ("path", "query", "header", "cookie", "body", "member")
STYLES: Final[Mapping[str, tuple[str, ...]]] = {
    "path": ("simple", "label", "matrix", "json"),
    "query": ("form", "spaceDelimited", "pipeDelimited", "deepObject", "json"),
    "header": ("simple", "json"),
    "cookie": ("form", "json"),
    "body": (),
    "member": (),
}
_PLACE: Final = ("in", "name", "style", "explode", "allow_reserved")
_ENCODING: Final = ("style", "explode", "content")
_CREDENTIALS: Final = ("bearer", "basic", "header", "query", "cookie")
_TOKEN: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_MEDIA: Final = re.compile(r"[\w.+*-]+/[\w.+*-]+( *; *[\w.-]+=[\w.\"-]+)*")
FRAMING: Final = frozenset(
    {"host", "content-length", "transfer-encoding", "te", "trailer", "upgrade", "expect"}
    | {"connection", "keep-alive", "proxy-authorization", "proxy-connection", "accept-encoding"}
)
"""Headers of the connection, not of the request (RFC 9110, 7.6.1), and those that are ours."""


def read_http(home: Home, node: Node, known: Collection[str] | None) -> Json:
    """A tool's request as data, or `FAILED` where a finding says why there is none.

    Args:
        home: the module; takes what is wrong.
        node: the value of the key.
        known: the names of the tool's parameters; None where they are not known.
    """
    found = _Reading(home, known).request(node)
    return FAILED if found is None else found


class _Reading:
    def __init__(self, home: Home, known: Collection[str] | None) -> None:
        self._home = home
        self._known = known
        self._good = True

    def request(self, node: Node) -> dict[str, Json] | None:
        """The whole of it."""
        checks: Mapping[str, Callable[[Node], Json]] = {
            "method": self._method,
            "url": self._url,
            "url_env": self._variable,
            "path": self._path,
            "parameters": self._parameters,
            "content": lambda each: self._text(each, "content", _MEDIA, "a media type"),
            "encoding": self._encodings,
            "headers": self._headers,
            "auth": self._auth,
            "max_bytes": self._bytes,
        }
        rows = self._rows(node, "http", [*checks])
        found = {name: checks[name](value) for name, (_, value) in rows.items()}
        if self._good and not found.keys() & {"url", "url_env"}:
            self._wrong(node.span, "http has no url", "write url: https://…, or url_env: VARIABLE")
        if self._good:
            self._together(node, rows, found)
        return found if self._good else None

    def _wrong(self, span: Span, message: str, hint: str | None = None) -> Json:
        self._good = False
        self._home.diagnostics.report("AIG405", span, message, hint=hint)
        return None

    def _rows(self, node: Node, what: str, known: Collection[str]) -> dict[str, tuple[Span, Node]]:
        """The entries of a mapping whose keys are known; reports others."""
        rows = entries(node)
        if rows is None:
            self._wrong(node.span, f"{what} is a mapping, not {quoted(plain_value(node))}")
            return {}
        for name, (span, _) in rows.items():
            if known and name not in known:
                close = nearest(name, known)
                hint = f"did you mean {close}?" if close else f"known: {', '.join(known)}"
                self._wrong(span, f"{what} has no key {name}", hint)
        return {name: row for name, row in rows.items() if not known or name in known}

    # ----------------------------------------------------------------------- one key each

    def _text(self, node: Node, what: str, wanted: re.Pattern[str], words: str) -> str:
        value = plain_value(node)
        if not isinstance(value, str) or not wanted.fullmatch(value):
            self._wrong(node.span, f"{what} is {words}, not {quoted(value)}")
            return ""
        return value

    def _one_of(self, node: Node, what: str, words: Collection[str]) -> str:
        value = plain_value(node)
        if value not in words:
            close = nearest(str(value), words)
            hint = f"did you mean {close}?" if close else None
            self._wrong(
                node.span, f"{what} is one of {', '.join(words)}, not {quoted(value)}", hint
            )
        return str(value)

    def _method(self, node: Node) -> str:
        return self._one_of(node, "method", METHODS)

    def _url(self, node: Node) -> Json:
        value = plain_value(node)
        try:
            parts = urlsplit(value) if isinstance(value, str) else None
        except ValueError:
            parts = None
        if parts is None or parts.scheme not in ("http", "https") or not parts.hostname:
            return self._wrong(node.span, f"url is https://host/…, not {quoted(value)}")
        if parts.username is not None:
            return self._wrong(
                node.span, "a url holds no credentials", "name their variables under auth"
            )
        if parts.query or parts.fragment:
            return self._wrong(
                node.span, "url ends before ? and #", "parameters have places of their own"
            )
        return value

    def _variable(self, node: Node) -> str:
        words = "the name of a variable of the environment"
        return self._text(node, "a credential's or server's variable", _VARIABLE, words)

    def _path(self, node: Node) -> str:
        return self._text(node, "path", re.compile(r"/[^\s#\x00-\x1f]*"), "a path such as /a/{b}")

    def _bytes(self, node: Node) -> Json:
        value = plain_value(node)
        if isinstance(value, int) and not isinstance(value, bool) and value > 0:
            return value
        return self._wrong(node.span, f"max_bytes is a number from 1 on, not {quoted(value)}")

    def _headers(self, node: Node) -> Json:
        found: dict[str, Json] = {}
        for name, (span, value) in self._rows(node, "headers", ()).items():
            self._header_name(name, span)
            found[name] = self._text(value, f"header {name}", re.compile(r"[ -~]*"), "ASCII text")
        return found

    def _header_name(self, name: str, span: Span) -> None:
        if not _TOKEN.fullmatch(name) or name.lower() in FRAMING:
            self._wrong(span, f"{quoted(name)} is no header that a tool can send")

    def _parameters(self, node: Node) -> Json:
        found: dict[str, Json] = {}
        for argument, (span, value) in self._rows(node, "parameters", ()).items():
            if self._known is not None and argument not in self._known:
                close = nearest(argument, self._known)
                hint = f"did you mean {close}?" if close else "add it to the tool's parameters"
                self._wrong(span, f"http sends {argument}, which is no parameter", hint)
            found[argument] = self._place(argument, value)
        return found

    def _place(self, argument: str, node: Node) -> Json:
        if not isinstance(node, nodes.Mapping):
            place = self._one_of(node, f"the place of {argument}", PLACES)
            if place == "header":
                self._header_name(argument, node.span)
            return place
        what = f"the place of {argument}"
        rows = self._rows(node, what, _PLACE)
        if "in" not in rows:
            return self._wrong(node.span, f"{what} does not say where it is", "write in: query")
        found: dict[str, Json] = {"in": (place := self._one_of(rows["in"][1], what, PLACES))}
        if "name" in rows:
            found["name"] = self._text(rows["name"][1], "name", re.compile(r"(?s).+"), "a text")
        if place == "header":
            self._header_name(str(found.get("name", argument)), node.span)
        if "style" in rows and place in STYLES:
            styles = STYLES[place]
            found["style"] = (
                self._one_of(rows["style"][1], f"the style of {argument}", styles)
                if styles
                else self._wrong(rows["style"][0], f"{place} has no style", "see encoding")
            )
        for flag in ("explode", "allow_reserved"):
            if flag in rows:
                found[flag] = self._flag(rows[flag][1], flag)
        return found

    def _flag(self, node: Node, what: str) -> bool:
        value = plain_value(node)
        if not isinstance(value, bool):
            self._wrong(node.span, f"{what} is true or false, not {quoted(value)}")
        return bool(value)

    def _encodings(self, node: Node) -> Json:
        found: dict[str, Json] = {}
        for name, (_, value) in self._rows(node, "encoding", ()).items():
            rows = self._rows(value, f"the encoding of {name}", _ENCODING)
            made: dict[str, Json] = {}
            if "style" in rows:
                made["style"] = self._one_of(rows["style"][1], "style", STYLES["query"])
            if "explode" in rows:
                made["explode"] = self._flag(rows["explode"][1], "explode")
            if "content" in rows:
                made["content"] = self._text(rows["content"][1], "content", _MEDIA, "a media type")
            found[name] = made
        return found

    def _auth(self, node: Node) -> Json:
        if not isinstance(node, nodes.Sequence):
            return self._wrong(
                node.span, "auth is a list of ways", "write [{bearer: NAME_OF_A_VARIABLE}]"
            )
        return [self._way(item) for item in node.items]

    def _way(self, node: Node) -> Json:
        if plain_value(node) == "none":
            return "none"
        if isinstance(node, nodes.Sequence):
            return [self._credential(item) for item in node.items]
        return self._credential(node)

    def _credential(self, node: Node) -> Json:
        rows = self._rows(node, "a credential", (*_CREDENTIALS, "env"))
        kinds = [name for name in rows if name in _CREDENTIALS]
        plain = kinds and kinds[0] in ("bearer", "basic")
        if len(kinds) != 1 or bool(plain) == ("env" in rows):
            return self._wrong(
                node.span,
                "a credential is {bearer: VARIABLE}, {basic: VARIABLE}, or"
                " {header: NAME, env: VARIABLE} (query, cookie)",
            )
        kind = kinds[0]
        if plain:
            return {kind: self._variable(rows[kind][1])}
        name = self._text(rows[kind][1], kind, _TOKEN if kind != "query" else re.compile(".+"),
                          "a name")  # fmt: skip
        if kind == "header" and name:
            self._header_name(name, rows[kind][1].span)
        return {kind: name, "env": self._variable(rows["env"][1])}

    # ------------------------------------------------------------------------ all of them

    def _together(
        self, node: Node, rows: Mapping[str, tuple[Span, Node]], found: Mapping[str, Json]
    ) -> None:
        """Whether the path and the places of arguments belong together."""
        path = str(found.get("path", ""))
        wanted = re.findall(r"\{([^{}]+)\}", path)
        listed: Any = found.get("parameters") or {}
        places: dict[str, Any] = {
            arg: {"in": said} if isinstance(said, str) else said for arg, said in listed.items()
        }
        given = {
            str(said.get("name", arg)) for arg, said in places.items() if said.get("in") == "path"
        }  # fmt: skip
        span = rows["path"][1].span if "path" in rows else node.span
        if {*re.sub(r"\{[^{}]+\}", "", path)} & {*"{}"}:
            self._wrong(span, f"the braces of path {quoted(path)} do not close")
        for name in given - {*wanted}:
            self._wrong(span, f"path has no {{{name}}}", "write it where its value belongs")
        for name in [name for name in wanted if name not in given]:
            if self._known is not None and name not in self._known:
                close = nearest(name, self._known)
                hint = f"did you mean {close}?" if close else f"add {name} to parameters"
                self._wrong(span, f"{{{name}}} in the path is no parameter", hint)
        bodies = [arg for arg, said in places.items() if said.get("in") == "body"]
        if len(bodies) > 1:
            self._wrong(
                rows["parameters"][1].span,
                f"{' and '.join(bodies)} are each the whole body",
                "write member, for a member of the body's object",
            )


__all__ = ["FRAMING", "read_http"]
