"""Python source as text: its words.

Standard library only, since the compiler and `aigen.tooling` (without the extra `build`) read with
it.
"""
