"""The setting `mcp_servers`: where the MCP servers are whose tools a spec names.

```toml
[tool.aigen.mcp_servers.desk]
command = ["python", "-m", "desk"]
env = {DESK_TOKEN = "DESK_TOKEN"}        # a variable of the server: the variable here that holds it
[tool.aigen.mcp_servers.tracker]
url = "https://tracker.example/mcp"
key = "TRACKER_KEY"                      # the variable that holds the bearer token
headers = {X-Team = "TRACKER_TEAM"}      # a header: the variable that holds its value
```

A spec names a server and no more: what it runs and which secrets it is given is the project's to
say, since specs may come from strangers.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from aigen.runtime.errors import ConfigurationError
from aigen.runtime.own_providers import URL, Test, fault_of, is_url

is_name = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}").fullmatch
_variable = re.compile(r"[A-Za-z_][A-Za-z0-9_]*").fullmatch
_OF_URL: Final = ("key", "headers")
_OF_COMMAND: Final = ("env", "cwd")


@dataclass(frozen=True, slots=True)
class Server:
    """A server as it is reached, with what the environment holds for it.

    Attributes:
        name: what specs call it.
        url: where it is, or None.
        command: what starts it: a program and its arguments.
        secrets: headers of a URL, variables of a command.
        cwd: the folder that a command runs in.
    """

    name: str
    url: str | None = None
    command: tuple[str, ...] = ()
    secrets: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    cwd: str | None = None


def fault_in(value: Any) -> str | None:
    """What is wrong with the setting, in words that say where; None where nothing is."""
    if not isinstance(value, Mapping):
        return "mcp_servers is a mapping of servers by name"
    for name, described in value.items():
        if not isinstance(name, str) or not is_name(name):
            return f"{name!r} is no server's name: write letters, digits, . _ and -"
        where = f"mcp_servers.{name}"
        fault = fault_of(described, where, _KEYS) or _mixed(described, where)
        if fault is not None:
            return fault
    return None


def laid_over(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Two layers of the setting as one; a server of `over` takes the place of its namesake."""
    return {**under, **over}


def server_of(name: str, described: Mapping[str, Any]) -> Server:
    """A server as the setting describes it.

    Raises:
        ConfigurationError: a variable that it names is not set.
    """
    named = {**described.get("headers", {}), **described.get("env", {})}
    secrets = {key: _held(name, variable) for key, variable in named.items()}
    if "key" in described:
        secrets["Authorization"] = f"Bearer {_held(name, described['key'])}"
    return Server(
        name,
        described.get("url"),
        tuple(described.get("command", ())),
        tuple(sorted(secrets.items())),
        described.get("cwd"),
    )


def lines_for(name: str, described: Mapping[str, Any]) -> str:
    """The lines of the configuration that describe a server."""
    import json

    lines = [f"[tool.aigen.mcp_servers.{json.dumps(name) if '.' in name else name}]"]
    for key, value in described.items():
        if isinstance(value, Mapping):
            pairs = ", ".join(f"{json.dumps(k)} = {json.dumps(v)}" for k, v in value.items())
            lines.append(f"{key} = {{{pairs}}}")
        else:
            lines.append(f"{key} = {json.dumps(value, ensure_ascii=False)}")
    return "\n".join(lines)


def _held(server: str, variable: str) -> str:
    found = os.environ.get(variable)
    if not found:
        raise ConfigurationError(
            f"the MCP server {server} needs {variable}, which is not set: export {variable}=…",
            code="mcp-server",
        )
    return found


def _mixed(described: Mapping[str, Any], where: str) -> str | None:
    """What does not go together: a server has a URL or a command, each with keys of its own."""
    if ("url" in described) == ("command" in described):
        return f"{where} has a url or a command, one of them"
    others = _OF_COMMAND if "url" in described else _OF_URL
    for key in others:
        if key in described:
            of = "command" if key in _OF_COMMAND else "url"
            return f"{where}.{key} goes with a {of}, and this server has none"
    return None


def _is_variable(value: Any) -> bool:
    return isinstance(value, str) and bool(_variable(value))


def _are_variables(value: Any) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(key, str) and key and _is_variable(inner) for key, inner in value.items()
    )


def _is_command(value: Any) -> bool:
    return (
        isinstance(value, (list, tuple))
        and bool(value)
        and all(isinstance(word, str) and "\0" not in word for word in value)
        and bool(value[0])
    )


def _is_folder(value: Any) -> bool:
    return isinstance(value, str) and bool(value) and "\0" not in value


_KEYS: Final[Mapping[str, Test]] = {
    "url": (is_url, URL),
    "key": (_is_variable, "the name of the environment variable that holds the bearer token"),
    "headers": (_are_variables, "a mapping of headers to names of environment variables"),
    "command": (_is_command, "a list of texts: a program and its arguments"),
    "env": (
        _are_variables,
        "a mapping of the server's variables to names of environment variables",
    ),
    "cwd": (_is_folder, "a folder's path"),
}
