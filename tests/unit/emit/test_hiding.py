"""A member may be called like anything that its class uses."""

from __future__ import annotations

import importlib
import subprocess
import sys
import typing
from pathlib import Path

import programs
import pydantic
import pytest
from aigen.emit.render import RenderOptions, render
from aigen.ir import (
    Default,
    Enumeration,
    Field,
    Formatted,
    Integer,
    JsonAny,
    Level,
    List,
    Map,
    Module,
    Null,
    Number,
    Record,
    Ref,
    Set,
    Shape,
    Text,
    Tuple,
    Type,
    Union,
)
from aigen.runtime import types

ADDED = ["absent", "left_out", "enforce_shape", "int", "str", "list", "set", "tuple", "float"]
ADDED += ["date", "datetime", "timedelta", "timezone", "UTC", "Decimal", "UUID", "Unit", "None"]
NAMES = sorted({*types.__all__, *typing.__all__, *pydantic.__all__, *ADDED})
FORMS = ("required", "default", "words", "absent", "constraint")


def named(name: str, form: str) -> Field:
    match form:
        case "default":
            return programs.field(name, Integer(), optional=True, default=Default(3))
        case "words":
            return programs.field(name, Integer(), "words")
        case "absent":
            return programs.field(name, Integer(), optional=True)
        case "constraint":
            return programs.field(name, Integer(ge=1, multiple_of=2))
    return programs.field(name, Integer())


def users() -> list[Field]:
    """Members that use all that a class can use."""
    kinds: list[tuple[Type, object]] = [
        (Text(min_length=1, pattern="a"), None),
        (Text(format="uri"), None),
        (Text(format="email"), None),
        (Integer(multiple_of=2), 4),
        (Number(ge=0.5), 1.5),
        (Formatted("date"), "2024-01-31"),
        (Formatted("datetime"), "2024-01-31T10:00:00+02:00"),
        (Formatted("time"), "10:00:00Z"),
        (Formatted("timedelta"), "P1D"),
        (Formatted("Decimal"), "1.50"),
        (Formatted("UUID"), None),
        (programs.choice("a", 1, True), "a"),
        (List(Integer()), [1]),
        (List(programs.choice("a", "b")), ["a"]),
        (List(Union((Integer(), Text()))), [1]),
        (Union((List(Integer()), Null())), [1]),
        (JsonAny(), {"a": [1]}),
        (Set(Text()), ["x"]),
        (Tuple((Integer(), Text())), None),
        (Map(Number(), 0), {"a": 1}),
        (Ref("m", "Unit"), "c"),
        (Union((Text(), Text(max_length=4), Null())), None),
        (Union((Ref("m", "Cat"), Ref("m", "Dog"))), None),
        (Shape('{"type":"object","minProperties":1}', Map(JsonAny()), False), None),
    ]
    made = []
    for number, (kind, default) in enumerate(kinds):
        made.append(programs.field(f"a{number}", kind))
        made.append(programs.field(f"b{number}", kind, optional=True))
        if default is not None:
            given = Default(default)
            made.append(programs.field(f"c{number}", kind, "w", optional=True, default=given))
    return made


def module(names: list[str]) -> Module:
    """For each name a record; the name's form goes round, so that each form meets each sort."""
    records = [
        Record("Cat", (programs.field("kind", programs.choice("cat")),), programs.SPAN),
        Record("Dog", (programs.field("kind", programs.choice("dog")),), programs.SPAN),
    ]
    unit = Enumeration("Unit", (Level("c"), Level("f")), programs.SPAN)
    for number, name in enumerate(names):
        for step, form in enumerate(FORMS):
            around = users() if (number + step) % len(FORMS) == 0 else [named("other", "absent")]
            members = (named(name, form), *around)
            members = members[::-1] if step % 2 and len(around) == 1 else members
            extra = Number() if step == 2 else None
            records.append(Record(f"R{number}x{step}", members, programs.SPAN, additional=extra))
    answer = Ref("m", records[-1].name)
    made = programs.function("f", [programs.field("x", Text())], [programs.field("y", answer)])
    return Module("m", "m.yaml", None, (unit, *records), (made,))


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hiding")
    files = render(programs.program(module(NAMES)), RenderOptions())
    for name in ("__init__.py", "py.typed", "m.py"):
        (folder / "hidden").mkdir(exist_ok=True)
        (folder / "hidden" / name).write_text(files[name], encoding="utf-8")
    return folder


def test_every_class_is_built(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(package))
    found = importlib.import_module("hidden.m")
    made = programs.program(module(NAMES))
    for record in made.modules["m"].types:
        if isinstance(record, Record) and record.name not in ("Cat", "Dog"):
            name = next(each.name for each in record.members if each.name in NAMES)
            model = getattr(found, record.name)
            fields = model.model_fields
            (attribute,) = (
                key for key, each in fields.items() if (each.validation_alias or key) == name
            )
            assert attribute.strip("_") in (name, f"field_{name.strip('_')}")
            if len(record.members) == 2:
                assert getattr(model.model_validate({name: 4}), attribute) == 4


def test_a_checker_finds_nothing(package: Path) -> None:
    command = [sys.executable, "-m", "mypy", "--strict", "--python-version", "3.11"]
    command += ["--follow-imports", "silent"]  # what is imported is not judged, as for users
    done = subprocess.run(
        [*command, "--cache-dir", str(package / ".mypy"), str(package / "hidden")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("name", "form", "attribute"),
    [
        ("Annotated", "absent", "Annotated_"),
        ("MayBeAbsent", "absent", "MayBeAbsent_"),
        ("absent", "words", "absent_"),
        ("description", "words", "description"),
        ("default", "default", "default"),
        ("ge", "default", "ge"),
    ],
)
def test_a_name_changes_only_where_it_must(name: str, form: str, attribute: str) -> None:
    members = (named(name, form), named("other", "absent"), named("more", "constraint"))
    record = Record("R", members, programs.SPAN)
    text = render(programs.program(Module("m", "m.yaml", None, (record,), ())), RenderOptions())
    assert f"\n    {attribute}: " in text["m.py"]
