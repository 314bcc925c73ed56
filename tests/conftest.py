"""What all tests share."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import hypothesis
import pytest
import servers
from hypothesis import settings

ROOT = Path(__file__).resolve().parents[1]

# How long an example takes says how busy the machine is.
hypothesis.settings.register_profile(
    "aigen", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("aigen")

settings.register_profile("default", deadline=None)  # on a busy machine any example may be slow
settings.register_profile("many", deadline=None, max_examples=5000)
"""`--hypothesis-profile=many`: for tests that set no number of examples of their own."""
settings.load_profile("default")


if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # So it is in the background of a shell, and what the tests start would inherit it.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="write what the golden cases expect"
    )


@pytest.fixture(scope="session")
def cases() -> Path:
    """The folder of public cases; skips where it is absent."""
    folder = ROOT.parent / "shared" / "cases"
    if not folder.is_dir():
        pytest.skip("the public cases are not here")
    return folder


@pytest.fixture
def serve() -> Iterator[Callable[..., servers.Server]]:
    """Starts model servers on loopback, each given its answers; they end with the test.

    So do the clients of the process: a run has more servers than the process keeps clients, and one
    that it lets go of is not closed.
    """
    from aigen.runtime.wire import client

    with ExitStack() as stack:
        yield lambda *steps: stack.enter_context(
            servers.serving(steps[0] if callable(steps[0]) else steps)
        )
        client._close()


@pytest.fixture
def permissions_hold() -> Iterator[None]:
    """Root too reads and writes only what the permissions of a file let it, in this thread."""
    if sys.platform == "win32" or (sys.platform != "linux" and os.geteuid() == 0):
        pytest.skip("permissions hold nobody here")
    if os.geteuid() != 0:
        yield
        return
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(0x20080522)  # version 3; this thread
    had, left = (ctypes.c_uint32 * 6)(), (ctypes.c_uint32 * 6)()
    assert libc.capget(header, had) == 0
    left[:] = had[:]
    left[0] &= ~0b110  # of what is effective: dac_override and dac_read_search
    assert libc.capset(header, left) == 0
    yield
    assert libc.capset(header, had) == 0
