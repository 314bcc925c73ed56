"""Reading spec files: YAML and JSON with places, formulas, type expressions, prompts."""

from aigen.spec.document import is_spec, read_file
from aigen.spec.keys import spec_schema

__all__ = ["is_spec", "read_file", "spec_schema"]
