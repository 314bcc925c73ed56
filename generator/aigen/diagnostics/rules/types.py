"""Codes 2xx: types, choices, defaults and demos."""

from aigen.diagnostics.registry import Rule

RULES: tuple[Rule, ...] = ()
