"""Python names for what specs call things.

A name that reaches a template is an `Identifier`, and only sanitising can make one, so no text of
a spec becomes code. Python names change only where they must; the original stays the alias.
"""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import Self

from aigen.emit.widths import width

# Attributes of `pydantic.BaseModel`, of every version from 2.12 on, that a member would shadow, and
# `Config`, which it takes for settings. A fixed list: the output must not depend on the pydantic
# that is installed. A test compares.
BASE_MODEL = frozenset(
    [
        "Config",
        "construct",
        "copy",
        "dict",
        "from_orm",
        "json",
        "model_computed_fields",
        "model_config",
        "model_construct",
        "model_copy",
        "model_dump",
        "model_dump_json",
        "model_extra",
        "model_fields",
        "model_fields_set",
        "model_json_schema",
        "model_parametrized_name",
        "model_post_init",
        "model_rebuild",
        "model_validate",
        "model_validate_json",
        "model_validate_strings",
        "parse_file",
        "parse_obj",
        "parse_raw",
        "schema",
        "schema_json",
        "update_forward_refs",
        "validate",
    ]
)
# Attributes of texts and integers that a member of an enum would shadow, or that `Enum` keeps.
_ENUM = frozenset(
    [
        "as_integer_ratio",
        "bit_count",
        "bit_length",
        "capitalize",
        "casefold",
        "center",
        "conjugate",
        "count",
        "denominator",
        "encode",
        "endswith",
        "expandtabs",
        "find",
        "format",
        "format_map",
        "from_bytes",
        "imag",
        "index",
        "is_integer",
        "isalnum",
        "isalpha",
        "isascii",
        "isdecimal",
        "isdigit",
        "isidentifier",
        "islower",
        "isnumeric",
        "isprintable",
        "isspace",
        "istitle",
        "isupper",
        "join",
        "ljust",
        "lower",
        "lstrip",
        "maketrans",
        "mro",
        "name",
        "numerator",
        "partition",
        "real",
        "removeprefix",
        "removesuffix",
        "replace",
        "rfind",
        "rindex",
        "rjust",
        "rpartition",
        "rsplit",
        "rstrip",
        "split",
        "splitlines",
        "startswith",
        "strip",
        "swapcase",
        "title",
        "to_bytes",
        "translate",
        "upper",
        "value",
        "zfill",
    ]
)
_ASCII_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*").fullmatch
_LONGEST = 60  # columns of the name of a member or level
_KEYWORDS = frozenset({*keyword.kwlist, "self"})
# Assigned before every Python we run on, so that none sees a letter that another does not.
_OLD = unicodedata.ucd_3_2_0


class Identifier(str):
    """A Python identifier that is no keyword; made from any text by the rules for names."""

    __slots__ = ()

    def __new__(cls, text: str, prefix: str = "field_") -> Self:
        """Sanitises a text.

        Args:
            text: what the spec calls it.
            prefix: what a leading digit or underscore gets, and an empty name before `empty`.
        """
        return super().__new__(cls, _sanitised(text, prefix))


@lru_cache(maxsize=4096)
def _sanitised(text: str, prefix: str) -> str:
    if not _ASCII_NAME(text):
        text = unicodedata.normalize("NFKC", text)
        if not text:
            return f"{prefix}empty"
        text = "".join(char if _continues(char) else "_" for char in text)
        if not (text[0].isalpha() and text[0].isidentifier()):
            text = prefix + text.lstrip("_")
    return f"{text}_" if text in _KEYWORDS else text


def _continues(char: str) -> bool:
    if char.isascii():
        return char.isalnum() or char == "_"
    return ("a" + char).isidentifier() and _OLD.category(char) != "Cn"


@lru_cache(maxsize=4096)
def type_name(text: str) -> Identifier:
    """A class name: the parts at `_`, first letters raised (`get_user` → `GetUser`)."""
    if text[:1].isupper() and "_" not in text:
        return Identifier(text, "Type")
    if text.startswith("_"):
        text = f"Type{text}"
    raised = "".join(part[:1].upper() + part[1:] for part in re.split(r"[^\w]+|_+", text) if part)
    return Identifier(raised or text, "Type")


class Scope:
    """Names taken in one module or class. Names are compared after NFKC, case counts."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)

    def __contains__(self, name: str) -> bool:
        return name in self._taken

    def take(self, wanted: Identifier) -> Identifier:
        """The wanted name, or where it is taken the first free one of `wanted_2`, `wanted_3`."""
        name, count = wanted, 2
        while name in self._taken:
            name = Identifier(f"{wanted}_{count}", "Type")
            count += 1
        self._taken.add(name)
        return name

    def private(self, wanted: str) -> Identifier:
        """A module-private name: `_Wanted`, with a number where it is taken."""
        base = _Private(wanted.lstrip("_"))
        name, count = base, 2
        while name in self._taken:
            name = _Private(f"{base[1:]}_{count}")
            count += 1
        self._taken.add(name)
        return name


class _Private(Identifier):
    """An identifier behind one underscore."""

    __slots__ = ()

    def __new__(cls, text: str) -> Self:
        return str.__new__(cls, f"_{_sanitised(text, 'Type').rstrip('_') or 'name'}")


def members(names: Collection[str], shadowing: Mapping[str, bool]) -> dict[str, Identifier]:
    """Attribute names of a model's members, by the names that the spec gives.

    Args:
        names: as the spec and the model call them, in order.
        shadowing: names that the class itself uses in an annotation; true where a member of that
            name would hide it.

    An exact match takes its name first; others that come out the same get `_2`, in order.
    """
    scope = Scope()
    found: dict[str, Identifier] = {}
    wanted: dict[str, Identifier] = {}
    for name in names:
        attribute = _attribute(name)
        if shadowing.get(attribute, False) or attribute in BASE_MODEL:
            attribute = Identifier(f"{attribute}_")
        wanted[name] = attribute
        if attribute == name:
            found[name] = scope.take(attribute)
    for name, attribute in wanted.items():
        if name not in found:
            found[name] = scope.take(attribute)
    return {name: found[name] for name in names}


@lru_cache(maxsize=4096)
def _attribute(name: str) -> Identifier:
    return _short(Identifier(name))


def levels(values: Collection[str | int | bool]) -> list[Identifier]:
    """Member names of an enum, in the order of its values.

    Members that would hide what texts and integers can do get a trailing `_`.
    """
    scope = Scope()
    wanted = [_level(value) for value in values]
    exact = {
        index: scope.take(name)
        for index, (value, name) in enumerate(zip(values, wanted, strict=True))
        if name == value
    }
    return [
        exact[index] if index in exact else scope.take(name) for index, name in enumerate(wanted)
    ]


def _level(value: str | int | bool) -> Identifier:
    text = value if isinstance(value, str) else str(value).replace("-", "minus_")
    name = _short(Identifier(text))
    return Identifier(f"{name}_") if name in _ENUM else name


def _short(name: Identifier) -> Identifier:
    """A name that leaves room on its line for what it is; the whole one is the alias, or value."""
    end = len(name)
    while width(name[:end]) > _LONGEST:
        end -= 1 + (width(name[:end]) - _LONGEST) // 2
    return name if end == len(name) else Identifier(name[:end])
