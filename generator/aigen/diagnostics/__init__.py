"""What is wrong with a spec, where, and what to write instead.

The lowest floor of the compiler: positions, one kind of finding, and the registry of every code
that `aigen explain`, the documentation and the tests read.
"""

from aigen.diagnostics.model import Diagnostic, Diagnostics, Severity, nearest
from aigen.diagnostics.registry import all_rules, rule
from aigen.diagnostics.rule import Rule
from aigen.diagnostics.span import Source, Span

__all__ = [
    "Diagnostic",
    "Diagnostics",
    "Rule",
    "Severity",
    "Source",
    "Span",
    "all_rules",
    "nearest",
    "rule",
]
