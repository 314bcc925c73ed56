"""MCP servers that `aigen import mcp` asks for their tools."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from aigen.cli import FINDINGS
from aigen.cli.printing import print_findings
from aigen.diagnostics import Diagnostics
from aigen.project import Project
from aigen.runtime.errors import AigenError
from aigen.runtime.mcp.servers import fault_in, is_name, lines_for


def described_server(
    source: str | None,
    server: str | None,
    started: str | None,
    env: Sequence[str],
    header: Sequence[str],
    key: str | None,
) -> dict[str, Any] | None:
    """The server that the command line describes; None where it names a saved list.

    Raises:
        click.UsageError: it describes none, or two, or one that is described wrongly.
    """
    if server is not None and not is_name(server):
        raise click.UsageError(f'"{server}" is no server\'s name: write letters, digits, . _ and -')
    if source is not None and started is not None:
        raise click.UsageError("SOURCE and --command are two servers: write one of them")
    more = {"env": _pairs("--env", env), "headers": _pairs("--header", header), "key": key}
    found: dict[str, Any] = {name: value for name, value in more.items() if value}
    if source is not None and source.startswith(("http://", "https://")):
        found = {"url": source, **found}
    elif started is not None:
        found = {"command": _words(started), **found}
    elif found:
        raise click.UsageError("--env, --header and --key go with a URL or --command")
    else:
        return _configured(server) if source is None else None
    fault = fault_in({server or "server": found})
    if fault is not None:
        raise click.UsageError(fault.partition(".")[2] or fault)
    return found


def asked(
    described: Mapping[str, Any], server: str | None, diagnostics: Diagnostics, closed: bool
) -> str | None:
    """The spec of a server's tools; says what the project has to say of that server.

    Args:
        described: the server, as the setting `mcp_servers` has one.
        server: what specs call it; None for what it calls itself.
        diagnostics: takes what is wrong with its list.
        closed: whether an object that says nothing of other members has none.
    """
    from aigen.importers.live import tools_list
    from aigen.importers.mcp import import_mcp_server

    try:
        called, listed = tools_list(server, described)
    except AigenError as problem:
        click.echo(f"aigen: {problem.message}", err=True)
        raise click.exceptions.Exit(FINDINGS) from None
    name = server or _name(called)
    text = import_mcp_server(listed, name, diagnostics, closed=closed)
    if text is not None and _servers().get(name) != described:
        click.echo(
            f"aigen: the tools name the server {name}; the configuration says what it is:\n"
            f"{lines_for(name, described)}",
            err=True,
        )
    return text


def _configured(server: str | None) -> dict[str, Any]:
    servers = _servers()
    if server is None:
        raise click.UsageError("name the server: a URL, a saved list, --command or --server")
    if server not in servers:
        known = f"; there are {', '.join(servers)}" if servers else ""
        raise click.UsageError(f"[tool.aigen.mcp_servers] has no {server}{known}")
    return dict(servers[server])


def _servers() -> Mapping[str, Any]:
    project = Project.load(Path.cwd())
    if project.diagnostics.failed:
        print_findings(project)
        raise click.exceptions.Exit(FINDINGS)
    found: Mapping[str, Any] = project.configuration.settings.get("mcp_servers", {})
    return found


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError as problem:
        raise click.UsageError(f"--command cannot be read: {problem}") from None


def _pairs(option: str, given: Sequence[str]) -> dict[str, str]:
    found = {}
    for pair in given:
        name, equals, variable = pair.partition("=")
        if not equals or not name:
            raise click.UsageError(f'{option} "{pair}": write NAME=VARIABLE')
        found[name] = variable
    return found


def _name(called: str) -> str:
    """A server's name made of what it calls itself."""
    name = re.sub(r"[^A-Za-z0-9._-]+", "_", called).strip("._-")[:64]
    return name if is_name(name) else "server"
