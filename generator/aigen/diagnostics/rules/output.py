"""Codes 7xx: writing the output."""

from aigen.diagnostics.registry import Rule

RULES: tuple[Rule, ...] = ()
