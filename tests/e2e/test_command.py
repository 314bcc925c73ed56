"""The command line as users run it: every step a process, every exit code."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from commands import AIGEN, SPEC, Project, environment

if sys.platform == "win32":
    pytest.skip("signals, terminals and locks are other things there", allow_module_level=True)
import fcntl
import pty

SAMPLE = {"AIGEN_MODEL": "sample"}
STOPPED = (130, -signal.SIGINT)
"""A process that ends itself with the signal is 130 to its shell too."""

BROKEN = "aigen: 1\nfunction: {}\n"


@pytest.fixture
def empty(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_from_an_empty_folder_to_an_answer(empty: Project) -> None:
    begun = empty.aigen("init")
    assert (begun.code, begun.err) == (0, "")
    assert empty.aigen("build") == (0, "wrote 5 files in ai\n", "")
    assert empty.aigen("check") == (0, "1 spec: nothing to say\n", "")
    assert empty.aigen("build", "--check") == (0, "", "")
    called = empty.aigen("call", "support.triage", "message=It sparks.", environ=SAMPLE)
    assert (called.code, called.err) == (0, "")
    answer = json.loads(called.out)
    assert isinstance(answer["summary"], str) and isinstance(answer["urgent"], bool)
    shown = empty.aigen("show", "support.triage", "message=It sparks.", environ=SAMPLE)
    assert "It sparks." in json.loads(shown.out)["messages"][-1]["content"]
    assert (empty.root / ".aigen" / ".gitignore").read_text() == "*\n"


def test_from_an_existing_project_to_an_answer(empty: Project) -> None:
    mine = {
        "pyproject.toml": '[project]\nname = "shop"\n\n[tool.aigen]\nout = "src/ai"\n',
        "src/shop.py": "STOCK = 3\n",
        "specs/shop.yaml": SPEC,
    }
    for name, text in mine.items():
        empty.write(name, text)
    assert empty.aigen("init").code == 1
    assert empty.aigen("build") == (0, "wrote 5 files in src/ai\n", "")
    assert empty.aigen("build", "--check") == (0, "", "")
    called = empty.aigen("call", "mood", "review=It broke.", environ=SAMPLE)
    assert json.loads(called.out) in ("happy", "unhappy")
    for name, text in mine.items():
        assert (empty.root / name).read_text() == text


@pytest.mark.parametrize(
    ("code", "arguments", "message"),
    [
        (0, ["--help"], ""),
        (0, ["build", "-h"], ""),
        (0, ["--version"], ""),
        (0, ["explain", "AIG101"], ""),
        (1, ["check", "nowhere"], ""),
        (1, ["build", "nowhere.yaml"], "there is no file or folder nowhere.yaml"),
        (1, ["build", "--check"], "stale: run aigen build"),
        (1, ["init"], "aigen.toml is already here; nothing was written"),
        (1, ["call", "mood", "review=a"], "no model is set"),
        (2, [], "Usage: aigen"),
        (2, ["chek"], 'there is no command "chek"; did you mean "check"?'),
        (2, ["zzz"], 'there is no command "zzz"; aigen --help lists them'),
        (2, ["--verbos"], "No such option"),
        (2, ["build", "--checks"], "No such option"),
        (2, ["check", "--format", "xml"], "'xml' is not one of 'text', 'json', 'github', 'sarif'"),
        (2, ["explain", "AIG999"], 'there is no code "AIG999"; did you mean '),
        (2, ["explain", "203x"], 'there is no code "203x"'),
        (2, ["call"], "Missing argument 'NAME'"),
        (2, ["call", "mod", "review=a"], 'did you mean "mood"?'),
        (2, ["call", "mood", "reviw=a"], 'did you mean "review"?'),
        (2, ["show", "mood"], "the input review wants a value"),
        (2, ["schema", "mood", "--dialect", "grok"], "'grok' is not one of"),
        (2, ["local", "instal"], "No such command"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_exit_codes(project: Project, code: int, arguments: list[str], message: str) -> None:
    ran = project.aigen(*arguments)
    assert ran.code == code
    assert message in ran.err
    assert "Traceback" not in ran.err
    assert bool(ran.err) == bool(message)
    if code == 2:
        assert ran.out == ""


def test_own_failures_exit_with_3(project: Project) -> None:
    project.write("jinja2.py", "raise RuntimeError('no templates\\nhere')\n")
    code, out, err = project.aigen("build")
    assert (code, out) == (3, "")
    first, second = err.splitlines()
    assert first == "aigen failed: RuntimeError: no templates"
    assert second.endswith("this is a fault of aigen")
    assert not project.out.exists()


def test_without_the_compiler(project: Project) -> None:
    project.write("click.py", "raise ModuleNotFoundError('click')\n")
    assert project.aigen("build") == (
        2,
        "",
        'aigen: the command needs the compiler: pip install "aigen[build]"\n',
    )


def test_ctrl_c_while_modules_are_imported(project: Project) -> None:
    project.write("click.py", "raise KeyboardInterrupt\n")
    ran = project.aigen("build")
    assert ran.code in STOPPED and ran.err == "aigen: stopped\n"


def test_ctrl_c_while_another_build_runs(project: Project) -> None:
    assert project.aigen("build").code == 0
    before = project.files()
    project.write("specs/shop.yaml", SPEC.replace("customer", "guest"))
    (lock,) = (project.root / ".aigen").glob("*.lock")
    with lock.open("a+b") as held:
        fcntl.lockf(held, fcntl.LOCK_EX)
        with project.start([*AIGEN, "build"]) as process:
            assert process.stderr is not None
            assert "another build of this output" in process.stderr.readline()
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=300)
    assert process.returncode in STOPPED
    assert (out, err.strip()) == ("", "aigen: stopped")
    assert project.files() == before
    assert project.aigen("build").code == 0


@pytest.mark.parametrize(
    "arguments",
    [["explain"], ["check"], ["--help"], ["--version"], ["check", "--format", "sarif"], ["build"]],
    ids=" ".join,
)
def test_a_reader_that_is_gone(project: Project, arguments: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with project.start([*AIGEN, *arguments], stdout=writer) as process:
        os.close(writer)
        _, err = process.communicate(timeout=300)
    assert (process.returncode, err) == (141, "")


def test_a_reader_of_one_line(project: Project) -> None:
    """A check that found errors never ends with 0, however little of it is read."""
    for number in range(300):
        project.write(f"specs/m{number}.yaml", BROKEN + "# " + "long " * 60 + "\nx: 1\n")
    with project.start([*AIGEN, "check"]) as process:
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.readline().startswith("specs/m0.yaml:2:1: error[AIG120]")
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode in (1, 141)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("arguments", [["explain"], ["check"], ["--help"], ["build"]], ids=" ".join)
def test_output_that_cannot_be_written(project: Project, arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        process = project.start([*AIGEN, *arguments], stdout=full)
        _, err = process.communicate(timeout=300)
        assert (process.returncode, err) == (1, "aigen: No space left on device\n")
        process = project.start([*AIGEN, *arguments], stdout=full, stderr=full)
        process.communicate(timeout=300)
        assert process.returncode == 1


def test_closed_streams(project: Project) -> None:
    project.write("specs/shop.yaml", BROKEN)
    for streams in (">&-", "2>&-", ">&- 2>&- <&-"):
        script = f'"$@" {streams}'
        for command, code in ((["check"], 1), (["build"], 1), (["explain"], 0), (["zzz"], 2)):
            process = project.start(["sh", "-c", script, "sh", *AIGEN, *command])
            _, err = process.communicate(timeout=300)
            assert process.returncode == code, (streams, command)
            assert "Traceback" not in err


def _on_a_terminal(project: Project, environ: dict[str, str]) -> str:
    """What `aigen check` writes to a terminal."""
    terminal, end = pty.openpty()
    environ = {**environment(), "TERM": "xterm", **environ}
    with subprocess.Popen([*AIGEN, "check"], cwd=project.root, env=environ, stdout=end):
        os.close(end)
        written = b""
        try:
            while piece := os.read(terminal, 4096):
                written += piece
        except OSError:  # Linux says so where the other end is closed
            pass
    os.close(terminal)
    return written.decode()


def test_colour_on_a_terminal_unless_it_is_not_wanted(project: Project) -> None:
    project.write("specs/shop.yaml", BROKEN)
    coloured = _on_a_terminal(project, {})
    assert "\x1b[31m\x1b[1merror[AIG120]\x1b[0m: " in coloured
    assert "\x1b" not in _on_a_terminal(project, {"NO_COLOR": "1"})
    assert _on_a_terminal(project, {"NO_COLOR": ""}) == coloured  # empty is as if unset
    assert "\x1b" not in project.aigen("check").out


NARROW = [
    {"LC_ALL": "C"},
    {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
    {"PYTHONIOENCODING": "ascii:strict"},
]


@pytest.mark.parametrize("environ", NARROW, ids=str)
def test_other_locales_build_the_same(project: Project, environ: dict[str, str]) -> None:
    text = SPEC.replace("customer", "Käufer 漢 😀").replace("unhappy", "unglücklich")
    project.write("specs/shop.yaml", text)
    assert project.aigen("build").code == 0
    wanted = project.files()
    project.write("specs/shop.yaml", text.replace("feel", "go"))
    assert project.aigen("build", environ=environ).code == 0
    project.write("specs/shop.yaml", text)
    assert project.aigen("build", environ=environ) == (0, "wrote 2 files, 3 unchanged in ai\n", "")
    assert project.files() == wanted
    assert project.aigen("check", environ=environ) == (0, "1 spec: nothing to say\n", "")
    schema = project.aigen("schema", "mood", environ=environ)
    assert schema.code == 0
    assert "unglücklich" in str(json.loads(schema.out))
    project.write("letter.txt", "größe")
    shown = project.aigen("show", "mood", "review=@letter.txt", environ=environ)
    assert "größe" in json.loads(shown.out)["messages"][-1]["content"]


@pytest.mark.parametrize("environ", NARROW, ids=str)
def test_other_locales_find_the_same(project: Project, environ: dict[str, str]) -> None:
    project.write("specs/shop.yaml", SPEC.replace("fields", "fälder"))
    plain = project.aigen("check", environ=environ)
    assert plain.code == 1 and "error[AIG120]" in plain.out and plain.err == ""
    assert project.aigen("build", environ=environ).code == 1
    for form in ("json", "sarif"):
        ran = project.aigen("check", "--format", form, environ=environ)
        assert ran.code == 1 and "fälder" in str(json.loads(ran.out))


def test_a_name_that_is_no_text(project: Project) -> None:
    odd = os.fsencode(project.root) + b"/specs/\xff\x1b[2J.yaml"
    with open(odd, "wb") as file:  # noqa: PTH123
        file.write(BROKEN.encode())
    for form in ("text", "json", "github", "sarif"):
        ran = project.aigen("check", "--format", form)
        assert (ran.code, ran.err) == (1, "")
        assert "AIG703" in ran.out
    assert "\x1b" not in project.aigen("check").out


def test_jobs_change_no_byte(project: Project) -> None:
    for number in range(200):
        project.write(f"specs/m{number}.yaml", SPEC)
    assert project.aigen("build", "--jobs", "1").code == 0
    alone = project.files()
    (project.root / ".aigen").rename(project.root / "before")
    assert project.aigen("build", "--jobs", "3").out == "405 files up to date in ai\n"
    assert project.files() == alone
    refused = project.aigen("build", "--jobs", "0")
    assert refused.code == 2 and "'--jobs'" in refused.err
