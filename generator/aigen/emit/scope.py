"""What the names of one module are in its Python text, and what it imports."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from aigen.emit.names import Identifier, Scope, type_name
from aigen.ir import Alias, External, Function, Module, Program, Record, Ref, Tool, Type
from aigen.schema.canonical import definition_refs, refs

RUNTIME = "aigen.runtime"
# Names that the class of a function or tool has in its own body, where they would hide a type.
METHODS = frozenset(
    "aio annotations amap astream implement map request schema stream validate".split()
)


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
        *((1, each.name, Identifier(each.name)) for each in module.functions),
        *((2, each.key, Identifier(each.key)) for each in module.tools),
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


def plan(program: Program) -> Plan:
    """Finds the records that functions answer with: they have a partial where they are defined."""
    seen: set[tuple[str, str]] = set()
    pending: list[Ref] = [
        ref
        for module in program.modules.values()
        for function in module.functions
        for ref in _answered(function)
    ]
    while pending:
        ref = pending.pop()
        key = (ref.module, ref.name)
        if key not in seen:
            seen.add(key)
            pending.extend(definition_refs(program.definitions[key]))
    streamed = {
        name: tuple(
            each.name
            for each in module.types
            if isinstance(each, Record) and (name, each.name) in seen
        )
        for name, module in program.modules.items()
    }
    return Plan(program, streamed)


def _answered(function: Function) -> list[Ref]:
    return [*refs(function.answer.type), *(r for out in function.outputs for r in refs(out.type))]


class ModuleScope:
    """The names that one module's text uses.

    What the module itself needs is imported under its own name, or under a private one where a
    spec takes that name.
    """

    def __init__(self, module: Module, plan: Plan, runtime: str) -> None:
        self.module = module
        self.plan = plan
        self.names = plan.names(module.name)
        self._runtime = runtime
        self._scope = Scope(self.names.everything())
        self._builtins: dict[str, str] = {}
        self.imports: dict[tuple[str, str], str] = {("__future__", "annotations"): "annotations"}
        self.is_package = any(
            name.startswith(f"{module.name}.") for name in plan.program.modules
        )

    @cached_property
    def taken(self) -> Callable[[str], bool]:
        """Whether the module's public names hold a name."""
        return self._scope.__contains__

    def use(self, module: str, name: str) -> str:
        """The name here of something that the module imports."""
        key = (module, name)
        found = self.imports.get(key)
        if found is None:
            hidden = name in self._scope or name in METHODS
            found = self._scope.private(name) if hidden else self._scope.take(Identifier(name))
            self.imports[key] = found
        return found

    def runtime(self, name: str, module: str = "") -> str:
        """The name here of something of the runtime: of the package, or of a module in it."""
        return self.use(f"{self._runtime}.{module}" if module else self._runtime, name)

    def builtin(self, name: str) -> str:
        """The name here of a built-in type, which a spec may have taken for its own."""
        if name not in self._scope:
            return name
        return self.imports.setdefault(
            ("builtins", name), self.imports.get(("builtins", name)) or self._scope.private(name)
        )

    def private(self, wanted: str) -> Identifier:
        """A new module-private name."""
        return self._scope.private(wanted)

    def type(self, ref: Ref) -> str:
        """The name here of a named type, imported where another module owns it."""
        if ref.module == self.module.name:
            return self.names.types[ref.name]
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

    def external(self, target: str, name: Identifier) -> None:
        """Imports a type of the user's own under the name that the spec gives it."""
        module, _, attribute = target.partition(":")
        self.imports[(module, attribute)] = name

    def relative(self, module: str) -> str:
        """The relative name of another module of the package."""
        return relative(self.module.name, module, self.is_package)


def relative(here: str, there: str, is_package: bool = False) -> str:
    """How the module `here` names the module `there` in an import (`..shop.refunds`)."""
    base = here.split(".") if is_package else here.split(".")[:-1]
    parts = there.split(".")
    shared = 0
    while shared < min(len(base), len(parts) - 1) and base[shared] == parts[shared]:
        shared += 1
    return "." * (len(base) - shared + 1) + ".".join(parts[shared:])


def all_refs(kinds: Iterable[Type]) -> list[Ref]:
    """The names in these types, in order."""
    return [ref for kind in kinds for ref in refs(kind)]


def needs(definition: Record | Alias | External, module: str) -> set[str]:
    """Names of the same module that a definition refers to."""
    return {ref.name for ref in definition_refs(definition) if ref.module == module}


__all__ = ["Declared", "Function", "ModuleScope", "Plan", "Tool", "declared", "plan", "relative"]
