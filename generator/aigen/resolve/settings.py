"""`settings` of a spec, checked against the runtime's own table of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from aigen.diagnostics import Diagnostics, nearest
from aigen.ir.model import Json
from aigen.resolve.callables import Callables
from aigen.resolve.words import quoted
from aigen.runtime.record.content import ADDED, keeps
from aigen.runtime.setting_kinds import KINDS
from aigen.spec import nodes
from aigen.spec.nodes import Node, plain_value
from aigen.spec.tree import Setting, Text


def resolve_settings(
    settings: Iterable[Setting],
    callables: Callables,
    diagnostics: Diagnostics,
    fields: Sequence[str] | None = None,
    output_name: str | None = None,
) -> dict[str, Json]:
    """The settings that are known and fit, by name.

    Args:
        settings: as written.
        callables: judges what `approve` and `policies` name.
        diagnostics: takes what is wrong.
        fields: a function's inputs and outputs, whose names its `log_content` may hold; None for
            a file's settings, where any name may stand.
        output_name: the formula's name of a function's one output.
    """
    found: dict[str, Json] = {}
    for name, node in settings:
        kind = KINDS.get(name.value)
        value = plain_value(node)
        if kind is None:
            close = nearest(name.value, KINDS)
            hint = f"did you mean {close}?" if close else "the reference lists every setting"
            diagnostics.report("AIG307", name.span, f"there is no setting {name.value}", hint=hint)
        elif not kind.in_spec:
            diagnostics.report(
                "AIG307",
                name.span,
                f"{name.value} is not a spec's to set",
                hint="set it where the function is called: configure() or with_options()",
            )
        elif name.value == "log_content":
            content = _log_content(node, fields, output_name, diagnostics)
            if content is not None:
                found[name.value] = content
        elif value is None:
            continue
        elif not kind.fits(value):
            diagnostics.report(
                "AIG308", node.span, f"{name.value} is {kind.wants}, not {quoted(value)}"
            )
        elif all(callables.check(target) for target in _targets(name.value, node)):
            found[name.value] = value
    return found


def merged(below: Mapping[str, Json], above: Mapping[str, Json]) -> dict[str, Json]:
    """A function's settings laid over its file's; `log_content` only ever removes."""
    both = {**below, **above}
    if "log_content" in below and "log_content" in above:
        both["log_content"] = _both(below["log_content"], above["log_content"])
    return both


def _both(first: Json, second: Json) -> Json:
    if first is True:
        return second
    if second is True or first is False:
        return first
    if second is False:
        return False
    names = {
        name: None
        for content in (first, second)
        if isinstance(content, list | dict)
        for name in content
        if isinstance(name, str) and name != "*"
    }
    layers = (first, second)
    found: dict[str, Json] = {name: keeps(layers, name) for name in names}
    # No field has this name, so it stands for every field that neither layer names.
    found["*"] = keeps(layers, "")
    return found


def _log_content(
    node: Node, fields: Sequence[str] | None, output_name: str | None, diagnostics: Diagnostics
) -> Json:
    value = plain_value(node)
    if value is None or isinstance(value, bool):
        return value
    names = _names(node)
    flags = value.values() if isinstance(value, dict) else ()
    if names is None or not all(isinstance(flag, bool) for flag in flags):
        diagnostics.report(
            "AIG308",
            node.span,
            "log_content is true, false, a list of names, or a mapping of names to true or false",
        )
        return None
    good = True
    for name, span in names:
        known = (
            None if fields is None else [*fields, *([output_name] if output_name else []), *ADDED]
        )
        if not (name == "*" or (name.isascii() and name.isidentifier())):
            diagnostics.report(
                "AIG309",
                span,
                f"log_content names {quoted(name)}, which is no field's name",
                hint="write an input, an output or *",
            )
            good = False
        elif known is not None and name != "*" and name not in known:
            close = nearest(name, known)
            diagnostics.report(
                "AIG309",
                span,
                f"log_content names {name}, which is no field of the function",
                hint=f"did you mean {close}?" if close else "leave it out",
            )
            good = False
    if not good:
        return None
    if isinstance(value, dict):
        return {_own(name, output_name): flag for name, flag in value.items()}
    return [_own(name, output_name) for name, _ in names]


def _own(name: str, output_name: str | None) -> str:
    return "result" if name == output_name else name


def _names(node: Node) -> list[Text] | None:
    if isinstance(node, nodes.Mapping):
        return [Text(key, entry.key.span) for key, entry in node.entries.items()]
    if isinstance(node, nodes.Sequence):
        texts = [
            Text(item.value, item.span)
            for item in node.items
            if isinstance(item, nodes.Scalar) and isinstance(item.value, str)
        ]
        return texts if len(texts) == len(node.items) else None
    return None


def _targets(name: str, node: Node) -> list[Text]:
    """The callables that a setting names."""
    inside = node.items if isinstance(node, nodes.Sequence) else (node,)
    if name not in ("approve", "policies"):
        return []
    return [
        Text(item.value, item.span)
        for item in inside
        if isinstance(item, nodes.Scalar)
        and isinstance(item.value, str)
        and (":" in item.value or name == "policies")
    ]
