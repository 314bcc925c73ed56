"""Few lines that stand for more than a machine can take are refused, or cost few lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from aigen.diagnostics import Diagnostics
from aigen.emit.render import RenderOptions, render
from aigen.resolve import ResolveContext, resolve
from aigen.rules import check
from aigen.spec import read_file

USE = "functions:\n  f:\n    formula: tree ~ x\n    fields: {tree: T0, x: T0}\n"


def built(text: str, folder: Path, suffix: str = ".yaml") -> tuple[list[str], dict[str, str]]:
    path = folder / f"m{suffix}"
    path.write_text(text)
    found = Diagnostics()
    file = read_file(path, root=folder, shown=path.name, module="m", diagnostics=found)
    assert file is not None
    program = resolve([file], ResolveContext((folder,)), found)
    check(program, found)
    codes = [one.code for one in found]
    return codes, {} if found.failed else render(program, RenderOptions())


def chain(form: str, count: int, last: str = "int") -> str:
    lines = [f"  T{at}: {form.replace('T', f'T{at + 1}')}\n" for at in range(count)]
    return f"aigen: 1\ntypes:\n{''.join(lines)}  T{count}: {last}\n{USE}"


@pytest.mark.parametrize("form", ['"tuple[T, T]"', '"T | list[T]"', '"dict[str, T | list[T]]"'])
@pytest.mark.parametrize("count", [16, 60, 400])
def test_names_that_double_are_refused_once(form: str, count: int, tmp_path: Path) -> None:
    assert built(chain(form, count), tmp_path)[0] == ["AIG224"]


@pytest.mark.parametrize("form", ["T", '"list[T]"'])
def test_a_long_chain_is_refused_and_a_short_one_is_built(form: str, tmp_path: Path) -> None:
    assert built(chain(form, 3000), tmp_path)[0] == ["AIG224"]
    codes, files = built(chain(form, 35), tmp_path)
    assert codes == []
    compile(files["m.py"], "m.py", "exec")


def test_what_doubles_from_its_end_may_be_as_large_as_people_write(tmp_path: Path) -> None:
    codes, files = built(chain('"T | list[T]"', 6), tmp_path)
    assert codes == []
    compile(files["m.py"], "m.py", "exec")


def test_records_are_not_followed(tmp_path: Path) -> None:
    codes, files = built(chain('{record: {a: "T", b: "T"}}', 200, "{record: {a: int}}"), tmp_path)
    assert codes == []
    assert len(files["m.py"]) < 400_000


REF = "#/$defs/d{}"


@pytest.mark.parametrize("word", ["allOf", "anyOf"])
@pytest.mark.parametrize("beside", [{}, {"type": "object"}])
def test_references_that_double_in_a_schema(
    word: str, beside: dict[str, str], tmp_path: Path
) -> None:
    defs: dict[str, object] = {
        f"d{at}": {word: [{"$ref": REF.format(at + 1)}] * 2, **beside} for at in range(60)
    }
    defs["d60"] = {"type": "object", "properties": {"a": {"type": "integer"}}}
    shape = {"$ref": "#/$defs/d0", "$defs": defs}
    spec = {
        "aigen": 1,
        "types": {"T0": {"json_shape": shape}},
        "functions": {"f": {"formula": "tree ~ x", "fields": {"tree": "T0"}}},
    }
    codes, files = built(json.dumps(spec), tmp_path, ".json")
    assert codes == []
    assert "a: Annotated[Int | None, MayBeAbsent()]" in files["m.py"]
