"""Each folder here is a case: specs, and what a build of them writes under `expected/`.

The case `samples` is the project's own samples, and what is expected of them their own output.

`pytest tests/golden --update-golden` writes what is expected; the change is then read in review.
"""

from __future__ import annotations

import ast
import importlib
import json
import pickle
import shutil
import subprocess
import sys
from inspect import signature
from pathlib import Path
from typing import get_type_hints

import pytest
from aigen.diagnostics import Diagnostics
from aigen.emit.render import RenderOptions, render
from aigen.resolve import ResolveContext, resolve
from aigen.runtime import AIFunction, AITool
from aigen.spec import is_spec, read_file
from pages import snippets

HERE = Path(__file__).parent
PROJECT = HERE.parents[1]
SAMPLES = PROJECT / "samples"
CASES = sorted(
    ["samples", *(path.name for path in HERE.iterdir() if path.is_dir() and path.name[0] not in "._")]
)
MARKERS = "# fmt: off\n# ruff: noqa\n"


def built(case: str) -> dict[str, str]:
    root, python_path, above = HERE / case, HERE / case, HERE / case
    if case == "samples":
        root, python_path, above = SAMPLES / "specs", SAMPLES, PROJECT
    diagnostics = Diagnostics()
    files = []
    for path in sorted([*root.rglob("*.yaml"), *root.rglob("*.py")]):
        inside = path.relative_to(root)
        if inside.parts[0] not in ("expected", "beside") and is_spec(
            path.read_bytes(), path.suffix
        ):
            module = ".".join(inside.with_suffix("").parts)
            shown = path.relative_to(above).as_posix()
            files.append(
                read_file(
                    path,
                    root=root,
                    shown=shown,
                    module=module,
                    diagnostics=diagnostics,
                    python_path=(python_path,),
                )
            )
    context = ResolveContext(python_path=(python_path,), trust=(), configured={})
    program = resolve([file for file in files if file is not None], context, diagnostics)
    assert not diagnostics.failed, [found.message for found in diagnostics]
    templates = root / "templates"
    return render(program, RenderOptions(templates=templates if templates.is_dir() else None))


@pytest.mark.parametrize("case", CASES)
def test_a_build_writes_what_is_expected(case: str, request: pytest.FixtureRequest) -> None:
    expected = SAMPLES / "shop_ai" if case == "samples" else HERE / case / "expected"
    files = built(case)
    if request.config.getoption("--update-golden"):
        for path in expected.rglob("*"):
            if path.is_file() and path.relative_to(expected).as_posix() not in files:
                path.unlink()
        for name, text in files.items():
            (expected / name).parent.mkdir(parents=True, exist_ok=True)
            (expected / name).write_bytes(text.encode())
    found = {
        path.relative_to(expected).as_posix(): path.read_bytes().decode()
        for path in expected.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert files == found, f"run: pytest tests/golden --update-golden  (case {case})"


def test_the_templates_are_those_of_the_page() -> None:
    files = {one.file: one.text for one in snippets("docs/templates.md") if one.file}
    for path in (HERE / "templates" / "templates").iterdir():
        assert files[f"templates/{path.name}"] == path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All cases side by side in one folder, without the markers that switch linters off."""
    folder = tmp_path_factory.mktemp("golden")
    for case in CASES:
        for name, text in built(case).items():
            path = folder / f"case_{case}" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text.replace(MARKERS, ""), encoding="utf-8")
        copy_beside(case, folder)
    return folder


def copy_beside(case: str, folder: Path) -> None:
    """Copies the modules that a case's output imports."""
    if (HERE / case / "beside").is_dir():
        shutil.copytree(HERE / case / "beside", folder, dirs_exist_ok=True)
    if case == "samples":
        shutil.copytree(SAMPLES / "app", folder / "app", dirs_exist_ok=True)


def importing(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Lets modules be imported from a folder, whatever else is called `app`."""
    for name in [each for each in sys.modules if each.partition(".")[0] == "app"]:
        patch.delitem(sys.modules, name)
    patch.syspath_prepend(str(folder))


def test_texts_of_specs_are_literals_only(package: Path) -> None:
    for path in package.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        compile(tree, str(path), "exec")
        for node in ast.walk(tree):
            assert not isinstance(node, ast.Import | ast.Global)


def test_formatting_and_linting_change_nothing(package: Path) -> None:
    common = ["--isolated", "--line-length", "100", "--target-version", "py311"]
    cases = [str(path) for path in sorted(package.glob("case_*"))]
    ruff = [sys.executable, "-m", "ruff"]
    _passes([*ruff, "format", *common, "--diff", *cases])
    rules = ["--select", "E,F,I,UP,B,D", "--config", 'lint.pydocstyle.convention="google"']
    rules += ["--config", f"src = [{json.dumps(str(package))}]"]
    _passes([*ruff, "check", *common, *rules, *cases])


def test_type_checkers_find_nothing(package: Path) -> None:
    cache = package / ".mypy"
    _passes(
        [sys.executable, "-m", "mypy", "--strict", "--python-version", "3.11"]
        + ["--follow-imports", "silent"]
        + ["--cache-dir", str(cache), *sorted(str(path) for path in package.glob("case_*"))]
    )
    settings = {
        "include": [path.name for path in sorted(package.glob("case_*"))],
        "typeCheckingMode": "strict",
        "pythonVersion": "3.11",
        "extraPaths": [str(SAMPLES.parent / "generator")],
    }
    (package / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    _passes([sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "-p", str(package)])


def test_every_module_imports(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    importing(package, monkeypatch)
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).with_suffix("").parts
        module = importlib.import_module(".".join(p for p in parts if p != "__init__"))
        for name in getattr(module, "__all__", ()):
            found = getattr(module, name)
            assert found is not None
            if isinstance(found, AIFunction | AITool):
                assert (found.__name__, found.__module__) == (name, module.__name__)
                assert pickle.loads(pickle.dumps(found)) is found
                shown = {
                    name: each.annotation for name, each in signature(found).parameters.items()
                }
                hints = get_type_hints(found, include_extras=True)
                assert {**shown, "return": signature(found).return_annotation} == hints


def _passes(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
