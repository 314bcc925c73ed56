"""Times one way of reading replies: `way file-of-texts`; prints ms by the name of a text."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, os.environ["BENCH_PACKAGE"])

_AT_LEAST = 0.2
"""Seconds that one figure is taken over."""


def _model() -> Any:
    from pydantic import BaseModel, ConfigDict

    class Line(BaseModel):
        model_config = ConfigDict(extra="forbid", strict=True)
        sku: str
        title: str
        quantity: int
        price: float
        gift: bool
        note: str | None

    class Order(BaseModel):
        model_config = ConfigDict(extra="forbid", strict=True)
        lines: list[Line]
        total: float

    return Order


def _pydantic() -> Callable[[str], Any]:
    return _model().model_validate_json


def _json_repair() -> Callable[[str], Any]:
    from json_repair import loads

    validate = _model().model_validate
    return lambda text: validate(loads(text))


def _baml() -> Callable[[str], Any]:
    from baml_client.sync_client import b

    return b.parse.ReadOrder


def _aigen() -> Callable[[str], Any]:
    from app.ai.desk import read_order

    return read_order.parse


def _aigen_reading() -> Callable[[str], Any]:
    """What a call does with a reply's text; `parse` works the settings out before it."""
    from aigen.runtime.wire.conversation import _read
    from aigen.runtime.wire.messages import Reply
    from app.ai.desk import read_order

    plan = read_order._plan(None, parsing=True)
    return lambda text: _read(plan, "strict", Reply(text), None)[1]


def _milliseconds(read: Callable[[str], Any], text: str) -> float | None:
    try:
        count = len(read(text).lines)
    except Exception:
        return None  # What a way cannot read is told in the table.
    if count < 1:
        return None
    calls, spent = 0, 0.0
    while spent < _AT_LEAST:
        began = time.process_time()
        read(text)
        spent += time.process_time() - began
        calls += 1
    return spent / calls * 1000


if __name__ == "__main__":
    ways = {
        "pydantic": _pydantic,
        "aigen": _aigen,
        "aigen_reading": _aigen_reading,
        "baml": _baml,
        "json_repair": _json_repair,
    }
    reader = ways[sys.argv[1]]()
    texts = json.loads(Path(sys.argv[2]).read_text(encoding="utf-8"))
    print(json.dumps({name: _milliseconds(reader, text) for name, text in texts.items()}))
