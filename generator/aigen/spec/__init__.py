"""Reading spec files: YAML and JSON with places, formulas, type expressions, prompts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aigen.spec.looks import is_spec

if TYPE_CHECKING:
    from aigen.spec.document import read_file
    from aigen.spec.schema import spec_schema

__all__ = ["is_spec", "read_file", "spec_schema"]

# An unchanged build looks at every spec and reads none, so the readers come when asked for.
_LATER = {"read_file": "aigen.spec.document", "spec_schema": "aigen.spec.schema"}


def __getattr__(name: str) -> Any:
    """A name that was not needed before now (PEP 562)."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_LATER[name]), name)
