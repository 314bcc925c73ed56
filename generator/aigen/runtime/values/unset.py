"""`UNSET`: an argument that was left out."""

from __future__ import annotations

from typing import Any, Final, final


@final
class Unset:
    """The class of `UNSET`; there is one instance a process, and it pickles to itself."""

    __slots__ = ()
    _instance: Unset | None = None

    def __new__(cls) -> Unset:
        """Gives the one instance."""
        if cls._instance is None:
            cls._instance = super().__new__(cls)
        return cls._instance

    def __repr__(self) -> str:
        return "UNSET"

    def __bool__(self) -> bool:
        return False

    def __reduce__(self) -> str:
        return "UNSET"

    def __copy__(self) -> Unset:
        return self

    def __deepcopy__(self, memo: Any) -> Unset:
        return self


UNSET: Final[Any] = Unset()
"""Stands for an input that was left out; it takes the input's default, if there is one."""
