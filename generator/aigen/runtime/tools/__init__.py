"""Running tools for a model: one call, its approval, and what the model reads of it."""
