from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from aigen.compare import Change, changes, read
from aigen.project import Project

Specs = str | Mapping[str, str]
APP = "def polite(mood: str) -> bool:\n    return True\n\n\ndef find() -> str:\n    return ''\n"


@pytest.fixture
def schemas(tmp_path: Path) -> Callable[[Specs], dict[str, Mapping[str, Any]]]:
    """The modules of specs as a build writes them and `aigen diff` reads them."""
    (tmp_path / "aigen.toml").write_text('specs = ["specs"]\nout = "ai"\n', encoding="utf-8")
    (tmp_path / "app.py").write_text(APP + APP.replace("find", "find_faster"), encoding="utf-8")
    folder = tmp_path / "specs"
    folder.mkdir()

    def written(specs: Specs) -> dict[str, Mapping[str, Any]]:
        files = {"shop.yaml": specs} if isinstance(specs, str) else specs
        for old in folder.iterdir():
            old.unlink()
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
        project = Project.load(tmp_path)
        program, _ = project.program(project.specs()[0])
        errors = [one for one in project.diagnostics if one.severity == "error"]
        assert not errors
        texts = project.render(program)
        return read({name: text for name, text in texts.items() if name.startswith("schemas/")})

    return written


@pytest.fixture
def compared(schemas: Callable[..., Any]) -> Callable[[Specs, Specs], list[Change]]:
    """The changes between two versions of specs."""
    return lambda before, after: changes(schemas(before), schemas(after))
