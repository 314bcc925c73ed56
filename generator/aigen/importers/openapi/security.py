"""The credentials of an OpenAPI document, as the variables of the environment they come from.

No name of a variable is a stranger's: each begins with a word of the user's own, goes on with the
kind of the credential, and has the scheme's name only behind these.
"""

from __future__ import annotations

import re
from collections.abc import Mapping as Entries
from typing import Any

from aigen.importers.document import member
from aigen.importers.openapi.document import Document, Operation
from aigen.spec.nodes import Entry, Mapping, Node, Scalar


class Security:
    """What operations ask for.

    Attributes:
        variables: those that some operation takes, in the order found.
    """

    def __init__(self, document: Document, prefix: str) -> None:
        self.variables: dict[str, None] = {}
        self._document = document
        self._prefix = prefix
        components = member(document.root, "components")
        found = {} if components is None else document.entries(components, "securitySchemes")
        self._schemes = {name: document.resolved(entry.value) for name, entry in found.items()}
        self._keys = [name for name in self._schemes if self._kind(name) == "apikey"]
        self._told: set[str] = set()

    def of(self, operation: Operation) -> list[Any]:
        """The ways in which an operation takes credentials, as `auth` has them; none: any."""
        own = operation.node.entries.get("security")
        home = operation.node if own is not None else self._document.root
        ways: list[Any] = []
        for requirement in self._document.items(home, "security"):
            if not isinstance(requirement, Mapping):
                self._document.wrong(requirement, "security is a list of mappings")
                continue
            way = self._way(requirement.entries)
            if way is not None and way not in ways:
                ways.append(way)
        if ways == ["none"]:
            return []
        for way in ways:
            for each in way if isinstance(way, list) else [] if way == "none" else [way]:
                self.variables[str(each.get("env") or each.get("bearer") or each["basic"])] = None
        return ways

    def _way(self, requirement: Entries[str, Entry]) -> Any | None:
        """One way; None where it has a scheme of which no tool knows."""
        found = [self._credential(name, entry.key) for name, entry in requirement.items()]
        if None in found:
            return None
        return "none" if not found else found[0] if len(found) == 1 else found

    def _kind(self, name: str) -> str:
        scheme = self._schemes.get(name)
        if scheme is None:
            return ""
        kind = self._document.text(scheme, "type").lower()
        return self._document.text(scheme, "scheme").lower() if kind == "http" else kind

    def _credential(self, name: str, at: Scalar) -> dict[str, str] | None:
        scheme = self._schemes.get(name)
        if scheme is None:
            self._document.wrong(at, f"security names {name}, which is no security scheme")
            return None
        match self._kind(name):
            case "apikey":
                return self._key(name, scheme)
            case "basic":
                return {"basic": f"{self._prefix}_LOGIN"}
            case "bearer" | "oauth2" | "openidconnect":
                return {"bearer": f"{self._prefix}_TOKEN"}
            case kind:
                if name not in self._told:
                    self._told.add(name)
                    words = f"credentials of {name} ({kind or 'no type'}) cannot be sent"
                    self._document.diagnostics.report("AIG140", scheme.span, words)
                return None

    def _key(self, name: str, scheme: Node) -> dict[str, str] | None:
        place, called = self._document.text(scheme, "in"), self._document.text(scheme, "name")
        if place not in ("header", "query", "cookie") or not called:
            self._document.wrong(scheme, f"the key {name} has no name, or no place that it is in")
            return None
        suffix = f"_{_word(name)}" if len(self._keys) > 1 else ""
        return {place: called, "env": f"{self._prefix}_API_KEY{suffix}"}


def _word(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_").upper()


def prefix_of(name: str) -> str:
    """What the names of variables begin with, after a name of the user's own."""
    word = _word(name)
    return f"API_{word}".rstrip("_") if not word or word[0].isdigit() else word


__all__ = ["Security", "prefix_of"]
