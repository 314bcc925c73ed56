"""The samples, built as a user builds them, and real servers on loopback."""

from __future__ import annotations

import contextlib
import importlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import desk_spec
import pytest
from commands import SPEC, Project

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared"


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the samples with their package built by the command; its folder."""
    folder = tmp_path_factory.mktemp("samples")
    shutil.copytree(ROOT / "samples", folder / "samples", ignore=shutil.ignore_patterns("shop_ai"))
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    start = text.index("[tool.aigen]")
    (folder / "pyproject.toml").write_text(text[start:], encoding="utf-8")
    _build(folder)
    return folder / "samples"


@pytest.fixture(scope="session")
def built_desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package of `desk_spec`, built by the command."""
    folder = tmp_path_factory.mktemp("desk")
    (folder / "specs").mkdir()
    (folder / "specs" / "desk.yaml").write_text(desk_spec.SPEC, encoding="utf-8")
    (folder / "clerk.py").write_text(desk_spec.CLERK, encoding="utf-8")
    settings = '[tool.aigen]\nspecs = ["specs"]\nout = "desk_ai"\npython_path = ["."]\n'
    (folder / "pyproject.toml").write_text(settings, encoding="utf-8")
    _build(folder)
    return folder


def _build(folder: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "aigen", "build"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.fixture
def support(built: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The generated module `support` of the built samples."""
    monkeypatch.syspath_prepend(str(built))
    for name in [name for name in sys.modules if name.split(".")[0] in ("shop_ai", "app")]:
        monkeypatch.delitem(sys.modules, name)
    yield importlib.import_module("shop_ai.support")


@pytest.fixture
def desk(built_desk: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The generated module `desk` of the built desk."""
    monkeypatch.syspath_prepend(str(built_desk))
    for name in [name for name in sys.modules if name.split(".")[0] in ("desk_ai", "clerk")]:
        monkeypatch.delitem(sys.modules, name)
    yield importlib.import_module("desk_ai.desk")


@contextlib.contextmanager
def serving(command: list[str], port: int, path: str = "/health") -> Iterator[str]:
    """Runs a server until the block ends; its base URL, once it answers.

    Raises:
        RuntimeError: it did not answer within 30 seconds.
    """
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        deadline = time.monotonic() + 30
        while True:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=1):
                    break
            except OSError as problem:
                if isinstance(problem, urllib.error.HTTPError):
                    problem.close()
                if process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError(f"{command[0]} did not start") from problem
                time.sleep(0.05)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        # With its children: the command may be one that only starts the server.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        process.wait(10)


def free_port() -> int:
    """A port of 127.0.0.1 that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="session")
def llmock() -> Iterator[str]:
    """A server by others that answers with schema-valid values and judges its client."""
    pytest.importorskip("llmock")
    port = free_port()
    script = str(Path(sys.executable).with_name("llmock"))
    with serving([script, "serve", "--port", str(port), "--log-level", "error"], port) as url:
        yield url


@pytest.fixture(scope="session")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """llama.cpp's own server with a tiny random model: schemas are enforced by grammar."""
    pytest.importorskip("xllamacpp")
    pytest.importorskip("gguf")
    tools = SHARED / "tools"
    if not (tools / "tiny_gguf.py").exists():
        pytest.skip("no script that writes a tiny model")
    model = tmp_path_factory.mktemp("model") / "tiny.gguf"
    subprocess.run([sys.executable, str(tools / "tiny_gguf.py"), str(model)], check=True)
    port = free_port()
    command = [sys.executable, str(tools / "local_model.py"), str(model), str(port)]
    with serving(command, port) as url:
        yield url


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project with one spec."""
    made = Project(tmp_path / "project")
    made.write("aigen.toml", 'specs = ["specs"]\nout = "ai"\n')
    made.write("specs/shop.yaml", SPEC)
    return made
