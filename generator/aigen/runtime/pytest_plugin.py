"""The pytest plugin: no test calls a model unless it says so.

Inside a test, a request that would leave the process is an error that names its model. What a test
wants instead:

- the fixture `aigen_model` answers from a script;
- the fixture `aigen_recording` replays recorded traffic, one file a test;
- the marker `aigen_live` lets the test through; it runs only with `--aigen-live`.

`--aigen-live` also records anew what `aigen_recording` replays. `aigen_network = true` in the ini
file lets every test through.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from aigen.runtime.testing import Recording, Scripted
    from aigen.runtime.wire.messages import Request

_FAILED = pytest.StashKey[bool]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds `--aigen-live`, and `aigen_network` for the ini file."""
    parser.getgroup("aigen").addoption(
        "--aigen-live",
        action="store_true",
        help="run the tests marked aigen_live, and record anew what aigen_recording replays",
    )
    parser.addini("aigen_network", "let every test call models", type="bool", default=False)


def pytest_configure(config: pytest.Config) -> None:
    """Says what the marker means."""
    config.addinivalue_line("markers", "aigen_live: calls real models; runs only with --aigen-live")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skips what calls real models."""
    if item.get_closest_marker("aigen_live") and not item.config.getoption("aigen_live"):
        pytest.skip("calls real models: run pytest --aigen-live")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Keeps whether the test failed: then its traffic is not recorded."""
    report = yield
    if report.when == "call":
        item.stash[_FAILED] = report.failed
    return report


_INSTEAD: Final = (
    "answer it with the fixture aigen_model or aigen_recording, or mark the test aigen_live"
)


@pytest.fixture(autouse=True)
def _aigen_no_network(request: pytest.FixtureRequest) -> Iterator[None]:
    allowed = request.node.get_closest_marker("aigen_live") is not None
    records = "aigen_recording" in request.fixturenames and request.config.getoption("aigen_live")
    if allowed or records or request.config.getini("aigen_network"):
        yield
        return
    from aigen.runtime.wire import faking

    with faking.guarded(_INSTEAD):
        yield


@pytest.fixture
def aigen_model() -> Iterator[Callable[[Iterable[Any] | Callable[[Request], Any]], Scripted]]:
    """Answers calls from a script.

    `model = aigen_model([{"urgent": True}])`: it takes what
    `aigen.runtime.testing.scripted` takes, and stands until the test ends.
    """
    from aigen.runtime.testing import scripted

    with ExitStack() as stack:
        yield lambda steps: stack.enter_context(scripted(steps))


@pytest.fixture
def aigen_recording(request: pytest.FixtureRequest) -> Iterator[Recording]:
    """Replays the calls of a test from `recordings/<module>/<test>.yaml` beside it.

    With `--aigen-live` the calls go out and are recorded, where the test passes.
    """
    from aigen.runtime.testing import recorded

    node = request.node
    live = request.config.getoption("aigen_live")
    name = re.sub(r"[^\w.-]+", "-", node.name).strip("-")
    path = Path(node.path).parent / "recordings" / Path(node.path).stem / f"{name}.yaml"
    command = f"pytest --aigen-live {node.nodeid!r}"
    if not live and not path.exists():
        pytest.fail(f"nothing is recorded for this test: run {command}")
    with recorded(path, "all" if live else "none") as recording:
        recording.mend = f"record it anew: {command}"
        yield recording
        if node.stash.get(_FAILED, False):
            recording.discard()
