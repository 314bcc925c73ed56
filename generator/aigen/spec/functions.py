"""Functions as written: formula, codebook, demos, prompt, tests."""

from __future__ import annotations

import csv
import io

from aigen.diagnostics import Diagnostics, Source, Span
from aigen.runtime.values.scalars import plain_scalar
from aigen.spec.columns import read_columns
from aigen.spec.fields import name_of, read_fields
from aigen.spec.formula import is_name, parse_formula
from aigen.spec.json_reader import read_json
from aigen.spec.keys import FUNCTION, TEST
from aigen.spec.nodes import Entry, Mapping, Node, Scalar, Sequence
from aigen.spec.prompts import read_prompt
from aigen.spec.reading import Reading
from aigen.spec.source import LARGEST_FILE, load
from aigen.spec.tree import Formula, FunctionSpec, Setting, TestSpec, Text


def read_functions(reading: Reading, node: Node) -> tuple[FunctionSpec, ...]:
    """The mapping of functions, in order; one whose formula cannot be read is left out."""
    found = (_function(reading, e) for e in reading.mapping(node, "functions").values())
    return tuple(function for function in found if function is not None)


def read_settings(reading: Reading, node: Node) -> tuple[Setting, ...]:
    """A mapping of settings; `aigen.resolve` knows their names."""
    entries = reading.mapping(node, "settings")
    return tuple(Setting(name_of(entry), entry.value) for entry in entries.values())


def _function(reading: Reading, entry: Entry) -> FunctionSpec | None:
    key = name_of(entry)
    entries = reading.mapping(entry.value, f'the function "{key.value}"', FUNCTION)
    value = {name: one.value for name, one in entries.items()}
    formula = _formula(reading, key, entries)

    def text(name: str) -> Text | None:
        return reading.text(value[name], name) if name in value else None

    def texts(name: str) -> tuple[Text, ...]:
        return reading.texts(value[name], name) if name in value else ()

    function = FunctionSpec(
        key=key,
        span=Span(*key.span[:3], entry.value.span.end_line, entry.value.span.end_column),
        formula=formula or Formula((), (), None, key.span),
        fields={
            field.name.value: field
            for field in (
                read_fields(reading, value["fields"], "fields") if "fields" in value else ()
            )
        },
        description=text("description"),
        settings=read_settings(reading, value["settings"]) if "settings" in value else (),
        name=text("name"),
        answer=text("answer"),
        defined_in=text("defined_in"),
        instructions=text("instructions"),
        columns=read_columns(reading, value["data"]) if "data" in value else None,
        demos=_demos(reading, value["demos"]) if "demos" in value else (),
        tools=texts("tools"),
        checks=reading.callables(value["check"], "check") if "check" in value else (),
        deprecated=reading.flag_or_text(value["deprecated"], "deprecated")
        if "deprecated" in value
        else False,
        tags=tuple(tag.value for tag in texts("tags")),
        prompt=read_prompt(reading, value["prompt"]) if "prompt" in value else None,
        tests=_tests(reading, value["tests"]) if "tests" in value else (),
    )
    return None if formula is None else function


def _formula(reading: Reading, key: Text, entries: dict[str, Entry]) -> Formula | None:
    sides = [name for name in ("inputs", "outputs") if name in entries]
    if "formula" in entries:
        if sides:
            reading.report(
                "AIG133",
                entries[sides[0]].key.span,
                f"{sides[0]} stands beside a formula",
                "write the formula, or inputs and outputs",
            )
        node = entries["formula"].value
        if reading.text(node, "formula") is None or not isinstance(node, Scalar):
            return None
        return parse_formula(node, reading.diagnostics)
    if len(sides) == 2:
        return _listed(reading, key, entries)
    reading.report(
        "AIG130",
        key.span,
        f'the function "{key.value}" has no formula',
        "write formula: outputs ~ inputs",
    )
    return None


def _listed(reading: Reading, key: Text, entries: dict[str, Entry]) -> Formula | None:
    names: dict[str, tuple[Text, ...]] = {}
    seen: dict[str, Text] = {}
    for side in ("outputs", "inputs"):
        node = entries[side].value
        names[side] = reading.texts(node, side)
        if not names[side]:
            if isinstance(node, Sequence):
                reading.report("AIG131", node.span, f"{side} is empty", "at least one name")
            return None
        for name in names[side]:
            if not is_name(name.value):
                reading.report("AIG131", name.span, f'"{name.value}" is no ASCII identifier')
                return None
            if name.value in seen:
                reading.report("AIG132", name.span, f'"{name.value}" stands twice')
                return None
            seen[name.value] = name
    return Formula(names["outputs"], names["inputs"], None, key.span)


def _tests(reading: Reading, node: Node) -> tuple[TestSpec, ...]:
    if not isinstance(node, Sequence):
        reading.wrong(node, "tests is a list")
        return ()
    found = []
    for number, item in enumerate(node.items, 1):
        value = {k: e.value for k, e in reading.mapping(item, "a test", TEST).items()}
        if "inputs" not in value:
            if isinstance(item, Mapping):
                reading.report("AIG122", item.span, "a test has no inputs", "write inputs: {…}")
            continue
        name = reading.text(value["name"], "name") if "name" in value else None
        found.append(
            TestSpec(
                name or Text(str(number), item.span),
                value["inputs"],
                value.get("expect"),
                reading.callable(value["check"], "check") if "check" in value else None,
                item.span,
            )
        )
    return tuple(found)


def _demos(reading: Reading, node: Node) -> tuple[Node, ...]:
    """The rows of demos: a list of mappings, or the lines of a file."""
    if isinstance(node, Scalar) and isinstance(node.value, str):
        return _demos_file(reading, node)
    if isinstance(node, Mapping) and list(node.entries) == ["$file"]:
        return _demos_file(reading, node.entries["$file"].value)
    if not isinstance(node, Sequence):
        reading.wrong(node, "demos is a list, or the path of a .jsonl or .csv file")
        return ()
    rows = []
    for item in node.items:
        if isinstance(item, Mapping):
            rows.append(item)
        else:
            reading.wrong(item, "a demo is a mapping of fields")
    return tuple(rows)


def _demos_file(reading: Reading, node: Node) -> tuple[Node, ...]:
    path = reading.path(node)
    if path is None or not isinstance(node, Scalar):
        return ()
    source = load(path, node.text, reading.diagnostics, limit=LARGEST_FILE)
    if source is None:
        return ()
    if path.suffix == ".jsonl":
        return _json_lines(source, reading.diagnostics)
    if path.suffix == ".csv":
        return _csv_rows(reading, source)
    reading.report("AIG137", node.span, "demos are read from .jsonl and .csv files")
    return ()


def _json_lines(source: Source, diagnostics: Diagnostics) -> tuple[Node, ...]:
    rows = []
    for number, line in enumerate(source.text.split("\n"), 1):
        if not line.strip():
            continue
        found = Diagnostics()
        row = read_json(Source(source.path, line), found)
        for problem in found:
            span = problem.span._replace(line=number, end_line=number) if problem.span else None
            diagnostics.report(problem.code, span, problem.message, hint=problem.hint)
        if isinstance(row, Mapping):
            rows.append(_on_line(row, number))
        elif row is not None:
            span = Span(source.path, number, 1, number, len(line) + 1)
            diagnostics.report("AIG137", span, "a line of demos is a JSON object")
    return tuple(rows)


def _on_line(row: Mapping, line: int) -> Mapping:
    """The row with its places moved to its line; inner values keep the row's place."""
    span = row.span._replace(line=line, end_line=line)
    entries = {
        name: Entry(
            entry.key._replace(span=entry.key.span._replace(line=line, end_line=line)),
            entry.value._replace(span=entry.value.span._replace(line=line, end_line=line)),
        )
        for name, entry in row.entries.items()
    }
    return Mapping(entries, span)


def _csv_rows(reading: Reading, source: Source) -> tuple[Node, ...]:
    rows: list[Node] = []
    try:
        reader = csv.reader(io.StringIO(source.text), strict=True)
        head = next(reader, [])
        for cells in reader:
            line = reader.line_num
            span = Span(source.path, line, 1, line, 2)
            if not cells:
                continue
            if len(cells) != len(head):
                reading.report("AIG137", span, f"{len(cells)} cells under {len(head)} columns")
                continue
            rows.append(
                Mapping(
                    {
                        name: Entry(
                            Scalar(name, span, name, False), Scalar(_cell(cell), span, cell, True)
                        )
                        for name, cell in zip(head, cells, strict=True)
                    },
                    span,
                )
            )
    except csv.Error as problem:
        reading.report("AIG137", Span(source.path, 1, 1, 1, 2), f"not CSV: {problem}")
    return tuple(rows)


def _cell(cell: str) -> str | int | float | bool | None:
    # An empty cell is a gap; binding then decides by the type, so numbers stay as plain scalars.
    return plain_scalar(cell)
