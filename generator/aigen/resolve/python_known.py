"""Names of Python that are types here: builtins, the standard library, pydantic."""

from __future__ import annotations

import collections.abc
import dataclasses
import enum
import functools
import typing
from collections.abc import Mapping, Sequence
from typing import Final

from aigen.ir import (
    Boolean,
    Formatted,
    Integer,
    JsonAny,
    List,
    Map,
    Media,
    Null,
    Number,
    Set,
    Text,
    Tuple,
    Type,
)

DEEPEST: Final = 40
"""How deep an alias of an alias may go."""
NULL: Final = Null()

PLAIN: Final[Mapping[str, Type]] = {
    "str": Text(),
    "int": Integer(),
    "float": Number(),
    "bool": Boolean(),
    "object": JsonAny(),
    "list": List(JsonAny()),
    "set": Set(JsonAny()),
    "frozenset": Set(JsonAny()),
    "tuple": Tuple((), JsonAny()),
    "dict": Map(JsonAny()),
}
OUTSIDE: Final[Mapping[str, Type]] = {
    "typing.Any": JsonAny(),
    "typing.AnyStr": Text(),
    "typing.LiteralString": Text(),
    "typing.Text": Text(),
    "typing.SupportsIndex": Integer(),
    "types.NoneType": NULL,
    **{
        f"{place}.{name}": Text()
        for place in ("pathlib", "pathlib._local", "pydantic")
        for name in (
            *("Path", "PurePath", "PosixPath", "WindowsPath", "PurePosixPath", "PureWindowsPath"),
            *("FilePath", "DirectoryPath", "NewPath"),
        )
    },
    "datetime.date": Formatted("date"),
    "datetime.datetime": Formatted("datetime"),
    "datetime.time": Formatted("time"),
    "datetime.timedelta": Formatted("timedelta"),
    "decimal.Decimal": Formatted("Decimal"),
    "uuid.UUID": Formatted("UUID"),
    **{f"pydantic.UUID{version}": Formatted("UUID") for version in range(1, 9)},
    "pydantic.AwareDatetime": Formatted("datetime"),
    "pydantic.NaiveDatetime": Formatted("datetime"),
    "pydantic.PastDatetime": Formatted("datetime"),
    "pydantic.FutureDatetime": Formatted("datetime"),
    "pydantic.PastDate": Formatted("date"),
    "pydantic.FutureDate": Formatted("date"),
    "pydantic.JsonValue": JsonAny(),
    "pydantic.EmailStr": Text(format="email"),
    **{
        f"pydantic.{name}": Text(format="uri")
        for name in (
            "AnyUrl",
            "AnyHttpUrl",
            "HttpUrl",
            "AnyWebsocketUrl",
            "WebsocketUrl",
            "FileUrl",
        )
    },
    "pydantic.StrictStr": Text(),
    "pydantic.StrictInt": Integer(),
    "pydantic.StrictFloat": Number(),
    "pydantic.StrictBool": Boolean(),
    "pydantic.FiniteFloat": Number(),
    "pydantic.PositiveInt": Integer(gt=0),
    "pydantic.NonNegativeInt": Integer(ge=0),
    "pydantic.NegativeInt": Integer(lt=0),
    "pydantic.NonPositiveInt": Integer(le=0),
    "pydantic.PositiveFloat": Number(gt=0),
    "pydantic.NonNegativeFloat": Number(ge=0),
    "pydantic.NegativeFloat": Number(lt=0),
    "pydantic.NonPositiveFloat": Number(le=0),
    "aigen.runtime.Image": Media("image"),
    "aigen.runtime.Audio": Media("audio"),
    "aigen.runtime.File": Media("file"),
}
LISTS: Final = frozenset(
    {
        *(
            "List",
            "Sequence",
            "MutableSequence",
            "Collection",
            "Iterable",
            "Container",
            "Reversible",
        ),
        *("deque", "Deque"),
        *("Iterator", "Generator", "AsyncIterable", "AsyncIterator", "AsyncGenerator"),
    }
)
SETS: Final = frozenset({"Set", "FrozenSet", "AbstractSet", "MutableSet"})
MAPS: Final = frozenset(
    {"Dict", "Mapping", "MutableMapping", "OrderedDict", "DefaultDict", "defaultdict"}
)
TYPING: Final = frozenset({"typing", "typing_extensions", "collections.abc", "collections"})
TRANSPARENT: Final = frozenset(
    {"Final", "ReadOnly", "Required", "NotRequired", "ClassVar", "Unpack"}
)
BYTES: Final = frozenset({"bytes", "bytearray", "memoryview"})
"""Built-in types without a JSON form that stand beside text where either is taken."""

NO_VALUE: Final[Mapping[str, tuple[str, str]]] = {
    "Callable": (
        "a function has no JSON form",
        "list the parameters that a model gives; or name it under inject, for the caller to give",
    ),
    "bytes": ("bytes have no JSON form", "take a str and encode it, or str | bytes"),
}
"""Why a type has no values that a model could give, and what to write."""

BOUNDS: Final[Mapping[str, tuple[type, ...]]] = {
    "ge": (Integer, Number),
    "gt": (Integer, Number),
    "le": (Integer, Number),
    "lt": (Integer, Number),
    "multiple_of": (Integer, Number),
    "min_length": (Text, List, Set, Map),
    "max_length": (Text, List, Set, Map),
    "pattern": (Text,),
}
MARKS: Final[Mapping[str, str]] = {
    "Ge": "ge",
    "Gt": "gt",
    "Le": "le",
    "Lt": "lt",
    "MultipleOf": "multiple_of",
    "MinLen": "min_length",
    "MaxLen": "max_length",
}
_MODULES: Final[Mapping[str, Sequence[str]]] = {
    "collections.abc": collections.abc.__all__,
    "dataclasses": dataclasses.__all__,
    "enum": enum.__all__,
    "functools": functools.__all__,
    "pydantic": ("BaseModel", "ConfigDict", "Field"),
    "typing": typing.__all__,
    "typing_extensions": typing.__all__,
}
CONSTRUCTORS: Final[Mapping[str, Type]] = {
    "pydantic.constr": Text(),
    "pydantic.conint": Integer(),
    "pydantic.confloat": Number(),
}


def has_name(module: str, name: str) -> bool:
    """Whether all the names of a module that is known here have this one among them."""
    found = _MODULES.get(module)
    return f"{module}.{name}" in OUTSIDE or (found is not None and name in found)
