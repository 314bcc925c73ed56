"""The named types of one JSON Schema, and whether they say all that it says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from aigen.ir import Alias, Ref, Type, TypeDef
from aigen.resolve.names import camel, class_key
from aigen.resolve.shape_endless import without_endless
from aigen.resolve.shape_source import Source
from aigen.resolve.shape_words import ANY, text_of


class Definitions:
    """The named types of one schema.

    Attributes:
        exact: whether the types judge as the schema does, as far as it is read.
        made: the named types, in order of use.
        claimed: the class name of each definition, by its pointer.
    """

    def __init__(
        self, source: Source, name: str, module: str, taken: Callable[[str], bool]
    ) -> None:
        self.exact = True
        self.made: dict[str, TypeDef] = {}
        self.claimed: dict[str, str] = {}
        self._source = source
        self._module = module
        self._taken = taken
        self._names: set[str] = {class_key(name)}
        self._owners: dict[str, int] = {name: id(source.schema)}  # whose record has the name

    def all(self) -> tuple[TypeDef, ...]:
        """The named types that were read, in order of use."""
        found, endless = without_endless(tuple(self.made.values()))
        for record in endless:
            self.exact = False
            self._source.warn("AIG239", record.span, f"no value of {record.name} has an end")
        return found

    def ref(self, name: str) -> Ref:
        """A named type, to who uses it."""
        return Ref(self._module, name)

    def alias(self, name: str, kind: Type, schema: Any) -> None:
        """Makes a type that a schema describes one with a name."""
        self.made[name] = Alias(
            name, kind, self._source.span(schema), text_of(schema, "description")
        )

    def claim_names(self, schema: Any) -> None:
        """Gives every definition its class name: exact spellings first, then the others."""
        if not isinstance(schema, dict):
            return
        keys = [
            (f"#/{word}/{name}", name)
            for word in ("$defs", "definitions")
            for name in schema.get(word, {})
        ]
        for pointer, name in sorted(keys, key=lambda entry: camel(entry[1]) != entry[1]):
            self.claimed[pointer] = self.unique(name)

    def unique(self, wanted: str) -> str:
        """A class name that nothing else has."""
        base = wanted if class_key(wanted) == wanted else camel(wanted)
        name, number = base, 2
        while name in self._names or self._taken(name):
            name, number = f"{base}{number}", number + 1
        self._names.add(name)
        return name

    def own(self, name: str, schema: Any) -> None:
        """Says whose record has a name."""
        self._owners[name] = id(schema)

    def name_of(self, name: str, schema: Any) -> str:
        """The name of a schema's record: the one wanted where it is its own."""
        return name if self._owners.get(name) == id(schema) else self.unique(name)

    def handed(self, name: str, schema: Any, other: Any) -> Any:
        """Another schema to read in a schema's place, with its name."""
        if not isinstance(other, dict) or "$ref" not in other:
            if self._owners.get(name) == id(schema):
                self._owners[name] = id(other)
            if self._source.node(other) is None:
                self._source.stands_for(other, schema)
        return other

    def loose(self) -> Type:
        """Any JSON, where the schema says something else."""
        self.exact = False
        return ANY

    def impossible(self, schema: Any) -> Type:
        """Any JSON for a schema that no value fits, which is warned of."""
        self._source.warn("AIG239", self._source.span(schema), "no value fits this schema")
        return self.loose()
