"""Codes 8xx: what builds, but will surprise."""

from aigen.diagnostics.registry import Rule

RULES: tuple[Rule, ...] = ()
