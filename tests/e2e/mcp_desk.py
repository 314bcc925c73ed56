"""A project whose package is served over MCP."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import commands

SPEC = """\
aigen: 1
types:
  Order:
    record: {id: str, placed: date, note: {type: str, required: false}}
functions:
  mood:
    formula: mood ~ review
    description: How does the customer feel?
    fields: {mood: {choice: [happy, unhappy]}}
  triage:
    formula: summary + urgent ~ message
    description: Read the ticket.
    fields: {urgent: bool}
    tools: [order]
  reply:
    formula: words ~ message
    description: Answer the customer.
    tools: [refund]
  see:
    formula: words ~ picture
    description: What is in the picture?
    fields: {picture: image}
tools:
  order:
    python: app.orders:order
    returns: Order
    annotations: {read_only: true, title: An order}
  orders: {python: "app.orders:orders", annotations: {readOnlyHint: true, openWorldHint: false}}
  print_all: {python: "app.orders:print_all"}
  refund:
    python: app.orders:refund
    risk: dangerous
    annotations: {destructive: true, idempotent: false}
  close_shop: {python: "app.orders:close_shop", annotations: {requires_user: true}}
  wrong: {python: "app.orders:wrong", returns: int, parameters: {}, description: Lies of itself.}
  wait: {python: "app.orders:wait", timeout: 0.4}
  misbehave: {python: "app.orders:misbehave"}
  interrupt: {python: "app.orders:interrupt"}
  secret: {python: "app.orders:secret", exposure: hidden}
  later: {description: Not there yet., parameters: {a: str}}
"""

APP = '''\
"""Tools of the desk."""
import asyncio
import os
import sys
from typing import Any


def order(id: str, note: str = "") -> dict[str, Any]:
    """Look an order up."""
    if id == "A-0":
        raise LookupError("no such order")
    found = {"id": id, "placed": "2026-01-02"}
    return {**found, "note": note} if note else found


def orders(most: int = 2) -> list[str]:
    """List the orders there are."""
    return [f"A-{at}" for at in range(most)]


def print_all() -> None:
    """Print every order there is."""
    print("printed by a tool")
    os.write(1, b"written by a tool\\n")


def refund(id: str, amount: float) -> str:
    """Give money back."""
    return f"{amount} for {id}"


def close_shop() -> str:
    """Close the shop for good."""
    return "closed"


def wrong() -> str:
    """Say text where a number is due."""
    return "many"


async def wait(seconds: float) -> str:
    """Wait for some seconds."""
    await asyncio.sleep(seconds)
    return "done"


async def interrupt() -> str:
    """Stop what runs it."""
    raise KeyboardInterrupt


def misbehave(how: str) -> str:
    """Do what no tool should."""
    if how == "exit":
        sys.exit(3)
    if how == "interrupt":
        raise KeyboardInterrupt
    if how == "close":
        sys.stdout.close()
    return "\\ud800" if how == "half" else "done"


def secret() -> str:
    """Tell a secret."""
    return "secret"
'''

SERVED = [
    *("mood", "triage", "reply"),
    *("order", "orders", "print_all", "refund", "close_shop", "wrong", "wait", "misbehave"),
    "interrupt",
]


def project(root: Path) -> commands.Project:
    """The project, built."""
    found = commands.Project(root)
    found.write("aigen.toml", 'specs = ["specs"]\nout = "desk_ai"\n')
    found.write("specs/desk.yaml", SPEC)
    found.write("app/__init__.py", "print('printed by an import')\n")
    found.write("app/orders.py", APP)
    ran = found.aigen("build")
    assert ran.code == 0, ran.err
    return found


def environment(**more: str) -> dict[str, str]:
    """Of a server: models answer from samples."""
    return {**commands.environment(), "AIGEN_MODEL": "sample", **more}


@contextmanager
def process(root: Path, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    """A server as a process, which ends with the block."""
    started = subprocess.Popen(
        [*commands.AIGEN, "serve", "--mcp", *words],
        cwd=root,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        yield started
    finally:
        started.kill()
        started.communicate()


@contextmanager
def over_http(root: Path, *words: str) -> Iterator[str]:
    """The URL of a server over HTTP."""
    with process(root, "--http", "--port", "0", *words) as started:
        yield url_of(started)


def url_of(started: subprocess.Popen[bytes]) -> str:
    """The URL that a server over HTTP says it is at."""
    assert started.stderr is not None
    for line in started.stderr:
        if found := re.search(rb"serving at (\S+)", line):
            return found[1].decode()
    raise AssertionError("it says no URL")


def request(number: int, method: str, **params: Any) -> bytes:
    """A message of JSON-RPC, on a line."""
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    return json.dumps(message).encode() + b"\n"


INITIALIZE = request(
    1,
    "initialize",
    protocolVersion="2025-11-25",
    capabilities={},
    clientInfo={"name": "test", "version": "1"},
)

COMMAND = [sys.executable, "-m", "aigen", "serve", "--mcp"]
