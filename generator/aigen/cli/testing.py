"""Running the tests of a function's spec."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from aigen.ir import Function, Module
from aigen.ir.model import Test
from aigen.runtime.differences import Difference, differences
from aigen.runtime.errors import AigenError, ConfigurationError
from aigen.runtime.function import AIFunction
from aigen.runtime.testing import no_network, recorded
from aigen.runtime.values import jsonable
from aigen.runtime.wire.answer import by_output
from aigen.runtime.wire.checks import run_check
from aigen.runtime.wire.reply import Unreadable

Kind = Literal["passed", "failed", "error"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one test.

    Attributes:
        function: with its module.
        test: its name.
        place: file and line of the test.
        kind: `failed` where the answer is another one, `error` where there is none.
        differences: between the expected outputs and the answer's.
        message: what else there is to say.
        seconds: that the call took.
    """

    function: str
    test: str
    place: str
    kind: Kind
    differences: tuple[Difference, ...] = ()
    message: str = ""
    seconds: float = 0.0


def run_tests(
    called: AIFunction[Any, Any],
    module: Module,
    function: Function,
    path: Path,
    *,
    live: bool,
    concurrency: int = 8,
) -> list[Outcome]:
    """The outcomes of a function's tests, in the order of the spec.

    Args:
        called: the function, as the runtime calls it.
        module: where it is.
        function: whose tests they are.
        path: of its recording; written anew by a live run.
        live: whether the model is called.
        concurrency: how many calls there are at once.
    """
    name = f"{module.name}.{function.name}"
    try:
        with _traffic(path, live), ThreadPoolExecutor(concurrency if live else 1) as pool:
            runs = [
                pool.submit(copy_context().run, _run, called, name, test) for test in function.tests
            ]
            return [run.result() for run in runs]
    except ConfigurationError as problem:
        # The recording itself cannot be used.
        return [_outcome(name, test, "error", message=problem.message) for test in function.tests]


@contextlib.contextmanager
def _traffic(path: Path, live: bool) -> Iterator[None]:
    if not live and not path.exists():
        with no_network():
            yield
        return
    with recorded(path, "all" if live else "none") as recording:
        recording.mend = "record it anew: aigen test --live"
        yield


def _run(called: AIFunction[Any, Any], name: str, test: Test) -> Outcome:
    began = time.monotonic()
    try:
        answer = called.apply(dict(test.inputs))
        found = _compared(test, _outputs(called, answer))
    except AigenError as problem:
        message = problem.message
        if problem.code == "no-network":
            message = "nothing is recorded for it: run aigen test --live"
        return _outcome(name, test, "error", message=message, seconds=time.monotonic() - began)
    kind: Kind = "failed" if found[0] or found[1] else "passed"
    return _outcome(name, test, kind, *found, seconds=time.monotonic() - began)


def _outputs(called: AIFunction[Any, Any], answer: Any) -> dict[str, Any]:
    """The answer's values by output, in their JSON form."""
    names = [output["name"] for output in called.definition["outputs"]]
    return {name: jsonable(value) for name, value in by_output(names, answer).items()}


def _compared(test: Test, outputs: Mapping[str, Any]) -> tuple[tuple[Difference, ...], str]:
    """Where the outputs differ from those expected, and what the check has to say."""
    found = differences(test.expect, {name: outputs.get(name) for name in test.expect})
    reason = ""
    if test.check:
        try:
            run_check(test.check, (dict(test.inputs), dict(outputs)), None)
        except Unreadable as refused:
            reason = refused.reason
    return tuple(found), reason


def _outcome(
    function: str,
    test: Test,
    kind: Kind,
    found: tuple[Difference, ...] = (),
    message: str = "",
    seconds: float = 0.0,
) -> Outcome:
    place = f"{test.span.path}:{test.span.line}"
    return Outcome(function, test.name, place, kind, found, message, seconds)
