"""The parameters of a function as its source lists them."""

from __future__ import annotations

import ast


def with_defaults(args: ast.arguments) -> list[tuple[ast.arg, ast.expr | None]]:
    """Every parameter but `*args` and `**kwargs`, in order, each with its default."""
    positional = [*args.posonlyargs, *args.args]
    needed = [None] * (len(positional) - len(args.defaults))
    defaults = [*needed, *args.defaults, *args.kw_defaults]
    return [*zip([*positional, *args.kwonlyargs], defaults, strict=True)]


def required(args: ast.arguments) -> list[str]:
    """The names of the parameters that a call must give."""
    return [node.arg for node, default in with_defaults(args) if default is None]
