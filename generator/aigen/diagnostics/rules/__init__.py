"""The rules' texts, one module for each hundred of codes."""

from aigen.diagnostics.rules import (
    dialects,
    functions,
    json_shape,
    lint,
    output,
    python_source,
    python_spec,
    syntax,
    tools,
    types,
)

ALL = (
    *syntax.RULES,
    *types.RULES,
    *json_shape.RULES,
    *functions.RULES,
    *tools.RULES,
    *python_source.RULES,
    *python_spec.RULES,
    *dialects.RULES,
    *output.RULES,
    *lint.RULES,
)
