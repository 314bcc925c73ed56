"""`aigen explain`."""

from __future__ import annotations

import textwrap

import click
from click.shell_completion import CompletionItem

from aigen.cli import FINE
from aigen.compare import change_rules
from aigen.diagnostics import Rule, all_rules, nearest


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


def _page(rule: Rule) -> str:
    parts = [f"{rule.code} ({rule.severity}): {rule.title}", textwrap.fill(rule.why, 88)]
    files = {"": rule.example} if isinstance(rule.example, str) else rule.example
    for path, text in files.items():
        if text:
            title = f"For example, {path}:" if path else "For example:"
            parts.append(f"{title}\n{textwrap.indent(text.rstrip(), '    ')}")
    parts.append(textwrap.fill(f"Instead: {rule.mend}", 88))
    return "\n\n".join(parts)
