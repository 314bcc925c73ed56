"""The project's configuration: `[tool.aigen]` of the nearest `pyproject.toml`, or `aigen.toml`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Final

from aigen.diagnostics import Diagnostics, Span, nearest
from aigen.diagnostics.lint import Lint, lint_codes

DIALECTS: Final = ("openai-chat", "openai-responses", "anthropic", "gemini", "mcp")

_LISTS: Final = ("specs", "python_path", "trust", "dialects")
_KEYS: Final = (
    *_LISTS,
    *("out", "standalone", "templates", "settings", "providers", "mcp_servers", "lint"),
)
_LINT: Final = tuple(each.name for each in fields(Lint))


@dataclass(frozen=True, slots=True)
class Configuration:
    """What a build depends on besides its specs.

    Attributes:
        root: the folder of the configuration, else the current one; messages show paths from here.
        specs: files and folders, from the root.
        out: the output folder, from the root; None where nothing says it.
        python_path: folders under which the modules of callables are looked up.
        trust: further modules, or `mod:func`, that specs may name.
        standalone: whether the output holds the runtime too.
        templates: the folder, from the root, of templates that override blocks of aigen's.
        settings: `[tool.aigen.settings]`, baked into every definition; with the settings
            `providers` and `mcp_servers`, tables of their own beside it.
        lint: `[tool.aigen.lint]`.
    """

    root: Path
    specs: tuple[str, ...] = ("specs",)
    out: str | None = None
    python_path: tuple[str, ...] = (".",)
    trust: tuple[str, ...] = ()
    dialects: tuple[str, ...] = ()
    standalone: bool = False
    templates: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    lint: Lint = field(default_factory=Lint)

    @property
    def python_folders(self) -> tuple[Path, ...]:
        """`python_path`, absolute."""
        return tuple((self.root / path).absolute() for path in self.python_path)

    @property
    def templates_folder(self) -> Path | None:
        """`templates`, absolute; None where the project has none of its own."""
        return None if self.templates is None else (self.root / self.templates).absolute()


def load(start: Path, diagnostics: Diagnostics) -> Configuration:
    """The configuration that holds for a folder: its own, or the nearest one above it.

    What is wrong in it is reported and left out.
    """
    for folder in (start, *start.parents):
        for name in ("aigen.toml", "pyproject.toml"):
            path = folder / name
            if path.is_file():
                found = _read(path, diagnostics)
                if found is not None:
                    return found
    return Configuration(start)


def _read(path: Path, diagnostics: Diagnostics) -> Configuration | None:
    own = path.name == "aigen.toml"
    try:
        text = path.read_text(encoding="utf-8-sig")
        data = tomllib.loads(text)
    except (OSError, ValueError, RecursionError) as problem:  # of TOML, of bytes, of a huge number
        # Somebody else's broken pyproject.toml is not ours to complain of.
        if own or "[tool.aigen" in _text(path):
            reason = str(problem).splitlines()[0]
            diagnostics.report("AIG707", _place(path.name, reason), f"cannot read it: {reason}")
            return Configuration(path.parent)
        return None
    named = data.pop("tool", {}).get("aigen") if isinstance(data.get("tool"), dict) else None
    table = _together(data, named) if own else named
    if table is None:
        return None
    return _Table(path, text, diagnostics).configuration(table)


def _together(data: dict[str, Any], named: Any) -> Any:
    """What an `aigen.toml` says at its top and under `[tool.aigen]`, as messages write it.

    Tables are laid over one another, so that lines for `pyproject.toml` can be put there too.
    """
    if not isinstance(named, dict):  # what is no table is reported by who reads it
        return data if named is None else named
    found = {**data}
    for key, value in named.items():
        there = found.get(key)
        found[key] = _together(there, value) if isinstance(there, dict) else value
    return found


class _Table:
    def __init__(self, path: Path, text: str, diagnostics: Diagnostics) -> None:
        self.path, self.text, self.diagnostics = path, text, diagnostics

    def configuration(self, table: Any) -> Configuration:
        if not isinstance(table, dict):
            self.wrong("aigen", "[tool.aigen] is a table")
            return Configuration(self.path.parent)
        self.known(table, _KEYS, "[tool.aigen] has no key")
        values: dict[str, Any] = {
            key: tuple(table[key]) for key in _LISTS if key in table and self.texts(key, table[key])
        }
        if _is_path(table.get("out")) and table["out"]:
            values["out"] = table["out"]
        elif "out" in table:
            self.wrong("out", "out is a folder's path")
        if isinstance(table.get("standalone", False), bool):
            values["standalone"] = table.get("standalone", False)
        else:
            self.wrong("standalone", "standalone is true or false")
        if "templates" in table and self.folder("templates", table["templates"]):
            values["templates"] = table["templates"]
        if "dialects" in values:
            message = "there is no dialect"
            known = self.known(values["dialects"], tuple(DIALECTS), message, "dialects")
            values["dialects"] = tuple(known)
        values["settings"] = self.settings(table.get("settings", {}))
        for name in ("providers", "mcp_servers"):
            if name in table:
                values["settings"] |= self.settings({name: table[name]})
        values["lint"] = self.lint(table.get("lint", {}))
        return Configuration(self.path.parent, **values)

    def known(
        self, words: Iterable[str], known: Sequence[str], message: str, place: str | None = None
    ) -> list[str]:
        """Those of some words that are known; the others are reported with the nearest one."""
        found = []
        for word in words:
            if word in known:
                found.append(word)
                continue
            close = nearest(word, known)
            hint = f'did you mean "{close}"?' if close else f"known: {', '.join(known)}"
            self.wrong(place or word, f'{message} "{word}"', hint)
        return found

    def lint(self, table: Any) -> Lint:
        if not isinstance(table, dict):
            self.wrong("lint", "[tool.aigen.lint] is a table", 'write lint = {ignore = ["AIG806"]}')
            return Lint()
        values: dict[str, Any] = {}
        for key in self.known(table, _LINT, "[tool.aigen.lint] has no key"):
            value = table[key]
            if key == "ignore":
                if self.texts(key, value):
                    message = "there is no rule of lint"
                    values[key] = tuple(self.known(value, lint_codes(), message, key))
            elif type(value) is int and value > 0:
                values[key] = value
            else:
                self.wrong(key, f"{key} is a number of tokens", f"write {key} = 400")
        return Lint(**values)

    def texts(self, key: str, value: Any) -> bool:
        if isinstance(value, list) and all(_is_path(item) for item in value):
            return True
        self.wrong(key, f"{key} is a list of texts", f'write {key} = ["…"]')
        return False

    def folder(self, key: str, value: Any) -> bool:
        if not _is_path(value) or not value:
            self.wrong(key, f"{key} is a folder's path")
        elif not (self.path.parent / value).is_dir():
            self.wrong(key, f'{key}: there is no folder "{value}"')
        else:
            return True
        return False

    def settings(self, value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            self.wrong("settings", "[tool.aigen.settings] is a table")
            return {}
        if not value:
            return {}
        from aigen.runtime.errors import ConfigurationError
        from aigen.runtime.layers import checked
        from aigen.runtime.setting_kinds import is_json

        found = {}
        for name, one in value.items():
            if name == "api_key":
                # Settings of the project are written into every module, and those are committed.
                hint = "set the provider's variable or AIGEN_API_KEY, or call configure()"
                self.wrong(name, "api_key would stand in the generated modules", hint)
                continue
            if not is_json(one):  # TOML has kinds that JSON lacks
                self.wrong(name, f"{name} has a date, a time or a number that is not finite")
                continue
            try:
                found.update(checked({name: one}, "[tool.aigen.settings]"))
            except ConfigurationError as problem:
                self.wrong(name, problem.message)
        return found

    def wrong(self, key: str, message: str, hint: str | None = None) -> None:
        """Reports at the key's own line, where it can be found."""
        name = rf"(\"?{re.escape(key)}\"?)"
        places = (
            rf"^[ \t]*{name}[ \t]*=",
            rf"^[ \t]*\[[^\]\n]*\b{name}",
            rf"[{{,][ \t]*{name}[ \t]*=",
        )
        found = (re.search(place, self.text, re.MULTILINE) for place in places)
        match = next(filter(None, found), None)
        line = self.text.count("\n", 0, match.start(1)) + 1 if match else 1
        column = match.start(1) - (self.text.rfind("\n", 0, match.start(1)) + 1) + 1 if match else 1
        width = len(match[1]) if match else 1
        span = Span(self.path.name, line, column, line, column + width)
        self.diagnostics.report("AIG707", span, message, hint=hint)


def _is_path(value: Any) -> bool:
    """Whether it is a text that the system takes as a path; TOML can write a NUL."""
    return isinstance(value, str) and "\0" not in value


def _place(name: str, reason: str) -> Span:
    found = re.search(r"line (\d+), column (\d+)", reason)
    line, column = (int(found[1]), int(found[2])) if found else (1, 1)
    return Span(name, line, column, line, column + 1)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
