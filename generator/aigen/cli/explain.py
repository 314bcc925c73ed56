"""`aigen explain`."""

from __future__ import annotations

import textwrap
from typing import Final

import click
from click.shell_completion import CompletionItem

from aigen.cli import FINE
from aigen.compare import change_rules
from aigen.diagnostics import Rule, all_rules, nearest

_WIDTH: Final = 88


def _codes(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The codes that a shell offers."""
    return [
        CompletionItem(code, help=rule.title)
        for code, rule in _rules().items()
        if code.startswith(incomplete.upper())
    ]


def _rules() -> dict[str, Rule]:
    return {**all_rules(), **{name: one.rule for name, one in change_rules().items()}}


@click.command("explain")
@click.argument("code", required=False, shell_complete=_codes)
def command(code: str | None) -> int:
    """What a diagnostic or change means, an example, the mend; without a code, the list of them."""
    rules = _rules()
    if code is None:
        for rule in rules.values():
            click.echo(f"{rule.code}  {rule.severity:<7}  {rule.title}")
        return FINE
    wanted = code.upper().removeprefix("AIG")
    found = rules.get(f"AIG{wanted}")
    if found is None:
        close = nearest(f"AIG{wanted}", rules)
        hint = f"did you mean {close}?" if close else "aigen explain lists them"
        raise click.UsageError(f'there is no code "{code}"; {hint}')
    click.echo(_page(found))
    return FINE


def _cut(line: str) -> str:
    """A line of an example, which may be of something too long."""
    return line if len(line) <= _WIDTH else f"{line[:_WIDTH]}…"


def _page(rule: Rule) -> str:
    parts = [f"{rule.code} ({rule.severity}): {rule.title}", textwrap.fill(rule.why, _WIDTH)]
    files = {"": rule.example} if isinstance(rule.example, str) else rule.example
    for path, text in files.items():
        if text:
            title = f"For example, {path}:" if path else "For example:"
            lines = textwrap.indent("\n".join(map(_cut, text.rstrip().split("\n"))), "    ")
            parts.append(f"{title}\n{lines}")
    parts.append(textwrap.fill(f"Instead: {rule.mend}", _WIDTH))
    return "\n\n".join(parts)
