"""Commands, options, settings and variables that the guides name are there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from aigen.cli import main
from aigen.runtime.setting_kinds import KINDS

ROOT = Path(__file__).parents[3]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), ROOT / ".pre-commit-hooks.yaml"])
_COMMAND = re.compile(r"\baigen ([a-z-][^\n]*)")
_FENCED = re.compile(r"^```+[^\n]*\n(.*?)^```+$", re.MULTILINE | re.DOTALL)
_OPTION = re.compile(r"(?<![\w/-])(--?[A-Za-z][\w-]*)")
_VARIABLE = re.compile(r"\bAIGEN_[A-Z_]+\b")
_GIVEN = re.compile(r"\b(?:configure|with_options|settings|override)\(((?:[^()]|\([^()]*\))*)\)")
_ELSEWHERE = {
    "--strict",  # of mypy
    "--aigen-live",  # of pytest
    "--directory",  # of git apply
    "--hypothesis-profile",
    "--update-golden",
}


def _options(command: click.Command) -> set[str]:
    with click.Context(command, help_option_names=["-h", "--help"]) as ctx:
        return {
            name for each in command.get_params(ctx) for name in (*each.opts, *each.secondary_opts)
        }


def _every(group: click.Group) -> Iterator[set[str]]:
    yield _options(group)
    with click.Context(group) as ctx:
        for name in group.list_commands(ctx):
            found = group.get_command(ctx, name)
            assert found is not None
            yield from _every(found) if isinstance(found, click.Group) else [_options(found)]


EVERY = set().union(*_every(main))


def _unknown(line: str) -> Iterator[str]:
    """What is no command or option in words behind `aigen`."""
    command: click.Command = main
    for word in re.sub(r"\"[^\"]*\"", "…", line).split():
        if word in ("&&", "|", "||", ";", "…") or word.startswith(("#", "(", ">")):
            return
        word = word.rstrip(".,;:)`")
        if _OPTION.fullmatch(word.partition("=")[0]):
            if word.partition("=")[0] not in _options(command):
                yield f"{command.name} has no {word}"
        elif isinstance(command, click.Group):
            found = command.get_command(click.Context(command), word)
            if found is None:
                if command is main:
                    yield f"there is no command {word}"
                return
            command = found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_and_options(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    fenced = [line for block in _FENCED.findall(text) for line in block.split("\n")]
    spans = [found[1] for found in re.findall(r"(`+)(.+?)\1", _FENCED.sub("", text))]
    wrong = []
    for line in (*fenced, *spans):
        for found in _COMMAND.finditer(line):
            wrong += _unknown(found[1])
        if re.fullmatch(r"--[\w-]+(?:[ =].*)?", line):
            name = re.split(r"[ =]", line)[0]
            if name not in EVERY | _ELSEWHERE:
                wrong.append(f"no command has {name}")
    assert not wrong


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_settings_and_variables(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    known = {f"AIGEN_{name.upper()}" for name in KINDS}
    assert set(_VARIABLE.findall(text)) <= known
    given = {name for call in _GIVEN.findall(text) for name in re.findall(r"(?:^|, )(\w+)=", call)}
    assert given <= set(KINDS)
