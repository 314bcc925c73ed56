"""Judging an output by mypy, and tools by running them; all at the place in the specs."""

from aigen.verify.mypy import CannotVerify, Finding, findings
from aigen.verify.places import Places
from aigen.verify.running import run_tools

__all__ = ["CannotVerify", "Finding", "Places", "findings", "run_tools"]
