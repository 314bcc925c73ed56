"""The generated samples, and the log that their calls write."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from aigen.runtime import settings
from aigen.runtime.record import calllog
from log_folder import read

SAMPLES = Path(__file__).resolve().parents[3] / "samples"
sys.path.insert(0, str(SAMPLES))

Records = Callable[[], list[dict[str, Any]]]


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No setting of the machine's reaches a test, and no log of another's."""
    for name in list(os.environ):
        if name.startswith(("AIGEN_", "OTEL_")):
            monkeypatch.delenv(name)
    monkeypatch.setattr(calllog, "_logs", {})
    monkeypatch.setattr(calllog, "_warned", set())
    yield
    for log in calllog._logs.values():
        log.close()


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A log folder that every call of the test is logged to."""
    with settings(log_calls=tmp_path / "log"):
        yield tmp_path / "log"


@pytest.fixture
def records(folder: Path) -> Records:
    """Reads the log, oldest call first."""
    return lambda: read(folder)
