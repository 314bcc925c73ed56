"""What all spec files declare, and how one of them refers to another's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from aigen.diagnostics import Diagnostics, Span, nearest
from aigen.ir import Ref, Type, TypeDef
from aigen.resolve.context import Names
from aigen.resolve.words import ADVICE, BROKEN, GENERIC, WORDS, wording
from aigen.spec.tree import SpecFile

if TYPE_CHECKING:
    from aigen.resolve.shape_source import Source

_MANY: Final = 2000


class Scope:
    """The names of a program while it is resolved.

    Attributes:
        definitions: what is resolved so far, by module and name.
        edges: for each module, the modules it takes types from, with the first place that does.
        needs: for each module, those that it names a type, tool or function of.
        shapes: as `ResolveContext.shapes`.
    """

    def __init__(
        self,
        files: Sequence[SpecFile],
        diagnostics: Diagnostics,
        unread: frozenset[str] = frozenset(),
        elsewhere: Mapping[str, Names] | None = None,
        shapes: Mapping[str, Source] | None = None,
    ) -> None:
        self.diagnostics = diagnostics
        self.shapes = shapes or {}
        self._unread = unread
        self._unread_callables = {f"{file.module}.{name}" for file in files for name in file.unread}
        self.definitions: dict[tuple[str, str], TypeDef] = {}
        self.edges: dict[str, dict[str, tuple[Span, str]]] = {}
        self.needs: dict[str, set[str]] = {file.module: set() for file in files}
        self._types = {
            file.module: frozenset(spec.name.value for spec in file.types) for file in files
        }
        self._callables = {
            file.module: frozenset(
                [spec.key.value for spec in file.functions]
                + [spec.key.value for spec in file.tools]
            )
            for file in files
        }

        others = elsewhere or {}
        self._all_types = {
            **{module: frozenset(names.types) for module, names in others.items()},
            **self._types,
        }
        self._all_callables = {
            **{module: frozenset(names.callables) for module, names in others.items()},
            **self._callables,
        }

    def wording(self, kind: Type) -> str:
        """A type in the spec's own words."""
        return wording(kind, lambda ref: self.definitions.get((ref.module, ref.name)))

    def type_named(self, name: str, span: Span, module: str, *, alone: bool = False) -> Type:
        """What a bare name means in a module; one that means nothing is reported.

        `alone` is true where it is all that a field says, so that it may have been meant as words.
        """
        found = WORDS.get(name)
        if found is not None:
            return found
        if name in self._types[module]:
            return Ref(module, name)
        other, _, last = name.rpartition(".")
        if other:
            self.needs[module].add(other)
        if other and last in self._types.get(other, ()):
            if other != module:
                self.edges.setdefault(module, {}).setdefault(other, (span, name))
            return Ref(other, last)
        if other in self._unread:
            return BROKEN
        self._unknown_type(name, span, module, alone)
        return BROKEN

    def _unknown_type(self, name: str, span: Span, module: str, alone: bool) -> None:
        if name in GENERIC:
            self.diagnostics.report(
                "AIG202", span, f"{name} needs the types it holds", hint=f"write {name}[str]"
            )
            return
        close = self._meant(name, module)
        hint = f"did you mean {close}?" if close else "declare it under types"
        if alone:
            hint += f"{' As' if close else '; as'} words: {{description: {name}}}"
        self.diagnostics.report("AIG201", span, f"no type is called {name}", hint=hint)

    def _meant(self, name: str, module: str) -> str | None:
        own = sorted(self._types[module])
        elsewhere = list(self._elsewhere(name.rpartition(".")[2], self._all_types))
        return (
            ADVICE.get(name)
            or (elsewhere[0] if elsewhere else None)
            or nearest(name, [*own, *WORDS, *GENERIC])
            or nearest(name, self._qualified(self._all_types))
        )

    def callable_named(self, name: str, module: str) -> str | None:
        """The dotted name inside the package of a tool or function that a module names."""
        if name in self._callables[module]:
            return f"{module}.{name}"
        other, _, last = name.rpartition(".")
        if other:
            self.needs[module].add(other)
        return name if last in self._callables.get(other, ()) else None

    def is_unread(self, name: str, module: str) -> bool:
        """Whether a tool or function that a module names could not be read, as a finding says."""
        return (
            name.rpartition(".")[0] in self._unread
            or f"{module}.{name}" in self._unread_callables
            or name in self._unread_callables
        )

    def callable_meant(self, name: str, module: str) -> str | None:
        """The tool or function that an unknown name most likely meant."""
        elsewhere = list(self._elsewhere(name.rpartition(".")[2], self._all_callables))
        return (
            (elsewhere[0] if elsewhere else None)
            or nearest(name, sorted(self._callables[module]))
            or nearest(name, self._qualified(self._all_callables))
        )

    def _elsewhere(self, last: str, names: dict[str, frozenset[str]]) -> Iterator[str]:
        return (f"{module}.{last}" for module in sorted(names) if last in names[module])

    def _qualified(self, names: dict[str, frozenset[str]]) -> list[str]:
        # Comparing a misspelt name with very many others would take longer than the build.
        if sum(map(len, names.values())) > _MANY:
            return []
        return sorted(f"{module}.{name}" for module, found in names.items() for name in found)

    def report_cycles(self) -> None:
        """Refuses modules that take types from one another: Python could not import them."""
        for cycle in _cycles({module: sorted(to) for module, to in sorted(self.edges.items())}):
            steps = list(zip(cycle, [*cycle[1:], cycle[0]], strict=True))
            places = [self.edges[module][other] for module, other in steps]
            self.diagnostics.report(
                "AIG211",
                places[0][0],
                f"spec files need one another: {' → '.join([*cycle, cycle[0]])}",
                hint="move the types they share into a spec file of their own",
                related=[(span, f"{name} is needed here") for span, name in places[1:]],
            )


def _cycles(graph: dict[str, list[str]]) -> list[list[str]]:
    """One cycle of each set of nodes that reach one another, in a stable order."""
    found: list[list[str]] = []
    done: set[str] = set()
    for start in graph:
        if start in done:
            continue
        path: list[str] = []
        on_path: dict[str, int] = {}
        stack: list[tuple[str, Iterator[str]]] = [(start, iter(graph[start]))]
        path.append(start)
        on_path[start] = 0
        done.add(start)
        while stack:
            node, targets = stack[-1]
            target = next(targets, None)
            if target is None:
                stack.pop()
                path.pop()
                del on_path[node]
            elif target in on_path:
                cycle = path[on_path[target] :]
                if not any(set(cycle) & set(other) for other in found):
                    found.append(cycle)
            elif target not in done:
                done.add(target)
                on_path[target] = len(path)
                path.append(target)
                stack.append((target, iter(graph.get(target, ()))))
    return found
