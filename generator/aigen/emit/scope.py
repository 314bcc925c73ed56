"""What the names of one module are in its Python text, and what it imports."""

from __future__ import annotations

import builtins
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeAlias

from aigen.emit.layout import Node
from aigen.emit.names import Identifier, Scope, type_name
from aigen.ir import Alias, External, Function, Module, Program, Record, Ref, Type, TypeDef
from aigen.ir.types import refs
from aigen.schema.canonical import definition_refs
from aigen.spec.python_names import free

RUNTIME = "aigen.runtime"
_BUILTINS = frozenset(dir(builtins))
Key: TypeAlias = tuple[str, str]
"""A type by its module and name."""


@dataclass(frozen=True, slots=True)
class Declared:
    """The public names of a module.

    Attributes:
        types, functions, tools: by the name in the intermediate representation.
        partials: by the name of the record.
        inputs: by the key of the tool.
    """

    types: Mapping[str, Identifier]
    functions: Mapping[str, Identifier]
    tools: Mapping[str, Identifier]
    partials: Mapping[str, Identifier]
    inputs: Mapping[str, Identifier]

    def everything(self) -> list[Identifier]:
        """All of them, sorted."""
        parts = (self.types, self.functions, self.tools, self.partials, self.inputs)
        return sorted(name for part in parts for name in part.values())


def declared(module: Module, streamed: Iterable[str]) -> Declared:
    """The public names of a module, exact matches first.

    Args:
        module: the module.
        streamed: names of its records that some function answers with.
    """
    scope = Scope()
    wanted: list[tuple[int, str, Identifier]] = [
        *((0, each.name, type_name(each.name)) for each in module.types),
        *((1, each.name, Identifier(free(each.name))) for each in module.functions),
        *((2, each.key, Identifier(free(each.key))) for each in module.tools),
    ]
    found: tuple[dict[str, Identifier], ...] = ({}, {}, {}, {}, {})
    for kind, name, identifier in wanted:
        if identifier == name:
            found[kind][name] = scope.take(identifier)
    for kind, name, identifier in wanted:
        if name not in found[kind]:
            found[kind][name] = scope.take(identifier)
    for name in streamed:
        found[3][name] = scope.take(Identifier(f"{found[0][name]}Partial"))
    for tool in module.tools:
        if tool.shape is not None or tool.parameters_call is not None:
            continue
        found[4][tool.key] = scope.take(Identifier(f"{type_name(tool.key)}Input"))
    return Declared(*found)


@dataclass(slots=True)
class Plan:
    """What is known of all modules before the first one is rendered."""

    program: Program
    streamed: Mapping[str, tuple[str, ...]]
    _declared: dict[str, Declared] = field(default_factory=dict)

    def names(self, module: str) -> Declared:
        """The public names of a module, by its dotted name."""
        found = self._declared.get(module)
        if found is None:
            found = declared(self.program.modules[module], self.streamed.get(module, ()))
            self._declared[module] = found
        return found


@dataclass(frozen=True, slots=True)
class Answered:
    """What one module says of the types that functions answer with, which have partials.

    Attributes:
        beyond: types of other modules that its functions answer with.
        rest: its own types that its functions do not answer with, and those each is made of.
    """

    beyond: tuple[Key, ...] = ()
    rest: Mapping[str, tuple[Key, ...]] = field(default_factory=dict)


def answered(module: Module) -> Answered:
    """What the functions of a module answer with."""
    own = {definition.name: definition for definition in module.types}
    seen: set[Key] = set()
    pending = [ref for function in module.functions for ref in _answered(function)]
    while pending:
        ref = pending.pop()
        key = (ref.module, ref.name)
        if key not in seen:
            seen.add(key)
            if ref.module == module.name:
                pending.extend(definition_refs(own[ref.name]))
    rest = {
        name: tuple(dict.fromkeys((ref.module, ref.name) for ref in definition_refs(definition)))
        for name, definition in own.items()
        if (module.name, name) not in seen
    }
    return Answered(tuple(sorted(key for key in seen if key[0] != module.name)), rest)


def streamed(found: Mapping[str, Answered]) -> dict[str, list[str]]:
    """For each module the types that functions of other modules answer with, beside its own.

    Args:
        found: of every module, by its name.
    """
    seen: dict[str, set[str]] = {}
    pending = [key for each in found.values() for key in each.beyond]
    while pending:
        module, name = pending.pop()
        rest = found[module].rest
        if name in rest and name not in seen.setdefault(module, set()):
            seen[module].add(name)
            pending.extend(rest[name])
    return {module: sorted(names) for module, names in seen.items() if names}


def plan(
    program: Program,
    beyond: Mapping[str, Collection[str]] | None = None,
    known: Mapping[str, Answered] = MappingProxyType({}),
) -> Plan:
    """Finds the records that functions answer with: they have a partial where they are defined.

    Args:
        program: the modules.
        beyond: what `streamed` found, where this program is only a part of it.
        known: what `answered` found, of modules that it was asked of before.
    """
    found = {name: known.get(name) or answered(module) for name, module in program.modules.items()}
    others = streamed(found) if beyond is None else beyond
    records = {
        name: tuple(
            each.name
            for each in module.types
            if isinstance(each, Record)
            and (each.name not in found[name].rest or each.name in others.get(name, ()))
        )
        for name, module in program.modules.items()
    }
    return Plan(program, records)


def _answered(function: Function) -> list[Ref]:
    return [*refs(function.answer.type), *(r for out in function.outputs for r in refs(out.type))]


class ModuleScope:
    """The names that one module's text uses.

    What the module itself needs is imported under its own name, or under a private one where a
    spec takes that name.

    Attributes:
        own: the packages that are the user's own, for the order of imports.
        imports: the name here of all that is imported, by module and name.
        annotations: those written already, by form and identity of the type, which they keep.
        alone: whether one is written that may be used where no strict model is around it.
    """

    def __init__(
        self, module: Module, plan: Plan, runtime: str, submodules: Sequence[str] = ()
    ) -> None:
        self.module = module
        self.plan = plan
        self.names = plan.names(module.name)
        self._externals = {
            each.target: each.name for each in module.types if isinstance(each, External)
        }
        """What classes of the user's own are called here, by target."""
        self._runtime = runtime
        self._scope = Scope([*self.names.everything(), *submodules])
        self.own: set[str] = set()
        self.imports: dict[tuple[str, str], str] = {("__future__", "annotations"): "annotations"}
        self.annotations: dict[tuple[str, int], tuple[Type, Node]] = {}
        self.alone = False
        self._is_package = bool(submodules)

    def use(self, module: str, name: str) -> str:
        """The name here of something that the module imports."""
        key = (module, name)
        found = self.imports.get(key)
        if found is None:
            hidden = name in self._scope
            found = self._scope.private(name) if hidden else self._scope.take(Identifier(name))
            self.imports[key] = found
        return found

    def runtime(self, name: str, module: str = "") -> str:
        """The name here of something of the runtime: of the package, or of a module in it."""
        return self.use(f"{self._runtime}.{module}" if module else self._runtime, name)

    def builtin(self, name: str) -> str:
        """The name here of a built-in type, which a spec may have taken for its own."""
        if name in self._scope or ("builtins", name) in self.imports:
            return self.use("builtins", name)
        return name

    def may_mean(self, name: str) -> bool:
        """Whether a name may stand for something in the code of this module so far."""
        return name in self._scope or name in _BUILTINS

    def private(self, wanted: str) -> Identifier:
        """A new module-private name."""
        return self._scope.private(wanted)

    def type(self, ref: Ref) -> str:
        """The name here of a named type, imported where another module owns it."""
        if ref.module == self.module.name:
            return self.names.types[ref.name]
        definition = self.plan.program.definitions[(ref.module, ref.name)]
        here = self._externals.get(definition.target) if isinstance(definition, External) else None
        if here is not None:
            return self.names.types[here]
        return self._foreign(ref.module, self.plan.names(ref.module).types[ref.name])

    def partial(self, ref: Ref) -> str | None:
        """The name here of a record's partial, or None where it has none."""
        names = self.plan.names(ref.module)
        name = names.partials.get(ref.name)
        if name is None or ref.module == self.module.name:
            return name
        return self._foreign(ref.module, name)

    def _foreign(self, module: str, name: Identifier) -> str:
        key = (self.relative(module), name)
        found = self.imports.get(key)
        if found is None:
            found = self.imports[key] = self._scope.take(name)
        return found

    def external(self, target: str, name: Identifier) -> str | None:
        """Imports a type of the user's own under the name that the spec gives it.

        Returns:
            For a class inside another, which no import can name: what the name stands for.
        """
        module, _, attribute = target.partition(":")
        self.own.add(module.partition(".")[0])
        outer, _, inner = attribute.partition(".")
        if not inner:
            self.imports[(module, attribute)] = name
            return None
        found = self.imports.get((module, outer))
        if found is None:
            found = self.imports[(module, outer)] = self._scope.private(outer)
        return f"{found}.{inner}"

    def relative(self, module: str) -> str:
        """The relative name of another module of the package."""
        return relative(self.module.name, module, self._is_package)


def relative(here: str, there: str, is_package: bool = False) -> str:
    """How the module `here` names the module `there` in an import (`..shop.refunds`)."""
    base = here.split(".") if here else []
    base = base if is_package else base[:-1]
    parts = there.split(".")
    shared = 0
    while shared < min(len(base), len(parts) - 1) and base[shared] == parts[shared]:
        shared += 1
    return "." * (len(base) - shared + 1) + ".".join(parts[shared:])


@dataclass(frozen=True, slots=True)
class Order:
    """The types of a module as they are written, and the aliases that contain themselves."""

    definitions: tuple[TypeDef, ...]
    recursive: frozenset[str]


def alias_order(module: Module) -> Order:
    """Classes in their order, each alias after what it needs.

    Annotations of classes are read late, aliases when the module is imported: one that is written
    after all it needs is a plain assignment, and only one that contains itself is made lazily.
    """
    aliases = {each.name: each for each in module.types if isinstance(each, Alias)}
    if not aliases:
        return Order(module.types, frozenset())
    needed = {name: _needed(each, module.name) for name, each in aliases.items()}
    recursive = frozenset(name for name in aliases if _reaches(name, name, needed))
    waiting = list(module.types)
    placed: dict[str, TypeDef] = {}
    while waiting:
        later = []
        for each in waiting:
            if each.name in aliases and each.name not in recursive:
                ready = needed[each.name] <= placed.keys()
            else:
                ready = True
            if ready:
                placed[each.name] = each
            else:
                later.append(each)
        if len(later) == len(waiting):
            placed.update({each.name: each for each in later})
            break
        waiting = later
    return Order(tuple(placed.values()), recursive)


def _needed(alias: Alias, module: str) -> set[str]:
    return {ref.name for ref in definition_refs(alias) if ref.module == module}


def _reaches(start: str, end: str, needed: Mapping[str, set[str]]) -> bool:
    seen: set[str] = set()
    pending = [start]
    while pending:
        for name in needed.get(pending.pop(), ()):
            if name == end:
                return True
            if name not in seen:
                seen.add(name)
                pending.append(name)
    return False
