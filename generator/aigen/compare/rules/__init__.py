"""The rules, one module for each thing that can change."""

from aigen.compare.rules import (
    callables,
    entries,
    input_types,
    inputs,
    output_types,
    outputs,
    prompts,
    servers,
    types,
)

ALL = (
    *entries.RULES,
    *types.RULES,
    *inputs.RULES,
    *input_types.RULES,
    *outputs.RULES,
    *output_types.RULES,
    *prompts.RULES,
    *callables.RULES,
    *servers.RULES,
)
