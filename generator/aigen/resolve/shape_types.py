"""The types that a checked JSON Schema describes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from aigen.ir import (
    Alias,
    Boolean,
    Choice,
    Level,
    List,
    Map,
    Null,
    Number,
    Record,
    Ref,
    Set,
    Tuple,
    Type,
    TypeDef,
)
from aigen.resolve.shape_definitions import Definitions
from aigen.resolve.shape_keywords import UNEVALUATED
from aigen.resolve.shape_merge import Clash, Unmergeable, merged
from aigen.resolve.shape_objects import Objects
from aigen.resolve.shape_source import Source
from aigen.resolve.shape_values import Judged
from aigen.resolve.shape_words import (
    ANY,
    APPLYING,
    JUDGING,
    NOT_OF,
    OF_OBJECTS,
    TYPED,
    WORDS,
    belongs,
    decoded,
    encoded,
    is_level,
    number_type,
    text_type,
    title_name,
    titled_choice,
    whole,
)
from aigen.resolve.words import union
from aigen.runtime.values.canonical_json import canonical, identity
from aigen.runtime.wire.overlap import all_apart, kinds_of

Schema = dict[str, Any]

_DEEPEST_MERGE: Final = 12
_DEEPEST: Final = 80
"""How deep types are read inside one another before what is referred to has to wait."""


class ShapeTypes:
    """Reads types out of one schema."""

    def __init__(
        self, source: Source, name: str, module: str, taken: Callable[[str], bool]
    ) -> None:
        self._source = source
        self._name = name
        self._refs: dict[str, Ref] = {}  # by the canonical text of the pointer
        self._merges: dict[str, Type] = {}
        self._merging = 0
        self._depth = 0
        self._waiting: list[tuple[str, Mapping[str, Any]]] = []
        self._judged = Judged(source)
        self._definitions = Definitions(source, name, module, taken)
        self._objects = Objects(source, self._definitions, self._judged, self._type)

    @property
    def exact(self) -> bool:
        """Whether the types judge as the schema does, as far as it is read."""
        return self._definitions.exact

    def definitions(self) -> tuple[TypeDef, ...]:
        """The named types that were read, in order of use."""
        return self._definitions.all()

    def root(self) -> Type:
        """The type of the whole schema."""
        schema = self._source.schema
        self._definitions.claim_names(schema)
        own = self._definitions.ref(self._name)
        if any(part.get("$ref") == "#" for part in self._source.everything):
            self._refs["#"] = own
        kind = self._type(schema, self._name, exactly=True)
        if isinstance(schema, dict):
            self._judged.default(schema)
            if not (schema.keys() - WORDS):
                self._only_definitions(schema)
        while self._waiting:
            self._define(*self._waiting.pop())
        if "#" in self._refs and self._name not in self._definitions.made:
            self._definitions.alias(self._name, kind, schema)
            return own
        return kind

    def _type(self, schema: Any, name: str, *, exactly: bool = False) -> Type:
        """The type of a schema; one written in place is named `name`."""
        if not isinstance(schema, dict):
            return ANY if schema else self._definitions.loose()
        self._depth += 1
        kind = self._described(schema, name, exactly)
        self._depth -= 1
        return kind

    def _described(self, schema: Mapping[str, Any], name: str, exactly: bool) -> Type:
        if not APPLYING.isdisjoint(schema):
            return self._applied(schema, name, exactly)
        if JUDGING.isdisjoint(schema):
            return ANY
        kinds = schema.get("type")
        if kinds is None:
            if "properties" not in schema or schema.keys() & (TYPED - {*OF_OBJECTS}):
                return self._definitions.loose()
            # Whoever lists properties means an object; the schema that is enforced says so too.
            kinds = "object"
            places: list[Any] = [schema, self._source.origin(schema)]
            for place in places:
                place["type"] = kinds
        if not isinstance(kinds, list):
            return self._one_type(schema, kinds, name)
        numbers = "number" in kinds
        options = [
            self._one_type(
                {"type": kind, **{key: schema[key] for key in schema if belongs(key, kind)}},
                kind,
                name,
                schema,
            )
            for kind in dict.fromkeys(kinds)
            if not (kind == "integer" and numbers)
        ]
        return union(options)

    def _applied(self, schema: Mapping[str, Any], name: str, exactly: bool) -> Type:
        """The type that a reference, a combination or a list of values says."""
        if not exactly and "$ref" in schema and not (schema.keys() - WORDS - {"$ref"}):
            return self._reference(schema["$ref"])
        if "$ref" in schema or "allOf" in schema:
            return self._all_of(schema, name, exactly)
        if "enum" in schema or "const" in schema:
            return self._levels(schema)
        return self._options(schema, name)

    def _one_type(self, schema: Mapping[str, Any], kind: str, name: str, place: Any = None) -> Type:
        more = NOT_OF[kind]
        if not more.isdisjoint(schema):
            # Keywords of other types say nothing here; the others say more than types can.
            self._definitions.exact = self._definitions.exact and not (more & schema.keys() - TYPED)
        match kind:
            case "string":
                text, exact = text_type(schema)
                self._definitions.exact = self._definitions.exact and exact
                return text
            case "integer" | "number":
                return number_type(schema, kind)
            case "boolean":
                return Boolean()
            case "null":
                return Null()
            case "array":
                return self._array(schema, name)
            case _:
                return self._objects.type_of(schema, name, schema if place is None else place)

    def _reference(self, ref: str) -> Type:
        known = self._refs.get(ref)
        if known is not None:
            return known
        target = self._source.target(ref)
        if target is None:
            return self._definitions.loose()
        if not isinstance(target, dict):
            return self._type(target, "")
        plain = self._definitions.claimed.get(decoded(ref))
        step = decoded(ref).rpartition("/")[2]
        name = plain or self._definitions.unique(
            f"{self._name}_{step}" if step.isdecimal() else step
        )
        own = self._refs[ref] = self._definitions.ref(name)
        self._definitions.alias(name, ANY, target)  # holds the place in order
        self._definitions.own(name, target)
        if self._depth < _DEEPEST:
            self._define(name, target)
        else:  # a chain of definitions may be longer than calls may be deep
            self._waiting.append((name, target))
        return own

    def _define(self, name: str, target: Mapping[str, Any]) -> None:
        """Reads what is referred to, whose name is taken."""
        kind = self._type(target, name)
        if isinstance(self._definitions.made.get(name), Alias):
            self._definitions.alias(name, kind, target)
        self._judged.default(target)

    def _only_definitions(self, schema: Mapping[str, Any]) -> None:
        """A schema of nothing but definitions is a library of them."""
        for word in ("$defs", "definitions"):
            for name in schema.get(word, {}):
                self._reference(f"#/{word}/{encoded(name)}")

    # -------------------------------------------------------------------- combinations

    def _all_of(self, schema: Mapping[str, Any], name: str, exactly: bool) -> Type:
        inner = [part for part in schema.get("allOf", ()) if part is not True and part != {}]
        if len(inner) == 1 and not (schema.keys() - WORDS - {"allOf"}):
            return self._type(self._definitions.handed(name, schema, inner[0]), name)
        if exactly and not (schema.keys() - WORDS - {"$ref"}):
            return self._alias_of_root(schema)
        bare = {key: schema[key] for key in schema if key not in UNEVALUATED}
        rest = {key: bare[key] for key in bare if key not in ("$defs", "definitions", "title")}
        key = canonical({k: rest[k] for k in rest if k not in ("description", "default")})
        if key in self._merges:
            return self._merges[key]
        if self._merging >= _DEEPEST_MERGE:
            return self._definitions.loose()
        try:
            found = merged([rest], self._source.target)
        except Unmergeable:
            return self._first_record(inner, name)
        except Clash as clash:
            self._source.report(
                "AIG235",
                self._source.at(schema, "allOf"),
                f"no value is both {clash.args[0]} and {clash.args[1]}",
            )
            return ANY
        if not isinstance(found, dict):
            return ANY if found else self._definitions.impossible(schema)
        found = self._closed(schema, dict(found))
        found.setdefault("title", schema.get("title", ""))
        if not found["title"]:
            del found["title"]
        self._definitions.handed(name, schema, found)
        self._merging += 1
        kind = self._type(found, name)
        self._merging -= 1
        self._merges[key] = kind
        return kind

    def _alias_of_root(self, schema: Mapping[str, Any]) -> Type:
        """A root that is but a reference: the type it refers to, under the root's name."""
        ref = schema["$ref"]
        target = self._source.target(ref)
        if target is None or ref == "#":
            return self._definitions.loose()
        self._refs.setdefault(ref, self._definitions.ref(self._name))
        self._definitions.own(self._name, target)
        kind = self._type(target, self._name)
        if self._name not in self._definitions.made:
            self._definitions.alias(self._name, kind, target)
        return self._refs[ref]

    def _closed(self, schema: Mapping[str, Any], found: Schema) -> Schema:
        """The merged schema, with what `unevaluatedProperties` of the whole means for it."""
        left = UNEVALUATED & schema.keys()
        if not left:
            return found
        plain = not found.keys() & {"anyOf", "oneOf", "if", "not", "dependentSchemas", "$ref"}
        if left == {"unevaluatedProperties"} and plain and "additionalProperties" not in found:
            found["additionalProperties"] = schema["unevaluatedProperties"]
            if schema is self._source.schema:
                kept = {k: schema[k] for k in schema if k in ("$defs", "definitions")}
                self._source.replace({**found, **kept})
            else:
                self._definitions.exact = False
        else:
            self._definitions.exact = False
        return found

    def _first_record(self, parts: list[Any], name: str) -> Type:
        """The type of a combination that no one schema says: the record among its parts."""
        self._definitions.exact = False
        for part in parts:
            kind = self._type(part, name)
            if isinstance(kind, Ref) and isinstance(self._definitions.made.get(kind.name), Record):
                return kind
        return ANY

    def _options(self, schema: Mapping[str, Any], name: str) -> Type:
        word = "anyOf" if "anyOf" in schema else "oneOf"
        options = schema[word]
        others = (schema.keys() - WORDS - {word}) & JUDGING
        if others == {"type"}:
            kinds = {schema["type"]} if isinstance(schema["type"], str) else {*schema["type"]}
            if all(kinds_of(option, self._source.target) <= kinds for option in options):
                others = set()
        if others:
            # What stands beside the options says the type; the options say more.
            self._definitions.exact = False
            base = {key: schema[key] for key in schema if key not in ("anyOf", "oneOf")}
            if "type" in base or "properties" in base:
                return self._type(self._definitions.handed(name, schema, base), name)
            word = next(iter({"anyOf", "oneOf"} & schema.keys()))
        if word == "oneOf" and not all_apart(options, self._source.target):
            self._definitions.exact = False
        if all(is_level(option) for option in options):
            return titled_choice(options)
        found = []
        for at, option in enumerate(options, 1):
            if option is False:
                continue
            own = title_name(option) or f"{name}Option{at}"
            found.append(self._type(option, own))
        if not found:
            return self._definitions.impossible(schema)
        return ANY if ANY in found else union(found)

    def _levels(self, schema: Mapping[str, Any]) -> Type:
        values, fitting = self._judged.levels(schema)
        if not fitting:
            self._source.report(
                "AIG235",
                self._source.at(schema, "enum" if "enum" in schema else "const"),
                "no value of the list fits what stands beside it",
            )
            return ANY
        seen: dict[Any, Any] = {}
        for value in fitting:
            seen.setdefault(identity(value), value)
        if len({identity(value) for value in values}) < len(values):
            self._source.warn(
                "AIG240",
                self._source.at(schema, "enum"),
                "a value stands twice",
                hint="leave one out",
            )
        fitting = list(seen.values())
        wholes = [whole(value) for value in fitting]
        levels = tuple(Level(value) for value in wholes if isinstance(value, str | int))
        options: list[Type] = [Choice(levels)] if levels else []
        for value in fitting:
            if value is None:
                options.append(Null())
            elif isinstance(value, float) and not value.is_integer():
                self._definitions.exact = False
                options.append(Number())
            elif isinstance(value, list | dict):
                self._definitions.exact = False
                options.append(List(ANY) if isinstance(value, list) else Map(ANY))
        return union(options)

    # --------------------------------------------------------------------- containers

    def _array(self, schema: Mapping[str, Any], name: str) -> Type:
        if schema.keys() & {"contains", "unevaluatedItems"}:
            self._definitions.exact = False
        least, most = whole(schema.get("minItems")), whole(schema.get("maxItems"))
        unique = schema.get("uniqueItems") is True
        heads, rest = schema.get("prefixItems", []), schema.get("items", True)
        if heads:
            return self._tuple(heads, rest, (least or 0, most), unique, name)
        if rest is False:
            return List(ANY, None, 0)
        title = title_name(rest)
        item = self._type(rest, title or f"{name}Item")
        made = Set if unique else List
        return made(item, least or None, most)

    def _tuple(
        self, heads: list[Any], rest: Any, counts: tuple[int, int | None], unique: bool, name: str
    ) -> Type:
        least, most = counts
        kinds = [
            self._type(head, title_name(head) or f"{name}Item{at}")
            for at, head in enumerate(heads, 1)
        ]
        full = len(heads)
        if rest is False and least >= full and (most is None or most >= full):
            self._definitions.exact = self._definitions.exact and not unique and least == full
            return Tuple(tuple(kinds))
        self._definitions.exact = False
        if rest is False:
            return List(union(kinds) if ANY not in kinds else ANY, least or None, most)
        other = self._type(rest, f"{name}Item")
        every = [*kinds, other]
        return List(ANY if ANY in every else union(every), least or None, most)
