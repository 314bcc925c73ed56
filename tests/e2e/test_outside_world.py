"""What the system does to a build: it is killed, may not write, or has no room."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from commands import SPEC, Project

if sys.platform == "win32":
    pytest.skip("signals and permissions are other things there", allow_module_level=True)

OLD, NEW = SPEC, SPEC.replace("customer", "guest")

KILLED = """
import os, signal, sys
from aigen.__main__ import main

left, real = int(sys.argv.pop(1)), os.replace

def replace(source, target):
    global left
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    left -= 1
    return real(source, target)

os.replace = replace
sys.exit(main())
"""
"""A build that is killed before it moves one more file."""


@pytest.fixture
def built(project: Project) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """The output of the old spec, which is in place, and of the new one, which is in `specs`."""
    texts = []
    for text in (NEW, OLD):
        project.write("specs/shop.yaml", text)
        assert project.aigen("build").code == 0
        texts.append(project.files())
    project.write("specs/shop.yaml", NEW)
    new, old = texts
    assert {name for name in new if new[name] != old[name]} == {"shop.py", "schemas/shop.json"}
    return old, new


@pytest.mark.parametrize("moves", range(5))
def test_a_killed_build_is_made_up_for(
    project: Project, built: tuple[dict[str, bytes], dict[str, bytes]], moves: int
) -> None:
    """The moves are the journal's, two files' and the record's; the fifth is never made."""
    old, new = built
    with project.start([sys.executable, "-c", KILLED, str(moves), "build"]) as process:
        process.communicate(timeout=300)
    assert process.returncode == (0 if moves == 4 else -signal.SIGKILL)
    left = project.files()
    shown = {name: data for name, data in left.items() if not name.endswith("-new")}
    journal = shown.pop(".aigen-journal", None)
    assert (journal is not None) == (moves in (1, 2))
    assert shown.keys() == new.keys()
    assert all(data in (old[name], new[name]) for name, data in shown.items())
    checked = project.aigen("build", "--check")
    assert checked.code == (0 if moves >= 3 else 1)
    assert ("AIG706" in checked.err) == (journal is not None)
    assert project.files() == left
    assert project.aigen("build").code == 0
    assert project.files() == new
    assert project.aigen("build", "--check") == (0, "", "")


@pytest.fixture
def bound() -> Sequence[str]:
    """What runs a command so that permissions hold for it, for root too."""
    if os.geteuid() != 0:
        return ()
    if shutil.which("setpriv") is None:
        pytest.skip("root may write everywhere")
    return ("setpriv", "--bounding-set", "-dac_override,-dac_read_search", "--")


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Takes the right to write from a folder and all in it, until the block ends."""
    modes = {path: path.stat().st_mode for path in (folder, *folder.rglob("*")) if path.is_dir()}
    for path in modes:
        path.chmod(0o555)
    try:
        yield
    finally:
        for path, mode in modes.items():
            path.chmod(mode)


def test_an_output_that_may_not_be_written(
    project: Project, built: tuple[dict[str, bytes], dict[str, bytes]], bound: Sequence[str]
) -> None:
    with read_only(project.out):
        code, out, err = project.aigen("build", before=bound)
        assert project.aigen("check", before=bound).code == 0
        assert project.aigen("build", "--check", before=bound).code == 1
    assert (code, out) == (1, "")
    assert err.startswith("error[AIG705]: cannot write ai/")
    assert "Permission denied\n" in err and "Traceback" not in err
    assert project.files() == built[0]


def test_a_project_that_may_not_be_written(project: Project, bound: Sequence[str]) -> None:
    assert project.aigen("build").code == 0
    before = project.files()
    with read_only(project.root):
        assert project.aigen("check", before=bound).code == 0
        assert project.aigen("build", "--check", before=bound) == (0, "", "")
        assert project.aigen("build", before=bound) == (0, "5 files up to date in ai\n", "")
        code, _, err = project.aigen("build", "--out", "new", before=bound)
    assert (code, err) == (1, "error[AIG705]: cannot write new: Permission denied\n1 error\n")
    assert project.files() == before


def test_init_where_nothing_may_be_written(tmp_path: Path, bound: Sequence[str]) -> None:
    here = Project(tmp_path / "sealed")
    here.root.mkdir(mode=0o555)
    code, out, err = here.aigen("init", before=bound)
    assert (code, out) == (1, "")
    assert err == f"aigen: Permission denied: {here.root / 'aigen.toml'}\n"
    assert list(here.root.iterdir()) == []


def test_a_spec_that_may_not_be_read(project: Project, bound: Sequence[str]) -> None:
    project.write("specs/closed.yaml", SPEC).chmod(0)
    for command in ("check", "build"):
        code, out, err = project.aigen(command, before=bound)
        assert code == 1
        assert "specs/closed.yaml:1:1: error[AIG101]" in out + err
        assert "Traceback" not in err
    assert not project.out.exists()


def test_a_file_that_grows_too_large(
    project: Project, built: tuple[dict[str, bytes], dict[str, bytes]]
) -> None:
    """The system refuses the write in its middle, as it does on a full disk."""
    project.write("specs/shop.yaml", OLD.replace("How does", "How does " * 3000))
    limited = ("sh", "-c", 'ulimit -f 16 && exec "$@"', "sh")
    code, out, err = project.aigen("build", before=limited)
    assert (code, out) == (1, "")
    assert err.startswith("error[AIG705]: cannot write the output: File too large\n")
    assert project.files() == built[0]
    assert project.aigen("build").code == 0


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 256 KiB."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(place)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("no file system may be mounted here")
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)


def _fill(place: Path, free: int) -> Path:
    """Fills a disk but for some pages of 4 KiB."""
    filling = place / "filling"
    with filling.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            file.truncate(max(0, file.tell() - free * 4096))
    return filling


def test_a_full_disk(small_disk: Path) -> None:
    project = Project(small_disk)
    project.write("aigen.toml", 'specs = ["specs"]\nout = "ai"\n')
    old = {f"specs/m{number}.yaml": OLD for number in range(3)}
    new = {name: text.replace("customer", "guest " * 800) for name, text in old.items()}
    for name, text in old.items():
        project.write(name, text)
    assert project.aigen("build").code == 0
    before = project.files()
    for name, text in new.items():
        project.write(name, text)
    outcomes = []
    for free in (0, 2, 5, 8, 11, 14):
        filling = _fill(small_disk, free)
        code, out, err = project.aigen("build")
        filling.unlink()
        outcomes.append(code)
        if code == 0:
            assert (out, err) == ("wrote 6 files, 3 unchanged in ai\n", "")
            break
        assert (code, out) == (1, "")
        assert "error[AIG705]: cannot write " in err and "No space left on device" in err
        assert "free space and build again" in err
        assert project.files() == before
    assert project.aigen("build").code == 0
    after = project.files()
    assert after.keys() == before.keys() and after != before
    assert outcomes[0] == 1 and len(outcomes) > 2


def test_init_on_a_full_disk(small_disk: Path) -> None:
    project = Project(small_disk)
    filling = _fill(small_disk, 1)
    assert project.aigen("init") == (1, "", "aigen: No space left on device\n")
    filling.unlink()
    assert [path for path in small_disk.rglob("*") if path.is_file()] == []
    assert project.aigen("init").code == 0
    assert project.aigen("build").code == 0
