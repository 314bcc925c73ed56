"""Tools of servers that do one thing wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from aigen.runtime.mcp import client
from far_tools import Look, described, look


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    """Ends the servers that a test has started."""
    yield
    client.close()


@pytest.fixture
def far() -> Callable[..., Look]:
    """Makes the tool `look` of a server that does one thing wrong."""

    def made(how: str, returns: Any = None, **more: Any) -> Look:
        tool = look(returns, **more)
        tool.definition["options"]["mcp"]["at"] = described(how)
        return tool

    return made
