"""Codes 3xx: functions, formulas, fields and prompts."""

from aigen.diagnostics.registry import Rule

RULES: tuple[Rule, ...] = ()
