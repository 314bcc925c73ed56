"""Values of a call: canonical JSON, whether they fit a shape, and how they are bound to one.

Shapes are JSON Schema (2020-12) as `aigen.runtime.definition` describes them. A shape is compiled
at its first use and kept, so a shape that was used must not be changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aigen.runtime.values.canonical_json import canonical, pretty
    from aigen.runtime.values.convert import jsonable
    from aigen.runtime.values.inputs import bind_inputs, with_levels
    from aigen.runtime.values.interface import (
        Field,
        Interface,
        check_outputs,
        interface_id,
        read_interface,
    )
    from aigen.runtime.values.judge import Judge, located
    from aigen.runtime.values.media import Audio, File, Image, Media
    from aigen.runtime.values.not_bound import NotBound
    from aigen.runtime.values.quoting import quoted
    from aigen.runtime.values.shape import Misfit, Shape
    from aigen.runtime.values.unset import UNSET, Unset

__all__ = [
    "UNSET",
    "Audio",
    "Field",
    "File",
    "Image",
    "Interface",
    "Judge",
    "Media",
    "Misfit",
    "NotBound",
    "Shape",
    "Unset",
    "bind",
    "bind_inputs",
    "canonical",
    "check_outputs",
    "fits",
    "interface_id",
    "jsonable",
    "located",
    "pretty",
    "quoted",
    "read_interface",
    "with_levels",
]


_HOMES = {
    "Audio": "media",
    "Field": "interface",
    "File": "media",
    "Image": "media",
    "Interface": "interface",
    "Judge": "judge",
    "Media": "media",
    "Misfit": "shape",
    "NotBound": "not_bound",
    "Shape": "shape",
    "UNSET": "unset",
    "Unset": "unset",
    "bind_inputs": "inputs",
    "canonical": "canonical_json",
    "check_outputs": "interface",
    "interface_id": "interface",
    "jsonable": "convert",
    "located": "judge",
    "pretty": "canonical_json",
    "quoted": "quoting",
    "read_interface": "interface",
    "with_levels": "inputs",
}


if not TYPE_CHECKING:  # else every slip would be a name to a type checker

    def __getattr__(name: str) -> Any:
        """A name of one of the rooms, imported at its first use (PEP 562)."""
        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found = getattr(import_module(f"{__name__}.{home}"), name)
        globals()[name] = found
        return found


def fits(value: Any, shape: Shape, defs: Mapping[str, Any] | None = None) -> Misfit | None:
    """Whether a value fits a shape.

    Args:
        value: JSON, or JSON in which dates and the like stand as Python objects.
        shape: a JSON Schema; see `aigen.runtime.definition.Shape`.
        defs: what its `#/$defs/<name>` mean.

    Returns:
        The first place where it does not; None where it fits.

    Raises:
        ConfigurationError: the shape is malformed, or needs a package that is missing.
    """
    from aigen.runtime.values.judge import Judge

    return Judge.of(shape, defs).fits(value)


def bind(value: Any, shape: Shape, defs: Mapping[str, Any] | None = None) -> Any:
    """Binds a value to a shape; 3-runtime, *Binding a call's inputs*.

    Args:
        value: any Python value.
        shape: a JSON Schema; see `aigen.runtime.definition.Shape`.
        defs: what its `#/$defs/<name>` mean.

    Returns:
        The value itself where it fits as it is, else a new one.

    Raises:
        NotBound: it does not bind, or what it binds to does not fit.
        ConfigurationError: the shape is malformed, or needs a package that is missing.
    """
    from aigen.runtime.values.judge import Judge

    return Judge.of(shape, defs).bind(value)
