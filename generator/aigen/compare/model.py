"""What is compared, and what a comparison finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from aigen.compare.shapes import Difference, Node
from aigen.compare.words import quoted
from aigen.diagnostics import Rule, Severity

Json: TypeAlias = Any
Kind = Literal["breaking", "wire", "prompt", "callable", "compatible"]
Side = Literal["callers", "readers"]

KINDS: Final[Mapping[Kind, str]] = {
    "breaking": "code that calls a function or reads its answer must change",
    "callable": "a spec names code, or a server, that none named before",
    "wire": "what is stored, such as logs and recordings, may no longer fit",
    "prompt": "a model is asked differently",
    "compatible": "nothing has to change",
}
"""The kinds, in the order in which they are shown, with what each means."""

SEVERITIES: Final[Mapping[Kind, Severity]] = {
    "breaking": "error",
    "callable": "warning",
    "wire": "warning",
    "prompt": "note",
    "compatible": "note",
}
"""How the kinds count where findings of all sorts are shown."""


@dataclass(frozen=True, slots=True)
class Field:
    """An input or output of a function or tool.

    Attributes:
        default: `{"value": …}` or `{"call": "pkg.mod:func"}`; None where it has none.
    """

    name: str
    node: Node
    optional: bool = False
    default: Mapping[str, Json] | None = None


@dataclass(frozen=True, slots=True)
class Fields:
    """The inputs, or the outputs, of both versions.

    Attributes:
        before, after: by name, in order.
        differences: of the types of those that both have.
    """

    before: Mapping[str, Field]
    after: Mapping[str, Field]
    differences: tuple[Difference, ...]

    @property
    def kept(self) -> list[tuple[Field, Field]]:
        """The fields that both have."""
        return [(self.before[name], one) for name, one in self.after.items() if name in self.before]

    def removed(self) -> Iterator[Field]:
        """The fields that only the version before has."""
        return (one for name, one in self.before.items() if name not in self.after)

    def added(self) -> Iterator[Field]:
        """The fields that only the version after has."""
        return (one for name, one in self.after.items() if name not in self.before)


@dataclass(frozen=True, slots=True)
class Pair:
    """A function or tool that both versions have and that is not the same in both.

    Attributes:
        name: its key in the spec.
        before, after: its entries, as `docs/schemas.md` has them.
        new_form: whether a function's answer was one value and is a model, or the reverse; its
            outputs are not compared then.
    """

    module: str
    kind: Literal["function", "tool"]
    name: str
    before: Mapping[str, Json]
    after: Mapping[str, Json]
    inputs: Fields
    outputs: Fields
    new_form: bool = False

    @property
    def place(self) -> Place:
        """Where it stands."""
        return Place(self.module, self.kind, self.name)

    @property
    def differences(self) -> tuple[Difference, ...]:
        """Those of inputs and outputs together."""
        return self.inputs.differences + self.outputs.differences


class Place(NamedTuple):
    """Where a change is.

    Attributes:
        module: dotted.
        kind: `function`, `tool`, `type` or `module`.
        name: of the function, tool or type; empty for the module itself.
        path: inside it, such as `order.lines[].quantity`.
    """

    module: str
    kind: Literal["function", "tool", "type", "module"]
    name: str = ""
    path: str = ""

    @property
    def full(self) -> str:
        """Its dotted name."""
        return f"{self.module}.{self.name}" if self.name else self.module

    @property
    def file(self) -> str:
        """The path in the output folder of the file that says it."""
        return f"schemas/{self.module.replace('.', '/')}.json"

    def line(self, lines: Sequence[str]) -> int:
        """The line of that file, counted from 1, where the entry begins; 1 where it has none.

        Args:
            lines: the file, as a build lays it out: tables by two spaces, entries by four.
        """
        key, table = f"    {quoted(self.name)}: ", f'  "{_TABLES.get(self.kind)}": '
        inside = False
        for number, line in enumerate(lines, 1):
            if line.startswith('  "'):
                inside = line.startswith(table)
            if inside and line.startswith(key):
                return number
        return 1


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two versions of a project's interfaces.

    Attributes:
        before, after: modules by dotted name, as `docs/schemas.md` has them.
        pairs: the functions and tools that are not the same in both.
    """

    before: Mapping[str, Mapping[str, Json]]
    after: Mapping[str, Mapping[str, Json]]
    pairs: tuple[Pair, ...]


_TABLES: Final = {"function": "functions", "tool": "tools", "type": "$defs"}


class Found(NamedTuple):
    """What a rule finds: where, and what changed, on one line."""

    place: Place
    message: str


@dataclass(frozen=True, slots=True)
class ChangeRule:
    """One kind of change.

    Attributes:
        rule: its code, and what `aigen explain` says of it; the example is a spec before and after.
        breaks: whose code a breaking change breaks: that of callers, or that of readers of the
            answer.
        find: gives all such changes.
    """

    rule: Rule
    kind: Kind
    breaks: Side | None
    find: Callable[[Comparison], Iterator[Found]]


@dataclass(frozen=True, slots=True)
class Change:
    """One change.

    Attributes:
        code: of its rule.
        breaks: as the rule has it.
        message: what changed, on one line.
        mend: what to do about it.
    """

    code: str
    kind: Kind
    breaks: Side | None
    place: Place
    message: str
    mend: str
