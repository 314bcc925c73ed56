"""How inputs and outputs are laid out for a model, one module a way."""
