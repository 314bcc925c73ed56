"""The canonical JSON Schema of types at hand: what the compiler makes of their source.

pydantic describes the types; here its schemas get the one form that specs, binding and dialects
know. That form is described in `aigen.schema.canonical`.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Iterator, Mapping
from enum import Flag
from typing import Annotated, Any, Final, get_args, get_origin, get_type_hints

from pydantic import AliasChoices, BaseModel, TypeAdapter
from pydantic.errors import PydanticInvalidForJsonSchema, PydanticUserError
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import PydanticUndefined

from aigen.runtime.tools.catalogue import FORMATS
from aigen.runtime.values import fits
from aigen.runtime.wire.plain import BY_NAME, MANY, ONE
from aigen.tooling.source import ClassWords

Schema = dict[str, Any]

_EMPTY: Final[Mapping[Any, Any]] = {list: [], dict: {}, set: [], tuple: [], frozenset: []}
_ANY: Final[Schema] = {}
_DROPPED: Final = frozenset({"title", "discriminator", "writeOnly", "readOnly"})
_FORMATS: Final = frozenset({*FORMATS, "uri", "email"})
"""Those that are types here; others of pydantic's would be words that nothing checks."""

_WORDS: Final = "x-aigen-words"
"""Holds the description of an enum while pydantic works on it."""


class NoSchema(Exception):
    """A type that has no JSON form; the text says why."""


def canonical_schemas(kinds: Mapping[str, Any]) -> tuple[dict[str, Schema], dict[str, Schema]]:
    """The schemas of types.

    Args:
        kinds: types by a name of the caller's.

    Returns:
        A schema for each, and the definitions they refer to as `#/$defs/<name>`.

    Raises:
        NoSchema: one has no JSON form.
    """
    try:
        adapters = [(name, "validation", TypeAdapter(kind)) for name, kind in kinds.items()]
        made, whole = TypeAdapter.json_schemas(adapters, schema_generator=_Canonical)  # type: ignore[arg-type]
    except (PydanticUserError, PydanticInvalidForJsonSchema) as problem:
        words = str(problem).partition("\n")[0].partition(". Set `arbitrary_types_allowed")[0]
        raise NoSchema(words) from None
    found = {name: _tidy(schema) for (name, _), schema in made.items()}
    defs = {name: _tidy(schema) for name, schema in whole.get("$defs", {}).items()}
    for schema in defs.values():
        _fit_defaults(schema, defs)
    return found, dict(sorted(defs.items()))


def words_of(kind: Any) -> str | None:
    """The words inside `Annotated`: a text, a `Field(description=…)` or a `Doc(…)`; the last."""
    found = None
    if get_origin(kind) is Annotated:
        for mark in get_args(kind)[1:]:
            said = mark
            if isinstance(mark, FieldInfo):
                said = mark.description
            elif type(mark).__name__ == "Doc":
                said = getattr(mark, "documentation", None)
            found = said if isinstance(said, str) else found
    return found


class _Canonical(GenerateJsonSchema):
    """pydantic's generator, with the canonical form where that differs."""

    def normalize_name(self, name: str) -> str:
        """The name of a definition; a form of a generic class (`Page[int]`) is `PageInt`."""
        if "[" not in name:
            return super().normalize_name(name)
        return "".join(part[:1].upper() + part[1:] for part in re.findall(r"\w+", name))

    def model_schema(self, schema: Any) -> Schema:
        made = super().model_schema(schema)
        cls: type[BaseModel] = schema["cls"]
        return made if cls.__pydantic_root_model__ else _record(made, cls, cls.model_fields)

    def dataclass_schema(self, schema: Any) -> Schema:
        cls = schema["cls"]
        fields = getattr(cls, "__pydantic_fields__", {})
        return _record(super().dataclass_schema(schema), cls, fields)

    def typed_dict_schema(self, schema: Any) -> Schema:
        made, cls = super().typed_dict_schema(schema), schema.get("cls")
        return made if cls is None else _record(made, cls, {})

    def named_tuple_schema(self, schema: Any) -> Schema:
        fields = schema["fields"]
        made: Schema = {
            "type": "object",
            "properties": {each["name"]: self.generate_inner(each["schema"]) for each in fields},
        }
        required = [each["name"] for each in fields if each["schema"]["type"] != "default"]
        if required:
            made["required"] = required
        return _record(made, schema["cls"], {})

    def call_schema(self, schema: Any) -> Schema:
        """A named tuple, before pydantic had a schema of its own for it."""
        inner = schema["arguments_schema"]
        made = self.kw_arguments_schema(inner["arguments_schema"], inner.get("var_kwargs_schema"))
        return _record(made, schema["function"], {})

    def union_schema(self, schema: Any) -> Schema:
        """A union; bytes beside text are left out, for JSON has text alone."""
        kinds = [_choice(each) for each in schema["choices"]]
        if any(kind["type"] == "str" for kind in kinds):
            kept = [
                each
                for each, kind in zip(schema["choices"], kinds, strict=True)
                if kind["type"] != "bytes"
            ]
            schema = {**schema, "choices": kept}
        return super().union_schema(schema)

    def enum_schema(self, schema: Any) -> Schema:
        made, cls = super().enum_schema(schema), schema["cls"]
        if issubclass(cls, Flag):
            return _sums(cls)
        words = ClassWords(cls, made.get("description", ""))
        said = [words.text] if words.text else []
        for name, member in cls.__members__.items():
            if name == member.name and (meaning := words.member(name)):
                said.append(f"{member.value}: {meaning}")
        made["enum"] = [made["enum"][[*cls.__members__].index(each.name)] for each in cls]
        # pydantic lays the whole docstring over what is given here.
        return {**made, _WORDS: "\n".join(said)}

    def literal_schema(self, schema: Any) -> Schema:
        made = super().literal_schema(schema)
        values = made.get("enum", [made["const"]] if "const" in made else [])
        if None not in values:
            made.pop("const", None)
            return {**made, "enum": values}
        if values == [None]:
            return {"type": "null"}
        rest = [value for value in values if value is not None]
        return {"anyOf": [self.literal_schema({**schema, "expected": rest}), {"type": "null"}]}

    def tuple_schema(self, schema: Any) -> Schema:
        made = super().tuple_schema(schema)
        if "variadic_item_index" in schema:
            return made
        return {**made, "prefixItems": made.get("prefixItems", []), "items": False}

    def dict_schema(self, schema: Any) -> Schema:
        made = super().dict_schema(schema)
        return {**made, "additionalProperties": _ANY} if _is_open(made) else made

    def decimal_schema(self, schema: Any) -> Schema:
        return {"type": "string", "format": "decimal"}

    def url_schema(self, schema: Any) -> Schema:
        return {"type": "string", "format": "uri"}

    def bytes_schema(self, schema: Any) -> Schema:
        raise NoSchema("bytes have no JSON form")

    def callable_schema(self, schema: Any) -> Schema:
        raise NoSchema("a function has no JSON form")

    def complex_schema(self, schema: Any) -> Schema:
        raise NoSchema("complex numbers have no JSON form")

    def is_subclass_schema(self, schema: Any) -> Schema:
        raise NoSchema("a class has no JSON form")

    def emit_warning(self, kind: Any, detail: str) -> None:
        """A default without a JSON form: the member may be absent and has no default."""


def _choice(choice: Any) -> Any:
    """An option of a union, which may have a name of its own."""
    return choice[0] if isinstance(choice, tuple) else choice


def _sums(cls: type[Flag]) -> Schema:
    """The values of a `Flag`: whole numbers, each the sum of some."""
    shown = ", ".join(f"{each.value} ({each.name})" for each in cls)
    most = sum(each.value for each in cls)
    words = f"the sum of any of {shown}"
    return {"type": "integer", "minimum": 0, "maximum": most, _WORDS: words}


def _is_open(schema: Schema) -> bool:
    return schema.get("additionalProperties") is True


def _record(made: Schema, cls: type, fields: Mapping[str, FieldInfo]) -> Schema:
    """The schema of a record: closed unless it says otherwise, with the words of its source."""
    words = ClassWords(cls, made.get("description", ""))
    hints = _hints(cls)
    properties = {name: {**part} for name, part in made.get("properties", {}).items()}
    for name in hints:
        info = fields.get(name)
        part = properties.get(_called(name, info))
        if part is None:
            continue
        said = (info.description if info else None) or words_of(hints[name]) or words.member(name)
        if said and "description" not in part:
            part["description"] = said
        empty = _EMPTY.get(_factory(cls, name, info))
        if empty is not None:
            part["default"] = type(empty)()
    made = {**made, "properties": properties}
    made.setdefault("additionalProperties", False)
    made.pop("description", None)
    return {**made, "description": words.text} if words.text else made


def _hints(cls: type) -> dict[str, Any]:
    try:
        return get_type_hints(cls, include_extras=True)
    except (NameError, TypeError):
        return dict(inspect.get_annotations(cls))  # pydantic knows more of where names are


def _called(name: str, info: FieldInfo | None) -> str:
    """What a member is called in JSON."""
    alias: Any = info and (info.validation_alias or info.alias)
    if isinstance(alias, AliasChoices):
        alias = next((each for each in alias.choices if isinstance(each, str)), None)
    return alias if isinstance(alias, str) else name


def _factory(cls: type, name: str, info: FieldInfo | None) -> Any:
    if info is not None:
        return info.default_factory if info.default is PydanticUndefined else None
    if not dataclasses.is_dataclass(cls):
        return None
    return next((f.default_factory for f in dataclasses.fields(cls) if f.name == name), None)


def _tidy(schema: Any) -> Any:
    """A schema without titles, and with pydantic's `discriminator` left to the options."""
    if isinstance(schema, bool):
        return _ANY if schema else False
    made: Schema = {}
    for key, value in schema.items():
        if key in _DROPPED or (key == "format" and value not in _FORMATS):
            continue
        if key in BY_NAME:
            made[key] = {name: _tidy(part) for name, part in value.items()}
        elif key in MANY:
            made[key] = [_tidy(part) for part in value]
        elif key in ONE and key != "additionalProperties":
            made[key] = _tidy(value)
        elif key == "additionalProperties":
            made[key] = value if isinstance(value, bool) else _tidy(value)
        else:
            made[key] = value
    if _WORDS in made:
        made.pop("description", None)
        if words := made.pop(_WORDS):
            made["description"] = words
    if "oneOf" in made and "anyOf" not in made:
        made["anyOf"] = made.pop("oneOf")
    return made


def _fit_defaults(schema: Schema, defs: Mapping[str, Schema]) -> None:
    """Leaves out defaults that do not fit: such a member may be absent, and no more."""
    for part in schema.get("properties", {}).values():
        if "default" in part and fits(part["default"], _bare(part), defs) is not None:
            del part["default"]


def _bare(part: Schema) -> Schema:
    return {key: value for key, value in part.items() if key != "default"}


def each_ref(schema: Any) -> Iterator[str]:
    """The names of the definitions that a schema refers to itself."""
    if isinstance(schema, Mapping):
        ref = schema.get("$ref")
        if isinstance(ref, str):
            yield ref.removeprefix("#/$defs/")
        for value in schema.values():
            yield from each_ref(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from each_ref(value)
