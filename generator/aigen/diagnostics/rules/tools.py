"""Codes 4xx: tools."""

from aigen.diagnostics.registry import Rule

RULES: tuple[Rule, ...] = ()
