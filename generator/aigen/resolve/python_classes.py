"""What a class of the user's own is: its kind, its bases, how it is configured."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from aigen.resolve.python_literals import MISSING, literal, unparsed
from aigen.resolve.python_modules import ClassIn, Outside, PythonModules

Kind = Literal["model", "dataclass", "typed_dict", "named_tuple", "enum", "flag"]

_BASES: dict[str, Kind | Literal["plain"]] = {
    "pydantic.BaseModel": "model",
    "pydantic.main.BaseModel": "model",
    "typing.TypedDict": "typed_dict",
    "typing_extensions.TypedDict": "typed_dict",
    "typing.NamedTuple": "named_tuple",
    "typing_extensions.NamedTuple": "named_tuple",
    "enum.Enum": "enum",
    "enum.StrEnum": "enum",
    "enum.IntEnum": "enum",
    "enum.Flag": "flag",
    "enum.IntFlag": "flag",
    "abc.ABC": "plain",
    "typing.Generic": "plain",
    "typing.Protocol": "plain",
    "typing_extensions.Generic": "plain",
}
_PLAIN = frozenset({"object", "str", "int"})
_DATACLASSES = frozenset({"dataclasses.dataclass", "pydantic.dataclasses.dataclass"})

_DEEPEST = 100
"""How many classes may stand between a class and the last that inherits it."""


class NotOurs(Exception):
    """A class that cannot be a type of a spec; the text says why, with file and line."""


@dataclass
class ClassShape:
    """A class with what it inherits.

    Attributes:
        kind: what it is; None for a plain class among the bases of another.
        lineage: the classes that give it members, the farthest base first, itself last.
        roots: the bases outside `python_path`, such as `pydantic.BaseModel`.
        config: the settings of `ConfigDict` that are literals, and names of what else is set.
    """

    kind: Kind | None
    lineage: list[ClassIn]
    config: dict[str, object] = field(default_factory=dict)
    roots: frozenset[str] = frozenset()


class Classes:
    """Looks at classes, each once."""

    def __init__(self, modules: PythonModules) -> None:
        self._modules = modules
        self._shapes: dict[str, ClassShape] = {}
        self._open: set[str] = set()

    def shape(self, found: ClassIn) -> ClassShape:
        """What a class is.

        Raises:
            NotOurs: a base of it cannot be known.
            Unreadable: a module of a base cannot be read.
        """
        if found.target not in self._shapes:
            if found.target in self._open:
                raise NotOurs(f"{found.module.place(found.node)}: {found.path} inherits itself")
            if len(self._open) == _DEEPEST:
                place = found.module.place(found.node)
                raise NotOurs(f"{place}: {found.path} stands under more than {_DEEPEST} classes")
            self._open.add(found.target)
            try:
                self._shapes[found.target] = self._shape(found)
            finally:
                self._open.discard(found.target)
        return self._shapes[found.target]

    def _shape(self, found: ClassIn) -> ClassShape:
        made = ClassShape(None, [])
        for base in found.node.bases:
            inherited = self._base(base, found)
            if inherited.kind is not None:
                made.kind = inherited.kind
            # Bases named first go before others, and members of the last stand first.
            new = [each for each in inherited.lineage if each not in made.lineage]
            made.lineage = new + made.lineage
            made.config = {**inherited.config, **made.config}
            made.roots |= inherited.roots
        if self._is_dataclass(found):
            made.kind = "dataclass"
        made.lineage.append(found)
        made.config |= self._config(found)
        return made

    def _base(self, base: ast.expr, found: ClassIn) -> ClassShape:
        node = base.value if isinstance(base, ast.Subscript) else base
        place = found.module.place(base)
        dotted = unparsed(node)
        meaning = self._modules.meaning(found.module, dotted) if _is_name(node) else None
        if meaning is None and dotted in _PLAIN:
            return ClassShape(None, [])
        if isinstance(meaning, ClassIn):
            return self.shape(meaning)
        if isinstance(meaning, Outside) and meaning.dotted in _BASES:
            kind = _BASES[meaning.dotted]
            return ClassShape(
                None if kind == "plain" else kind, [], roots=frozenset({meaning.dotted})
            )
        beyond = self._modules.beyond(meaning) if isinstance(meaning, Outside) else None
        if isinstance(beyond, ClassIn):
            return self.shape(beyond)
        if isinstance(meaning, Outside) and meaning.dotted.startswith("pydantic."):
            raise NotOurs(f"{place}: {meaning.dotted} is no record; use it inside one")
        raise NotOurs(
            f"{place}: the base {dotted} of {found.path} is not under python_path, so its members"
            " cannot be known"
        )

    def _is_dataclass(self, found: ClassIn) -> bool:
        for decorator in found.node.decorator_list:
            node = decorator.func if isinstance(decorator, ast.Call) else decorator
            if _is_name(node):
                meaning = self._modules.meaning(found.module, unparsed(node))
                if isinstance(meaning, Outside) and meaning.dotted in _DATACLASSES:
                    return True
        return False

    def _config(self, found: ClassIn) -> dict[str, object]:
        made: dict[str, object] = {}
        for statement in found.node.body:
            value = _config_value(statement)
            if isinstance(value, ast.Call):
                made.update(_settings(value.keywords))
            elif isinstance(value, ast.Dict):
                for key, each in zip(value.keys, value.values, strict=True):
                    if isinstance(key, ast.Constant):
                        made[str(key.value)] = _setting(each)
            if isinstance(statement, ast.ClassDef) and statement.name == "Config":
                for inner in statement.body:
                    if isinstance(inner, ast.Assign) and isinstance(inner.targets[0], ast.Name):
                        made[inner.targets[0].id] = _setting(inner.value)
        made.update(_settings(found.node.keywords))
        return made


def _is_name(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def _config_value(statement: ast.stmt) -> ast.expr | None:
    match statement:
        case ast.Assign(targets=[ast.Name(id="model_config" | "__pydantic_config__")], value=value):
            return value
        case ast.AnnAssign(target=ast.Name(id="model_config"), value=value):
            return value
    return None


def _settings(keywords: list[ast.keyword]) -> Iterator[tuple[str, object]]:
    for each in keywords:
        if each.arg is not None:
            yield each.arg, _setting(each.value)


def _setting(node: ast.expr) -> object:
    """A literal, else the name of what is set (`to_camel`)."""
    value = literal(node)
    return unparsed(node).rpartition(".")[2] if value is MISSING else value


def enum_values(found: ClassIn, shape: ClassShape) -> Iterator[tuple[str, object, ast.stmt]]:
    """The members of an enum: name, value (`MISSING` where it is computed), statement."""
    texts = any("StrEnum" in unparsed(base) for each in shape.lineage for base in each.node.bases)
    last: object = 0
    for node in found.node.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if not name.startswith("_"):
                made = literal(value)
                if isinstance(value, ast.Call) and unparsed(value.func).endswith("auto"):
                    made = name.lower() if texts else last + 1 if isinstance(last, int) else MISSING
                last = made
                yield name, made, node


def flag_values(found: ClassIn) -> dict[str, int] | None:
    """The single values of a `Flag` by name; None where one is computed.

    Members that are made of others are no values of their own.
    """
    made: dict[str, int] = {}
    above = 1  # what `auto()` gives: the first power of two above all values so far
    for name, value, node in enum_values(found, ClassShape("flag", [])):
        written = node.value if isinstance(node, ast.Assign) else None
        if isinstance(written, ast.Call) and unparsed(written.func).endswith("auto"):
            value = above
        if isinstance(written, ast.BinOp) and not isinstance(written.op, ast.LShift):
            continue
        if isinstance(written, ast.BinOp):
            value = _shifted(written)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            return None
        above = max(above, 1 << value.bit_length())
        if value.bit_count() == 1:
            made[name] = value
    return made or None


def _shifted(node: ast.BinOp) -> object:
    """The value of `1 << 3`."""
    left, right = literal(node.left), literal(node.right)
    if isinstance(left, int) and isinstance(right, int) and 0 <= right < 64:
        return left << right
    return MISSING
