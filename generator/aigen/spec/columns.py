"""Types from a table's columns: Parquet, Arrow, CSV, or a Frictionless Table Schema.

Only the schema is read, and of a dictionary its levels; of CSV a bounded sample.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from aigen.diagnostics import Span
from aigen.runtime.values.scalars import plain_scalar
from aigen.spec.json_reader import read_json
from aigen.spec.nodes import Json, Node, plain_value
from aigen.spec.reading import Reading
from aigen.spec.source import load
from aigen.spec.tree import ChoiceOf, Column, Level, Name, TypeExpr

CSV_SAMPLE = 1000
"""Rows of a CSV that are looked at."""

_CSV_BYTES = 1 << 20

_TABLE_SCHEMA = {
    "string": "str",
    "number": "float",
    "integer": "int",
    "boolean": "bool",
    "date": "date",
    "datetime": "datetime",
    "time": "time",
    "duration": "timedelta",
    "year": "int",
}


def read_columns(reading: Reading, node: Node) -> tuple[Column, ...] | None:
    """The columns of the table that `data` names, or None with a finding."""
    path = reading.path(node)
    if path is None:
        return None
    match path.suffix:
        case ".json":
            return _table_schema(reading, node, path)
        case ".csv":
            return _csv(reading, node, path)
        case ".parquet" | ".arrow" | ".feather":
            return _arrow(reading, node, path)
    reading.report(
        "AIG136", node.span, f'"{path.name}" is no table', "write a .parquet, .arrow, .csv or .json"
    )
    return None


def _table_schema(reading: Reading, node: Node, path: Path) -> tuple[Column, ...] | None:
    source = load(path, path.name, reading.diagnostics)
    root = None if source is None else read_json(source, reading.diagnostics)
    if root is None:
        return None
    data = plain_value(root)
    fields = data.get("fields") if isinstance(data, dict) else None
    if not isinstance(fields, list):
        reading.report("AIG136", node.span, f'"{path.name}" is no Table Schema: it has no fields')
        return None
    columns = []
    for field in fields:
        if not (isinstance(field, dict) and isinstance(field.get("name"), str)):
            reading.report("AIG136", node.span, f'a field of "{path.name}" has no name')
            return None
        columns.append(_described(field, node.span))
    return tuple(columns)


def _described(field: dict[str, Json], span: Span) -> Column:
    name = str(field["name"])
    constraints = field.get("constraints")
    limits = constraints if isinstance(constraints, dict) else {}
    # A Table Schema says what is required; a column it does not speak of may still hold gaps, but
    # a formula's names are asked for, so only an explicit `required: false` makes one nullable.
    nullable = limits.get("required") is False
    levels = limits.get("enum", field.get("categories"))
    if isinstance(levels, list) and levels:
        values = [one.get("value") if isinstance(one, dict) else one for one in levels]
        return Column(name, _choice(values, span), nullable)
    kind = _TABLE_SCHEMA.get(str(field.get("type", "string")), "str")
    return Column(name, Name(kind, span), nullable)


def _choice(values: Iterable[Any], span: Span) -> TypeExpr:
    levels = tuple(
        Level(
            value if isinstance(value, int) and not isinstance(value, bool) else str(value),
            None,
            span,
        )
        for value in values
    )
    return ChoiceOf(levels, False, span)


def _csv(reading: Reading, node: Node, path: Path) -> tuple[Column, ...] | None:
    try:
        with path.open("rb") as file:
            data = file.read(_CSV_BYTES)
        text = data.decode("utf-8-sig", errors="strict" if len(data) < _CSV_BYTES else "ignore")
        rows = list(_sample(text, complete=len(data) < _CSV_BYTES))
    except (OSError, UnicodeDecodeError, csv.Error) as problem:
        reading.report("AIG136", node.span, f'cannot read "{path.name}": {problem}')
        return None
    if not rows:
        reading.report("AIG136", node.span, f'"{path.name}" is empty')
        return None
    head, *body = rows
    reading.report(
        "AIG139",
        node.span,
        f'the types of "{path.name}" come from its first {len(body):,} rows',
        "a Parquet, Arrow or Table Schema file says its types",
    )
    return tuple(
        _sampled(name, [row[at] for row in body if at < len(row)], node.span)
        for at, name in enumerate(head)
    )


def _sample(text: str, *, complete: bool) -> Iterable[list[str]]:
    lines = text.splitlines(keepends=True)
    reader = csv.reader(io.StringIO("".join(lines if complete else lines[:-1])), strict=True)
    for number, row in enumerate(reader):
        if number > CSV_SAMPLE:
            return
        if row:
            yield row


def _sampled(name: str, cells: list[str], span: Span) -> Column:
    filled = [cell for cell in cells if cell != ""]
    nullable = len(filled) < len(cells)
    return Column(name, Name(_csv_type(filled), span), nullable)


def _csv_type(cells: list[str]) -> str:
    if not cells:
        return "str"
    if all(cell.lower() in ("true", "false") for cell in cells):
        return "bool"
    kinds = {type(plain_scalar(cell)) for cell in cells}
    if kinds == {int}:
        return "int"
    if kinds <= {int, float}:
        return "float"
    for kind in ("date", "datetime"):
        if all(_is(kind, cell) for cell in cells):
            return kind
    return "str"


def _is(kind: str, cell: str) -> bool:
    import datetime

    reader = datetime.date if kind == "date" else datetime.datetime
    try:
        reader.fromisoformat(cell)
    except ValueError:
        return False
    return kind == "datetime" or len(cell) == 10


def _arrow(reading: Reading, node: Node, path: Path) -> tuple[Column, ...] | None:
    try:
        import pyarrow as arrow
    except ModuleNotFoundError:
        reading.report(
            "AIG136",
            node.span,
            f'"{path.name}" needs pyarrow',
            'pip install "aigen[data]", or describe the columns in a Table Schema .json',
        )
        return None
    try:
        if path.suffix == ".parquet":
            return tuple(_parquet(path, node.span))
        with arrow.memory_map(str(path)) as file:
            table = arrow.ipc.open_file(file)
            first = table.get_batch(0) if table.num_record_batches else None
            return tuple(
                _arrow_column(field, None if first is None else first.column(at), node.span)
                for at, field in enumerate(table.schema)
            )
    except (OSError, ValueError, arrow.ArrowException) as problem:
        reason = str(problem).splitlines()[0] if str(problem) else type(problem).__name__
        reading.report("AIG136", node.span, f'cannot read "{path.name}": {reason}')
        return None


def _parquet(path: Path, span: Span) -> Iterable[Column]:
    import pyarrow.parquet as parquet
    import pyarrow.types as kinds

    file = parquet.ParquetFile(path)
    for field in file.schema_arrow:
        values = None
        if kinds.is_dictionary(field.type) and file.num_row_groups:
            # Its dictionary comes with the column's first row group.
            values = file.read_row_group(0, columns=[field.name]).column(0).chunk(0)
        yield _arrow_column(field, values, span)


def _arrow_column(field: Any, values: Any, span: Span) -> Column:
    import pyarrow.types as kinds

    kind = field.type
    nullable = bool(field.nullable)
    levels = _polars_levels(field)
    if levels:
        return Column(field.name, _choice(levels, span), nullable)
    if kinds.is_dictionary(kind):
        if values is not None and len(values.dictionary):
            return Column(field.name, _choice(values.dictionary.to_pylist(), span), nullable)
        problem = f'the levels of "{field.name}" are not known: write a choice under fields'
        return Column(field.name, None, nullable, problem)
    tests = (
        (kinds.is_boolean, "bool"),
        (kinds.is_integer, "int"),
        (kinds.is_floating, "float"),
        (kinds.is_decimal, "Decimal"),
        (kinds.is_date, "date"),
        (kinds.is_timestamp, "datetime"),
        (kinds.is_time, "time"),
        (kinds.is_duration, "timedelta"),
    )
    name = next((name for test, name in tests if test(kind)), "str")
    return Column(field.name, Name(name, span), nullable)


def _polars_levels(field: Any) -> list[str]:
    """The levels of a Polars `Enum`, which its field metadata holds as length-prefixed texts."""
    metadata = field.metadata or {}
    raw = metadata.get(b"_PL_ENUM_VALUES") or metadata.get(b"_PL_ENUM_VALUES2")
    if not raw:
        return []
    levels, rest = [], raw
    while rest:
        length, found, rest = rest.partition(b";")
        if not found or not length.isdigit():
            return []
        size = int(length)
        levels.append(rest[:size].decode("utf-8", errors="replace"))
        rest = rest[size:]
    return levels
