"""Python that a model wrote, in the Monty sandbox: checked before it runs, paused at each call.

The sandbox is a process of its own, without files, network and environment. It ends with the run.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any, Final

from aigen.runtime.errors import ConfigurationError
from aigen.runtime.tools.stubs import Module

SECONDS: Final = 10.0
"""How long code may compute, and how long it may sleep; tools' time is not counted."""

MEMORY: Final = 128 * 2**20
"""Bytes of the code's own values."""

PRINTED: Final = 2**20
"""Bytes that it may print."""


@dataclass(frozen=True, slots=True)
class Called:
    """The code waits for a function.

    Attributes:
        function: `module.function`.
        arguments: by position.
        named: by name.
        answer: goes on with what the function gives.
        refuse: goes on with an exception in its place.
    """

    function: str
    arguments: tuple[Any, ...]
    named: Mapping[str, Any]
    answer: Callable[[Any], Called | Ended]
    refuse: Callable[[Exception], Called | Ended]


@dataclass(frozen=True, slots=True)
class Ended:
    """The code has ended.

    Attributes:
        printed: what it printed.
        value: of its last line, where that is an expression.
        problem: why it failed; empty where it did not.
        ran: whether it was begun; a type error is found before.
    """

    printed: str
    value: Any = None
    problem: str = ""
    ran: bool = True


def require() -> None:
    """Sees that the sandbox is installed.

    Raises:
        ConfigurationError: it is not.
    """
    try:
        from pydantic_monty import ExternalModule  # noqa: F401 - older versions lack it
    except ImportError:
        raise ConfigurationError(
            'exposure: code needs a sandbox: pip install "aigen[code]"', code="missing-extra"
        ) from None


@dataclass(slots=True)
class Sandbox:
    """One run of code.

    Attributes:
        modules: what it may import beside Python's own.
        seconds: until it must be done.
    """

    modules: Mapping[str, Module]
    seconds: float
    _open: ExitStack = field(default_factory=ExitStack)
    _busy: bool = False
    _printed: Any = None

    def start(self, code: str) -> Called | Ended:
        """Checks and begins code; gives where it pauses first.

        Args:
            code: what the model wrote.
        """
        from pydantic_monty import CollectString, Monty

        limit = max(min(SECONDS, self.seconds), 0.001)
        pool = self._open.enter_context(Monty(max_processes=1))
        session = self._open.enter_context(
            pool.checkout(
                limits={
                    "max_feed_duration_secs": limit,
                    "max_total_sleep_secs": limit,
                    "max_memory": MEMORY,
                },
                type_check=True,
                type_check_format="concise",
                external_modules={name: _external(each) for name, each in self.modules.items()},
            )
        )
        self._printed = CollectString(PRINTED)
        return self._until_called(lambda: session.feed_start(code, print_callback=self._printed))

    def close(self) -> None:
        """Ends the sandbox; one that still computes is ended behind the caller's back."""
        if self._busy:
            threading.Thread(target=self._open.close, name="aigen-sandbox", daemon=True).start()
        else:
            self._open.close()

    def _until_called(self, go_on: Callable[[], Any]) -> Called | Ended:
        """Runs until a function is called, or to the end."""
        import pydantic_monty as monty

        self._busy = True
        try:
            snapshot = go_on()
            while not isinstance(snapshot, monty.MontyComplete):
                if isinstance(snapshot, monty.FunctionSnapshot) and not snapshot.is_os_function:
                    return self._called(snapshot)
                # An import is answered with a module of ours; files and the like are refused.
                snapshot = snapshot.resume_auto()
            return Ended(self._printed.output, _shown(snapshot.output))
        except (monty.MontyTypingError, monty.MontySyntaxError) as problem:
            return Ended(self._printed.output, problem=problem.display().strip(), ran=False)
        except monty.MontyRuntimeError as problem:
            return Ended(self._printed.output, problem=problem.display().strip())
        except monty.MontyError as problem:
            return Ended(self._printed.output, problem=f"the sandbox broke: {problem}")
        finally:
            self._busy = False

    def _called(self, snapshot: Any) -> Called:
        def answer(value: Any) -> Called | Ended:
            return self._until_called(lambda: snapshot.resume({"return_value": carried(value)}))

        def refuse(problem: Exception) -> Called | Ended:
            return self._until_called(lambda: snapshot.resume({"exception": problem}))

        return Called(str(snapshot.function_name), snapshot.args, snapshot.kwargs, answer, refuse)


def carried(value: Any) -> Any:
    """A value as the sandbox takes it: records are dicts, dates stay dates.

    Raises:
        TypeError: something in it has no form there.
        ValueError: a number is not finite, or a text is not Unicode.
    """
    from aigen.runtime.values import jsonable
    from aigen.runtime.values.convert import record

    if type(value) in (str, int, bool, float, bytes, type(None)):
        return value
    if isinstance(value, date | time | timedelta | Decimal):
        return value
    if isinstance(value, Enum):
        return carried(value.value)
    found = record(value)
    if found is not None:
        return {str(name): carried(member) for name, member in found[0].items()}
    if isinstance(value, list):
        return [carried(item) for item in value]
    if isinstance(value, tuple):
        return tuple(carried(item) for item in value)
    if isinstance(value, set | frozenset):
        items = [carried(item) for item in value]
        return items if any(isinstance(item, dict | list) for item in items) else set(items)
    return jsonable(value)


def _external(module: Module) -> Any:
    from pydantic_monty import ExternalModule

    members: dict[str, Any] = dict.fromkeys(module.functions, _paused)
    members |= dict.fromkeys(module.records, dict)
    members |= {name: _external(inner) for name, inner in module.modules.items()}
    return ExternalModule(members, stubs=module.stub)


def _paused(*arguments: Any, **named: Any) -> Any:
    """Stands for every function: the sandbox pauses where it would be called."""
    raise AssertionError("the sandbox called a function by itself")


def _shown(value: Any) -> Any:
    """The value of the last line, where it is of more than the sandbox."""
    import pydantic_monty as monty

    proxies = (monty.MontyClassProxy, monty.MontyClassTypeProxy, monty.MontyStdTypeProxy)
    return str(value) if isinstance(value, (*proxies, monty.ExternalModule)) else value
