"""The reference is made from the models that read: `pytest --update-golden` writes its tables."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator
from typing import get_args

import pages
import pytest
from aigen.diagnostics import all_rules
from aigen.emit.environment import blocks
from aigen.emit.functions import FunctionText
from aigen.emit.models import TypeText
from aigen.emit.package import PackageText
from aigen.emit.render import ModuleText
from aigen.emit.tools import ToolText
from aigen.ir import Type
from aigen.resolve.words import WORDS
from aigen.runtime.layers import KINDS, Settings
from aigen.schema.canonical import type_schema
from aigen.spec import keys
from aigen.spec.setting_words import SETTING_WORDS

HOLDS: dict[keys.Kind, str] = {
    "text": "a text",
    "word": "a text that stands in the spec itself",
    "flag": "true or false",
    "flag_or_text": "true, false, or a text",
    "whole": "a whole number",
    "number": "a number",
    "callable": "`pkg.mod:func`",
    "callables": "`pkg.mod:func`, or a list of them",
    "texts": "a text, or a list of texts",
    "mapping": "a mapping",
    "list": "a list",
    "type": "a type",
    "shape": "a JSON Schema",
    "field": "a field",
    "fields": "a mapping of fields",
    "types": "a mapping of fields, or of classes",
    "choice": "levels",
    "demos": "a list, or a file's path",
    "prompt": "a list of messages",
    "tests": "a list of cases",
    "parameters": "a mapping of fields, or a JSON Schema",
    "docs": "a mapping",
    "documented": "a mapping of arguments",
    "any": "see there",
    "functions": "a mapping of functions",
    "tools": "a mapping of tools",
    "format": "1",
}


def of_keys(known: keys.Keys) -> str:
    def row(name: str, key: keys.Key) -> tuple[str, ...]:
        holds = ", ".join(f"`{value}`" for value in key.values) or HOLDS[key.kind]
        return f"`{name}`", holds, cell(key.doc)

    return pages.table(
        ("key", "holds", "what it is"), (row(name, key) for name, key in known.items())
    )


def of_words() -> str:
    grouped: dict[Type, list[str]] = {}
    for word, kind in WORDS.items():
        grouped.setdefault(kind, []).append(f"`{word}`")

    def rows() -> Iterator[tuple[str, ...]]:
        for kind, words in grouped.items():
            yield ", ".join(words), f"`{json.dumps(type_schema(kind, ''))}`"

    return pages.table(("word", "JSON Schema"), rows())


def of_codes() -> str:
    rules = ((rule.code, rule.severity, f"{rule.title}") for rule in all_rules().values())
    return pages.table(("code", "", ""), rules)


def of_settings() -> str:
    def rows() -> Iterator[tuple[str, ...]]:
        defaults = {field.name: field.default for field in dataclasses.fields(Settings)}
        for name, words in SETTING_WORDS.items():
            default = defaults[name]
            shown = "" if default in (None, ()) else json.dumps(default).strip('"')
            levels = ", ".join(f"`{level}`" for level in words.schema.get("enum", ()))
            doc = f"{words.doc.rstrip('.')}: {levels}." if levels else words.doc
            yield f"`{name}`", f"`{shown}`" if shown else "", cell(doc)

    return pages.table(("setting", "default", "meaning"), rows())


def of_blocks() -> str:
    def row(name: str, known: tuple[str, ...]) -> tuple[str, ...]:
        return f"`{name}`", ", ".join(f"`{block}`" for block in known)

    return pages.table(("template", "blocks"), (row(*each) for each in blocks().items()))


TEXTS = {
    "module": ModuleText,
    "package": PackageText,
    "type": TypeText,
    "function": FunctionText,
    "tool": ToolText,
}


def of_values() -> str:
    def row(name: str, text: type) -> tuple[str, ...]:
        members = ", ".join(f"`{field.name}`" for field in dataclasses.fields(text))
        return f"`{name}`", members

    return pages.table(("value", "members"), (row(*each) for each in TEXTS.items()))


def cell(text: str) -> str:
    return text.replace("|", "\\|")


TABLES: dict[str, dict[str, Callable[[], str]]] = {
    "docs/spec-format.md": {
        "spec": lambda: of_keys(keys.FILE),
        "field": lambda: of_keys(keys.FIELD),
        "function": lambda: of_keys(keys.FUNCTION),
        "test": lambda: of_keys(keys.TEST),
        "tool": lambda: of_keys(keys.TOOL),
        "docs": lambda: of_keys(keys.DOCS),
        "argument": lambda: of_keys(keys.ARGUMENT_DOCS),
        "words": of_words,
        "codes": of_codes,
    },
    "docs/configuration.md": {"settings": of_settings},
    "docs/templates.md": {"blocks": of_blocks, "values": of_values},
}


@pytest.mark.parametrize("page", TABLES)
def test_the_tables_are_made_from_the_models(page: str, pytestconfig: pytest.Config) -> None:
    made = {name: table() for name, table in TABLES[page].items()}
    if pytestconfig.getoption("--update-golden"):
        pages.write_tables(page, made)
    assert pages.tables(page) == made, (
        "run: pytest tests/unit/spec/test_reference.py --update-golden"
    )


def test_every_kind_has_its_words() -> None:
    assert HOLDS.keys() == set(get_args(keys.Kind))
    assert list(SETTING_WORDS) == list(KINDS)
    assert keys.TYPE.keys() - keys.FIELD.keys() == {"python"}
