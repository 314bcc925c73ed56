"""`aigen schema`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import click

from aigen.cli import FINDINGS, FINE
from aigen.cli.finding import completed_names, find, loaded
from aigen.configuration import DIALECTS
from aigen.emit.definition import define, define_tool
from aigen.ir import Tool
from aigen.runtime.dialects import Form, reply_form, tool_form
from aigen.runtime.tools.tokens import tokens
from aigen.runtime.wire.adapters import json_schema
from aigen.runtime.wire.sizes import sizes


@click.command("schema")
@click.argument("name", shell_complete=completed_names(tools=True))
@click.option(
    "--dialect",
    type=click.Choice(DIALECTS),
    default="openai-chat",
    show_default=True,
    help="The provider's form.",
)
def command(name: str, dialect: str) -> int:
    """Prints a function's reply or a tool in a dialect, and why it is or is not strict.

    Standard output is the JSON that is sent; what is said about it goes to standard error.
    """
    project, program = loaded()
    module, known = find(program, name, tools=True)
    if isinstance(known, Tool):
        form = tool_form(dialect, define_tool(known, module, program))
    else:
        definition = define(known, module, program, project.configuration.settings)
        form = reply_form(dialect, definition["name"], json_schema.reply_form(definition))
    if form.body is not None:
        text = json.dumps(form.body, ensure_ascii=False, indent=2)
        click.echo(text)
        _tell(form, dialect)
    for problem in form.problems:
        mend = f" ({problem.mend})" if problem.mend else ""
        click.echo(f"{problem.code}: {problem.message}{mend}", err=True)
    if form.body is None and not form.problems:
        click.echo(f"{dialect} has no form for it", err=True)
        for reason in form.reasons:
            click.echo(f"  {reason}", err=True)
    return FINE if form.body is not None and not form.problems else FINDINGS


def _tell(form: Form, dialect: str) -> None:
    click.echo(f"strict: {'yes' if form.strict else 'no'}", err=True)
    for reason in form.reasons or (() if form.strict else (_unasked(dialect),)):
        click.echo(f"  {reason}", err=True)
    click.echo(str(sizes(_schema_in(form.body))), err=True)
    sent = json.dumps(form.body, ensure_ascii=False)
    click.echo(f"about {tokens(sent, 'json')} tokens", err=True)


def _schema_in(body: Any) -> Mapping[str, Any]:
    """The schema in what is sent: the outermost object that describes members."""
    pending = [body]
    while pending:
        node = pending.pop(0)
        if isinstance(node, Mapping):
            if isinstance(node.get("properties"), Mapping):
                return node
            pending += node.values()
    return {}


def _unasked(dialect: str) -> str:
    """Why a form is not strict that could be."""
    if dialect in ("gemini", "mcp"):
        return f"{dialect} has no strict form"
    return "its spec says strict: false"
