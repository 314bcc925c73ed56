"""The documentation of a project's own functions, read from their source and written into it."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from aigen.diagnostics import Diagnostics, Source
from aigen.emit.definition import define_tool
from aigen.project import Project
from aigen.resolve import ResolveContext, resolve
from aigen.resolve.python_modules import FunctionIn, PythonModules, Unreadable
from aigen.runtime.definition import ToolDefinition
from aigen.source.writing import NotWritten, Words, rewritten
from aigen.spec.document import read_source
from aigen.tooling.docs import Docs, docs_of


@dataclass(frozen=True, slots=True)
class Documented:
    """A function of the project.

    Attributes:
        target: `pkg.mod:func`.
        docs: what its source says.
        definition: it as a tool.
    """

    target: str
    docs: Docs
    definition: ToolDefinition


def documented(project: Project, target: str) -> Documented | None:
    """A function's documentation, read without importing it.

    Args:
        project: says where modules are; takes what is wrong.
        target: `pkg.mod:func`.

    Returns:
        None where the function cannot be read, which is reported.
    """
    text = json.dumps({"aigen": 1, "tools": {"tool": {"python": target}}})
    found = Diagnostics()
    path = project.root / "docs.json"
    file = read_source(Source("aigen docs", text), path, project.root, "docs", found)
    configuration = project.configuration
    trust = (*configuration.trust, target.partition(":")[0])
    context = ResolveContext(configuration.python_folders, trust, configuration.settings)
    program = resolve([file] if file is not None else [], context, found)
    unread = False
    for each in found:
        # Without a type a parameter has its words all the same; no spec is there to point into.
        untyped = each.code == "AIG411"
        severity = "warning" if untyped else each.severity
        project.diagnostics.add(replace(each, severity=severity, span=None))
        unread = unread or severity == "error"
    module = program.modules.get("docs")
    if unread or module is None or not module.tools:
        return None
    definition = define_tool(module.tools[0], module, program)
    docs = docs_of(definition)
    docs["name"] = target.rpartition(":")[2].rpartition(".")[2]
    return Documented(target, docs, definition)


def write_source(project: Project, known: Documented, docs: Docs) -> Path:
    """Writes the words of documentation into a function's source.

    Args:
        project: whose function it is.
        known: the function.
        docs: its words; those that its source says already are not written again.

    Returns:
        The file, which is untouched where there was nothing to write.

    Raises:
        NotWritten: words cannot stand in the source, the docs say what is no words, or the
            function is none of the project's own.
    """
    path, inside = _place(project, known.target)
    words = _words(known, docs)
    data = path.read_bytes()
    made = rewritten(data, inside, words)
    if made != data:
        _replace(path, made)
    return path


def _words(known: Documented, docs: Docs) -> Words:
    """The words that the source does not say yet."""
    before: Any = known.docs
    _refuse_others(before, docs)
    members = {
        name: said["description"]
        for name, said in docs.get("arguments", {}).items()
        if said.get("description", "") != before["arguments"][name].get("description", "")
    }
    text, returned = docs.get("description"), docs.get("return", {}).get("description")
    return Words(
        text if text != before["description"] else None,
        members,
        returned if returned != before["return"].get("description") else None,
    )


def _refuse_others(before: Any, docs: Docs) -> None:
    if docs.get("name", before["name"]) != before["name"]:
        raise NotWritten(f"the source calls it {before['name']}: rename the function yourself")
    for name, said in docs.get("arguments", {}).items():
        known = before["arguments"].get(name)
        if known is None:
            takes = ", ".join(before["arguments"]) or "nothing"
            raise NotWritten(f"the function takes no {name}; it takes {takes}")
        for key in ("type", "default_value"):
            if key in said and said.get(key) != known.get(key):
                raise NotWritten(
                    f"the {key} of {name} stands in the signature, which is not written; it says"
                    f" {known.get(key)!r}"
                )
        if not said.get("description", "x").strip():
            raise NotWritten(f"the words of {name} are empty: leave them out instead")


def _place(project: Project, target: str) -> tuple[Path, str]:
    """The file that defines a function, and the function's path in it."""
    modules = PythonModules(project.configuration.python_folders)
    where, _, name = target.partition(":")
    try:
        module = modules.module(where)
        found = modules.meaning(module, name) if module is not None else None
    except Unreadable as problem:
        raise NotWritten(str(problem)) from None
    if not isinstance(found, FunctionIn):
        raise NotWritten(f"{target} is no function that is written under python_path")
    files = [root / found.module.shown for root in project.configuration.python_folders]
    path = next(file for file in files if file.is_file())
    owner = f"{found.owner.path}." if found.owner is not None else ""
    return path, f"{owner}{found.node.name}"


def _replace(path: Path, data: bytes) -> None:
    """Replaces a file whole, its mode kept, so that nobody reads half of it."""
    path = path.resolve()
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).chmod(path.stat().st_mode & 0o7777)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def spec_entry(known: Documented, docs: Docs) -> dict[str, Any]:
    """A spec's `tools` that lays documentation over a function."""
    key = known.docs["name"]
    return {"tools": {key: {"python": known.target, "docs": cast("Any", docs)}}}
