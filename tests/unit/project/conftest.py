from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from projects import Folder


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path / "project")


@pytest.fixture
def other(tmp_path: Path) -> Callable[[], Folder]:
    return lambda: Folder(tmp_path / "other")
