"""`aigen build --watch` as a process: what is saved is built within moments."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from commands import AIGEN, SPEC, Project

if sys.platform == "win32":
    pytest.skip("Ctrl-C is another thing there", allow_module_level=True)
pytest.importorskip("watchfiles")

SOON = 10.0
"""Seconds: a machine under load is no failure; `benchmarks watch` measures what a save takes."""


class Watching:
    """A running `aigen build --watch`, and what it prints."""

    def __init__(self, project: Project, *options: str) -> None:
        command = [*AIGEN, "build", "--watch", *options]
        # One pipe for both, so that their lines keep their order.
        self.process = project.start(command, stderr=subprocess.STDOUT)
        self.lines: queue.Queue[str] = queue.Queue()
        self.thread = threading.Thread(target=self._read)
        self.thread.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as pipe:
            for line in pipe:
                self.lines.put(line.rstrip("\n"))

    def until(self, words: str, seconds: float = SOON) -> list[str]:
        """The lines up to the one with these words."""
        seen = []
        deadline = time.monotonic() + seconds
        while not seen or words not in seen[-1]:
            try:
                seen.append(self.lines.get(timeout=max(deadline - time.monotonic(), 0)))
            except queue.Empty:
                pytest.fail(f"nothing said {words!r}: {seen}")
        return seen

    def quiet(self, seconds: float = 0.6) -> None:
        """Fails where anything is printed in that time."""
        with pytest.raises(queue.Empty):
            pytest.fail(self.lines.get(timeout=seconds))

    def end(self) -> int:
        """Ctrl-C; the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        code = self.process.wait(SOON)
        self.thread.join()
        return code


@pytest.fixture
def watch(project: Project) -> Iterator[Callable[..., Watching]]:
    begun: list[Watching] = []

    def start(*options: str) -> Watching:
        begun.append(Watching(project, *options))
        return begun[-1]

    yield start
    for one in begun:
        one.end()


def settled(path: Path, wanted: str, seconds: float = SOON) -> None:
    """Waits until a file holds a text."""
    start = time.monotonic()
    while not path.exists() or wanted not in path.read_text():
        assert time.monotonic() - start < seconds, path.read_text() if path.exists() else path
        time.sleep(0.005)


def test_a_save_is_built_and_ctrl_c_ends_it(
    project: Project, watch: Callable[..., Watching]
) -> None:
    running = watch()
    assert running.until("watching") == ["wrote 5 files in ai", "watching; Ctrl-C ends it"]
    for turn in range(5):
        project.write("specs/shop.yaml", SPEC.replace("customer", f"guest {turn}"))
        settled(project.out / "shop.py", f"guest {turn}")
        assert running.until("wrote")[-1] == "wrote 2 files, 3 unchanged in ai"
    running.quiet()
    assert running.end() in (130, -signal.SIGINT)
    running.until("aigen: stopped")


def test_errors_keep_the_last_good_output(project: Project, watch: Callable[..., Watching]) -> None:
    running = watch()
    running.until("watching")
    good = project.files()
    project.write("specs/shop.yaml", "aigen: 1\nfunction: {}\n")
    said = running.until("nothing was written")
    assert any("specs/shop.yaml:2:1: error[" in line for line in said)
    assert project.files() == good
    running.quiet()
    project.write("specs/shop.yaml", SPEC)
    assert running.until("up to date")[-1] == "5 files up to date in ai"
    assert project.files() == good
    assert running.process.poll() is None


def test_it_begins_with_errors_and_sees_new_folders_and_removals(
    project: Project, watch: Callable[..., Watching]
) -> None:
    (project.root / "specs" / "shop.yaml").rename(project.root / "shop.yaml")
    (project.root / "specs").rmdir()
    running = watch()
    said = running.until("watching")
    assert any("there is no file or folder specs" in line for line in said)
    project.write("specs/shop.yaml", SPEC)
    settled(project.out / "shop.py", "customer")
    project.write("specs/far/away/mood.yaml", SPEC)
    settled(project.out / "far" / "away" / "mood.py", "customer")
    project.write("specs/far/away/mood.yaml", SPEC.replace("customer", "guest"))
    settled(project.out / "far" / "away" / "mood.py", "guest")
    (project.root / "specs" / "far" / "away" / "mood.yaml").unlink()
    running.until("removed 4 files")
    assert not (project.out / "far").exists()


def test_an_editor_that_renames_and_a_changed_configuration(
    project: Project, watch: Callable[..., Watching]
) -> None:
    running = watch()
    running.until("watching")
    for word in ("guest", "visitor"):
        beside = project.write("specs/.shop.swp", SPEC.replace("customer", word))
        beside.replace(project.root / "specs" / "shop.yaml")
        settled(project.out / "shop.py", word)
    project.write("aigen.toml", 'specs = ["specs"]\nout = "other"\n')
    settled(project.root / "other" / "shop.py", "visitor")


def test_a_module_that_a_spec_names(project: Project, watch: Callable[..., Watching]) -> None:
    tool = "aigen: 1\ntools:\n  look_up:\n    python: app.orders:look_up\n"
    project.write("specs/desk.yaml", tool)
    running = watch()
    running.until("nothing was written")
    running.until("watching")
    project.write("app/__init__.py", "")
    project.write(
        "app/orders.py", 'def look_up(id: str) -> str:\n    """Looks up."""\n    return id\n'
    )
    settled(project.out / "desk.py", "Looks up")
    project.write(
        "app/orders.py", 'def look_up(id: str) -> str:\n    """Finds."""\n    return id\n'
    )
    settled(project.out / "desk.py", "Finds")


def test_a_text_that_a_spec_names(project: Project, watch: Callable[..., Watching]) -> None:
    project.write("specs/words.md", "How do they feel?\n")
    words = (
        "aigen: 1\nfunctions:\n  mood: {formula: mood ~ review, description: {$file: words.md}}\n"
    )
    project.write("specs/shop.yaml", words)
    running = watch()
    running.until("watching")
    time.sleep(0.5)
    project.write("specs/words.md", "How do they fare?\n")
    settled(project.out / "shop.py", "fare")


def test_a_template(project: Project, watch: Callable[..., Watching]) -> None:
    header = '{% extends "aigen/module.py.jinja" %}\n{% block header %}\n# WORDS\n{% endblock %}\n'
    project.write("aigen.toml", 'out = "ai"\ntemplates = "mine"\n')
    path = project.write("mine/module.py.jinja", header.replace("WORDS", "One."))
    running = watch()
    running.until("watching")
    settled(project.out / "shop.py", "# One.")
    path.write_text(header.replace("WORDS", "Two."))
    settled(project.out / "shop.py", "# Two.")
    path.write_text("{% broken")
    running.until("error[AIG712]")
    assert "# Two." in (project.out / "shop.py").read_text()


def test_what_is_said_and_judged_of_each_build(
    project: Project, watch: Callable[..., Watching]
) -> None:
    running = watch("-v", "--verify")
    said = running.until("watching", seconds=180.0)  # mypy reads its own stubs at first
    assert "built 1 spec: no earlier build is known" in said
    assert (project.root / ".aigen" / "mypy").is_dir()
    project.write("specs/shop.yaml", SPEC.replace("customer", "guest"))
    assert "built 1 spec: specs/shop.yaml has changed" in running.until("wrote 2", seconds=60.0)


@pytest.mark.parametrize("out", [".", "specs", "src/app/ai"])
def test_what_lies_in_the_output(
    project: Project, watch: Callable[..., Watching], out: str
) -> None:
    """Specs and modules that an output is made of may lie in it, where builds write too."""
    project.write("aigen.toml", f'out = "{out}"\npython_path = ["src"]\n')
    tool = "aigen: 1\ntools: {look_up: {python: 'app.ai.orders:look_up'}}\n"
    source = 'def look_up(id: str) -> str:\n    """Looks up."""\n    return id\n'
    project.write("specs/desk.yaml", tool)
    project.write("src/app/ai/orders.py", source)
    running = watch()
    running.until("watching")
    time.sleep(0.5)  # the watch stands by then, and looks at each change
    project.write("src/app/ai/orders.py", source.replace("Looks", "Seeks"))
    settled(project.root / out / "desk.py", "Seeks up")
    running.until("wrote")
    project.write("specs/shop.yaml", SPEC.replace("customer", "guest"))
    settled(project.root / out / "shop.py", "guest")
    running.until("wrote")
    running.quiet()


def test_check_and_watch_are_two_things(project: Project) -> None:
    refused = project.aigen("build", "--check", "--watch")
    assert refused.code == 2
    assert "--check writes nothing" in refused.err


def test_without_watchfiles_it_says_what_to_install(project: Project) -> None:
    project.write("watchfiles.py", "raise ModuleNotFoundError(name='watchfiles')\n")
    path = os.pathsep.join([str(project.root), os.environ.get("PYTHONPATH", "")])
    refused = project.aigen("build", "--watch", environ={"PYTHONPATH": path})
    assert refused.code == 2
    assert 'pip install "aigen[build]"' in refused.err
