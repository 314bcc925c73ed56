"""A spec file from its bytes: which reader reads it, and its top-level keys."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from aigen.diagnostics import Diagnostics, Source, Span
from aigen.spec.fields import name_of, read_field
from aigen.spec.functions import read_functions, read_settings
from aigen.spec.json_reader import read_json
from aigen.spec.keys import FILE
from aigen.spec.nodes import Mapping, Node, Scalar
from aigen.spec.nodes import Sequence as Items
from aigen.spec.reading import Reading
from aigen.spec.source import load, whole
from aigen.spec.tree import SpecFile, ToolSpec
from aigen.spec.yaml_reader import read_yaml

_CUT = re.compile(r" #(?:[^\s#!]| of\b)")
_CUT_HERE = re.compile(r" *#[^\s#!]| # of\b")
"""What goes on behind a text: with a blank behind the #, only `the # of things` is no comment."""


def read_file(
    path: Path,
    *,
    root: Path,
    shown: str,
    module: str,
    diagnostics: Diagnostics,
    python_path: Sequence[Path] = (),
) -> SpecFile | None:
    """Reads a spec file.

    Args:
        path: the file.
        root: the specs' root; no file outside it is read for this one.
        shown: the path as messages show it.
        module: the generated module's dotted name.
        diagnostics: where findings go.
        python_path: the folders that Python modules are imported from.

    Returns:
        The file, with all of it that could be read; None where its syntax could not.
    """
    source = load(path, shown, diagnostics)
    if source is None:
        return None
    return read_source(source, path, root, module, diagnostics, python_path)


def read_source(
    source: Source,
    path: Path,
    root: Path,
    module: str,
    diagnostics: Diagnostics,
    python_path: Sequence[Path] = (),
) -> SpecFile | None:
    """Reads a spec whose text is at hand; `path` says its syntax, and where `$file`s begin."""
    reading = Reading(source, path.parent, root, diagnostics)
    if path.suffix in (".py", ".pyi"):
        from aigen.spec.python_reader import read_python

        return read_python(reading, path, module, python_path)
    node = _parsed(path, source, diagnostics)
    if node is None:
        return None
    if path.suffix != ".json" and _CUT.search(source.text):
        _report_cut(reading, node)
    return read_node(reading, node, module)


def _parsed(path: Path, source: Source, diagnostics: Diagnostics) -> Node | None:
    before = len(diagnostics)
    json = path.suffix == ".json"
    node = (read_json if json else read_yaml)(source, diagnostics)
    if node is None or (isinstance(node, Scalar) and node.value is None):
        if len(diagnostics) == before:
            diagnostics.report(
                "AIG104", whole(source.path), "the file is empty", hint="a spec begins: aigen: 1"
            )
        return None
    return node


def read_node(reading: Reading, node: Node, module: str) -> SpecFile | None:
    """Reads a spec whose syntax was read; `reading` takes what is wrong."""
    if not isinstance(node, Mapping):
        reading.wrong(node, "a spec is a mapping", "begin with aigen: 1")
        return None
    if not _format(reading, node):
        return None
    entries = reading.mapping(node, "a spec", FILE)
    value = {name: entry.value for name, entry in entries.items()}
    types = reading.mapping(value["types"], "types") if "types" in value else {}
    functions = read_functions(reading, value["functions"]) if "functions" in value else ()
    tools = _tools(reading, value["tools"]) if "tools" in value else ()
    return SpecFile(
        path=reading.source.path,
        module=module,
        source=reading.source,
        description=reading.text(value["description"], "description")
        if "description" in value
        else None,
        settings=read_settings(reading, value["settings"]) if "settings" in value else (),
        types=tuple(
            read_field(reading, name_of(entry), entry.value, named=True) for entry in types.values()
        ),
        functions=functions,
        tools=tools,
        reads=tuple(dict.fromkeys(reading.reads)),
        unread=_names(value)
        - {function.key.value for function in functions}
        - {tool.key.value for tool in tools},
    )


def _tools(reading: Reading, node: Node) -> tuple[ToolSpec, ...]:
    # Few specs have tools, and these modules are slow to import.
    from aigen.spec.tools import read_tools

    return read_tools(reading, node)


def _names(value: dict[str, Node]) -> frozenset[str]:
    """All that is declared under `functions` and `tools`."""
    sections = (value.get("functions"), value.get("tools"))
    return frozenset(
        name for node in sections if isinstance(node, Mapping) for name in node.entries
    )


def _format(reading: Reading, node: Mapping) -> bool:
    entry = node.entries.get("aigen")
    if entry is None:
        place = Span(*node.span[:3], node.span.line, node.span.column + 1)
        reading.report("AIG114", place, "the spec does not say its format", "begin with aigen: 1")
        return False
    value = entry.value.value if isinstance(entry.value, Scalar) else None
    if value == 1 and not isinstance(value, bool):
        return True
    newer = isinstance(value, int) and not isinstance(value, bool) and value > 1
    reading.report(
        "AIG114",
        entry.value.span,
        "this aigen reads format 1" if newer else "aigen: 1 is the only format there is",
        "install a newer aigen" if newer else "write aigen: 1",
    )
    return False


def _report_cut(reading: Reading, root: Node) -> None:
    """Warns of plain texts that end where ` #` begins a comment that is the rest of them."""
    lines = reading.source.text.split("\n")
    for scalar in _scalars(root):
        if not scalar.plain or scalar.text != (scalar.value or ""):
            continue
        line = lines[scalar.span.end_line - 1]
        rest = line[scalar.span.end_column - 1 :]
        if _CUT_HERE.match(rest):
            reading.report(
                "AIG125",
                scalar.span,
                f'the text ends before "{rest.strip()[:40]}": # begins a comment',
                "quote the whole text, or put a blank behind the #"
                if rest.lstrip()[1:2] != " "
                else "quote the whole text, or put two blanks before the #",
            )


def _scalars(node: Node) -> Iterator[Scalar]:
    pending = [node]
    while pending:
        one = pending.pop()
        if isinstance(one, Scalar):
            yield one
        elif isinstance(one, Items):
            pending.extend(one.items)
        else:
            pending.extend(entry.value for entry in one.entries.values())
