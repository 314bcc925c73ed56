"""Types and fields as JSON Schema: the canonical form, and each provider's."""
