"""What became of a tool call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one tool call.

    Attributes:
        name: as the model called it.
        call_id: the id that the model gave the call.
        text: what the model reads.
        arguments: as they were bound; as they came where they were not.
        value: what the tool gave; None where it was not run.
        is_error: whether the model is told that it failed.
        risk: 0 to 4; None where it was not judged.
        seconds: of the tool's own work.
        images: for models that see.
        details: kept with the call, never sent.
        error: what the tool raised.
        inside: the calls that its code made, in order.
    """

    name: str
    call_id: str
    text: str
    arguments: Any = None
    value: Any = None
    is_error: bool = False
    risk: int | None = None
    seconds: float = 0.0
    images: tuple[Any, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    error: Exception | None = None
    inside: tuple[Outcome, ...] = ()
