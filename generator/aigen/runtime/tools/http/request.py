"""The request of one call: where each argument goes, and which credentials go with it."""

from __future__ import annotations

import base64
import json
import os
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote, urlsplit

from aigen.runtime.errors import ConfigurationError, InterfaceInputError
from aigen.runtime.tools.http import styles
from aigen.runtime.tools.http.bodies import body
from aigen.runtime.values import jsonable

if TYPE_CHECKING:
    from aigen.runtime.definition import HttpDefinition, ToolDefinition

LARGEST: Final = 10_000_000
"""Bytes of an answer, where the spec says no other number."""

BODILESS: Final = frozenset({"GET", "HEAD", "DELETE", "OPTIONS", "TRACE"})
"""Methods whose arguments go into the query where a spec says nothing of them."""

_UNSAFE: Final = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_DOTS: Final = (".", "..")
_DECODED: Final = 3
"""Times that servers and proxies together may decode a path."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request, ready to be sent.

    Attributes:
        tool: as the model calls it.
        path: what messages say of where it goes: nothing secret, and no value of the query.
        secrets: what messages must not say.
        variables: names of the environment that the credentials came from.
        largest: bytes that the answer may have.
    """

    tool: str
    method: str
    url: str = field(repr=False)
    path: str
    headers: Sequence[tuple[str, str]] = field(default=(), repr=False)
    content: bytes | None = field(default=None, repr=False)
    secrets: Sequence[str] = field(default=(), repr=False)
    variables: Sequence[str] = ()
    largest: int = LARGEST


@dataclass(slots=True)
class _Parts:
    """A request as it is put together."""

    path: dict[str, str] = field(default_factory=dict)
    query: styles.Pairs = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    cookies: styles.Pairs = field(default_factory=list)
    members: dict[str, Any] = field(default_factory=dict)
    whole: list[Any] = field(default_factory=list)


def build(definition: ToolDefinition, arguments: Mapping[str, Any]) -> Request:
    """The request of a call.

    Args:
        definition: of a tool with `http`.
        arguments: bound; one that is null or absent is not sent, but for a body that is null.

    Raises:
        InterfaceInputError: a value cannot stand where it goes.
        ConfigurationError: a variable of the environment is not set, or is no URL.
    """
    http = definition["http"]
    name = definition["name"]
    method = http.get("method", "GET")
    parts = _Parts()
    for argument, value in jsonable(dict(arguments)).items():
        _put(parts, name, argument, value, http, method)
    secrets, variables = _authorized(parts, http, name)
    path = _path(http.get("path", ""), parts.path, name)
    content, kind = body(http, parts.members, parts.whole)
    headers = {"User-Agent": "aigen", "Accept": "application/json, text/*;q=0.9, */*;q=0.5"}
    headers |= {} if kind is None else {"Content-Type": kind}
    for key, text in {**http.get("headers", {}), **parts.headers}.items():
        headers = {each: said for each, said in headers.items() if each.lower() != key.lower()}
        headers[key] = text
    if parts.cookies:
        headers["Cookie"] = "; ".join(f"{key}={value}" for key, value in parts.cookies)
    query = "&".join(f"{key}={value}" for key, value in parts.query)
    base = _base(http, name)
    return Request(
        name,
        method,
        base + path + ((("&" if "?" in path else "?") + query) if query else ""),
        urlsplit(base).path + path,
        [*headers.items()],
        content,
        secrets,
        variables,
        http.get("max_bytes", LARGEST),
    )


def place_of(argument: str, http: HttpDefinition) -> dict[str, Any]:
    """Where an argument goes: as the spec says, else by the path and the method."""
    said = http.get("parameters", {}).get(argument)
    if said is None:
        method = http.get("method", "GET")
        named = f"{{{argument}}}" in http.get("path", "")
        said = "path" if named else "query" if method in BODILESS else "member"
    found: dict[str, Any] = {"in": said} if isinstance(said, str) else dict(said)
    found.setdefault("name", argument)
    found.setdefault("style", styles.USUAL.get(found["in"], ""))
    found.setdefault("explode", found["style"] == "form")
    return found


def _put(
    parts: _Parts, tool: str, argument: str, value: Any, http: HttpDefinition, method: str
) -> None:
    place = place_of(argument, http)
    name, style, explode = place["name"], place["style"], place["explode"]
    match place["in"]:
        case "body":
            parts.whole.append(value)
        case "member":
            parts.members[name] = value
        case "path":
            parts.path[name] = _segment(tool, argument, name, value, style, explode)
        case "query":
            reserved = bool(place.get("allow_reserved"))
            parts.query += styles.pairs(name, value, style, explode, reserved=reserved)
        case "cookie":
            parts.cookies += styles.pairs(name, value, style, explode)
        case "header" if value is not None:
            text = styles.header(value, explode, style)
            if _UNSAFE.search(text):
                raise _refused(tool, argument, "a text without line breaks, for it is a header's")
            parts.headers[name] = text


# ------------------------------------------------------------------------------ the path


def _segment(tool: str, argument: str, name: str, value: Any, style: str, explode: bool) -> str:
    """A value in the path; one that could lead elsewhere is refused.

    Servers and proxies resolve `..` also where its slash is encoded, and take an empty segment for
    the collection above.
    """
    text = styles.segment(name, value, style, explode)
    if not unquote(text).strip() or _leads_up(text):
        raise _refused(tool, argument, "a part of a path: not empty, and no . or ..")
    return text


def _path(template: str, values: Mapping[str, str], tool: str) -> str:
    def filled(found: re.Match[str]) -> str:
        if found[1] not in values:
            raise _refused(tool, found[1], "a value, for it is a part of the path")
        return values[found[1]]

    path = re.sub(r"\{([^{}]+)\}", filled, template)
    for written, step in zip(template.split("/"), path.split("/"), strict=True):
        if written != step and _leads_up(step):
            raise _refused(tool, "", "parts of a path that make no . or ..")
    return path


def _leads_up(step: str) -> bool:
    """Whether some server would read `.` or `..` in a part of a path.

    There are servers that decode twice, that cut a part at `;` after they have decoded it, that end
    it at a null, that pass over white space at its end, and that take wide dots for dots.
    """
    for _ in range(_DECODED):
        step = unquote(step)
    steps = re.split(r"[/\\]", unicodedata.normalize("NFKC", step))
    return "\x00" in step or any(each.partition(";")[0].strip() in _DOTS for each in steps)


def _refused(tool: str, argument: str, expected: str) -> InterfaceInputError:
    path = [argument] if argument else []
    return InterfaceInputError(
        f"{tool}: {argument or 'the input'} wants {expected}",
        path=path,
        expected=expected,
        function=tool,
    )


def _base(http: HttpDefinition, tool: str) -> str:
    """The server's URL; the variable that the spec names goes before the spec's own."""
    variable = http.get("url_env")
    given = os.environ.get(variable, "").strip() if variable else ""
    url = (given or http.get("url", "")).rstrip("/")
    if not _is_server(url):
        # What a variable holds may have a password in it.
        what = f"what {variable} holds is" if given else f"{url or 'there'!r} is"
        raise ConfigurationError(
            f"{tool} goes to a server, and {what} no URL of one: set"
            f" {variable or 'url in its spec'} to something like https://host/v1",
            code="tool-url",
        )
    return url


def _is_server(url: str) -> bool:
    try:
        parts = urlsplit(url)
        known = parts.scheme in ("http", "https") and parts.port != 0
    except ValueError:
        return False
    return known and bool(parts.hostname) and not parts.query and not parts.fragment


# ------------------------------------------------------------------------- the credentials


def _authorized(
    parts: _Parts, http: HttpDefinition, tool: str
) -> tuple[Sequence[str], Sequence[str]]:
    """Adds the credentials of the first way whose variables are all set.

    Returns:
        The secrets, and the variables that hold them.
    """
    ways = http.get("auth", ())
    listed: list[list[Mapping[str, str]]] = [
        [] if way == "none" else [*way] if isinstance(way, list) else [way] for way in ways
    ]
    for way in listed:
        secrets = [_secret(variable_of(each)) for each in way]
        if all(secrets):
            for each, secret in zip(way, secrets, strict=True):
                _add(parts, each, secret, tool)
            return _shown_never(secrets), [variable_of(each) for each in way]
    if listed:
        wanted = " or ".join(" and ".join(variable_of(each) for each in way) for way in listed)
        raise ConfigurationError(f"{tool} needs credentials: set {wanted}", code="tool-credentials")
    return (), ()


def variable_of(credential: Mapping[str, str]) -> str:
    """The variable of the environment that a credential comes from."""
    return credential.get("env") or credential.get("bearer") or credential["basic"]


def _secret(variable: str) -> str:
    return os.environ.get(variable, "").strip()


def _add(parts: _Parts, credential: Mapping[str, str], secret: str, tool: str) -> None:
    if _UNSAFE.search(secret):
        raise ConfigurationError(
            f"{tool}: {variable_of(credential)} holds characters that no credential has",
            code="tool-credentials",
        )
    if "bearer" in credential:
        parts.headers["Authorization"] = f"Bearer {secret}"
    elif "basic" in credential:
        encoded = base64.b64encode(secret.encode()).decode()
        parts.headers["Authorization"] = f"Basic {encoded}"
    elif "header" in credential:
        parts.headers[credential["header"]] = secret
    elif "query" in credential:
        parts.query.append((styles.encoded(credential["query"]), styles.encoded(secret)))
    else:
        parts.cookies.append((styles.encoded(credential["cookie"]), styles.encoded(secret)))


def _shown_never(secrets: Sequence[str]) -> list[str]:
    """Secrets in every form that they are sent in, the longest first."""
    forms = {form for each in secrets for form in (each, styles.encoded(each), *each.split(":"))}
    forms |= {base64.b64encode(each.encode()).decode() for each in secrets}
    forms |= {json.dumps(each)[1:-1] for each in secrets}
    return sorted((form for form in forms if len(form) > 3), key=len, reverse=True)


__all__ = ["BODILESS", "LARGEST", "Request", "build", "place_of", "variable_of"]
