"""Python modules as specs that name their functions and classes."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from aigen.cli import run

MODULE = '''
"""Orders of the shop.

More about them.
"""
import functools
from dataclasses import dataclass
from enum import Enum

from pydantic import BaseModel


class State(Enum):
    OPEN = "open"
    SENT = "sent"


class Order(BaseModel):
    id: str
    state: State = State.OPEN


@dataclass
class Line:
    sku: str
    count: int = 1


class Shop:
    """No type of values."""

    def close(self) -> None: ...


def lookup_order(
    order_id: str,  # Number of the order
    with_lines: bool = False,
) -> Order:
    """Look an order up."""
    raise SystemExit("a module is never run")


async def send(order: Order, *, to=("post", "mail"), retries=3) -> None:
    """Send an order."""


def note(text, count=None, *rest, kind="plain", **more):
    """Note a text."""


def run_it(job: functools.partial[int]) -> int:
    """What takes no value of JSON."""
    return job()


def _private() -> None: ...


raise SystemExit("a module is never run")
'''

Module = Callable[..., Any]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "aigen.toml").write_text('specs = ["specs"]\nout = "ai"\npython_path = ["src"]\n')
    (tmp_path / "src" / "imp_shop").mkdir(parents=True)
    (tmp_path / "src" / "imp_shop" / "orders.py").write_text(MODULE, encoding="utf-8")
    before = {*sys.modules}
    yield tmp_path
    for name in sys.modules.keys() - before:
        if name.partition(".")[0] in ("ai", "imp_shop"):
            del sys.modules[name]


def spec(path: str = "src/imp_shop/orders.py") -> Any:
    assert run(["import", "python", path, "-o", "specs/orders.yaml", "--force"]) == 0
    assert run(["build"]) == 0
    return yaml.safe_load(Path("specs/orders.yaml").read_text(encoding="utf-8"))


def test_functions_are_tools(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert spec() == {
        "aigen": 1,
        "description": "Orders of the shop.",
        "tools": {
            "lookup_order": {"python": "imp_shop.orders:lookup_order"},
            "send": {"python": "imp_shop.orders:send"},
            "note": {
                "python": "imp_shop.orders:note",
                "parameters": {"text": {"type": "json"}, "count": {"type": "json"}},
            },
        },
    }
    err = capsys.readouterr().err
    place = "src/imp_shop/orders.py"
    assert f"{place}:47:10: warning[AIG140]: text of note has no type, so it takes any value" in err
    assert f"{place}:47:16: warning[AIG140]: count of note has no type" in err
    assert f"{place}:51:1: warning[AIG140]: run_it is left out: " in err
    made = Path("ai/orders.py").read_text(encoding="utf-8")
    assert "from imp_shop.orders import Order" in made  # which came with a function


def test_classes_of_a_module_without_functions_are_types(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = MODULE[: MODULE.index("def lookup_order")]
    (project / "src" / "models.py").write_text(text, encoding="utf-8")
    found = spec("src/models.py")
    assert found["types"] == {
        name: {"python": f"models:{name}"} for name in ("State", "Order", "Line")
    }
    assert "Shop" not in capsys.readouterr().err  # most classes are no types, and nobody meant it


def test_what_is_imported_is_called(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "def double(number: int) -> int:\n    'Twice as much.'\n    return 2 * number\n"
    (project / "src" / "imp_shop" / "__init__.py").write_text(text)
    assert spec("src/imp_shop/__init__.py")["tools"] == {"double": {"python": "imp_shop:double"}}
    monkeypatch.syspath_prepend(str(project / "src"))
    monkeypatch.syspath_prepend(str(project))
    for name in ("ai", "ai.orders", "imp_shop"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    double = importlib.import_module("ai.orders").double
    assert double(21) == 42
    assert double.definition["description"] == "Twice as much."


def test_what_a_module_offers(project: Path) -> None:
    text = "__all__ = ['_a']\ndef _a() -> int: return 1\ndef b() -> int: return 1\n"
    (project / "src" / "few.py").write_text(text)
    assert [*spec("src/few.py")["tools"]] == ["_a"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def f(:\n", "src/bad.py:1:7: error[AIG510]"),
        ("x = 1\n", "src/bad.py has no function and no type that a spec can name"),
        ("def f(x: open) -> None: ...\n", "has no function and no type"),
        ("from aigen.declare import ai\n", "src/bad.py is a spec already"),
        ("\xff", "AIG"),
    ],
)
def test_a_module_that_has_nothing(
    project: Path, capsys: pytest.CaptureFixture[str], text: str, said: str
) -> None:
    (project / "src" / "bad.py").write_text(text, encoding="latin-1")
    assert run(["import", "python", "src/bad.py"]) == 1
    assert said in capsys.readouterr().err


def test_a_file_that_is_no_module(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("data.json").write_text("{}")
    assert run(["import", "python", "data.json"]) == 1
    assert "data.json is no Python module" in capsys.readouterr().err


def test_a_module_that_nothing_imports(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("outside.py", "src/no-name.py"):
        Path(name).write_text("def f() -> int: return 1\n")
        assert run(["import", "python", name]) == 1
        err = capsys.readouterr().err
        assert "is a module of none of the folders in python_path" in err
        assert "add its folder to python_path in [tool.aigen]" in err
