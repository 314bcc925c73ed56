"""Demos: worked examples, in the spec or in a file of their own."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection

from aigen.diagnostics import Diagnostics, Source, Span
from aigen.runtime.values.scalars import plain_scalar
from aigen.spec.json_reader import read_json
from aigen.spec.nodes import Entry, Mapping, Node, Scalar, Sequence
from aigen.spec.reading import Reading, file_of
from aigen.spec.source import LARGEST_FILE


def read_demos(reading: Reading, node: Node, words: Collection[str]) -> tuple[Node, ...]:
    """The rows of demos: a list of mappings, or the lines of a file.

    The cells of `words` in a CSV are texts, whatever they look like.
    """
    file = node if isinstance(node, Scalar) and isinstance(node.value, str) else file_of(node)
    if file is not None:
        return _file(reading, file, words)
    if not isinstance(node, Sequence):
        reading.wrong(node, "demos is a list, or the path of a .jsonl or .csv file")
        return ()
    rows = []
    for item in node.items:
        row = reading.data(item)
        if isinstance(row, Mapping):
            rows.append(row)
        else:
            reading.wrong(item, "a demo is a mapping of fields")
    return tuple(rows)


def _file(reading: Reading, node: Node, words: Collection[str]) -> tuple[Node, ...]:
    path = reading.path(node)
    if path is None or not isinstance(node, Scalar):
        return ()
    if path.suffix not in (".jsonl", ".csv"):
        reading.report("AIG137", node.span, "demos are read from .jsonl and .csv files")
        return ()
    source = reading.load(path, node, LARGEST_FILE)
    if source is None:
        return ()
    if path.suffix == ".jsonl":
        return _json_lines(source, reading.diagnostics)
    return _csv_rows(reading, source, words)


def _json_lines(source: Source, diagnostics: Diagnostics) -> tuple[Node, ...]:
    rows = []
    for number, line in enumerate(source.text.split("\n"), 1):
        row = read_json(Source(source.path, line), diagnostics, number)
        if isinstance(row, Mapping):
            rows.append(row)
        elif row is not None:
            diagnostics.report("AIG137", row.span, "a line of demos is a JSON object")
    return tuple(rows)


def _csv_rows(reading: Reading, source: Source, words: Collection[str]) -> tuple[Node, ...]:
    rows: list[Node] = []
    reader = csv.reader(io.StringIO(source.text, newline=""), strict=True)
    try:
        head = next(reader, [])
        twice = {name for name in head if head.count(name) > 1}
        if twice:
            span = Span(source.path, 1, 1, 1, 2)
            reading.report("AIG137", span, f'two columns are called "{min(twice)}"')
            return ()
        before = reader.line_num
        for cells in reader:
            span = Span(source.path, before + 1, 1, before + 1, 2)
            before = reader.line_num
            if len(cells) == len(head):
                rows.append(_csv_row(head, cells, span, words))
            elif cells:
                reading.report("AIG137", span, f"{len(cells)} cells under {len(head)} columns")
    except csv.Error as problem:
        span = Span(source.path, reader.line_num, 1, reader.line_num, 2)
        reading.report("AIG137", span, f"not CSV: {problem}")
    return tuple(rows)


def _csv_row(head: list[str], cells: list[str], span: Span, words: Collection[str]) -> Mapping:
    entries = {}
    for name, cell in zip(head, cells, strict=True):
        value = cell if name in words else plain_scalar(cell)
        # Not plain: a cell that stands for a text has no quotes to ask for.
        entries[name] = Entry(Scalar(name, span, name, False), Scalar(value, span, cell, False))
    return Mapping(entries, span)
