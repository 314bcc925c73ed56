from __future__ import annotations

import os
from pathlib import Path

import pytest
from aigen.diagnostics import Diagnostics
from aigen.discovery import discover
from aigen.spec import is_spec, read_file


def found(root: Path, *entries: str) -> tuple[dict[str, str], list[str], list[str]]:
    diagnostics = Diagnostics()
    places = [root / entry for entry in entries]
    roots = [path.parent if path.is_file() else path for path in places]
    specs, passed = discover(root, list(zip(places, roots, strict=True)), diagnostics)
    codes = [one.code for one in diagnostics]
    return {spec.shown: spec.module for spec in specs}, passed, codes


def spec(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text('{"aigen": 1}' if name.endswith(".json") else "aigen: 1\n")


def test_names_of_modules(tmp_path: Path) -> None:
    spec(tmp_path, "s/my-shop.yaml", "s/shop/re funds.yml", "s/shop/class.json", "s/shop.yaml")
    spec(tmp_path, "s/annotations.yaml")
    (tmp_path / "s" / "other.yaml").write_text("name: no spec\n")
    (tmp_path / "s" / ".hidden.yaml").write_text("aigen: 1\n")
    specs, passed, codes = found(tmp_path, "s")
    assert specs == {
        "s/annotations.yaml": "annotations_",
        "s/my-shop.yaml": "my_shop",
        "s/shop.yaml": "shop",
        "s/shop/class.json": "shop.class_",
        "s/shop/re funds.yml": "shop.re_funds",
    }
    assert passed == ["s/other.yaml"]
    assert codes == []


@pytest.mark.parametrize("name", ["_shop", "schemas", "1st", "é", "schemas/inner", "_in/inner"])
def test_what_is_no_module_name(tmp_path: Path, name: str) -> None:
    spec(tmp_path, f"s/{name}.yaml")
    assert found(tmp_path, "s")[2] == ["AIG703"]


@pytest.mark.parametrize("second", ["my_shop.yaml", "my-shop.json", "My-Shop.yaml"])
def test_two_files_for_one_module(tmp_path: Path, second: str) -> None:
    spec(tmp_path, "s/my-shop.yaml", f"s/{second}")
    assert found(tmp_path, "s")[2] == ["AIG704"]


def test_folders_of_tools_hold_no_specs(tmp_path: Path) -> None:
    spec(tmp_path, "s/shop.yaml", "s/node_modules/a.yaml", "s/in/__pycache__/b.yaml")
    assert found(tmp_path, "s") == ({"s/shop.yaml": "shop"}, [], [])


def test_python_that_imports_the_declarations(tmp_path: Path) -> None:
    spec(tmp_path, "s/shop.yaml")
    for name in ("my-desk.py", "pay/stub.pyi", "shop.py", "pay/__init__.py"):
        path = tmp_path / "s" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("" if name.startswith("pay/__") else "from aigen.declare import ai\n")
    specs, passed, codes = found(tmp_path, "s")
    assert {name: module for name, module in specs.items() if not name.startswith("s/shop")} == {
        "s/my-desk.py": "my_desk",
        "s/pay/stub.pyi": "pay.stub",
    }
    assert passed == ["s/pay/__init__.py"]
    assert codes == ["AIG704"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    spec(tmp_path, "s/shop.yaml")
    os.mkfifo(tmp_path / "s" / "pipe.yaml")
    assert found(tmp_path, "s") == ({"s/shop.yaml": "shop"}, [], [])


def test_what_is_named_is_a_spec_whatever_it_holds(tmp_path: Path) -> None:
    (tmp_path / "any.yaml").write_text("hello: 1\n")
    assert found(tmp_path, "any.yaml")[0] == {"any.yaml": "any"}


def test_what_is_not_there(tmp_path: Path) -> None:
    assert found(tmp_path, "nowhere")[2] == ["AIG708"]


def test_links_are_followed_and_loops_are_not(tmp_path: Path) -> None:
    spec(tmp_path, "s/a/one.yaml", "elsewhere/two.yaml")
    (tmp_path / "s" / "a" / "up").symlink_to(tmp_path / "s")
    (tmp_path / "s" / "linked").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere" / "back").symlink_to(tmp_path / "s")
    (tmp_path / "s" / "self.yaml").symlink_to("self.yaml")
    specs, _, _ = found(tmp_path, "s")
    assert {"s/a/one.yaml", "s/linked/two.yaml", "s/self.yaml"} <= set(specs)


@pytest.mark.usefixtures("permissions_hold")
def test_a_folder_that_cannot_be_read(tmp_path: Path) -> None:
    spec(tmp_path, "s/a/one.yaml")
    (tmp_path / "s" / "a").chmod(0)
    try:
        assert found(tmp_path, "s")[2] == ["AIG101"]
    finally:
        (tmp_path / "s" / "a").chmod(0o700)


@pytest.mark.parametrize(
    ("text", "suffix", "wanted"),
    [
        ("aigen: 1", ".yaml", True),
        ("\ufeff# words\n'aigen' : 1", ".yml", True),
        ("a:\n  aigen: 1", ".yaml", False),
        ("{types: {a: [1]}, aigen: 1}", ".yaml", True),
        ("{types: {aigen: 1}}", ".yaml", False),
        ("{a: '}', \"aigen\": 1}", ".yaml", True),
        ('{"types": {"a": "{"}, "aigen": 1}', ".json", True),
        ('{"properties": {"aigen": {"const": 1}}}', ".json", False),
        ('[{"aigen": 1}]', ".json", False),
        ('{"a": "\\"aigen\\": 1"}', ".json", False),
        ("", ".json", False),
        ("functions:\n  mood:\n    formula: mood ~ review", ".yaml", True),
        ("functions: {mood: {formula: mood ~ review}}", ".yml", True),
        ('{"functions": {"mood": {"formula": "mood ~ review"}}}', ".json", True),
        ("types:\n  Tone: {choice: [kind, brief]}", ".yaml", True),
        ("types:\n  Order:\n    record: {id: str}", ".yaml", True),
        ("tools:\n  find:\n    python: app.orders:find", ".yaml", True),
        ("service: shop\nfunctions:\n  find: {handler: app.find, python: '3.11'}", ".yml", False),
        ("tools:\n  python: '3.11'", ".yaml", False),
        ("functions:\n  area: {formula: w * h}", ".yaml", False),
        ("a:\n  functions:\n    mood: {formula: mood ~ review}", ".yaml", False),
        ("- {formula: mood ~ review}", ".yaml", False),
        ("functions: {mood: {formula: mood ~ review", ".yaml", False),
        ("", ".yaml", False),
        ("description: " + "x" * 100_000 + "\naigen: 1", ".yaml", True),
    ],
)
def test_what_looks_like_a_spec(text: str, suffix: str, wanted: bool) -> None:
    assert is_spec(text.encode(), suffix) is wanted


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    ("text", "suffix"),
    [
        ("aigen: 1\nfunctions: {}\n", ".yaml"),
        ("# The shop's.\n---\naigen: 1\n", ".yaml"),
        ("# The shop's.\n  aigen: 1\n", ".yaml"),
        ("\n{aigen: 1}\n", ".yaml"),
        ('{\n"aigen": 1}\n', ".json"),
        ("from aigen.declare import ai\nx = 1\n", ".py"),
        ('"""The shop\'s."""\nimport aigen.declare\n', ".pyi"),
    ],
)
def test_line_ends_and_a_mark_hide_no_spec(text: str, suffix: str, end: str, mark: str) -> None:
    written = (mark + text.replace("\n", end)).encode()
    assert is_spec(written, suffix)
    assert not is_spec(written.replace(b"aigen", b"other"), suffix)


WIDE = ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"]


@pytest.mark.parametrize("encoding", WIDE)
def test_a_spec_in_another_encoding_is_not_passed_over(tmp_path: Path, encoding: str) -> None:
    for name, text in (
        *(("a.yaml", "aigen: 1\n"), ("b.json", '{"aigen": 1}'), ("c.yaml", "x: 1\n")),
        *(("e.py", "import aigen.declare\n"), ("f.py", "import aigen\n")),
    ):
        (tmp_path / name).write_bytes(text.encode(encoding))
    (tmp_path / "d.yaml").write_bytes("\ufeff# 日本\naigen: 1\n".encode(encoding))
    specs, passed, _ = found(tmp_path, ".")
    assert sorted(specs) == ["a.yaml", "b.json", "d.yaml", "e.py"]
    assert passed == ["c.yaml", "f.py"]
    diagnostics = Diagnostics()
    for name in specs:
        read_file(
            tmp_path / name, root=tmp_path, shown=name, module=name[0], diagnostics=diagnostics
        )
    assert {one.span.path for one in diagnostics if one.span} == {*specs}
    assert all(one.severity == "error" for one in diagnostics)
    assert all(one.code < "AIG200" or one.code == "AIG510" for one in diagnostics)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("\taigen: 1\n", True),
        ("# Words.\n---\n\n  aigen: 1\n  functions: {}\n", True),
        ("\ufeff\r\n\t'aigen': 1\r\n", True),
        ("tool:\n  aigen: 1\n", False),
        ("tool:\n\taigen: 1\n", False),
        ("\0\0\0\0\0", False),
        ("\0", False),
    ],
)
def test_a_spec_that_is_indented(tmp_path: Path, text: str, read: bool) -> None:
    (tmp_path / "a.yaml").write_text(text, encoding="utf-8", newline="")
    assert (list(found(tmp_path, ".")[0]) == ["a.yaml"]) is read
