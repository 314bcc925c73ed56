"""What the rules about types share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from aigen.compare.model import Comparison, Found
from aigen.compare.shapes import Facet, Way


def differing(
    both: Comparison, side: Literal["inputs", "outputs"], facet: Facet, *ways: Way
) -> Iterator[Found]:
    """The differences of one sort.

    Args:
        both: the versions.
        side: of which fields.
        facet: of which part of their schemas.
        ways: which directions.
    """
    for pair in both.pairs:
        for one in (pair.inputs if side == "inputs" else pair.outputs).differences:
            if one.facet == facet and one.way in ways:
                place = pair.place._replace(path=f"{side}.{one.path}".rstrip("."))
                yield Found(place, f"{one.path}: {one.words}" if one.path else one.words)
