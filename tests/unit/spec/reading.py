"""Specs written to a folder and read."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

from aigen.diagnostics import Diagnostic, Diagnostics
from aigen.spec import read_file
from aigen.spec.tree import FieldSpec, FunctionSpec, SpecFile

HEAD = "aigen: 1\nfunctions:\n  f:\n    formula: a ~ b\n"


def read(
    text: str | bytes, files: Mapping[str, str | bytes] | None = None, name: str = "spec.yaml"
) -> tuple[SpecFile | None, list[Diagnostic]]:
    """The file that a text is read as, and what was found."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "specs")
        for path, content in {**(files or {}), name: text}.items():
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content if isinstance(content, bytes) else content.encode())
        found = Diagnostics()
        file = read_file(
            root / name, root=root, shown=f"specs/{name}", module="spec", diagnostics=found
        )
        return file, list(found)


def codes(text: str | bytes, **options: object) -> list[str]:
    """The codes of what is found in a spec."""
    return [one.code for one in read(text, **options)[1]]  # type: ignore[arg-type]


def function(text: str, **options: object) -> FunctionSpec:
    """The one function of a spec in which nothing is found."""
    file, found = read(text, **options)  # type: ignore[arg-type]
    assert file is not None and not found, found
    return file.functions[0]


def field(text: str) -> tuple[FieldSpec, list[str]]:
    """The field `b` that a text is read as, and the codes found."""
    file, found = read(f"{HEAD}    fields:\n      b: {text}\n")
    assert file is not None
    return file.functions[0].fields["b"], [one.code for one in found]
