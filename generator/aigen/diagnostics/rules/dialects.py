"""Codes 6xx: what a provider takes."""

from aigen.diagnostics.registry import Rule

RULES: tuple[Rule, ...] = ()
