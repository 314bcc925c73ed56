"""Codes 1xx: what a file must be before its meaning is looked at."""

from aigen.diagnostics.registry import Rule

RULES: tuple[Rule, ...] = ()
