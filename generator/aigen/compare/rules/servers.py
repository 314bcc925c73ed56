"""Code 964: where specs send to, and which variables of the environment go there."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from aigen.compare.model import Comparison, Found, Place
from aigen.compare.registering import TOOL, rule
from aigen.compare.words import quoted

_ASKED = TOOL + "    http: {url: 'https://%s.example'}\n    parameters: {}\n"


@rule(
    "AIG964",
    "callable",
    "A spec sends to a server that none named before",
    why="What a model decides on, and the inputs of a call, go there; so do the values of the "
    "variables that are named with it. Somebody should have looked at each.",
    before=_ASKED % "shop",
    after=_ASKED % "market",
    mend="See that the server, and what it is sent, are what you mean.",
)
def named(both: Comparison) -> Iterator[Found]:
    """Servers, and variables sent to them, that no module named before."""
    known = {words for module in both.before.values() for _, words in _sent(module)}
    for _, module in sorted(both.after.items()):
        for place, words in _sent(module):
            if words not in known:
                known.add(words)
                yield Found(place, f"a spec now {words}")


def _sent(module: Mapping[str, Any]) -> Iterator[tuple[Place, str]]:
    """What the entries of a module send, in words that are the same for the same server."""
    home = str(module["module"])
    for key, tool in module.get("tools", {}).items():
        place = Place(home, "tool", key)
        yield from ((place, words) for words in _by_request(_table(tool.get("http"))))
        options = _table(tool.get("options"))
        yield from ((place, words) for words in _by_mcp(_table(options.get("mcp"))))
    for key, function in module.get("functions", {}).items():
        url = _table(function.get("settings")).get("base_url")
        if isinstance(url, str):
            yield Place(home, "function", key), f"asks the model at {_origin(url)}"


def _by_request(http: Mapping[str, Any]) -> Iterator[str]:
    if not http:
        return
    if isinstance(http.get("url_env"), str):
        server = f"the server that {http['url_env']} names"
    else:
        server = _origin(str(http.get("url", "")))
    yield f"sends requests to {server}"
    for variable in _variables(http.get("auth")):
        yield f"sends the value of {variable} to {server}"


def _by_mcp(mcp: Mapping[str, Any]) -> Iterator[str]:
    if not mcp:
        return
    server = f"the MCP server {mcp.get('server')}"
    at = _table(mcp.get("at"))
    if isinstance(at.get("url"), str):
        server += f" at {_origin(at['url'])}"
    elif isinstance(at.get("command"), list):
        server += f", run by `{shlex.join(map(str, at['command']))}`"
    yield f"calls {server}"
    values = (at.get("key"), *_table(at.get("headers")).values(), *_table(at.get("env")).values())
    for variable in dict.fromkeys(value for value in values if isinstance(value, str)):
        yield f"sends the value of {variable} to {server}"


def _variables(auth: Any) -> Iterator[str]:
    """The variables that ways to be let in read, wherever they stand in them."""
    if isinstance(auth, list):
        for one in auth:
            yield from _variables(one)
    elif isinstance(auth, Mapping):
        named = [auth["env"]] if "env" in auth else auth.values()
        yield from (value for value in named if isinstance(value, str))


def _origin(url: str) -> str:
    """A server without the path: no credentials stand in it."""
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return quoted(url)
    return f"{parts.scheme}://{parts.hostname}{port}"


def _table(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


RULES = (named,)
