from __future__ import annotations

import errno
import gc
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from aigen.building import build
from aigen.emit.parallel import WORTH_IT
from aigen.emit.write import JOURNAL, digest
from aigen.parts import Part
from aigen.project import Project
from projects import SPEC, Folder


def test_a_build_writes_the_package(folder: Folder) -> None:
    outcome, codes = folder.build()
    assert codes == []
    assert outcome.reason == "no earlier build is known"
    assert list(folder.files()) == [
        ".gitattributes",
        "__init__.py",
        "py.typed",
        "schemas/shop.json",
        "shop.py",
    ]


def test_a_program_that_builds_keeps_its_collector(folder: Folder) -> None:
    """A watch lives on after it, and must give back what a build made."""
    folder.build()
    assert gc.isenabled()
    assert gc.get_freeze_count() == 0


def test_the_same_bytes_wherever_it_is_built(folder: Folder, other: Callable[[], Folder]) -> None:
    second = other()
    second.write("specs/shop.yaml", SPEC.replace("\n", "\r\n"))
    folder.build()
    second.build()
    assert folder.files() == second.files()


def test_an_unchanged_build_reads_and_touches_nothing(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.build()
    before = {path: path.stat().st_mtime_ns for path in folder.out.rglob("*")}
    monkeypatch.setattr("aigen.spec.read_file", None)
    monkeypatch.setattr("aigen.parts.Part.found", None)
    outcome, codes = folder.build()
    assert (outcome.reason, codes) == (None, [])
    assert outcome.changes is not None and outcome.changes.none
    assert {path: path.stat().st_mtime_ns for path in folder.out.rglob("*")} == before


def test_a_named_build_is_known_again(folder: Folder) -> None:
    folder.write("specs/other.yaml", SPEC)
    folder.write("specs/gone.yaml", SPEC)
    folder.build()
    folder.write("specs/shop.yaml", SPEC + "# saved")
    folder.write("specs/other.yaml", SPEC + "# saved")
    (folder.root / "specs/gone.yaml").unlink()
    assert folder.build("specs/shop.yaml")[0].reason is not None
    assert folder.build("specs/shop.yaml")[0].reason is None
    assert "gone.py" in folder.files()
    outcome, _ = folder.build()
    assert outcome.reasons == {"specs/other.yaml": "specs/other.yaml was not built before"}
    assert "gone.py" not in folder.files()
    assert folder.build()[0].reason is None


def test_what_a_named_build_left_goes_with_the_next_of_all(folder: Folder) -> None:
    folder.write("specs/gone.yaml", SPEC)
    folder.build()
    (folder.root / "specs/gone.yaml").unlink()
    folder.build("specs/shop.yaml")
    assert folder.build()[0].reason == "gone.py is of no spec"
    assert "gone.py" not in folder.files()


def test_a_named_file_is_a_spec_of_its_root(folder: Folder) -> None:
    folder.write("specs/inner/no.yaml", "hello: 1\n")
    assert folder.build()[1] == []
    assert "AIG114" in folder.build("specs/inner/no.yaml")[1]
    folder.write("specs/inner/no.yaml", SPEC)
    assert folder.build("specs/inner")[1] == []
    assert "inner/no.py" in folder.files()


def test_a_file_is_named_from_any_folder(folder: Folder) -> None:
    folder.write("specs/inner/no.yaml", SPEC)
    folder.write("src/app.py", "")
    for start, name in (("src", "../specs/inner/no.yaml"), (".", "src/../specs/inner/no.yaml")):
        project = folder.load(name, start=folder.root / start)
        assert build(project).changes is not None
        assert list(project.diagnostics) == []
    assert "inner/no.py" in folder.files() and "no.py" not in folder.files()


def test_warnings_are_said_again(folder: Folder) -> None:
    warned = SPEC.replace("choice: [happy, unhappy]", "choice: [happy, unhappy], default: x")
    folder.write(
        "specs/shop.yaml",
        "aigen: 1\nfunctions:\n  f:\n    formula: a ~ b\n    description: Say it.\n"
        "    fields:\n      a: List of Line\n",
    )
    first = folder.build()
    again = folder.build()
    assert first[1] and first[1] == again[1], warned
    assert again[0].reason is None


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"\x00\xff",
        b"[]",
        b'{"version": 3}',
        b"[" * 100_000,
    ],
)
def test_a_damaged_record_means_a_full_build(folder: Folder, damage: bytes) -> None:
    folder.build()
    expected = folder.files()
    (record,) = (folder.root / ".aigen").glob("*.json")
    record.write_bytes(damage)
    outcome, codes = folder.build()
    assert (outcome.reason, codes) == ("no earlier build is known", [])
    assert folder.files() == expected


@pytest.mark.parametrize(
    "change",
    [
        {"findings": [["AIG701", "error", "m", None, None, []]]},
        {"findings": [[[], {}, [], [], [], []]]},
        {"version": 1},
        {"modules": {"shop": []}},
        {"modules": []},
        {"reads": {"a": 1}},
        {"outputs": {"shop.py": [1]}},
        {"package": [1]},
        {"key": None},
    ],
)
def test_a_record_of_another_form_is_not_believed(folder: Folder, change: dict[str, Any]) -> None:
    """Also where its digest is right, as another version's is."""
    folder.build()
    expected = folder.files()
    (record,) = (folder.root / ".aigen").glob("*.json")
    data = json.loads(record.read_bytes().partition(b"\n")[2])
    text = json.dumps({**data, **change}).encode()
    record.write_bytes(digest(text).encode() + b"\n" + text)
    outcome, codes = folder.build()
    assert (outcome.reason, codes) == ("no earlier build is known", [])
    assert folder.files() == expected


def test_what_was_found_of_a_module_in_another_form_is_not_believed(folder: Folder) -> None:
    folder.write("specs/other.yaml", SPEC)
    folder.build()
    (record,) = (folder.root / ".aigen").glob("*.json")
    data = json.loads(record.read_bytes().partition(b"\n")[2])
    data["modules"]["other"][3] = [1]
    text = json.dumps(data).encode()
    record.write_bytes(digest(text).encode() + b"\n" + text)
    folder.write("specs/shop.yaml", SPEC + "# saved")
    outcome, codes = folder.build()
    assert codes == []
    assert outcome.reasons["specs/other.yaml"] == "no earlier build is known"


def test_one_flipped_byte_of_the_record_is_noticed(folder: Folder) -> None:
    folder.build()
    (record,) = (folder.root / ".aigen").glob("*.json")
    data = bytearray(record.read_bytes())
    data[data.index(b"shop.yaml")] ^= 1
    record.write_bytes(data)
    assert folder.build()[0].reason == "no earlier build is known"


def test_dot_aigen_may_be_a_file(folder: Folder) -> None:
    folder.write(".aigen", "mine")
    assert folder.build()[1] == []
    assert (folder.root / ".aigen").read_text() == "mine"


def test_an_edit_is_overwritten_with_a_warning(folder: Folder) -> None:
    folder.build()
    expected = folder.files()
    with (folder.out / "shop.py").open("a") as file:
        file.write("X = 1\n")
    outcome, codes = folder.build(write_files=False)
    assert outcome.changes is not None and list(outcome.changes.changed) == ["shop.py"]
    outcome, codes = folder.build()
    assert codes == ["AIG702"]
    assert folder.files() == expected
    assert folder.build()[1] == []


def test_check_writes_nothing(folder: Folder) -> None:
    outcome, codes = folder.build(write_files=False)
    assert outcome.changes is not None and len(outcome.changes.changed) == 5
    assert codes == []
    assert sorted(path.name for path in folder.root.iterdir()) == ["aigen.toml", "specs"]


def test_check_clears_nothing(folder: Folder) -> None:
    folder.build()
    stray = folder.write("ai/.shop.py.aigen-new", "# Generated by aigen from specs/shop.yaml.\n")
    outcome, codes = folder.build(write_files=False)
    assert outcome.changes is not None and outcome.changes.none and codes == []
    assert stray.exists()
    folder.build()
    assert not stray.exists()


def test_an_error_leaves_the_output_whole(folder: Folder) -> None:
    folder.build()
    expected = folder.files()
    folder.write("specs/shop.yaml", SPEC.replace("happy, unhappy", "happy, unhappy, other"))
    folder.write("specs/bad.yaml", "aigen: 1\nfunctions: {f: {formula: 'a ~ b * c'}}\n")
    folder.write("specs/worse.yaml", "aigen: 1\ntypes: {\n")
    outcome, codes = folder.build()
    assert outcome.changes is None
    assert len(codes) >= 2
    assert folder.files() == expected


def test_orphans_go_unless_specs_are_named(folder: Folder) -> None:
    folder.write("specs/old.yaml", SPEC)
    folder.build()
    (folder.root / "specs" / "old.yaml").unlink()
    folder.build("specs/shop.yaml")
    assert "old.py" in folder.files()
    folder.build()
    assert not {"old.py", "schemas/old.json"} & set(folder.files())


def test_a_file_in_the_way_is_an_error(folder: Folder) -> None:
    folder.write("ai/shop.py", "X = 1\n")
    assert folder.build()[1] == ["AIG701"]
    assert folder.files() == {"shop.py": b"X = 1\n"}


def test_a_module_beside_its_folder_is_a_package(folder: Folder) -> None:
    folder.write("specs/shop/refunds.yaml", SPEC)
    assert folder.build()[1] == []
    assert {"shop/__init__.py", "shop/refunds.py"} <= set(folder.files())
    (folder.root / "specs" / "shop" / "refunds.yaml").unlink()
    folder.build()
    assert "shop.py" in folder.files()
    assert not (folder.out / "shop").exists()


def test_what_the_configuration_says_is_built_anew(folder: Folder) -> None:
    folder.build()
    folder.write("aigen.toml", 'out = "ai"\n[settings]\nmodel = "gpt-4.1"\n')
    outcome, _ = folder.build()
    assert outcome.reason == "the configuration, a template or aigen itself has changed"


def test_a_file_that_a_spec_reads_is_watched(folder: Folder) -> None:
    text = SPEC.replace("How does the customer feel?", "{$file: words.md}")
    folder.write("specs/shop.yaml", text)
    folder.write("specs/words.md", "First words.\n")
    assert folder.build()[1] == []
    folder.write("specs/words.md", "Other words.\n")
    outcome, _ = folder.build()
    assert outcome.reason is not None and "words.md" in outcome.reason
    assert b"Other words." in folder.files()["shop.py"]


def test_no_output_folder_and_no_specs(folder: Folder) -> None:
    folder.write("aigen.toml", "")
    assert folder.build()[1] == ["AIG707"]
    folder.write("aigen.toml", 'out = "ai"\nspecs = ["none"]\n')
    assert folder.build()[1] == ["AIG708"]


def test_an_output_that_is_a_file(folder: Folder) -> None:
    folder.write("ai", "mine")
    outcome, codes = folder.build()
    assert outcome.changes is None
    assert codes and set(codes) <= {"AIG701", "AIG705"}
    assert (folder.root / "ai").read_text() == "mine"


def test_a_full_disk_is_told_with_what_to_do(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("aigen.emit.write.os.fsync", full)
    project = folder.load()
    assert build(project).changes is None
    (found,) = project.diagnostics
    assert (found.code, found.hint) == ("AIG705", "free space and build again")
    assert found.message == "cannot write the output: No space left on device"


@pytest.mark.usefixtures("permissions_hold")
def test_a_folder_that_may_not_be_written(folder: Folder) -> None:
    folder.out.mkdir()
    folder.out.chmod(0o500)
    try:
        assert folder.build()[1] == ["AIG705"]
    finally:
        folder.out.chmod(0o700)


def test_a_second_build_waits_with_a_message(folder: Folder) -> None:
    folder.build()
    (lock,) = (folder.root / ".aigen").glob("*.lock")
    said: list[str] = []
    code = (
        "import fcntl, sys; file = open(sys.argv[1], 'a+b'); fcntl.lockf(file, fcntl.LOCK_EX);"
        "print('held', flush=True); sys.stdin.read()"
    )
    pytest.importorskip("fcntl")
    command = [sys.executable, "-c", code, str(lock)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == b"held\n"
        waiting = threading.Thread(target=lambda: build(folder.load(), say=said.append))
        waiting.start()
        deadline = time.monotonic() + 5
        while not said and time.monotonic() < deadline:
            time.sleep(0.01)
        assert waiting.is_alive()
        elsewhere = Project.load(folder.root, out=Path("other"))
        assert build(elsewhere, say=said.append).changes is not None, "an output waits for its own"
        holder.communicate()
    waiting.join(5)
    assert not waiting.is_alive()
    assert said == ["another build of this output is running; waiting for it"]


def _specs(count: int, word: str) -> dict[str, str]:
    return {f"specs/m{i}.yaml": SPEC.replace("customer", word) for i in range(count)}


KILLS = """
import json, os, random, signal, sys, time
from pathlib import Path

from aigen.building import build
from aigen.emit import parallel
from aigen.emit.write import JOURNAL
from aigen.project import Project

parallel.WORTH_IT = 2  # so that there are children to be left alone
root, turns = Path(sys.argv[1]), int(sys.argv[2])
texts = json.loads(sys.stdin.read())


def save(word):
    for name, text in texts[word].items():
        (root / name).write_text(text)


def files():
    found = (root / "ai").rglob("*")
    found = [path for path in found if path.is_file()]
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in found}


def ended(child):
    return os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def made(**how):
    project = Project.load(root, jobs=2)
    outcome = build(project, **how)
    return [found.code for found in project.diagnostics], outcome.changes


wanted = {}
for word in texts:
    save(word)
    began = time.monotonic()
    assert made()[0] == []
    wanted[word] = files()
longest = (time.monotonic() - began) * 1.2
chance = random.Random(7)
killed = unfinished = 0
for turn in range(turns):
    word, other = (list(texts), list(texts)[::-1])[turn % 2]
    save(word)
    child = os.fork()
    if child == 0:
        made()
        os._exit(0)
    if turn % 4 == 1:
        while not (root / "ai" / JOURNAL).exists() and not ended(child):
            pass
    else:
        time.sleep(chance.uniform(0, longest))
    os.kill(child, signal.SIGKILL)
    killed += os.WIFSIGNALED(os.waitpid(child, 0)[1])
    left = files()
    journal = left.pop(f"ai/{JOURNAL}", None)
    for name, data in left.items():
        if not name.endswith(".aigen-new"):
            assert data in (wanted[word][name], wanted[other][name]), (turn, name)
    assert wanted[word].keys() <= left.keys(), turn
    codes, changes = made(write_files=False)
    assert codes == (["AIG706"] if journal else []), (turn, codes)
    unfinished += journal is not None
    assert made()[0] == [] and files() == wanted[word], turn
    codes, changes = made(write_files=False)
    assert codes == [] and changes.none, turn
print(killed, unfinished)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a build is killed in a fork")
def test_a_build_killed_at_200_moments_leaves_whole_files(folder: Folder) -> None:
    """Every file is of the one build or of the other, and the next build makes all of one."""
    texts = {word: _specs(6, word) for word in ("client", "guest")}
    (folder.root / "specs/shop.yaml").unlink()
    command = [sys.executable, "-c", KILLS, str(folder.root), "200"]
    run = subprocess.run(command, input=json.dumps(texts), capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    killed, unfinished = map(int, run.stdout.split())
    assert killed > 50 and unfinished > 0, run.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="there are no children elsewhere")
def test_children_of_a_killed_build_hold_nothing(folder: Folder) -> None:
    for name, text in _specs(WORTH_IT, "client").items():
        folder.write(name, text)
    command = [sys.executable, "-m", "aigen", "build"]
    for delay in (0.3, 0.4, 0.5, 0.6):
        process = subprocess.Popen(command, cwd=folder.root, stdout=subprocess.DEVNULL)
        time.sleep(delay)
        process.kill()
        process.wait()
        (folder.root / "specs/m0.yaml").write_text(SPEC.replace("customer", f"guest {delay}"))
    subprocess.run(command, cwd=folder.root, check=True, timeout=300, stdout=subprocess.DEVNULL)


def test_check_reports_an_unfinished_build(folder: Folder) -> None:
    folder.build()
    folder.write(f"ai/{JOURNAL}", json.dumps({"changed": [], "removed": ["shop.py"]}))
    assert folder.build(write_files=False)[1] == ["AIG706"]
    outcome, codes = folder.build()
    assert (outcome.reason, codes) == ("the last build was not finished", [])
    assert "shop.py" in folder.files()


UNCHANGED = (
    "yaml",
    "jinja2",
    "libcst",
    "mypy",
    "openai",
    "rich",
    "pydantic",
    "aigen.resolve",
    "asyncio",
)
WITHOUT_TOOLS = (
    *("openai", "libcst", "multiprocessing", "aigen.spec.tools", "aigen.spec.python_reader"),
    *("aigen.resolve.tools", "aigen.resolve.python_spec", "aigen.runtime.wire.adapters.ways"),
)


@pytest.mark.parametrize(
    ("unchanged", "names", "said"),
    [(False, WITHOUT_TOOLS, "wrote 5 files"), (True, UNCHANGED, "5 files up to date")],
)
def test_what_a_build_leaves_alone(
    folder: Folder, unchanged: bool, names: tuple[str, ...], said: str
) -> None:
    if unchanged:
        folder.build()
    code = (
        "import sys; from aigen.cli import run; run(['build']);"
        f"print([name for name in {names} if name in sys.modules])"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=folder.root, capture_output=True, text=True, check=True
    )
    assert run.stdout.splitlines() == [f"{said} in ai", "[]"]


def test_paths_are_shown_from_the_configuration(folder: Folder, tmp_path: Path) -> None:
    folder.write("specs/bad.yaml", "aigen: 1\nx: 1\n")
    project = folder.load(start=folder.root / "specs")
    build(project)
    assert [found.span.path for found in project.diagnostics if found.span] == ["specs/bad.yaml"]


def test_a_spec_that_lost_its_format_fails_the_build_and_keeps_its_module(folder: Folder) -> None:
    folder.build()
    before = folder.files()
    folder.write("specs/shop.yaml", SPEC.removeprefix("aigen: 1\n"))
    folder.write("specs/other.yaml", "")
    outcome, codes = folder.build()
    assert (codes, outcome.changes, outcome.passed) == (["AIG114"], None, ["specs/other.yaml"])
    assert folder.files() == before


@pytest.mark.parametrize("name", ["2fa", "_shop", "schemas"])
def test_a_bad_file_name_hides_no_other_finding(folder: Folder, name: str) -> None:
    folder.write(f"specs/{name}.yaml", "aigen: 1\ntypes: {A: {record: {b: Ghost}}}\n")
    folder.write("specs/shop.yaml", SPEC + "      review: Ghost\n")
    project = folder.load()
    assert build(project).changes is None
    assert {(found.code, found.span and found.span.path) for found in project.diagnostics} == {
        ("AIG703", f"specs/{name}.yaml"),
        ("AIG201", f"specs/{name}.yaml"),
        ("AIG201", "specs/shop.yaml"),
    }


def test_two_files_for_one_module_hide_no_other_finding(folder: Folder) -> None:
    folder.write("specs/shop.yml", "aigen: 1\ntypes: {A: {record: {b: Ghost}}}\n")
    assert sorted(folder.build()[1]) == ["AIG201", "AIG704"]


BROKEN = "aigen: 1\ntypes: {A: {record: {b: Ghost}}}\n"


def test_named_specs_fail_by_what_they_need_alone(folder: Folder) -> None:
    folder.write("specs/broken.yaml", BROKEN)
    folder.write("specs/torn.yaml", "aigen: 1\ntypes: {\n")
    folder.write("specs/2fa.yaml", "aigen: 1\n")
    folder.write("specs/mine.yaml", SPEC + "      review: base.B\n")
    folder.write("specs/base.yaml", "aigen: 1\ntypes: {B: {record: {b: str}}}\n")
    outcome, codes = folder.build("specs/mine.yaml")
    assert (codes, outcome.changes is not None) == ([], True)
    assert {name for name in folder.files() if name.endswith(".py")} == {"mine.py", "__init__.py"}
    assert "base" in folder.files()["__init__.py"].decode()
    assert folder.build("specs/mine.yaml")[1] == []
    assert set(folder.build()[1]) == {"AIG105", "AIG201", "AIG703"}


@pytest.mark.parametrize(
    "field",
    ["review: base.B", "review: list[middle.M]", "mood: {choice: [a, b]}\n    tools: [base.t]"],
)
def test_named_specs_fail_by_what_they_need(folder: Folder, field: str) -> None:
    folder.write("specs/mine.yaml", SPEC.rpartition("      mood")[0] + f"      {field}\n")
    folder.write("specs/middle.yaml", "aigen: 1\ntypes: {M: {record: {b: base.B}}}\n")
    folder.write(
        "specs/base.yaml",
        "aigen: 1\ntypes: {B: {record: {b: Ghost}}}\ntools: {t: {description: D.}}\n",
    )
    outcome, codes = folder.build("specs/mine.yaml")
    assert (outcome.changes, codes) == (None, ["AIG201"])


def test_a_package_above_a_named_spec_is_needed(folder: Folder) -> None:
    folder.build()
    before = folder.files()["shop.py"]
    folder.write("specs/shop/refunds.yaml", SPEC)
    folder.write("specs/other.yaml", SPEC)
    assert folder.build("specs/shop/refunds.yaml")[1] == []
    assert len(folder.files()["shop/__init__.py"]) > len(before)


def test_a_package_above_a_named_spec_that_is_wrong(folder: Folder) -> None:
    folder.write("specs/shop.yaml", BROKEN)
    folder.write("specs/shop/refunds.yaml", SPEC)
    outcome, codes = folder.build("specs/shop/refunds.yaml")
    assert (outcome.changes, codes) == (None, ["AIG201"])


def test_a_file_that_only_others_read_is_not_told_of(folder: Folder) -> None:
    folder.write("specs/demos.jsonl", '{"review": "x", "mood": "sad"}\n')
    folder.write("specs/broken.yaml", SPEC + "    demos: demos.jsonl\n")
    assert folder.build("specs/shop.yaml")[1] == []
    assert len(folder.build("specs/broken.yaml")[1]) == 1


def test_a_shared_type_is_in_the_schemas_of_its_own_module(folder: Folder) -> None:
    folder.write("specs/base/kinds.yaml", "aigen: 1\ntypes: {B: {record: {b: C}}, C: int}\n")
    folder.write("specs/shop.yaml", SPEC + "      review: base.kinds.B\n")
    assert folder.build()[1] == []
    own = json.loads(folder.files()["schemas/base/kinds.json"])
    assert (own["spec"], sorted(own["$defs"])) == ("base/kinds.yaml", ["B", "C"])
    user = json.loads(folder.files()["schemas/shop.json"])
    assert sorted(user["$defs"]) == ["base_kinds_B", "base_kinds_C"]
    assert folder.files()["shop.py"].startswith(b"# Generated by aigen from specs/shop.yaml.")


@pytest.mark.parametrize("journal", [b'{"changed":["a\\u0000b"],"removed":[]}', b"\xff", b"[]"])
def test_a_garbled_journal_is_said_once_and_all_is_built(folder: Folder, journal: bytes) -> None:
    folder.build()
    expected = folder.files()
    (folder.out / JOURNAL).write_bytes(journal)
    assert folder.build(write_files=False)[1] == ["AIG706"]
    outcome, codes = folder.build()
    assert codes == ["AIG709"]
    assert outcome.changes is not None and outcome.reason == "the last build was not finished"
    assert folder.files() == expected
    assert folder.build()[1] == []


def test_a_folder_called_like_the_journal(folder: Folder) -> None:
    folder.build()
    (folder.out / JOURNAL).mkdir()
    assert folder.build()[1] == ["AIG709"]
    (folder.out / JOURNAL / "mine").mkdir(parents=True)
    project = folder.load()
    build(project)
    (found,) = project.diagnostics
    assert (found.code, found.hint) == ("AIG705", "move the folder, or what it holds")
    assert JOURNAL in found.message
    assert (folder.out / JOURNAL / "mine").exists()


def test_a_project_inside_the_output_is_left_alone(folder: Folder) -> None:
    folder.write("aigen.toml", 'specs = ["specs"]\nout = "."\n')
    inner = Folder(folder.root / "sub")
    inner.build()
    folder.write("schemas/customer.json", '{"type": "object"}')
    outer = folder.build()
    assert outer[1] == []
    expected = inner.files()
    assert set(expected) >= {"shop.py", "schemas/shop.json"}
    folder.write("specs/shop.yaml", SPEC.replace("happy", "glad"))
    folder.write("specs/more.yaml", SPEC)
    folder.build()
    (folder.root / "specs" / "more.yaml").unlink()
    assert folder.build()[1] == []
    assert not (folder.root / "more.py").exists()
    assert not (folder.root / "schemas" / "more.json").exists()
    assert inner.files() == expected
    assert (folder.root / "schemas" / "customer.json").exists()
    assert inner.build()[0].reason is None


def test_what_stands_where_the_output_should(folder: Folder) -> None:
    folder.out.symlink_to("nowhere")
    for words in ("gen is a link to nowhere", "ai is a file"):
        project = folder.load()
        build(project)
        (found,) = project.diagnostics
        assert found.code == "AIG705"
        assert words.replace("gen", "ai") in found.message and found.hint
        folder.out.unlink()
        folder.out.write_text("")


def test_a_module_saved_while_a_build_reads_it_is_read_again(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.write("specs/desk.yaml", "aigen: 1\ntools: {find: {python: 'app:find'}}\n")
    source = 'def find(id: str) -> str:\n    """Finds."""\n    return id\n'
    app = folder.write("app.py", source)
    os.utime(app, (1, 1))
    found = Part.found

    def saved_then(part: Part) -> Any:
        made = found(part)
        app.write_text(source.replace("Finds", "Looks up"))
        return made

    with monkeypatch.context() as patched:
        patched.setattr(Part, "found", saved_then)
        folder.build()
    assert b"Finds" in folder.files()["desk.py"]
    assert folder.build()[0].reason == f"{app} has changed"
    assert b"Looks up" in folder.files()["desk.py"]
