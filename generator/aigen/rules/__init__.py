"""Checks and lint over the intermediate representation, one function a rule."""
