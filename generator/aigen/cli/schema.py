"""`aigen schema`."""

from __future__ import annotations

import json
import math
from typing import Any

import click

from aigen.cli import FINE
from aigen.cli.finding import find, loaded
from aigen.configuration import DIALECTS
from aigen.emit.definition import define, define_tool
from aigen.ir import Tool
from aigen.runtime.tool import AITool
from aigen.runtime.wire.adapters import json_schema
from aigen.runtime.wire.plain import to_plain
from aigen.runtime.wire.strict import Strict, to_strict


@click.command("schema")
@click.argument("name")
@click.option("--dialect", type=click.Choice(DIALECTS), default="openai-chat", show_default=True)
def command(name: str, dialect: str) -> int:
    """Prints a function's reply or a tool in a dialect, and why it is or is not strict.

    Standard output is the JSON that is sent; what is said about it goes to standard error.
    """
    project, program = loaded()
    module, known = find(program, name, tools=True)
    if isinstance(known, Tool):
        tool: AITool[Any] = AITool(json.dumps(define_tool(known, module, program)), None, Any)
        form = tool.schema(dialect)
        strict = to_strict(tool.schema("mcp")["inputSchema"])
    else:
        definition = define(known, module, program, project.configuration.settings)
        strict = json_schema.strict_form(definition)
        form = strict.schema or to_plain(json_schema.reply_form(definition))
    text = json.dumps(form, ensure_ascii=False, indent=2)
    click.echo(text)
    _tell(strict, json.dumps(form, ensure_ascii=False))
    return FINE


def _tell(strict: Strict, sent: str) -> None:
    if strict.schema is not None:
        click.echo("strict: yes", err=True)
    else:
        click.echo("strict: no", err=True)
        for reason in strict.reasons:
            click.echo(f"  {reason}", err=True)
    click.echo(f"about {_tokens(sent)} tokens", err=True)


def _tokens(text: str) -> int:
    """An estimate for JSON: 2.9 ASCII characters a token, 0.848 tokens a CJK one, 0.35 others."""
    ascii_count = sum(char.isascii() for char in text)
    cjk = sum("\u3040" <= char <= "\u9fff" or "\uac00" <= char <= "\ud7af" for char in text)
    return math.ceil(ascii_count / 2.9 + 0.848 * cjk + 0.35 * (len(text) - ascii_count - cjk))
