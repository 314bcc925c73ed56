"""The build hook in real wheels, packed by hatchling."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
import tarfile
import zipfile

import pytest
from commands import SPEC, Project, environment

pytest.importorskip("hatchling")
if not importlib.metadata.entry_points(group="hatch", name="aigen"):
    pytest.skip("aigen was installed before it had the hook", allow_module_level=True)

PYPROJECT = """\
[build-system]
requires = ["hatchling", "aigen[build]"]
build-backend = "hatchling.build"

[project]
name = "shop"
version = "1"
requires-python = ">=3.11"
dependencies = ["aigen"]

[tool.hatch.build.targets.wheel]
packages = ["src/shop"]

[tool.hatch.build.hooks.aigen]

[tool.aigen]
out = "src/shop/ai"
"""


@pytest.fixture
def shop(project: Project) -> Project:
    (project.root / "aigen.toml").unlink()
    project.write("pyproject.toml", PYPROJECT)
    project.write("src/shop/__init__.py", "")
    project.write(".gitignore", "src/shop/ai/\n.aigen/\ndist/\n")
    subprocess.run(["git", "init", "-q"], cwd=project.root, check=True)
    project.out = project.root / "src" / "shop" / "ai"
    return project


def pack(project: Project, target: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "hatchling", "build", "-t", target]
    return subprocess.run(
        command, cwd=project.root, env=environment(), capture_output=True, text=True, check=False
    )


def test_a_wheel_holds_fresh_code(shop: Project) -> None:
    for words in ("customer", "guest"):
        shop.write("specs/shop.yaml", SPEC.replace("customer", words))
        packed = pack(shop, "wheel")
        assert packed.returncode == 0, packed.stdout + packed.stderr
        with zipfile.ZipFile(shop.root / "dist" / "shop-1-py3-none-any.whl") as wheel:
            assert words in wheel.read("shop/ai/shop.py").decode()
            names = set(wheel.namelist())
    assert {"shop/ai/__init__.py", "shop/ai/py.typed", "shop/ai/schemas/shop.json"} <= names
    assert not [name for name in names if ".aigen" in name]


def test_a_source_distribution_holds_specs_and_code(shop: Project) -> None:
    packed = pack(shop, "sdist")
    assert packed.returncode == 0, packed.stdout + packed.stderr
    with tarfile.open(shop.root / "dist" / "shop-1.tar.gz") as sdist:
        names = sdist.getnames()
    assert {"shop-1/specs/shop.yaml", "shop-1/src/shop/ai/shop.py"} <= set(names)


def test_errors_end_the_packing(shop: Project) -> None:
    shop.write("specs/shop.yaml", "aigen: 1\nfunction: {}\n")
    packed = pack(shop, "wheel")
    assert packed.returncode == 1
    said = packed.stdout + packed.stderr
    assert "aigen build failed" in said and "specs/shop.yaml:2:1: error[" in said
    assert "Traceback" not in said
    assert not list((shop.root / "dist").glob("*.whl"))


def test_warnings_are_shown_and_end_nothing(shop: Project) -> None:
    shop.write("specs/vague.yaml", "aigen: 1\nfunctions: {answer: {formula: answer ~ words}}\n")
    packed = pack(shop, "wheel")
    assert packed.returncode == 0
    assert "specs/vague.yaml:2:13: warning[AIG808]" in packed.stdout + packed.stderr
