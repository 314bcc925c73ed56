"""Reading spec files: YAML and JSON with places, formulas, type expressions, prompts."""
