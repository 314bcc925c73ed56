"""Judging an output by mypy: what it says of generated code, at the place in the specs."""

from aigen.verify.mypy import CannotVerify, Finding, findings
from aigen.verify.places import Places

__all__ = ["CannotVerify", "Finding", "Places", "findings"]
