"""The generated samples, which these tests call."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

SAMPLES = Path(__file__).resolve().parents[3] / "samples"
sys.path.insert(0, str(SAMPLES))


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting of the machine's reaches a test, and no way that a server refused is kept."""
    import os

    from aigen.runtime.wire import adapters

    for name in list(os.environ):
        if name.startswith("AIGEN_"):
            monkeypatch.delenv(name)
    adapters._refused.clear()
