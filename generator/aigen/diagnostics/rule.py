"""What one diagnostic code means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Rule:
    """What one code means.

    Attributes:
        code: `AIG` and three digits.
        severity: how a finding of it counts.
        title: the fault in a few words.
        why: why it is one, and what would go wrong otherwise; a paragraph.
        example: a spec that has the fault, whole, or files by path; empty where no spec alone can
            show it (a full disk, two builds at once).
        mend: what to write instead.
    """

    code: str
    severity: Literal["error", "warning", "note"]
    title: str
    why: str
    example: str | Mapping[str, str]
    mend: str
