"""`aigen build --verify`: what mypy refuses, at the place in the spec."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from commands import Project

pytest.importorskip("mypy")

DESK = """\
aigen: 1
types:
  Order: {python: "app.orders:Order"}
functions:
  triage:
    formula: summary ~ order
    description: Read the order.
    fields:
      order: Order
tools:
  find:
    python: app.orders:find
"""
COLD = 300.0
"""Seconds that mypy may take where it knows of no library yet and others work too."""

ORDERS = """\
from dataclasses import dataclass


@dataclass
class Order:
    id: str


def find(id: str) -> Order:
    \"\"\"Finds an order.\"\"\"
    return Order(id)
"""


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What mypy knows of the libraries, kept from test to test."""
    return tmp_path_factory.mktemp("mypy")


@pytest.fixture
def desk(project: Project, cache: Path) -> Project:
    (project.root / ".aigen").mkdir(parents=True)
    (project.root / ".aigen" / "mypy").symlink_to(cache)
    (project.root / "specs" / "shop.yaml").unlink()
    project.write("aigen.toml", 'specs = ["specs"]\nout = "src/app/ai"\npython_path = ["src"]\n')
    project.write("specs/desk.yaml", DESK)
    project.write("src/app/__init__.py", "")
    project.write("src/app/orders.py", ORDERS)
    project.out = project.root / "src" / "app" / "ai"
    return project


def test_what_fits_is_fine(desk: Project) -> None:
    # What the project's own configuration of mypy says, and what is wrong elsewhere, is no matter.
    desk.write("mypy.ini", "[mypy]\nplugins = none.such\n")
    desk.write("src/app/orders.py", f"{ORDERS}\n\nLATER: int = 'text'\n")
    verified = desk.aigen("build", "--verify", timeout=COLD)
    assert (verified.code, verified.err) == (0, "mypy --strict finds nothing in it\n")
    assert desk.aigen("build", "--verify", timeout=COLD).out == "5 files up to date in src/app/ai\n"
    assert list((desk.root / ".aigen" / "mypy").iterdir())
    assert not (desk.root / ".mypy_cache").exists()


def test_modules_are_called_as_they_are_from_python_path(desk: Project) -> None:
    """Here of a package without `__init__.py`, which uses its output."""
    (desk.root / "src" / "app" / "__init__.py").unlink()
    desk.write("src/app/orders.py", f"from app.ai import desk as desk\n{ORDERS}")
    verified = desk.aigen("build", "--verify", timeout=COLD)
    assert (verified.code, verified.err) == (0, "mypy --strict finds nothing in it\n")


def test_a_type_that_is_none_to_mypy_stands_in_the_spec(desk: Project) -> None:
    desk.write("src/app/model.py", ORDERS)
    # Python imports it from here; to mypy --strict, it is not this module's to give.
    reexporting = "from app.model import Order\n" + ORDERS[ORDERS.index("\n\ndef find") :]
    desk.write("src/app/orders.py", reexporting)
    refused = desk.aigen("build", "--verify", timeout=COLD)
    assert (refused.code, refused.out) == (1, "")
    assert refused.err.startswith(
        'specs/desk.yaml:3:19: error[AIG710]: mypy: Module "app.orders" does not explicitly export '
        'attribute "Order" [attr-defined]\n    3 |   Order: {python: "app.orders:Order"}\n'
    ), refused.err
    assert "src/app/ai/desk.py:14:1: in the generated code" in refused.err
    assert desk.aigen("build").code == 0
    desk.write("src/app/orders.py", reexporting.replace("import Order", "import Order as Order"))
    assert desk.aigen("build", "--verify", timeout=COLD).code == 0


@pytest.mark.parametrize(
    ("good", "bad", "place"),
    [
        ("(self, order: Order) -> str:", "(self, order: Order) -> int:", "5:3"),
        ("\n    id: str\n", "\n    id: sty\n", "11:3"),
        ("import AIFunction, ", "import AIFunctiom, ", "1:1"),
    ],
)
def test_a_finding_in_the_code_stands_at_its_entry(
    desk: Project, good: str, bad: str, place: str
) -> None:
    assert desk.aigen("build").code == 0
    path = desk.out / "desk.py"
    text, state = path.read_text(), path.stat()
    assert good in text
    # As a fault of aigen would be: with size and time kept, a build takes it for what it wrote.
    path.write_text(text.replace(good, bad, 1))
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    refused = desk.aigen("build", "--verify", timeout=COLD)
    assert refused.code == 1
    assert f"specs/desk.yaml:{place}: error[AIG710]: mypy: " in refused.err, refused.err


def test_mypy_is_missing(desk: Project) -> None:
    desk.write("hidden/sitecustomize.py", HIDE)
    path = os.pathsep.join([str(desk.root / "hidden"), os.environ.get("PYTHONPATH", "")])
    refused = desk.aigen("build", "--verify", environ={"PYTHONPATH": path}, timeout=COLD)
    assert refused.code == 1
    wanted = 'error[AIG711]: mypy is not installed\n      | pip install "aigen[build]"\n1 error\n'
    assert refused.err == wanted
    assert (desk.out / "desk.py").is_file()


HIDE = """
import importlib.util

found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "mypy" else found(name, *rest)
"""


def test_mypy_cannot_read_a_module(desk: Project) -> None:
    assert desk.aigen("build").code == 0
    desk.write("src/app/other.py", "def broken(:\n")
    desk.write("src/app/orders.py", f"from app import other\n{ORDERS}")
    refused = desk.aigen("build", "--verify", timeout=COLD)
    assert refused.code == 1
    assert "error[AIG711]: mypy ended with 2: app/other.py:1: " in refused.err
