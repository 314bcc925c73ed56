"""Types from a table's columns: Parquet, Arrow, CSV, or a Frictionless Table Schema.

Only the schema is read, and of a dictionary its levels; of CSV a bounded sample.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from aigen.diagnostics import Span
from aigen.runtime.values.scalars import plain_scalar
from aigen.spec.json_reader import read_json
from aigen.spec.nodes import Json, Node, Scalar, plain_value
from aigen.spec.reading import Reading
from aigen.spec.source import LARGEST_SPEC
from aigen.spec.tree import ChoiceOf, Column, Level, Name, TypeExpr

CSV_SAMPLE = 1000
"""Rows of a CSV that are looked at."""

MOST_LEVELS = 1000
"""Levels of a choice that come from a table; what has more is no choice that a model can make."""

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
            columns = _table_schema(reading, node, path)
        case ".csv":
            columns = _csv(reading, node, path)
        case ".parquet" | ".arrow" | ".feather":
            columns = _arrow(reading, node, path)
        case _:
            hint = "write a .parquet, .arrow, .csv or .json"
            reading.report("AIG136", node.span, f'"{path.name}" is no table', hint)
            return None
    names = [column.name for column in columns or ()]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        reading.report("AIG136", node.span, f'two columns of "{path.name}" are called "{twice[0]}"')
        return None
    return columns


def _table_schema(reading: Reading, node: Node, path: Path) -> tuple[Column, ...] | None:
    source = reading.load(path, node, LARGEST_SPEC) if isinstance(node, Scalar) else None
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
    return tuple(
        replace(
            _sampled(name, [row[at] for row in body if at < len(row)], node.span),
            sampled=len(body),
        )
        for at, name in enumerate(head)
    )


def tell_sampled(reading: Reading, node: Node, columns: Iterable[Column]) -> None:
    """Says that types come from a sample.

    Args:
        reading: takes it.
        node: that names the table.
        columns: those whose types are taken, for a spec's own type wins.
    """
    sampled = [column for column in columns if column.sampled is not None]
    if not sampled:
        return
    names, rows = ", ".join(column.name for column in sampled), sampled[0].sampled
    said = f"the types of {names} come from a sample: rows 1 to {rows:,}"
    if not rows:
        said = f"the table has no row in its first MB, so {names} are text"
    hint = "write them under fields, or name a Parquet, Arrow or Table Schema file, which says them"
    reading.report("AIG139", node.span, said, hint)


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
        schema, levels = _parquet(path) if path.suffix == ".parquet" else _ipc(path)
    except (OSError, ValueError, MemoryError, arrow.ArrowException) as problem:
        reason = str(problem).splitlines()[0] if str(problem) else type(problem).__name__
        reading.report("AIG136", node.span, f'cannot read "{path.name}": {reason}')
        return None
    return tuple(_arrow_column(field, levels.get(field.name), node.span) for field in schema)


def _parquet(path: Path) -> tuple[Any, dict[str, list[Any]]]:
    """The schema, and the levels of the columns that have a dictionary.

    Each row group has a dictionary of its own; it comes whole with the group's first value.
    """
    import pyarrow.parquet as parquet

    with parquet.ParquetFile(path) as file:
        schema = file.schema_arrow
        levels: dict[str, list[Any]] = {}
        for name in _dictionaries(schema):
            seen: dict[Any, None] = {}
            for group in range(file.num_row_groups):
                for batch in file.iter_batches(1, row_groups=[group], columns=[name]):
                    seen.update(dict.fromkeys(batch.column(0).dictionary.to_pylist()))
                    break
                if len(seen) > MOST_LEVELS:
                    break
            levels[name] = list(seen)
        return schema, levels


def _ipc(path: Path) -> tuple[Any, dict[str, list[Any]]]:
    """As `_parquet`, for Arrow files and streams; a file's dictionaries come with any batch."""
    import pyarrow as arrow

    with arrow.memory_map(str(path)) as file:
        try:
            schema = arrow.ipc.open_file(file).schema
            opening = arrow.ipc.open_file
        except arrow.ArrowInvalid:
            file.seek(0)
            schema = arrow.ipc.open_stream(file).schema
            opening = arrow.ipc.open_stream
        names = _dictionaries(schema)
        if not names:
            return schema, {}
        file.seek(0)
        wanted = [schema.get_field_index(name) for name in names]
        reader = opening(file, options=arrow.ipc.IpcReadOptions(included_fields=wanted))
        if opening is arrow.ipc.open_file:
            batch = reader.get_batch(0) if reader.num_record_batches else None
        else:
            batch = next(iter(reader), None)
        if batch is None:
            return schema, {}
        return schema, {name: batch.column(name).dictionary.to_pylist() for name in names}


def _dictionaries(schema: Any) -> list[str]:
    """The columns whose levels are wanted: with a dictionary of texts or integers, each once."""
    import pyarrow.types as kinds

    return [
        field.name
        for field in schema
        if kinds.is_dictionary(field.type)
        and _are_levels(field.type.value_type)
        and not _polars_levels(field)
        and len(schema.get_all_field_indices(field.name)) == 1
    ]


def _are_levels(kind: Any) -> bool:
    import pyarrow.types as kinds

    texts = (kinds.is_string, kinds.is_large_string, kinds.is_string_view)
    return kinds.is_integer(kind) or any(test(kind) for test in texts)


def _arrow_column(field: Any, levels: list[Any] | None, span: Span) -> Column:
    import pyarrow.types as kinds

    kind = field.type
    nullable = bool(field.nullable)
    known = _polars_levels(field)
    if known:
        return Column(field.name, _choice(known, span), nullable)
    if kinds.is_dictionary(kind):
        if not _are_levels(kind.value_type):
            return Column(field.name, Name(_scalar_type(kind.value_type), span), nullable)
        values = [level for level in levels or () if level is not None]
        if 0 < len(values) <= MOST_LEVELS:
            return Column(field.name, _choice(values, span), nullable)
        problem = (
            f'"{field.name}" has more than {MOST_LEVELS:,} levels: write its type under fields'
            if values
            else f'the levels of "{field.name}" are not known: write a choice under fields'
        )
        return Column(field.name, None, nullable, problem)
    return Column(field.name, Name(_scalar_type(kind), span), nullable)


def _scalar_type(kind: Any) -> str:
    import pyarrow.types as kinds

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
    return next((name for test, name in tests if test(kind)), "str")


def _polars_levels(field: Any) -> list[str]:
    """The levels of a Polars `Enum`: each with its length before it, in the field's metadata."""
    metadata = field.metadata or {}
    rest = metadata.get(b"_PL_ENUM_VALUES2", b"")
    levels = []
    while rest:
        length, found, rest = rest.partition(b";")
        if not found or not length.isdigit() or int(length) > len(rest):
            return []
        levels.append(rest[: int(length)].decode("utf-8", errors="replace"))
        rest = rest[int(length) :]
    return levels
