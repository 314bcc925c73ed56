"""The words that `docs` of a tool gives its parameters and its result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from aigen.diagnostics import nearest
from aigen.resolve.binding import entries
from aigen.resolve.home import Home
from aigen.resolve.python_signature import Signature
from aigen.resolve.tool_options import parameters_written, wrong
from aigen.spec import nodes
from aigen.spec.nodes import Node
from aigen.spec.tree import FieldSpec, Text, ToolSpec

_DOCS: Final = ("name", "description", "arguments", "return")
_ARGUMENT: Final = ("description", "type", "default_value")
RETURN: Final = "return "
"""A name that no parameter has."""


def read_docs(
    home: Home, spec: ToolSpec, written: Sequence[FieldSpec], source: Signature | None
) -> dict[str, Text]:
    """The words of `docs` by parameter; those of the result under a name no parameter has."""
    node = spec.options.get("docs")
    if node is None:
        return {}
    found: dict[str, Text] = {}
    names = [field.name.value for field in written]
    names += [field.name for field in source.parameters] if source is not None else []
    rows = _known(home, node, _DOCS, "docs")
    arguments = rows.get("arguments")
    if arguments is not None:
        for name, (span, value) in (entries(arguments) or {}).items():
            if name not in names and (parameters_written(spec) is not None or source is not None):
                close = nearest(name, names)
                home.diagnostics.report(
                    "AIG409",
                    span,
                    f"docs describe {name}, which is no parameter",
                    hint=f"did you mean {close}?" if close else "leave it out",
                )
            words = _known(home, value, _ARGUMENT, f"docs of {name}").get("description")
            if isinstance(words, nodes.Scalar) and isinstance(words.value, str):
                found[name] = Text(words.value, words.span)
    result = rows.get("return")
    words = (
        _known(home, result, ("description",), "docs of return").get("description")
        if result
        else None
    )
    if isinstance(words, nodes.Scalar) and isinstance(words.value, str):
        found[RETURN] = Text(words.value, words.span)
    return found


def _known(home: Home, node: Node, keys: Sequence[str], what: str) -> dict[str, Node]:
    rows = entries(node)
    if rows is None:
        wrong(home, node, f"{what} is a mapping")
        return {}
    for name, (span, _) in rows.items():
        if name not in keys:
            close = nearest(name, keys)
            hint = f"did you mean {close}?" if close else f"known: {', '.join(keys)}"
            home.diagnostics.report("AIG405", span, f"{what} has no key {name}", hint=hint)
    return {name: value for name, (_, value) in rows.items() if name in keys}
