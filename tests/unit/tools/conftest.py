"""Modules built from specs, beside the app code that they name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from desks import build_desk, imported


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], ModuleType]:
    """Builds a spec beside the app code that it names, and imports it."""

    def built(spec: str, app: str = "") -> ModuleType:
        build_desk(tmp_path, spec, app)
        return imported(tmp_path, monkeypatch)

    return built
