"""A decorator of the project's own."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

calls: list[str] = []


def audited(name: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Notes every call of a function under a name."""

    def decorate(call: Callable[P, R]) -> Callable[P, R]:
        @wraps(call)
        def noted(*args: P.args, **kwargs: P.kwargs) -> R:
            calls.append(name)
            return call(*args, **kwargs)

        return noted

    return decorate
