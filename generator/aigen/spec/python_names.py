"""Names of a spec that cannot be public in Python as they are."""

from __future__ import annotations

import keyword
from typing import Final

_TAKEN: Final = frozenset({*keyword.kwlist, "annotations"})
"""`annotations` stands in every generated module: `from __future__ import annotations` binds it."""


def free(name: str) -> str:
    """The name of a module, function or tool in Python; one that is taken gets a trailing `_`."""
    return f"{name}_" if name in _TAKEN else name
