"""`aigen diff`: revisions of git and folders, its formats and exit codes."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from aigen.compare import KINDS, change_rules

Aigen = Callable[..., Any]
SPEC = """\
aigen: 1
functions:
  mood:
    formula: mood ~ review
    fields: {mood: {choice: [happy, unhappy]}}
  topic:
    formula: topic ~ review
"""
MORE = SPEC.replace("[happy, unhappy]", "[happy, unhappy, mixed]")
WORDS = SPEC.replace("~ review\n    fields", "~ review\n    description: Mood?\n    fields")
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="no git")


def git(folder: Path, *arguments: str) -> None:
    who = ("-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


def write(here: Path, text: str) -> None:
    (here / "specs").mkdir(exist_ok=True)
    (here / "specs" / "shop.yaml").write_text(text, encoding="utf-8")


@pytest.fixture
def built(aigen: Aigen, here: Path) -> Path:
    """A project, built, with a copy of its output in `before`."""
    (here / "aigen.toml").write_text('specs = ["specs"]\nout = "ai"\n', encoding="utf-8")
    write(here, SPEC)
    assert aigen("build").code == 0
    shutil.copytree(here / "ai", here / "before")
    return here


@pytest.fixture
def committed(built: Path) -> Path:
    """The same in a repository of git, committed."""
    git(built, "init", "--initial-branch=main")
    git(built, "add", ".")
    git(built, "commit", "-m", "Begin")
    return built


@needs_git
def test_against_the_last_commit(aigen: Aigen, committed: Path) -> None:
    assert aigen("diff") == (0, "nothing has changed\n", "")
    write(committed, MORE)
    ran = aigen("diff")
    assert (ran.code, ran.err) == (1, "")
    assert "breaking: code that calls a function or reads its answer must change" in ran.out
    assert '  AIG943 shop.mood: result: the level "mixed" is new [readers]\n' in ran.out
    assert ran.out.endswith("\n1 breaking\n")
    assert aigen("diff", "--allow")[:2] == (0, ran.out)
    # What is on disk is still what was committed.
    assert aigen("diff", "--written") == (0, "nothing has changed\n", "")
    aigen("build")
    assert aigen("diff", "--written")[:2] == (1, ran.out)
    git(committed, "commit", "-am", "Add a level")
    assert aigen("diff").code == 0
    assert aigen("diff", "--against", "git:HEAD~1")[:2] == (1, ran.out)
    assert aigen("diff", "--against", "git:main")[:2] == (0, "nothing has changed\n")


@needs_git
def test_from_a_folder_inside_the_project(
    aigen: Aigen, committed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(committed, MORE)
    monkeypatch.chdir(committed / "specs")
    assert aigen("diff").code == 1
    monkeypatch.setenv("GIT_DIR", ".git")  # as a hook has it
    assert aigen("diff").code == 1


@needs_git
def test_a_project_below_the_top_of_its_repository(aigen: Aigen, here: Path) -> None:
    (here / "aigen.toml").write_text('specs = ["specs"]\nout = "säf[e]/ai"\n', encoding="utf-8")
    write(here, SPEC)
    aigen("build")
    git(here.parent, "init")
    git(here.parent, "add", here.name)
    git(here.parent, "commit", "-m", "Begin")
    assert aigen("diff") == (0, "nothing has changed\n", "")
    shutil.rmtree(here / "säf[e]")
    assert aigen("diff") == (0, "nothing has changed\n", "")
    write(here, MORE)
    assert aigen("diff").code == 1


@needs_git
def test_a_revision_before_the_first_build(aigen: Aigen, committed: Path) -> None:
    git(committed, "rm", "-rq", "--cached", "ai")
    git(committed, "commit", "-m", "No output")
    ran = aigen("diff")
    assert ran.code == 0
    assert ran.err == "git:HEAD has no schemas of this output, so all of it is new\n"
    assert ran.out.endswith("2 compatible\n")


@needs_git
@needs_git
def test_what_a_revision_has_that_is_no_file(aigen: Aigen, committed: Path) -> None:
    link = f"160000,{'1' * 40},ai/schemas/sub.json"
    git(committed, "update-index", "--add", "--cacheinfo", link)
    git(committed, "commit", "-m", "Add a submodule")
    assert aigen("diff") == (0, "nothing has changed\n", "")


@needs_git
def test_a_clone_without_contents(aigen: Aigen, committed: Path) -> None:
    name = "HEAD:ai/schemas/shop.json"
    run = subprocess.run(["git", "rev-parse", name], cwd=committed, capture_output=True, text=True)
    (committed / ".git/objects" / run.stdout[:2] / run.stdout[2:].strip()).unlink()
    ran = aigen("diff")
    assert ran.code == 2
    assert "git has no content of schemas/shop.json: a partial clone lacks it" in ran.err


@pytest.mark.parametrize(
    "revision", ["nowhere", "--output=x", "HEAD^{tree}", "HEAD:ai", "a b", "HEAD..HEAD", "\n"]
)
def test_no_such_revision(aigen: Aigen, committed: Path, revision: str) -> None:
    ran = aigen("diff", "--against", f"git:{revision}")
    assert ran.code == 2
    assert f'git knows no revision "{revision}" here' in ran.err
    assert not (committed / "x").exists()


@needs_git
def test_no_repository(aigen: Aigen, built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(built.parent))
    ran = aigen("diff")
    assert ran.code == 2
    assert "git: not a git repository" in ran.err and "--against DIR" in ran.err


@needs_git
def test_a_repository_without_a_commit(aigen: Aigen, built: Path) -> None:
    git(built, "init")
    ran = aigen("diff")
    assert (ran.code, "no commit yet to compare with" in ran.err) == (2, True)


def test_no_git(aigen: Aigen, built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(built))
    ran = aigen("diff")
    assert (ran.code, "there is no git here" in ran.err) == (2, True)


@pytest.mark.parametrize("folder", ["before", "before/schemas", "./before/"])
def test_against_a_folder(aigen: Aigen, built: Path, folder: str) -> None:
    assert aigen("diff", "--against", folder) == (0, "nothing has changed\n", "")
    write(built, SPEC.replace("topic", "theme"))
    ran = aigen("diff", "--against", folder)
    assert ran.code == 1
    assert "AIG901 shop.topic: the function topic is gone [callers]" in ran.out
    assert ran.out.endswith("1 breaking, 1 compatible\n")


@pytest.mark.parametrize(
    ("against", "message"),
    [
        ("nowhere", "there is no folder nowhere; a revision is written git:nowhere"),
        ("specs", "there are no schemas in specs: name an output folder of aigen build"),
        ("aigen.toml", "there is no folder aigen.toml"),
        ("git:", "names no revision; write git:HEAD or git:origin/main"),
        ("hg:tip", "there is no folder hg:tip"),
    ],
)
def test_nothing_to_compare_with(aigen: Aigen, built: Path, against: str, message: str) -> None:
    ran = aigen("diff", "--against", against)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err


def test_a_newer_format(aigen: Aigen, built: Path) -> None:
    file = built / "before" / "schemas" / "shop.json"
    file.write_text(file.read_text().replace('"aigen_schemas": 1', '"aigen_schemas": 2'))
    ran = aigen("diff", "--against", "before", "--allow")
    assert ran.code == 2
    assert "before: schemas/shop.json is in format 2, and this aigen reads 1; use the" in ran.err


def test_no_output_folder(aigen: Aigen, here: Path) -> None:
    assert aigen("diff").code == 2
    assert "no output folder is set; --out DIR" in aigen("diff").err


def test_specs_with_errors(aigen: Aigen, built: Path) -> None:
    write(built, "aigen: 1\nfunction: {}\n")
    ran = aigen("diff", "--against", "before")
    assert (ran.code, ran.out) == (1, "")
    assert "specs/shop.yaml:2:1: error[AIG120]" in ran.err


def test_words_alone_break_nothing(aigen: Aigen, built: Path) -> None:
    write(built, WORDS)
    ran = aigen("diff", "--against", "before")
    assert ran.code == 0
    assert ran.out.startswith("prompt: a model is asked differently\n  AIG951 shop.mood: ")
    assert ran.out.endswith("\n1 prompt\n")


def test_kinds_have_colours_where_somebody_sees_them(
    aigen: Aigen, built: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(built, WORDS)
    assert "\x1b" not in aigen("diff", "--against", "before").out
    monkeypatch.setattr("click.utils.should_strip_ansi", lambda *told, **how: False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert aigen("diff", "--against", "before").out.startswith("\x1b[36m\x1b[1mprompt\x1b[0m: ")
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in aigen("diff", "--against", "before").out


def _line(file: Path, begins: str) -> int:
    lines = file.read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if line.startswith(begins))


def test_json(aigen: Aigen, built: Path) -> None:
    write(built, MORE)
    ran = aigen("diff", "--against", "before", "--format", "json")
    assert ran.code == 1
    (one,) = json.loads(ran.out)
    mend = change_rules()["AIG943"].rule.mend
    assert one == {
        "code": "AIG943",
        "kind": "breaking",
        "breaks": "readers",
        "module": "shop",
        "what": "function",
        "name": "mood",
        "path": "outputs.result",
        "message": 'result: the level "mixed" is new',
        "mend": mend,
        "file": "specs/shop.yaml",
        "line": _line(built / "specs" / "shop.yaml", "    fields: {mood"),
    }
    write(built, SPEC)
    assert aigen("diff", "--against", "before", "--format", "json") == (0, "[]\n", "")


def test_github(aigen: Aigen, built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_WORKSPACE", str(built.parent))
    write(built, MORE)
    ran = aigen("diff", "--against", "before", "--format", "github")
    assert ran.code == 1
    assert ran.out.startswith(f"::error file={built.name}/specs/shop.yaml,line=")
    assert 'title=AIG943::shop.mood: result: the level "mixed" is new [readers]: ' in ran.out
    write(built, SPEC + "  more:\n    formula: more ~ review\n")
    assert aigen("diff", "--against", "before", "--format", "github") == (0, "", "")
    write(built, SPEC.replace("topic", "theme"))
    ran = aigen("diff", "--against", "before", "--format", "github")
    assert f"file={built.name}/specs/shop.yaml,line=1," in ran.out
    aigen("build")
    ran = aigen("diff", "--against", "before", "--format", "github", "--written")
    assert f"file={built.name}/ai/schemas/shop.json,line=1," in ran.out
    write(built, MORE)
    aigen("build")
    ran = aigen("diff", "--against", "before", "--format", "github", "--written")
    entry = _line(built / "ai" / "schemas" / "shop.json", '    "mood": ')
    assert f"file={built.name}/ai/schemas/shop.json,line={entry}," in ran.out
    write(built, SPEC)
    (built / "specs" / "shop.yaml").rename(built / "specs" / "store.yaml")
    ran = aigen("diff", "--against", "before", "--format", "github")
    assert "::error title=AIG901::shop.mood: the function mood is gone" in ran.out


def test_markdown(aigen: Aigen, built: Path) -> None:
    write(built, SPEC.replace("[happy, unhappy]", '[happy, unhappy, "<b>*x*|`"]'))
    ran = aigen("diff", "--against", "before", "--format", "markdown")
    assert ran.code == 1
    first, _, heading, _, row, *_ = ran.out.splitlines()
    assert first == "### Interfaces: 1 breaking"
    assert heading == f"#### Breaking: {KINDS['breaking']}"
    assert row.startswith(
        r'- **shop.mood**: result: the level "\<b\>\*x\*\|\`" is new [readers] (AIG943)'
    )
    write(built, SPEC)
    ran = aigen("diff", "--against", "before", "--format", "markdown")
    assert ran == (0, "### Interfaces: nothing has changed\n", "")


def test_text_shows_no_controls(aigen: Aigen, built: Path) -> None:
    write(built, SPEC.replace("unhappy]", '"un\\e[31m\\u202Ehappy"]'))
    out = aigen("diff", "--against", "before").out
    assert "\x1b" not in out and "\u202e" not in out


def test_explain_has_the_changes(aigen: Aigen) -> None:
    ran = aigen("explain", "AIG943")
    assert ran.code == 0
    assert "the spec before" in ran.out and "the spec after" in ran.out


@pytest.mark.usefixtures("permissions_hold")
def test_a_file_that_cannot_be_read(aigen: Aigen, built: Path) -> None:
    file = built / "before" / "schemas" / "shop.json"
    file.chmod(0)
    ran = aigen("diff", "--against", "before")
    assert (ran.code, "cannot read" in ran.err) == (2, True)


def test_the_document_has_every_rule_and_its_sample() -> None:
    text = (Path(__file__).parents[3] / "docs" / "diff.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (AIG\d+) \| ([\w ]+) \| (.+) \|$", text, re.MULTILINE)
    assert rows == [
        (code, f"{one.kind} {one.breaks}" if one.breaks else one.kind, one.rule.title)
        for code, one in change_rules().items()
    ]
    meanings = re.findall(r"^\| `(\w+)` \| (.+) \|$", text, re.MULTILINE)
    assert meanings[: len(KINDS)] == list(KINDS.items())


def test_the_documents_example(aigen: Aigen, built: Path) -> None:
    text = (Path(__file__).parents[3] / "docs" / "diff.md").read_text(encoding="utf-8")
    before, after = re.findall(r"^```yaml\n(aigen: 1\n.*?)^```", text, re.MULTILINE | re.DOTALL)
    shown = re.search(r"^```console\n\$ aigen diff\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    (built / "specs" / "shop.yaml").unlink()
    shutil.rmtree(built / "before")
    (built / "specs" / "support.yaml").write_text(before, encoding="utf-8")
    (built / "app.py").write_text("def find(order_id: str) -> str:\n    return order_id\n")
    assert aigen("build").code == 0
    shutil.copytree(built / "ai", built / "before")
    (built / "specs" / "support.yaml").write_text(after, encoding="utf-8")
    ran = aigen("diff", "--against", "before")
    assert shown is not None
    assert (ran.code, ran.out) == (1, shown[1])


PLACES = """\
aigen: 1
types:
  Order:
    record:
      id: str
      lines: list[str]
functions:
  mood:
    formula: mood + why ~ review + order
    fields:
      order: Order
      why: str
  topic: {formula: topic ~ review}
tools:
  find:
    description: Find it.
    parameters:
      id: str
"""


@pytest.mark.parametrize(
    ("old", "new", "places"),
    [
        ("why: str", "why: int", {("AIG941", 12)}),
        ("~ review + order", "~ review + order + tone", {("AIG912", 9)}),
        ("order: Order", "order: Order | None", {("AIG922", 11)}),
        ("mood + why", "mood + reason", {("AIG931", 8), ("AIG932", 9)}),
        ("      id: str\n", "      id: str\n      of: int\n", {("AIG927", 12)}),
        ("parameters:\n      id: str", "parameters:\n      id: int", {("AIG921", 18)}),
        ("  topic: {formula: topic ~ review}\n", "", {("AIG901", 1)}),
        ("Find it.", "Find.", {("AIG957", 15)}),
    ],
)
def test_a_change_is_where_the_spec_has_it(
    aigen: Aigen, built: Path, old: str, new: str, places: set[tuple[str, int]]
) -> None:
    write(built, PLACES)
    aigen("build")
    shutil.rmtree(built / "before")
    shutil.copytree(built / "ai", built / "before")
    write(built, PLACES.replace(old, new).replace("      why: str\n", "", "reason" in new))
    found = json.loads(aigen("diff", "--against", "before", "--format", "json").out)
    assert places <= {(one["code"], one["line"]) for one in found}
    assert {one["file"] for one in found} == {"specs/shop.yaml"}
