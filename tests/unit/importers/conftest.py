from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from aigen.cli import run


class Imported(NamedTuple):
    code: int
    spec: Any
    err: str


@pytest.fixture
def imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Imported]:
    """Imports a file of this content, and builds the spec that comes out."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "aigen.toml").write_text('specs = ["specs"]\nout = "ai"\n')

    def command(kind: str, content: Any, *more: str, name: str = "given.json") -> Imported:
        text = content if isinstance(content, str) else json.dumps(content, indent=1)
        Path(name).write_text(text, encoding="utf-8")
        capsys.readouterr()
        code = run(["import", kind, name, "-o", "specs/made.yaml", "--force", *more])
        err = capsys.readouterr().err
        if code:
            assert not Path("specs/made.yaml").exists()
            return Imported(code, None, err)
        assert run(["build"]) == 0
        assert yaml.safe_load(Path("specs/made.yaml").read_text(encoding="utf-8"))["aigen"] == 1
        return Imported(code, yaml.safe_load(Path("specs/made.yaml").read_text("utf-8")), err)

    return command
