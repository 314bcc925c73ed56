"""What a tool gives one by one, as a list."""

from __future__ import annotations

from collections.abc import AsyncIterator, ItemsView, Iterator, KeysView, ValuesView
from io import IOBase
from itertools import islice
from typing import Any, Final

from aigen.runtime.errors import ToolError

MOST: Final = 100_000
"""Values of one result; a generator may never end."""

_ONE_BY_ONE: Final = (Iterator, KeysView, ValuesView, ItemsView, range)


def gathered(result: Any) -> Any:
    """The values of an iterator, a range or a view of a mapping as a list; else what is given.

    Returns:
        For an async generator what gives the list, to be awaited.

    Raises:
        ToolError: there are more than `MOST`.
    """
    if isinstance(result, AsyncIterator):
        return _all(result)
    if not isinstance(result, _ONE_BY_ONE) or isinstance(result, IOBase):
        return result
    found = list(islice(result, MOST + 1))
    if len(found) > MOST:
        raise _too_many()
    return found


async def _all(result: AsyncIterator[Any]) -> list[Any]:
    found: list[Any] = []
    async for value in result:
        if len(found) == MOST:
            raise _too_many()
        found.append(value)
    return found


def _too_many() -> ToolError:
    return ToolError(f"it gave more than {MOST:,} values, one by one")


__all__ = ["MOST", "gathered"]
