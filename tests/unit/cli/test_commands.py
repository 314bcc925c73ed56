from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from aigen.cli import COMMANDS
from aigen.compare import change_rules
from aigen.diagnostics import all_rules
from aigen.emit.parallel import team

Aigen = Callable[..., Any]


def test_what_init_writes_works(aigen: Aigen, here: Path) -> None:
    assert aigen("init").code == 0
    assert aigen("build") == (0, "wrote 5 files in ai\n", "")
    assert aigen("build") == (0, "5 files up to date in ai\n", "")
    assert aigen("check") == (0, "1 spec: nothing to say\n", "")
    first, *_ = (here / "specs" / "support.yaml").read_text().splitlines()
    schema = re.fullmatch(r"# yaml-language-server: \$schema=(.*)", first)
    assert schema and (here / "specs" / schema[1]).is_file()
    ran = subprocess.run(
        [sys.executable, "ask.py"],
        cwd=here,
        env={**os.environ, "AIGEN_MODEL": "sample"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert len(ran.stdout.splitlines()) == 2


@pytest.mark.parametrize("name", ["aigen.toml", "ask.py", "specs/aigen.schema.json"])
def test_init_overwrites_nothing(aigen: Aigen, here: Path, name: str) -> None:
    (here / name).parent.mkdir(exist_ok=True)
    (here / name).write_text("mine")
    code, _, err = aigen("init")
    assert (code, err) == (1, f"aigen: {name} is already here; nothing was written\n")
    assert [path for path in here.rglob("*") if path.is_file()] == [here / name]


def test_build_says_what_and_why(aigen: Aigen, project: Path) -> None:
    (project / "specs" / "other.yaml").write_text("a: 1\n")
    ran = aigen("build", "-v")
    assert ran.out == "wrote 5 files in ai\n"
    assert ran.err.splitlines()[:3] == [
        "passed over specs/other.yaml: no top-level aigen: key",
        "built 1 spec: no earlier build is known",
        "wrote .gitattributes",
    ]
    assert "nothing has changed since the last build" in aigen("build", "-v").err
    desk, other = project / "specs" / "desk.yaml", project / "specs" / "other.yaml"
    other.write_text(desk.read_text())
    desk.write_text(f"{desk.read_text()}# saved\n")
    assert aigen("build", "-v").err.splitlines()[:3] == [
        "built 2 specs: specs/desk.yaml has changed and 1 more",
        "built specs/desk.yaml: specs/desk.yaml has changed",
        "built specs/other.yaml: specs/other.yaml is new",
    ]
    other.unlink()
    assert aigen("build", "-v").err.splitlines()[-2:] == [
        "removed other.py",
        "removed schemas/other.json",
    ]


def test_jobs_are_the_most_that_build(
    aigen: Aigen, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    def counted(make: Any, items: Any, jobs: int | None, ready: Any) -> Any:
        asked.append(jobs)
        return team(make, items, 1, ready)

    monkeypatch.setattr("aigen.making.team", counted)
    for options in ((), ("--jobs", "3")):
        assert aigen("build", *options).code == 0
        shutil.rmtree(project / ".aigen")
    assert asked == [None, 3]
    assert aigen("build", "--jobs", "0").code == 2


def test_out_wins_over_the_configuration(aigen: Aigen, project: Path) -> None:
    assert aigen("build", "--out", "elsewhere").out == "wrote 5 files in elsewhere\n"
    assert not (project / "ai").exists()


def test_check_prints_a_diff(aigen: Aigen, project: Path) -> None:
    aigen("build")
    assert aigen("build", "--check") == (0, "", "")
    spec = project / "specs" / "desk.yaml"
    spec.write_text(spec.read_text().replace("Judge the text.", "Judge it."))
    code, out, err = aigen("build", "--check")
    assert code == 1
    assert "--- a/ai/desk.py\n+++ b/ai/desk.py\n" in out
    assert '+        """Judge it.\n' in out
    assert err == "2 files stale: run aigen build\n"
    spec.rename(spec.with_name("other.yaml"))
    assert aigen("build", "--check").err == "5 files stale: run aigen build\n"


def test_check_of_some_and_of_what_is_only_warned_of(aigen: Aigen, project: Path) -> None:
    (project / "specs" / "other.yaml").write_text(
        "aigen: 1\nfunctions: {mood: {formula: mood ~ review, description: Mood}}\n"
    )
    assert aigen("check", "specs/desk.yaml").out == "1 spec: nothing to say\n"
    ran = aigen("check")
    assert ran.code == 0 and "warning[AIG803]" in ran.out


def test_all_findings_of_all_files_in_order(aigen: Aigen, project: Path) -> None:
    (project / "specs" / "a.yaml").write_text("aigen: 1\nfunction: {}\n")
    (project / "specs" / "z.yaml").write_text("aigen: 1\nfunctions: {f: {formula: a}}\n")
    for command in ("build", "check"):
        code, out, err = aigen(command)
        assert code == 1
        places = re.findall(r"^specs/(\w+)\.yaml:\d+:\d+: error", out + err, re.MULTILINE)
        assert places == sorted(places) and set(places) == {"a", "z"}
        assert re.search(r"^\d errors$", out + err, re.MULTILINE)


@pytest.mark.parametrize("form", ["json", "sarif", "github"])
def test_check_for_machines(aigen: Aigen, project: Path, form: str) -> None:
    (project / "specs" / "a.yaml").write_text("aigen: 1\nfunction: {}\n")
    code, out, err = aigen("check", "--format", form)
    assert (code, err) == (1, "")
    if form != "github":
        assert "a.yaml" in json.dumps(json.loads(out))
    else:
        assert out.startswith("::error file=specs/a.yaml,line=2,")


def test_explain_every_code(aigen: Aigen) -> None:
    assert len(aigen("explain").out.splitlines()) == len(all_rules()) + len(change_rules())
    for code in all_rules():
        ran = aigen("explain", code)
        assert ran.code == 0 and ran.out.startswith(f"{code} (")
        assert max(map(len, ran.out.splitlines())) < 100
    assert aigen("explain", "203").out == aigen("explain", "aig203").out
    assert aigen("explain", "AIG999").code == 2


def test_show_prints_the_request(aigen: Aigen, project: Path) -> None:
    (project / "letter.txt").write_text("From a file.")
    code, out, _ = aigen(
        *("show", "reply", "message=@letter.txt", 'order={"id": "A", "lines": [1]}'),
        *("tone=1", "count=7", "note=null", 'anything={"a": 1}', "--model", "gpt-4.1-mini"),
    )
    assert code == 0
    request = json.loads(out)
    assert request["model"] == "gpt-4.1-mini"
    sent = request["messages"][-1]["content"]
    assert "From a file." in sent and '"lines"' in sent
    assert re.search(r"<count>\s*7\s*</count>", sent)


@pytest.mark.parametrize(
    "arguments",
    [
        ("show", "nothing"),
        ("show", "reply"),
        ("show", "reply", "message"),
        ("show", "reply", "message=a", "order=null", "count=many"),
        ("show", "reply", "message=a", "order=null", "unknown=1"),
        ("show", "reply", "message=@nowhere", "order=null"),
        ("call", "judge", "text=a"),
        ("build", "--no-such-option"),
        ("no-such-command",),
        ("schema", "reply", "--dialect", "none"),
    ],
)
def test_wrong_use(aigen: Aigen, project: Path, arguments: tuple[str, ...]) -> None:
    code, _, err = aigen(*arguments)
    assert code in (1, 2)
    assert err and "Traceback" not in err


def test_call_prints_json(aigen: Aigen, project: Path) -> None:
    code, out, _ = aigen("call", "judge", "text=Good.", "--model", "sample")
    assert code == 0
    assert set(json.loads(out)) == {"score", "why"}
    code, out, _ = aigen("call", "desk.reply", "message=Hi", "order=null", "--model", "sample")
    assert code == 0
    assert isinstance(json.loads(out), str)


def test_schema_says_whether_it_is_strict(aigen: Aigen, project: Path) -> None:
    code, out, err = aigen("schema", "judge")
    assert code == 0
    assert json.loads(out)["json_schema"]["strict"] is True
    assert "strict: yes" in err and "tokens" in err


def test_names_that_nearly_are(aigen: Aigen, project: Path) -> None:
    assert 'did you mean "judge"?' in aigen("show", "jugde", "text=a").err


def test_the_help_names_every_command(aigen: Aigen) -> None:
    out = aigen("--help").out
    assert all(name in out for name in COMMANDS)
    for name in COMMANDS:
        assert aigen(name, "--help").code == 0


def test_own_failures_are_reported_shortly(
    aigen: Aigen, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("told\nin lines")

    monkeypatch.setattr("aigen.project.Project.specs", broken)
    code, _, err = aigen("check")
    assert code == 3
    assert err.startswith("aigen failed: ZeroDivisionError: told\n")
    assert len(err.splitlines()) == 2 and "Traceback" not in err


def test_ctrl_c(aigen: Aigen, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("aigen.project.Project.specs", stopped)
    code, out, err = aigen("check")
    assert (code, out, err.strip()) == (130, "", "aigen: stopped")


def test_what_the_system_refuses(aigen: Aigen, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(self: Path, *_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "mkdir", refused)
    code, _, err = aigen("init")
    assert code == 1
    assert err.startswith("aigen: Permission denied: ")


@pytest.mark.parametrize(
    "junk",
    [
        b"\xff\xfe\x00",
        b"aigen: 1\nfunctions: " + b"[" * 10_000,
        b"aigen: 1\na: &a [x]\nb: &b [*a, *a]\nc: [*b, *b]\n",
        b"aigen: 1\n\tx: 1\n",
        b"aigen: 1\n" + b"x: " + b"y" * 5_000_000,
        b'{"aigen": 1, "functions": ' + b'{"a":' * 10_000,
    ],
)
def test_junk(aigen: Aigen, project: Path, junk: bytes) -> None:
    for name in ("junk.yaml", "junk.json"):
        (project / "specs" / name).write_bytes(junk)
        code, out, err = aigen("check", f"specs/{name}")
        assert (code, err) == (1, ""), out
        (project / "specs" / name).unlink()


def _process(*arguments: str, **more: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "aigen", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, **more)


def test_colour_only_where_somebody_sees_it(project: Path) -> None:
    (project / "specs" / "a.yaml").write_text("aigen: 1\nfunction: {}\n")
    assert "\x1b" not in _process("check", cwd=project).stdout


def test_a_narrow_encoding(project: Path) -> None:
    (project / "specs" / "a.yaml").write_text("aigen: 1\nfünctiön: {}\n", encoding="utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    ran = _process("check", cwd=project, env=environment)
    assert (ran.returncode, ran.stderr) == (1, "")


def test_a_reader_that_goes_away(project: Path) -> None:
    command = f"{sys.executable} -m aigen explain | head -n 1"
    ran = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    assert (len(ran.stdout.splitlines()), ran.stderr) == (1, "")


def test_the_version_needs_no_other_module() -> None:
    code = (
        "import sys; from aigen.__main__ import main; sys.argv[1:] = ['--version']; main();"
        "print([name for name in sys.modules if name.startswith('aigen')])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[1] == "['aigen', 'aigen.__main__', 'aigen.cli']"


def test_a_tool_is_no_function_to_call(aigen: Aigen, project: Path) -> None:
    (project / "specs" / "tools.yaml").write_text(
        "aigen: 1\ntools: {find: {description: Find it., parameters: {id: str}}}\n"
    )
    for name in ("find", "tools.find"):
        ran = aigen("call", name)
        assert ran.code == 2
        assert f"{name} is a tool, not a function; aigen schema {name} shows it" in ran.err


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no devices")
def test_files_that_are_none(aigen: Aigen, project: Path) -> None:
    """What a device or a pipe gives is bounded, and whole; and a link may lead to itself."""
    code, _, err = aigen("import", "json-schema", "/dev/zero")
    assert (code, "error[AIG103]: /dev/zero is larger than 16 MB" in err) == (1, True)
    code, _, err = aigen("show", "reply", "message=@/dev/zero")
    assert code == 2 and "/dev/zero is larger than 16 MB" in err
    reading, writing = os.pipe()
    os.write(writing, json.dumps({"$defs": {"Shop": {"type": "string"}}}).encode())
    os.close(writing)
    try:
        ran = aigen("import", "json-schema", f"/dev/fd/{reading}", "-o", "specs/shop.yaml")
    finally:
        os.close(reading)
    assert ran.code == 0 and "Shop" in (project / "specs" / "shop.yaml").read_text()
    (project / "loop").symlink_to("loop")
    ran = aigen("build", "--out", "loop")
    assert ran.code == 1 and "loop" in ran.err
