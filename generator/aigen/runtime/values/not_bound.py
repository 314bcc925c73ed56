"""What a binder is, and what it raises."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from aigen.runtime.values.shape import (
    Memo,
    Path,
)

Bind: TypeAlias = Callable[[Any, Memo], Any]
"""The value that a value binds to."""


class NotBound(ValueError):
    """A value does not bind.

    Attributes:
        path: where in the whole value.
        expected: what is wanted there, in words.
        value: what stands there.
    """

    def __init__(self, path: Path, expected: str, value: Any) -> None:
        super().__init__(path, expected, value)
        self.path = path
        self.expected = expected
        self.value = value

    def __str__(self) -> str:
        return f"expected {self.expected}"

    def under(self, step: str | int) -> NotBound:
        """The same refusal, seen from the value around it."""
        return NotBound((step, *self.path), self.expected, self.value)
