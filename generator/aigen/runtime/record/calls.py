"""Calls as they begin and end, and who is told: `with calls() as seen` and `on_call` hooks."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from aigen.runtime.errors import AigenError, ConfigurationError
from aigen.runtime.record.call import Call, current, logger, new_id

if TYPE_CHECKING:
    from aigen.runtime.definition import Definition


_seen: ContextVar[tuple[list[Call], ...]] = ContextVar("aigen_calls", default=())
_hooks: list[Callable[[Call], Any]] = []


@contextmanager
def calls() -> Iterator[list[Call]]:
    """Lists the calls made inside the block, each when it is done; failed ones too."""
    found: list[Call] = []
    token = _seen.set((*_seen.get(), found))
    try:
        yield found
    finally:
        _seen.reset(token)


def on_call(hook: Callable[[Call], Any]) -> Callable[[], None]:
    """Calls `hook` with every call when it is done, in this process; returns what removes it.

    A hook that raises is logged and changes nothing.

    Raises:
        ConfigurationError: what is given cannot be called.
    """
    if not callable(hook):
        raise ConfigurationError(f"on_call: a hook takes a call; {hook!r} cannot be called")
    _hooks.append(hook)

    def remove() -> None:
        if hook in _hooks:
            _hooks.remove(hook)

    return remove


def begun(definition: Definition) -> Call:
    """A call of a function that begins now, inside the one that runs here, if one does."""
    outer = current.get()
    own = new_id()
    call = Call(
        own,
        definition["name"],
        definition["module"],
        parent=outer.id if outer else None,
        root=outer.root if outer else own,
        definition=definition,
    )
    # A program that traces has imported the package by now; others need not have it.
    if "opentelemetry.trace" in sys.modules:
        from aigen.runtime.record import telemetry

        call.span = telemetry.begun(call)
    return call


def done(call: Call) -> None:
    """Ends a call: writes it to the log and tells everyone who listens."""
    call.leave()
    if isinstance(call.error, AigenError) and call.error.function is None:
        call.error.function = call.function  # what sends requests does not know it
    if call.settings is not None and call.settings.log_calls:
        from aigen.runtime.record import calllog

        calllog.log(call)
    if call.span is not None:
        call.span.end(call)
    for found in _seen.get():
        found.append(call)
    for hook in list(_hooks):
        try:
            hook(call)
        except Exception:
            logger.exception("an on_call hook failed")
    _tell(call)


def _tell(call: Call) -> None:
    if call.error is None:
        logger.debug("%s answered in %.2f s", call.function, call.seconds)
    elif logger.isEnabledFor(logging.INFO):
        from aigen.runtime.record.entry import omitted_of

        # A message can quote what must not be written anywhere.
        words = call.error if omitted_of(call) is None else type(call.error).__name__
        logger.info("%s failed after %.2f s: %s", call.function, call.seconds, words)
