"""Reads types in BAML's syntax as types of the intermediate representation.

What a model sees there is an alias where there is one, so a member or level goes by its alias here,
and `renamed` gives a value its names back.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from aigen.diagnostics import Span
from aigen.ir import (
    Alias,
    Boolean,
    Choice,
    Enumeration,
    Field,
    Integer,
    Level,
    List,
    Map,
    Null,
    Number,
    Program,
    Record,
    Ref,
    Text,
    Type,
    TypeDef,
    Union,
)
from aigen.runtime.values import fits
from aigen.runtime.wire.adapters.layout import is_text, reply_schema
from aigen.schema.canonical import definitions_for, type_schema

_HOME = "baml"
_SPAN = Span("baml", 1, 1, 1, 1)
_TOKEN = re.compile(
    r'\s+|//[^\n]*|#"(?P<block>.*?)"#|(?P<text>"(?:\\.|[^"\\])*")|(?P<mark>@@?[\w.]+)'
    r"|(?P<number>-?\d+)|(?P<word>\w+)|(?P<sign>\[\]|.)",
    re.DOTALL,
)
_PLAIN: dict[str, Type] = {
    "string": Text(),
    "int": Integer(),
    "float": Number(),
    "bool": Boolean(),
    "null": Null(),
    "true": Choice((Level(True),)),
    "false": Choice((Level(False),)),
}


class Types(NamedTuple):
    """The types of a case.

    Attributes:
        target: the one asked for.
        definitions: by name.
        aliases: by the name of the class or enumeration, from what the model sees to the name.
    """

    target: Type
    definitions: dict[str, TypeDef]
    aliases: dict[str, dict[str, str]]

    def reply(self) -> tuple[dict[str, Any], bool]:
        """The schema of the reply of a function that answers this, and whether it is one text."""
        program = Program({}, {(_HOME, name): one for name, one in self.definitions.items()})
        definition: Any = {
            "outputs": [{"name": "result", "shape": type_schema(self.target, _HOME)}],
            "$defs": definitions_for(program, _HOME, [self.target]),
        }
        return reply_schema(definition), is_text(definition)

    def renamed(self, value: Any, kind: Type, defs: dict[str, Any]) -> Any:
        """A value with the names that its types have, absent members as null."""
        match kind:
            case Ref():
                return self._of_definition(value, self.definitions[kind.name], defs)
            case Union():
                schemas = [type_schema(one, _HOME) for one in kind.options]
                fitting = [fits(value, schema, defs) is None for schema in schemas].index(True)
                return self.renamed(value, kind.options[fitting], defs)
            case List():
                return [self.renamed(item, kind.item, defs) for item in value]
            case Map():
                return {name: self.renamed(one, kind.value, defs) for name, one in value.items()}
        return value

    def _of_definition(self, value: Any, definition: TypeDef, defs: dict[str, Any]) -> Any:
        names = self.aliases.get(definition.name, {})
        match definition:
            case Alias():
                return self.renamed(value, definition.type, defs)
            case Record():
                kinds = {member.name: member.type for member in definition.members}
                return {
                    name: self.renamed(value[shown], kinds[shown], defs) if shown in value else None
                    for shown, name in names.items()
                }
        return names[value]


def read_types(source: str, target: str) -> Types:
    """The types that a text defines, and the one that another text names."""
    reader = _Reader(source)
    reader.definitions_()
    return Types(_Reader(target).type(), reader.definitions, reader.aliases)


class _Reader:
    def __init__(self, source: str) -> None:
        self.tokens = [
            (found.lastgroup, found[found.lastgroup])
            for found in _TOKEN.finditer(source)
            if found.lastgroup
        ]
        self.at = 0
        self.definitions: dict[str, TypeDef] = {}
        self.aliases: dict[str, dict[str, str]] = {}

    def _peek(self) -> str:
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def _next(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1][1]

    def _take(self, token: str) -> bool:
        taken = self._peek() == token
        self.at += taken
        return taken

    def definitions_(self) -> None:
        while self._peek():
            keyword, name = self._next(), self._next()
            if keyword == "type":
                assert self._take("=")
                self.definitions[name] = Alias(name, self.type(), _SPAN)
                continue
            if keyword not in ("class", "enum"):  # Functions and clients are no types.
                self._skip()
                continue
            assert self._take("{"), (keyword, name)
            read = self._members if keyword == "class" else self._levels
            self.definitions[name] = read(name)

    def _skip(self) -> None:
        while self._next() != "{":
            pass
        depth = 1
        while depth:
            token = self._next()
            depth += (token == "{") - (token == "}")

    def _members(self, name: str) -> Record:
        members = []
        names = self.aliases[name] = {}
        while not self._take("}"):
            if self._peek().startswith("@@"):
                self._marks()
                continue
            member = self._next()
            kind = self.type()
            marks = self._marks()
            shown = marks.get("@alias", member)
            names[shown] = member
            if "@skip" not in marks:
                optional = isinstance(kind, Union) and Null() in kind.options
                words = marks.get("@description")
                members.append(Field(shown, kind, _SPAN, words, optional=optional))
        return Record(name, tuple(members), _SPAN)

    def _levels(self, name: str) -> Enumeration:
        levels = []
        names = self.aliases[name] = {}
        while not self._take("}"):
            if self._peek().startswith("@@"):
                self._marks()
                continue
            level = self._next()
            marks = self._marks()
            shown = marks.get("@alias", level)
            names[shown] = level
            if "@skip" not in marks:
                levels.append(Level(shown, marks.get("@description")))
        return Enumeration(name, tuple(levels), _SPAN)

    def _marks(self) -> dict[str, str]:
        """`@name(words)`, as many as stand here; a `type` may stand in parentheses before."""
        found = {}
        while self._peek().startswith("@"):
            mark, words = self._next(), []
            if self._take("("):
                depth = 1
                while depth:
                    token = self._next()
                    depth += (token == "(") - (token == ")")
                    words.append(json.loads(token) if token[0] == '"' else token.strip())
                words.pop()
            found[mark] = " ".join(words)
        return found

    def type(self) -> Type:
        options = [self._option()]
        while self._take("|"):
            options.append(self._option())
        flat: list[Type] = []
        for option in options:
            flat += option.options if isinstance(option, Union) else [option]
        flat = list({repr(one): one for one in flat}.values())  # 1 and true are two
        return flat[0] if len(flat) == 1 else Union(tuple(flat))

    def _option(self) -> Type:
        group, token = self.tokens[self.at]
        self.at += 1
        kind: Type
        if token == "(":
            kind = self.type()
            self._marks()
            assert self._take(")")
        elif token == "map":
            assert self._take("<")
            self.type()
            assert self._take(",")
            kind = Map(self.type())
            assert self._take(">")
        elif group == "text":
            kind = Choice((Level(json.loads(token)),))
        elif group == "number":
            kind = Choice((Level(int(token)),))
        else:
            kind = _PLAIN.get(token) or Ref(_HOME, token)
        while self._peek() in ("?", "[]"):
            if self._next() == "[]":
                kind = List(kind)
            else:
                options = kind.options if isinstance(kind, Union) else (kind,)
                kind = Union((*options, Null()))
        return kind
