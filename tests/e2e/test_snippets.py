"""Every snippet of every page does what the page says: see `pages` for how a page is run."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import pages
import pytest
import servers
import yaml
from aigen.configuration import load
from aigen.diagnostics import Diagnostics
from aigen.spec import keys
from commands import environment
from pages import ROOT, Snippet, snippets

LANGUAGES = ("python", "yaml", "sh", "console", "toml", "json", "text", "jinja")
HERE = Path(__file__).parent

ELSEWHERE = {
    "docs/adapters.md": "tests/unit/adapters/test_page.py: what is sent, for every adapter",
    "docs/columns.md": "tests/e2e/test_columns_document.py: one script, clusters; no upload",
    "docs/mcp.md": "tests/unit/mcp/test_mcp_page.py: its configuration, specs and commands",
    "docs/diff.md": "tests/unit/cli/test_diff.py: two versions and what is said of them",
}
"""Pages that a test of their own runs."""

USER = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}

EXCEPTIONS = {
    ("README.md", "python3 -m venv"): "installs from the network, into environments of their own",
    ("docs/ci.md", "on: [push"): "tests/e2e/test_pipelines.py runs its steps in a repository",
    (
        "docs/ci.md",
        "repos:",
    ): "tests/e2e/test_pipelines.py compares it with the hooks that are there",
    ("docs/ci.md", "[build-system]"): "tests/e2e/test_hatch.py packs wheels so",
    ("docs/ci.md", 'eval "$(_AIGEN'): "tests/e2e/test_pipelines.py asks each shell",
    ("README.md", "- run: pip install"): "tests/e2e/test_pipelines.py: the steps of docs/ci.md",
    (
        "docs/tools.md",
        "from datetime import date\nimport trials",
    ): "a model writes it: tests/unit/tools/test_code.py runs it in the sandbox",
    ("docs/testing.md", "aigen_recording: 1"): "cut short with […]; the file is written there",
}
"""Snippets that are not run here, by page and beginning, and why."""

GIVEN: dict[str, dict[str, Any]] = {
    "docs/importing.md": {
        "tools.json": [{"name": "get_user", "description": "Gets a user.", "inputSchema": USER}],
        "functions.json": [{"name": "get_user", "type": "function", "parameters": USER}],
        "order.schema.json": {"title": "Order", **USER},
        "petstore.yaml": {
            "openapi": "3.1.0",
            "info": {"title": "Petstore", "version": "1"},
            "servers": [{"url": "https://petstore.example/v2"}],
            "paths": {"/pets": {"get": {"operationId": "listPets", "responses": {}}}},
        },
    }
}
"""Files that the commands of a page read, by path."""


def told(page: str) -> list[Snippet]:
    """The snippets of a page that are run."""
    begins = [start for one, start in EXCEPTIONS if one == page]
    return [one for one in snippets(page) if not one.text.startswith(tuple(begins))]


def test_the_exceptions_are_there() -> None:
    for page, start in EXCEPTIONS:
        assert any(one.text.startswith(start) for one in snippets(page)), (page, start)
    for page, reason in ELSEWHERE.items():
        test = ROOT / reason.partition(":")[0]
        assert Path(page).name in test.read_text(encoding="utf-8")


@pytest.mark.parametrize("page", pages.PAGES)
def test_a_snippet_says_what_it_is(page: str) -> None:
    for one in snippets(page):
        assert one.language in LANGUAGES, f"{page}:{one.line}: {one.language or 'no language'}"
    fences = pages.PAGES[page].read_text(encoding="utf-8").count("\n```")
    assert fences == 2 * len([*snippets(page)]), "a fence that is not one of a snippet"


def test_every_page_is_in_the_index() -> None:
    index = pages.PAGES["docs/README.md"].read_text(encoding="utf-8")
    names = {Path(page).name for page in pages.PAGES if page.startswith("docs/")} - {"README.md"}
    assert [name for name in sorted(names) if f"({name})" not in index] == []


@pytest.mark.parametrize("page", pages.PAGES)
def test_links_lead_somewhere(page: str) -> None:
    path = pages.PAGES[page]
    for target in re.findall(r"\]\(([^)\s]+)\)", path.read_text(encoding="utf-8")):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        there = path.parent / name if name else path
        assert there.exists(), f"{page}: {target}"
        if anchor:
            assert anchor in headings(there), f"{page}: {target}"


def headings(page: Path) -> set[str]:
    """The anchors of a page's headings."""
    found = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", one.lower()).strip().replace(" ", "-") for one in found}


@pytest.mark.parametrize(
    "page", [page for page in pages.PAGES if page not in ELSEWHERE and told(page)]
)
def test_the_page_runs(
    page: str, tmp_path: Path, built: Path, serve: Callable[..., servers.Server]
) -> None:
    found = told(page)
    folder = tmp_path / "project"
    begins = any("aigen init" in one.text for one in found)
    own = begins or any((one.file or "").startswith("specs/") for one in found)
    if own:
        shutil.copytree(built / "app", folder / "app", ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copytree(built, folder, ignore=shutil.ignore_patterns("__pycache__", ".aigen"))
    if own and not (begins or any(one.file == "pyproject.toml" for one in found)):
        (folder / "aigen.toml").write_text('out = "app/ai"\n', encoding="utf-8")
    for name, data in GIVEN.get(page, {}).items():
        (folder / name).write_text(json.dumps(data), encoding="utf-8")
    steps = [] if own else [python("from shop_ai import support")]
    places: dict[int, int] = {}
    for step, snippet in plan(found, page, serve, first=not begins):
        places.setdefault(snippet, len(steps))
        steps.append(step)
    done = run(steps, folder, tmp_path)
    for step, result in zip(steps, done, strict=False):
        where = f"{page}:{step.get('line')}\n{step.get('text')}\n{result['printed']}"
        assert result["code"] == 0 or step["may_fail"], where
    judge(found, places, done, folder)


def plan(
    found: list[Snippet], page: str, serve: Callable[..., servers.Server], *, first: bool
) -> Iterator[tuple[dict[str, Any], int]]:
    """What is done with each snippet: files first (if `first`), then all in their order."""
    written: set[str] = set()
    for number, one in enumerate(found):
        if first and one.file and one.file not in written and "part of" not in one.said:
            written.add(one.file)
            yield write(one.file, one.text), -1 - number
    if any(name.startswith("specs/") for name in written):
        yield shell("aigen build"), -1
    for number, one in enumerate(found):
        if one.file and "part of" not in one.said:
            if one.file in written:
                written.discard(one.file)
            else:
                yield write(one.file, one.text), number
            continue
        match one.language:
            case "python" if "part of" not in one.said:
                step = python(one.text, one.line, page)
                step["replies"] = one.replies
                if "served" in one.said:
                    answers = [servers.completion(json.dumps(each)) for each in served(one)]
                    step["url"] = serve(*answers).url
                yield step, number
            case "yaml":
                path = f"snippet_{one.line}.yaml"
                yield write(path, spec(one.text)), number
                yield shell(f"aigen check {path}"), number
            case "sh":
                yield shell(one.text), number
            case "console":
                for command, _ in commands(one):
                    yield shell(command, may_fail=True), number


def served(one: Snippet) -> list[Any]:
    return list(json.loads(one.said["served"]))


def spec(text: str) -> str:
    """A spec of a part of one: of its top, or of a function."""
    given = yaml.safe_load(dedent(text))
    if "aigen" in given:
        return text
    if given.keys() <= keys.FILE.keys():
        return f"aigen: 1\n{text}"
    assert given.keys() <= keys.FUNCTION.keys(), given.keys()
    function = {"formula": "summary + urgent ~ message", **given}
    return yaml.safe_dump({"aigen": 1, "functions": {"triage": function}})


def judge(
    found: list[Snippet], places: dict[int, int], done: list[dict[str, Any]], folder: Path
) -> None:
    """Compares what a page shows with what was printed and made."""
    for number, one in enumerate(found):
        if "part of" in one.said:
            made = (folder / one.said["part of"]).read_text(encoding="utf-8")
            for part in one.text.strip("\n").split("\n\n\n"):
                assert f"{part}\n" in made, part
        elif "prints" in one.said:
            assert done[places[number - 1]]["printed"] == one.text
        elif one.language == "console":
            for place, (_, printed) in enumerate(commands(one), places[number]):
                assert done[place]["printed"] == printed
        elif one.language == "json":
            json.loads(one.text)
        elif one.language == "toml" and not one.file:
            tomllib.loads(one.text)
            (folder / "read").mkdir(exist_ok=True)
            (folder / "read" / "pyproject.toml").write_text(one.text, encoding="utf-8")
            diagnostics = Diagnostics()
            load(folder / "read", diagnostics)
            assert not [*diagnostics]


def commands(one: Snippet) -> list[tuple[str, str]]:
    """The commands of a session, and what each prints."""
    parts = ("\n" + one.text).split("\n$ ")[1:]
    cut = (part.removesuffix("\n").partition("\n") for part in parts)
    return [(command, f"{printed}\n" if printed else "") for command, _, printed in cut]


def python(text: str, line: int = 1, page: str = "") -> dict[str, Any]:
    more = {"replies": None, "url": None, "may_fail": False}
    return {"kind": "python", "text": text, "line": line, "page": page, **more}


def shell(text: str, *, may_fail: bool = False) -> dict[str, Any]:
    return {"kind": "shell", "text": text, "may_fail": may_fail}


def write(path: str, text: str) -> dict[str, Any]:
    return {"kind": "write", "path": path, "text": text, "may_fail": False}


PIP = """\
import re, sys, tomllib
extras = tomllib.load(open({pyproject!r}, "rb"))["project"]["optional-dependencies"]
command, *named = sys.argv[1:]
assert command == "install" and named, sys.argv
for one in named:
    found = re.fullmatch(r"aigen(?:\\[([a-z,]+)\\])?", one)
    assert found and set((found[1] or "all").split(",")) <= set(extras), one
"""


def run(steps: list[dict[str, Any]], folder: Path, beside: Path) -> list[dict[str, Any]]:
    """Runs steps in a project; what each printed and how it ended, up to the first that failed."""
    binaries = beside / "bin"
    binaries.mkdir()
    pip = beside / "pip.py"
    pip.write_text(PIP.format(pyproject=str(ROOT / "pyproject.toml")), encoding="utf-8")
    for name, entry in {"aigen": "-m aigen", "python": "", "pip": str(pip)}.items():
        command = binaries / name
        command.write_text(f'#!/bin/sh\nexec "{sys.executable}" {entry} "$@"\n', encoding="utf-8")
        command.chmod(0o755)
    source, results = beside / "steps.json", beside / "results.json"
    source.write_text(json.dumps(steps), encoding="utf-8")
    environ = {
        **environment(),
        "AIGEN_MODEL": "sample",
        "PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}",
        "GIT_CONFIG_GLOBAL": os.devnull,
        **{f"GIT_{who}_{what}": "a@shop.test" for who in ("AUTHOR", "COMMITTER") for what in WHO},
    }
    command = [sys.executable, str(HERE / "page_steps.py"), str(source), str(results)]
    ended = subprocess.run(
        command, cwd=folder, env=environ, capture_output=True, text=True, timeout=600, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return list(json.loads(results.read_text(encoding="utf-8")))


WHO = ("NAME", "EMAIL")
