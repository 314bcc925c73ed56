"""Python values as JSON: models, table rows and scalars of packages that are not imported."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from os import PathLike, fspath
from typing import Any
from uuid import UUID

from aigen.runtime.values import formats
from aigen.runtime.values.canonical_json import identity
from aigen.runtime.values.dumped import dumped

_PLAIN = frozenset(
    {str, int, float, bool, type(None), list, tuple, dict, date, datetime, Decimal, UUID}
)
_TABLES = frozenset({"numpy", "pandas", "polars", "pyarrow"})


def package(value: object) -> str:
    """The top package of a value's class."""
    return type(value).__module__.partition(".")[0]


def plain(value: Any) -> Any:
    """An enum member's value, a foreign scalar as Python's own, null as None; else the value."""
    kind = type(value)
    if kind in _PLAIN:
        return None if kind is float and value != value else value
    if isinstance(value, Enum):
        return plain(value.value)
    home = package(value)
    if home not in _TABLES:
        return value
    if home == "numpy":
        return _numpy(value)
    if home == "pandas":
        if kind.__name__ in ("NAType", "NaTType"):
            return None
        if kind.__name__ == "Timestamp":
            return value.to_pydatetime(warn=False)
        return value.to_pytimedelta() if kind.__name__ == "Timedelta" else value
    if home == "pyarrow" and hasattr(value, "as_py"):
        return plain(structs(value.as_py()))
    if home == "polars" and kind.__name__ == "Null":
        return None
    return value


def _numpy(value: Any) -> Any:
    kind = type(value).__name__
    if kind == "ndarray":
        return value.tolist()
    if not hasattr(value, "item") or kind == "void":
        return value
    if kind in ("datetime64", "timedelta64"):
        # Finer units than a microsecond have no Python object and come out as an integer.
        item = value.item()
        return value.astype(f"{kind}[us]").item() if isinstance(item, int) else item
    item = value.item()
    return item if type(item) is type(value) else plain(item)


class Struct(dict[str, Any]):
    """A record in a table's column, where every record has all members: null may mean absent."""


def structs(value: Any) -> Any:
    """A column's value with the records in it as `Struct`."""
    if isinstance(value, dict):
        return Struct({name: structs(member) for name, member in value.items()})
    return [structs(item) for item in value] if isinstance(value, list) else value


def record(value: Any) -> tuple[Mapping[Any, Any], bool] | None:
    """The members of a mapping, model, dataclass, named tuple or table row.

    Returns:
        The members, and whether they are a table's row; None where the value is no record.
    """
    if isinstance(value, dict):
        return value, type(value) is Struct
    if isinstance(value, type):
        return None
    if isinstance(value, tuple):
        names = getattr(value, "_fields", None)
        return (dict(zip(names, value, strict=True)), False) if names else None
    if hasattr(value, "__pydantic_fields__") and hasattr(value, "model_dump"):
        return dumped(value), False
    if dataclasses.is_dataclass(value):
        return {
            each.name: getattr(value, each.name)
            for each in dataclasses.fields(value)
            if hasattr(value, each.name)
        }, False
    # A struct of Arrow is a mapping too, but above all a row.
    if package(value) in _TABLES:
        row = _row(value)
        return None if row is None else (row, True)
    return (value, False) if isinstance(value, Mapping) else None


def _row(value: Any) -> Mapping[Any, Any] | None:
    kind = type(value).__name__
    match package(value), kind:
        case "pandas", "Series":
            # A row's labels are its columns' names; a column's are positions or keys.
            named = all(isinstance(label, str) for label in value.index)
            return value.to_dict() if named else None
        case "pandas", "DataFrame":
            if len(value) != 1:
                return None
            return {name: value[name].iloc[0] for name in value.columns}
        case "polars", "DataFrame":
            return value.row(0, named=True) if value.height == 1 else None
        case "pyarrow", "Table" | "RecordBatch":
            return value.to_pylist()[0] if value.num_rows == 1 else None
        case "pyarrow", "StructScalar" | "MapScalar":
            row = value.as_py()
            return dict(row) if row is not None else None
        case "numpy", "void":
            return (
                dict(zip(value.dtype.names, value.item(), strict=True))
                if value.dtype.names
                else None
            )
    return None


def sequence(value: Any) -> list[Any] | tuple[Any, ...] | None:
    """The items of a list or tuple, or of an array; None for all else, text and sets too."""
    if isinstance(value, list | tuple):
        return value
    home, kind = package(value), type(value).__name__
    if home == "numpy" and kind == "ndarray":
        return value.tolist() if value.ndim else None
    if home == "pyarrow" and kind.endswith(("ListScalar", "Array")):
        items = value.as_py() if kind.endswith("Scalar") else value.to_pylist()
        return structs(items) if isinstance(items, list) else None
    if home == "polars" and kind == "Series":
        return structs(value.to_list())  # type: ignore[no-any-return]
    return None


def jsonable(value: Any) -> Any:
    """The JSON form of a bound value: what is sent, logged and shown.

    Raises:
        TypeError: something in it has no JSON form.
        ValueError: a number is not finite, or a text is not Unicode.
    """
    kind = type(value)
    if kind is str or kind is int or kind is bool or value is None:
        return value
    if kind is float:
        if not math.isfinite(value):
            raise ValueError("a number that is not finite has no JSON form")
        return value
    if kind is list or kind is tuple:
        return [jsonable(item) for item in value]
    if kind is dict:
        return {_name(name): jsonable(member) for name, member in value.items()}
    if isinstance(value, date | time | timedelta | Decimal | UUID):
        if isinstance(value, Decimal) and not value.is_finite():
            raise ValueError("a number that is not finite has no JSON form")
        return formats.write(plain(value))
    other = plain(value)
    if other is not value:
        return jsonable(other)
    if hasattr(value, "__aigen_media__"):
        return value.describe()
    if hasattr(value, "__pydantic_fields__") and hasattr(value, "model_dump"):
        return dumped(value, "json")
    found = record(value)
    if found is not None:
        return {_name(name): jsonable(member) for name, member in found[0].items()}
    items = sequence(value)
    if items is not None:
        return [jsonable(item) for item in items]
    if isinstance(value, set | frozenset):
        # A set has no order; one that depends on its values alone keeps requests the same.
        return sorted((jsonable(item) for item in value), key=_order)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int | float):
        return jsonable(int(value) if isinstance(value, int) else float(value))
    if isinstance(value, PathLike):
        return jsonable(fspath(value))
    raise TypeError(f"a {kind.__name__} has no JSON form")


def _order(value: Any) -> tuple[str, str]:
    return type(value).__name__, repr(identity(value)) if not isinstance(value, str) else value


def _name(name: Any) -> str:
    if isinstance(name, Enum):
        name = name.value
    if not isinstance(name, str):
        raise TypeError("the names of a JSON object are text")
    return str(name)
