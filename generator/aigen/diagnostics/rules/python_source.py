"""Codes 5xx: Python source that a spec names."""

from aigen.diagnostics.registry import Rule

RULES: tuple[Rule, ...] = ()
