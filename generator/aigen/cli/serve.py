"""`aigen serve`."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import sys
from typing import Any

import click
from click.core import ParameterSource

from aigen.cli import CUT_OFF, FINDINGS, FINE
from aigen.cli.packages import built_package
from aigen.diagnostics import nearest
from aigen.runtime.errors import AigenError


@click.command("serve")
@click.argument("names", nargs=-1)
@click.option("--mcp", is_flag=True, help="Serve over the Model Context Protocol.")
@click.option("--http", is_flag=True, help="Over streamable HTTP, not standard input and output.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address for --http.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="The port for --http; 0 takes a free one.",
)
@click.option(
    "--allow-host",
    "hosts",
    metavar="NAME",
    multiple=True,
    help="A further name that clients may call the server by, with --http.",
)
@click.pass_context
def command(
    ctx: click.Context,
    /,
    names: tuple[str, ...],
    mcp: bool,
    http: bool,
    host: str,
    port: int,
    hosts: tuple[str, ...],
) -> int:
    """Serves the tools and functions of the built package, or those named.

    Hidden tools are not served. A call that needs approval asks the person at the client, or is
    refused where the client cannot ask.
    """
    if not mcp:
        raise click.UsageError("say what to serve over: aigen serve --mcp")
    if not http:
        _refuse_places(ctx)
    with contextlib.redirect_stdout(sys.stderr):  # what the project prints is no protocol
        configuration, package = built_package()
    try:
        from aigen.serving.server import server_of
    except ModuleNotFoundError as problem:
        if problem.name != "mcp":
            raise
        click.echo('aigen: serving needs a package: pip install "aigen[mcp]"', err=True)
        return FINDINGS
    tools = _tools(package, names)
    server = server_of(tools, package.__name__, _version(), configuration.settings)
    if http:
        return _over_http(server, host, port, hosts)
    return _over_stdio(server)


def _refuse_places(ctx: click.Context) -> None:
    """Over standard input and output there is no address."""
    for name, option in (("host", "--host"), ("port", "--port"), ("hosts", "--allow-host")):
        if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{option} is of --http: aigen serve --mcp --http {option} …")


def _tools(package: Any, names: tuple[str, ...]) -> list[Any]:
    from aigen.serving.listing import functions_in, served, why_not

    known = {f"{each.definition['module']}.{each.__name__}": each for each in functions_in(package)}
    chosen = _chosen(known, names) if names else list(known)
    left = {name: why for name in chosen if (why := why_not(known[name])) is not None}
    for name, why in left.items():
        click.echo(f"aigen: {name} is not served: {why}", err=True)
    try:
        found = served(known[name] for name in chosen if name not in left)
    except AigenError as problem:
        click.echo(f"aigen: {problem.message}", err=True)
        raise click.exceptions.Exit(FINDINGS) from None
    if not found:
        click.echo("aigen: there is nothing to serve", err=True)
        raise click.exceptions.Exit(FINDINGS)
    return found


def _chosen(known: dict[str, Any], names: tuple[str, ...]) -> list[str]:
    found: list[str] = []
    for name in names:
        matching = [full for full in known if full == name or full.endswith(f".{name}")]
        if len(matching) > 1:
            raise click.UsageError(f"{name} is one of several: {', '.join(sorted(matching))}")
        if not matching:
            close = nearest(name, [*known, *(full.rpartition(".")[2] for full in known)])
            hint = f'; did you mean "{close}"?' if close else ""
            raise click.UsageError(f'there is no function or tool "{name}"{hint}')
        found += matching
    return list(dict.fromkeys(found))


def _over_stdio(server: Any) -> int:
    from aigen.serving.transports import serve_stdio

    left = False
    try:
        with contextlib.suppress(asyncio.CancelledError):  # told to end
            asyncio.run(serve_stdio(server))
    except* BrokenPipeError:  # the client reads no more
        left = True
    return CUT_OFF if left else FINE


def _over_http(server: Any, host: str, port: int, hosts: tuple[str, ...]) -> int:
    from aigen.serving.transports import PATH, serve_http

    listening = _listening(host, port)
    shown = f"[{host}]" if ":" in host else host
    own = [] if host in ("0.0.0.0", "::") else [shown]

    def started() -> None:
        click.echo(f"serving at http://{shown}:{listening.getsockname()[1]}{PATH}", err=True)

    if not _is_loopback(host):
        click.echo("aigen: whoever reaches it can call it: there is no authentication", err=True)
    with listening:
        asyncio.run(serve_http(server, listening, [*own, *hosts], started))
    return FINE


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as problem:
        words = problem.strerror or str(problem)
        click.echo(f"aigen: cannot listen at {host}, port {port}: {words}", err=True)
        raise click.exceptions.Exit(FINDINGS) from None


def _is_loopback(host: str) -> bool:
    return host in ("localhost", "::1") or host.startswith("127.")


def _version() -> str:
    from aigen import __version__

    return __version__
