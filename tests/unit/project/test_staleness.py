"""What makes an output stale besides its specs, and what does not."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from aigen import building
from aigen.building import build
from aigen.diagnostics import Diagnostic
from aigen.emit.templates import digest
from projects import SPEC, Folder

ELSE = "the configuration, a template or aigen itself has changed"
TOOL = """\
aigen: 1
functions: {ask: {formula: reply ~ words, description: Answers the customer., tools: [look]}}
tools: {look: {python: 'app.desk:look', parameters: {order: 'dict[str, str]'}}}
"""
HEADER = '{% extends "aigen/module.py.jinja" %}\n{% block header %}\n# Ours.\n{% endblock %}\n'


def _built(folder: Folder) -> tuple[bool, list[Diagnostic]]:
    project = folder.load()
    done = build(project).changes is not None
    return done, list(project.diagnostics)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('python_path = ["src"]', 'python_path = ["lib", "src"]'),
        ('python_path = ["src"]', 'python_path = ["none"]'),
        ('python_path = ["src"]', 'python_path = ["src"]\ndialects = ["openai-chat"]'),
        ('python_path = ["src"]', 'python_path = ["src"]\nstandalone = true'),
        ('python_path = ["src"]', 'python_path = ["src"]\ntemplates = "mine"'),
        ('python_path = ["src"]', 'python_path = ["src"]\nlint = {tool_tokens = 2}'),
        ('python_path = ["src"]', 'python_path = ["src"]\nlint = {ignore = ["AIG806"]}'),
        ('python_path = ["src"]', 'python_path = ["src"]\nsettings = {model = "gpt-4.1"}'),
    ],
)
def test_each_key_of_the_configuration_counts(
    folder: Folder, other: Callable[[], Folder], before: str, after: str
) -> None:
    for place, words in (("src", "Looks up."), ("lib", "Finds.")):
        source = f'def look(order: dict[str, str]) -> str:\n    """{words}"""\n    return ""\n'
        os.utime(folder.write(f"{place}/app/desk.py", source), (1, 1))
    folder.write("mine/module.py.jinja", HEADER)
    folder.write("specs/desk.yaml", TOOL + "types: {Spare: {record: {s: str}}}\n")
    folder.write("aigen.toml", f'out = "ai"\n{before}\n')
    assert _built(folder)[0] is not ("none" in before)
    folder.write("aigen.toml", f'out = "ai"\n{after}\n')
    clean = other()
    shutil.rmtree(clean.root)
    shutil.copytree(folder.root, clean.root, ignore=shutil.ignore_patterns("ai", ".aigen"))
    found = _built(folder)
    assert found == _built(clean)
    if found[0]:
        assert folder.files() == clean.files()


def test_what_is_trusted_no_more(folder: Folder) -> None:
    folder.write("specs/desk.yaml", "aigen: 1\ntools: {dedent: {python: 'textwrap:dedent'}}\n")
    folder.write("aigen.toml", 'out = "ai"\ntrust = ["textwrap"]\n')
    assert folder.build()[1] == []
    folder.write("aigen.toml", 'out = "ai"\n')
    assert folder.build()[1] == ["AIG218"]


def test_folders_of_specs_that_come_and_go_leave_the_others_alone(folder: Folder) -> None:
    folder.build()
    folder.write("more/other.yaml", SPEC)
    folder.write("aigen.toml", 'specs = ["specs", "more"]\nout = "ai"\n')
    assert folder.build()[0].reasons == {"more/other.yaml": "more/other.yaml is new"}
    folder.write("aigen.toml", 'specs = ["more"]\nout = "ai"\n')
    outcome, codes = folder.build()
    assert (outcome.reason, outcome.reasons, codes) == ("specs/shop.yaml has gone", {}, [])
    assert "shop.py" not in folder.files() and "other.py" in folder.files()


def test_what_comes_back_of_specs_that_went_is_stale(folder: Folder) -> None:
    """As where version control brings back what a build removed."""
    folder.write("specs/inner/old.yaml", SPEC)
    folder.build()
    old = {name: data for name, data in folder.files().items() if "inner" in name}
    (folder.root / "specs/inner/old.yaml").unlink()
    folder.build()
    expected = folder.files()
    for name, data in {**old, "mine.py": b"X = 1\n", "schemas/mine.json": b"{}"}.items():
        folder.write(f"ai/{name}", data)
    outcome, _ = folder.build(write_files=False)
    assert outcome.changes is not None and sorted(outcome.changes.removed) == sorted(old)
    outcome, codes = folder.build()
    assert (outcome.reason, codes) == ("inner/__init__.py is of no spec", [])
    assert set(folder.files()) == {*expected, "mine.py", "schemas/mine.json"}
    assert folder.build()[0].reason is None


def test_an_edit_of_the_same_length_is_stale(folder: Folder) -> None:
    folder.build()
    expected = folder.files()
    path = folder.out / "shop.py"
    path.write_text(path.read_text().replace("customer", "emotsuc "))
    assert folder.build()[1] == ["AIG702"]
    assert folder.files() == expected


def test_a_schema_that_was_damaged_is_written_anew(folder: Folder) -> None:
    folder.build()
    expected = folder.files()
    folder.write("ai/schemas/shop.json", "{}")
    assert folder.build()[1] == ["AIG702"]
    assert folder.files() == expected


def test_a_named_build_leaves_the_others_known(folder: Folder) -> None:
    folder.write("specs/other.yaml", SPEC)
    folder.build()
    folder.write("specs/shop.yaml", SPEC.replace("customer", "guest"))
    assert folder.build("specs/shop.yaml")[1] == []
    assert folder.build()[0].reason is None


def test_of_what_is_named_alone_is_told_what_was_found(folder: Folder) -> None:
    folder.write("specs/vague.yaml", SPEC.replace("How does the customer feel?", "Mood"))
    assert folder.build()[1] == ["AIG803"]
    assert folder.build("specs/shop.yaml") == (folder.build("specs/shop.yaml")[0], [])
    assert folder.build("specs/vague.yaml")[1] == ["AIG803"]


def test_a_template_under_another_name_counts(folder: Folder) -> None:
    path = folder.write("mine/a.jinja", "x")
    before = digest(path.parent)
    path.rename(path.with_name("b.jinja"))
    assert digest(path.parent) != before


def test_a_spec_under_another_name_for_the_same_module_is_stale(folder: Folder) -> None:
    folder.build()
    (folder.root / "specs/shop.yaml").rename(folder.root / "specs/shop.yml")
    assert folder.build()[0].reason == "specs/shop.yml has changed"
    assert folder.files()["shop.py"].startswith(b"# Generated by aigen from specs/shop.yml.")


def test_a_file_of_tomorrow_is_read_once(folder: Folder) -> None:
    words = folder.write("specs/words.md", "How do they feel?\n")
    folder.write(
        "specs/shop.yaml", SPEC.replace("How does the customer feel?", "{$file: words.md}")
    )
    for turn in range(2):
        os.utime(words, (4 * 10**9, 4 * 10**9))
        assert (folder.build()[0].reason is None) is bool(turn)


def test_another_version_builds_anew(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.build()
    monkeypatch.setattr(building, "__version__", "0.0.0")
    assert folder.build()[0].reason == ELSE


def test_a_changed_checkout_of_aigen_builds_anew(
    folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = tmp_path / "aigen" / "emit" / "render.py"
    inner.parent.mkdir(parents=True)
    inner.write_text("")
    monkeypatch.setattr(building, "__file__", str(tmp_path / "aigen" / "building.py"))
    folder.build()
    assert folder.build()[0].reason is None
    os.utime(inner, (1, 1))
    assert folder.build()[0].reason == ELSE


def test_git_ignores_what_may_vanish(folder: Folder) -> None:
    folder.build()
    assert (folder.root / ".aigen" / ".gitignore").read_text() == "*\n"


@pytest.mark.parametrize("name", ["py.typed", ".gitattributes"])
def test_a_file_that_carries_no_marker_is_of_the_output_where_the_package_is(
    folder: Folder, name: str
) -> None:
    """It is owned by its path, so a folder that is no output yet has none."""
    folder.write(f"ai/{name}", "mine\n")
    assert folder.build()[1] == ["AIG701"]
    assert folder.files() == {name: b"mine\n"}
    (folder.out / name).unlink()
    assert folder.build()[1] == []
    folder.write(f"ai/{name}", "mine\n")
    shutil.rmtree(folder.root / ".aigen")
    assert folder.build()[1] == []
    assert folder.files()[name] != b"mine\n"


def test_the_project_itself_as_output_keeps_what_is_there(folder: Folder) -> None:
    folder.write("aigen.toml", 'out = "."\n')
    mine = {
        ".gitattributes": "*.bin filter=lfs\n",
        "schemas/order.json": '{"type": "object"}\n',
        "app.py": "X = 1\n",
        "mood/__init__.py": "",
    }
    for name, text in mine.items():
        folder.write(name, text)
    assert folder.build()[1] == ["AIG701"]
    (folder.root / ".gitattributes").unlink()
    assert folder.build()[1] == []
    folder.write("specs/more.yaml", SPEC)
    assert folder.build()[1] == []
    (folder.root / "specs/more.yaml").unlink()
    assert folder.build()[1] == []
    assert not (folder.root / "more.py").exists()
    del mine[".gitattributes"]
    assert {name: (folder.root / name).read_text() for name in mine} == mine
    folder.write("specs/app.yaml", SPEC)
    assert folder.build()[1] == ["AIG701"]


@pytest.mark.parametrize("out", [".", "specs", "specs/ai", "specs/inner/.."])
def test_an_output_among_its_specs(folder: Folder, out: str) -> None:
    folder.write("aigen.toml", f'out = "{out}"\nspecs = ["."]\ndialects = ["mcp"]\n')
    folder.write("specs/inner/desk.yaml", "aigen: 1\ntools: {look: {python: 'app:look'}}\n")
    os.utime(folder.write("app.py", "def look(id: str) -> str: ...\n"), (1, 1))
    for name in ("shop", "desk"):
        assert folder.build()[1] == [], name
        assert folder.build()[0].reason is None
        folder.write("specs/desk.yaml", SPEC)
    folder.write(f"{out}/schemas/mine.yaml", SPEC)
    assert "AIG703" in folder.build()[1]
