"""Values that a JSON Schema names: defaults, examples, choices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from aigen.ir.model import Json
from aigen.resolve.shape_keywords import UNEVALUATED
from aigen.resolve.shape_source import DYNAMIC, Source
from aigen.resolve.shape_words import WORDS
from aigen.resolve.words import quoted
from aigen.runtime.errors import ConfigurationError
from aigen.runtime.values import formats
from aigen.runtime.values.check import Checker
from aigen.runtime.values.shape import Misfit, Scope
from aigen.runtime.wire.overlap import type_of

_LISTED: Final = WORDS | {"type", "enum"}
_EXAMPLES: Final = frozenset({"examples", "example"})


class Found(NamedTuple):
    """A default that fits."""

    value: Json


class Judged:
    """Judges values by parts of one schema, at the places where they stand."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._checker = Checker()
        root = source.schema if isinstance(source.schema, dict) else {}
        self._scope = Scope({}, formats.IN_SHAPES, root)
        self._seen: dict[int, tuple[Any, Found | None]] = {}

    def fits(self, value: Any, schema: Mapping[str, Any]) -> bool:
        """Whether a value fits a part of the schema; what cannot be judged here fits."""
        return self._misfit(value, schema) is None

    def fitting(self, values: Sequence[Json], schema: Mapping[str, Any]) -> list[Json]:
        """Those of many values that fit a part of the schema."""
        if not values:
            return []
        misfit = self._judge(schema)
        return [value for value in values if misfit(value) is None]

    def levels(self, schema: Mapping[str, Any]) -> tuple[list[Json], list[Json]]:
        """The values that a part of the schema lists, and those that fit what stands beside."""
        values: list[Json] = schema.get("enum", [schema.get("const")])
        kinds = schema.get("type")
        kinds = kinds if isinstance(kinds, list) else [kinds]
        # Mostly a type is all that stands beside.
        if schema.keys() <= _LISTED and all(type_of(value) in kinds for value in values):
            return values, values
        return values, self.fitting(values, schema)

    def default(self, schema: Mapping[str, Any]) -> Found | None:
        """The default of a part of the schema; one that does not fit is reported, once."""
        if "default" not in schema:
            return None
        seen = self._seen.get(id(schema))
        if seen is None:
            seen = self._seen[id(schema)] = (schema, self._default(schema))
        return seen[1]

    def _default(self, schema: Mapping[str, Any]) -> Found | None:
        value = schema["default"]
        misfit = self._misfit(value, schema)
        if misfit is None:
            return Found(value)
        span = self._source.at(schema, "default")
        if value is None:
            self._source.warn(
                "AIG214",
                span,
                "null does not fit the schema: the member may be absent, not null",
                hint='leave the default out, or let type take "null"',
            )
        else:
            place = "".join(f"[{step!r}]" for step in misfit.path)
            self._source.report(
                "AIG234",
                span,
                f"default {quoted(value)} does not fit: {f'{place} is ' if place else 'it is '}not"
                f" {misfit.expected}",
                hint="write a value that fits the schema beside it",
            )
        return None

    def examples(self, schema: Mapping[str, Any]) -> tuple[Json, ...]:
        """The examples that fit; JSON Schema lets others stand, and they would mislead."""
        if _EXAMPLES.isdisjoint(schema):
            return ()
        found = schema.get("examples", [])
        values = [*found] if isinstance(found, list) else []
        if "example" in schema:
            values.append(schema["example"])
        return tuple(self.fitting(values, schema))

    def _misfit(self, value: Any, schema: Mapping[str, Any]) -> Misfit | None:
        return self._judge(schema)(value)

    def _judge(self, schema: Mapping[str, Any]) -> Callable[[Any], Misfit | None]:
        """What judges values by a part of the schema; what cannot be judged here fits."""
        if schema.keys() & (UNEVALUATED | DYNAMIC):
            return lambda value: None
        try:
            check = self._checker.compile(schema, self._scope)
        except ConfigurationError:
            return lambda value: None

        def judge(value: Any) -> Misfit | None:
            try:
                return check(value, {})
            except ConfigurationError:
                return None

        return judge
