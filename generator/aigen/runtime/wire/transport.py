"""One request over the SDK: its documented raw path, or `create()` where something wraps it."""

from __future__ import annotations

import json
import time
from functools import cache
from typing import Any

from aigen.runtime.setting_kinds import Settings
from aigen.runtime.wire.ending import ending
from aigen.runtime.wire.making import http_library
from aigen.runtime.wire.messages import Request
from aigen.runtime.wire.reading import Body
from aigen.runtime.wire.spread import async_carrier, sync_carrier


def exchange(request: Request, settings: Settings, timeout: float) -> tuple[Any, str | None]:
    """Sends one request; the body as data, and the request's id.

    Raises:
        openai.OpenAIError: as the SDK raises it.
        ValueError: a body that is not JSON.
    """
    with sync_carrier(request.target, settings) as client:
        return _exchanged(client, request, settings, timeout)


def _exchanged(
    client: Any, request: Request, settings: Settings, timeout: float
) -> tuple[Any, str | None]:
    resource = resource_of(client, request)
    until = time.monotonic() + timeout
    if sends_raw(settings, resource):
        response = client.post(
            request.path,
            cast_to=response_class(),
            body=request.body,
            options=options_of(request, timeout),
            stream=True,
            stream_cls=stream_class(),
        )
        return json.loads(_read(response, until)), response.headers.get("x-request-id")
    if _wrapped(resource):
        # What wraps it wants the SDK's own object back.
        with ending(client, until):
            return _dumped(resource.create(**arguments_of(request, timeout)))
    # The body as it comes: the SDK's object would be made only to be taken apart again.
    with resource.with_streaming_response.create(**plain_arguments_of(request, timeout)) as created:
        response = created.http_response
        return json.loads(_read(response, until)), response.headers.get("x-request-id")


def _read(response: Any, until: float) -> bytes:
    """The body, piece by piece: the HTTP library's timeout is one of each piece, not of all.

    Raises:
        TimeoutError: it is not whole when it should be.
        ProviderError: it is longer than any answer.
    """
    body = Body()
    try:
        for piece in response.iter_bytes():
            body.add(piece)
            if time.monotonic() > until:
                raise TimeoutError
    finally:
        response.close()
    return body.whole()


async def _aread(response: Any) -> bytes:
    body = Body()
    try:
        async for piece in response.aiter_bytes():
            body.add(piece)
    finally:
        await response.aclose()
    return body.whole()


async def aexchange(request: Request, settings: Settings, timeout: float) -> tuple[Any, str | None]:
    """Like `exchange`, awaited."""
    with async_carrier(request.target, settings) as client:
        return await _aexchanged(client, request, settings, timeout)


async def _aexchanged(
    client: Any, request: Request, settings: Settings, timeout: float
) -> tuple[Any, str | None]:
    resource = resource_of(client, request)
    if sends_raw(settings, resource):
        response = await client.post(
            request.path,
            cast_to=response_class(),
            body=request.body,
            options=options_of(request, timeout),
            stream=True,
            stream_cls=async_stream_class(),
        )
        return json.loads(await _aread(response)), response.headers.get("x-request-id")
    if _wrapped(resource):
        return _dumped(await resource.create(**arguments_of(request, timeout)))
    creating = resource.with_streaming_response.create(**plain_arguments_of(request, timeout))
    async with creating as created:
        response = created.http_response
        return json.loads(await _aread(response)), response.headers.get("x-request-id")


def resource_of(client: Any, request: Request) -> Any:
    """What has `create` for the request's API."""
    return client.responses if request.api == "responses" else client.chat.completions


def sends_raw(settings: Settings, resource: Any) -> bool:
    """Whether a request goes by the SDK's raw path, and not by `create`."""
    if settings.transport == "raw":
        return True
    return settings.transport != "sdk" and not _wrapped(resource)


def _wrapped(resource: Any) -> bool:
    """Whether something has replaced `create`, as tracing packages do; then it must be called."""
    create = type(resource).__dict__.get("create")
    module = getattr(create, "__module__", None)
    wrapper = type(create).__module__
    return (
        create is None
        or "create" in vars(resource)
        or wrapper not in ("builtins",)
        or not str(module).startswith("openai.")
        or getattr(create, "__code__", None) is None
        or not create.__code__.co_filename.startswith(_sdk_folder())
    )


@cache
def _sdk_folder() -> str:
    """Where the SDK's own `create` and the check of its arguments are defined."""
    import openai

    return str(openai.__file__).removesuffix("__init__.py")


@cache
def response_class() -> Any:
    """The class of raw responses."""
    # The SDK gives the raw response when asked to cast to its HTTP library's own class.
    return http_library().Response


@cache
def stream_class() -> Any:
    """The class that the SDK wants named where an answer is read as it comes."""
    from openai import Stream

    return Stream


@cache
def async_stream_class() -> Any:
    """The awaited one."""
    from openai import AsyncStream

    return AsyncStream


def options_of(request: Request, timeout: float) -> Any:
    """The options of a raw request."""
    options: dict[str, Any] = {"timeout": timeout}
    if request.headers:
        options["headers"] = dict(request.headers)
    return options


_SAID = frozenset(("model", "messages", "input"))


def plain_arguments_of(request: Request, timeout: float) -> dict[str, Any]:
    """The arguments of the SDK's own `create`.

    What has no more to it than its JSON goes round the SDK's look at every member of every
    argument, which costs as much as sending a schema does.
    """
    return _arguments(request, timeout, _SAID)


def arguments_of(request: Request, timeout: float) -> dict[str, Any]:
    """The arguments of `create`, each by its name for what is wrapped round it."""
    return _arguments(request, timeout, _create_parameters(request.api))


def _arguments(request: Request, timeout: float, known: frozenset[str]) -> dict[str, Any]:
    body = dict(request.body)
    extra = {name: body.pop(name) for name in list(body) if name not in known}
    if extra:
        body["extra_body"] = extra
    if request.headers:
        body["extra_headers"] = dict(request.headers)
    return {**body, "timeout": timeout}


@cache
def _create_parameters(api: str) -> frozenset[str]:
    # Of the parameters' own type: the signature of a wrapped `create` need not say anything.
    from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming
    from openai.types.responses.response_create_params import ResponseCreateParamsNonStreaming

    every = CompletionCreateParamsNonStreaming
    return frozenset(
        (ResponseCreateParamsNonStreaming if api == "responses" else every).__annotations__
    )


def _dumped(completion: Any) -> tuple[Any, str | None]:
    if not hasattr(completion, "model_dump"):
        raise ValueError("the reply is no chat completion")
    # The SDK takes whatever a server sends; pydantic would warn of each place where it is odd.
    return completion.model_dump(warnings=False), getattr(completion, "_request_id", None)
