"""Imports point one way: between files and between packages, those for type checkers too."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import aigen

ROOT = Path(aigen.__file__).parent
FLOORS = (
    "runtime",
    "declare",
    "diagnostics",
    "source",
    "tooling",
    "serving",
    "spec",
    "ir",
    "schema",
    "resolve",
    "rules",
    "importers",
    "emit",
    "compare",
    "verify",
    "configuration",
    "discovery",
    "parts",
    "project",
    "making",
    "building",
    "watching",
    "hatch",
    "documenting",
    "revisions",
    "cli",
    "__main__",
)
"""From the ground up: a floor imports only those before it."""


def modules() -> dict[str, Path]:
    found = {}
    for path in ROOT.rglob("*.py"):
        parts = ("aigen", *path.relative_to(ROOT).with_suffix("").parts)
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(module: str, path: Path, known: Mapping[str, Path]) -> Iterator[str]:
    """The modules that a file imports, anywhere in it."""
    package = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            home = package[: len(package) + 1 - node.level] if node.level else []
            base = ".".join([*home, *([node.module] if node.module else [])])
            for name in node.names:
                inner = f"{base}.{name.name}"
                yield inner if inner in known else base


def imports() -> dict[str, set[str]]:
    """By module: those of this project that it imports."""
    known = modules()
    return {
        module: {name for name in imported(module, path, known) if name in known} - {module}
        for module, path in known.items()
    }


def circle(arrows: Mapping[str, set[str]]) -> list[str]:
    """One circle, first to last; empty where there is none."""
    try:
        TopologicalSorter(arrows).prepare()
    except CycleError as error:
        return list(reversed(error.args[1]))
    return []


def test_a_circle_is_found() -> None:
    arrows = {"a": {"b"}, "b": {"c"}, "c": {"b"}}
    assert set(circle(arrows)) == {"b", "c"}
    assert not circle({"a": {"b"}, "b": {"c"}})


def test_no_files_import_each_other() -> None:
    arrows = imports()
    assert "aigen.runtime.function" in arrows["aigen.runtime"]  # imports are seen at all
    found = circle(arrows)
    assert not found, "these import each other: " + " -> ".join(found)


def test_no_packages_import_each_other() -> None:
    arrows: dict[str, set[str]] = {}
    for module, targets in imports().items():
        if module.count("."):
            own = module.split(".")[1]
            others = {target.split(".")[1] for target in targets if target.count(".")}
            arrows.setdefault(own, set()).update(others - {own})
    found = circle(arrows)
    assert not found, "these packages import each other: " + " -> ".join(found)


def test_floors_import_only_those_below() -> None:
    height = {name: number for number, name in enumerate(FLOORS)}
    wrong = [
        f"{module} -> {target}"
        for module, targets in imports().items()
        for target in targets
        if module.count(".") and target.count(".")
        if height[target.split(".")[1]] > height[module.split(".")[1]]
    ]
    assert not wrong


def test_the_runtime_imports_nothing_of_the_compiler() -> None:
    targets = {
        name
        for module, found in imports().items()
        if module.startswith("aigen.runtime")
        for name in found
    }
    strangers = {name for name in targets - {"aigen"} if not name.startswith("aigen.runtime")}
    assert not strangers
