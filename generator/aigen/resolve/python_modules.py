"""The user's own Python modules, read as text: what a name in one of them means.

Modules are found under the project's `python_path` and parsed; nothing is imported or run.
"""

from __future__ import annotations

import ast
import importlib.util
import io
import os
import sys
import sysconfig
import tokenize
import warnings
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from aigen.resolve.python_definitions import as_class, defined
from aigen.resolve.python_known import has_name
from aigen.source.words import Comments
from aigen.spec.python_names import module_file, unparsed

_LARGEST = 4_000_000
_KNOWN: Final = frozenset(
    {
        *("abc", "annotated_types", "collections", "dataclasses", "datetime", "decimal", "enum"),
        *("functools", "pydantic", "types", "typing", "typing_extensions", "uuid"),
    }
)
"""Installed modules whose names mean something of their own here, whatever their source says."""


class ClassIn(NamedTuple):
    """A class of a module that was read; `path` is its dotted name inside the module."""

    module: PythonModule
    path: str
    node: ast.ClassDef

    @property
    def target(self) -> str:
        """`pkg.mod:Outer.Inner`."""
        return f"{self.module.name}:{self.path}"


class ValueIn(NamedTuple):
    """What a name was assigned in a module that was read."""

    module: PythonModule
    name: str
    value: ast.expr


class FunctionIn(NamedTuple):
    """A function of a module that was read; `owner` is the class it is a method of."""

    module: PythonModule
    node: ast.FunctionDef | ast.AsyncFunctionDef
    owner: ClassIn | None = None


class Outside(NamedTuple):
    """A name of a module that is not under `python_path`, such as `typing.Optional`."""

    module: str
    name: str

    @property
    def dotted(self) -> str:
        """`typing.Optional`; the module alone where the name is the module."""
        return f"{self.module}.{self.name}" if self.name else self.module


Meaning: TypeAlias = "ClassIn | ValueIn | FunctionIn | Outside | PythonModule"


class Unreadable(Exception):
    """A module cannot be read; the text says why, with file and line."""


@dataclass(frozen=True, eq=False)
class PythonModule:
    """A parsed module.

    Attributes:
        name: dotted.
        shown: its file for messages, relative to its folder in `python_path`, with `/`.
        package: what a relative import in it starts from.
        home: finds the modules that it imports.
        names: what its top level defines, the last definition of each.
    """

    name: str
    shown: str
    text: str
    package: str
    tree: ast.Module
    home: PythonModules
    names: dict[str, ast.stmt | ast.expr | tuple[str, str]] = field(default_factory=dict)

    @cached_property
    def comments(self) -> Comments:
        """Its comments, read once."""
        return Comments(self.text)

    @cached_property
    def stars(self) -> list[str]:
        """The modules that it takes every name of."""
        return [
            each[0] for each in self.names.values() if isinstance(each, tuple) and each[1] == "*"
        ]

    def place(self, node: ast.AST) -> str:
        """`app/models.py:12`, for a message."""
        return f"{self.shown}:{getattr(node, 'lineno', 1)}"


class PythonModules:
    """Reads modules under some folders, each once.

    Args:
        python_path: the folders.
        trust: modules elsewhere, or `mod:name`, whose classes may be read.
        known: packages that are left outside, whatever the folders have.

    Attributes:
        stubs: the generated modules of specs that are stubs, by name here: nothing can import the
            classes of a stub, so the generated module has them.
    """

    def __init__(
        self,
        python_path: Sequence[Path],
        trust: Collection[str] = (),
        known: Collection[str] = (),
    ) -> None:
        self._path = tuple(python_path)
        self._trust = frozenset(trust)
        self._outside = frozenset(known)
        self._read: dict[str, PythonModule | None] = {}
        self._inner: dict[str, list[str]] = {}
        self._calls: set[str] = set()  # names whose call was looked at for a class
        self.stubs: dict[str, str] = {}

    def module(self, name: str) -> PythonModule | None:
        """The module of this name; None where it is not under these folders.

        Raises:
            Unreadable: it is there and cannot be read as Python.
        """
        if name not in self._read:
            self._keep(name, None)
            found = module_file(name, self._path) if self._has(name) else None
            if found is not None:
                self._read[name] = self._parse(name, *found)
        return self._read[name]

    def file(self, name: str) -> Path | None:
        """The file of a module that was read here; None where none was."""
        found = module_file(name, self._path) if self._read.get(name) is not None else None
        return None if found is None else found.path

    def _has(self, name: str) -> bool:
        """Whether one of the folders has the package or file that a module is in."""
        return name.partition(".")[0] in self._tops

    @cached_property
    def _tops(self) -> frozenset[str]:
        """The names of packages and files in the folders: most modules are in none of them."""
        folders = [root for root in self._path if root.is_dir()]
        # Path objects of every file would take longer than what is looked for.
        names = (name for root in folders for name in os.listdir(root))  # noqa: PTH208
        return frozenset(name.partition(".")[0] for name in names)

    def reached(self, names: Iterable[str]) -> set[str]:
        """Some modules and all that they import, as far as they were looked up here."""
        found: set[str] = set()
        pending = [*names]
        while pending:
            name = pending.pop()
            if name in found:
                continue
            found.add(name)
            module = self._read.get(name)
            for entry in module.names.values() if module is not None else ():
                if isinstance(entry, tuple):
                    source, inner = entry
                    pending += [source, *self._within(f"{source}.{inner}" if inner else source)]
        return found.intersection(self._read)

    def _within(self, name: str) -> Iterator[str]:
        """A module and those inside it that were looked up."""
        yield name
        for inner in self._inner.get(name, ()):
            yield from self._within(inner)

    def _keep(self, name: str, module: PythonModule | None) -> None:
        if name not in self._read:
            self._inner.setdefault(name.rpartition(".")[0], []).append(name)
        self._read[name] = module

    def _is_folder(self, name: str) -> bool:
        return self._has(name) and any(
            (root / Path(*name.split("."))).is_dir() for root in self._path
        )

    def _parse(self, name: str, root: Path, file: Path) -> PythonModule:
        shown = file.relative_to(root).as_posix()
        try:
            data = file.read_bytes()
            if len(data) > _LARGEST:
                raise Unreadable(f"{shown} is larger than 4 MB")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(data, shown)
            text = data.decode(tokenize.detect_encoding(io.BytesIO(data).readline)[0])
        except OSError as error:
            raise Unreadable(f"{shown} cannot be read: {error.strerror}") from None
        except SyntaxError as error:
            raise Unreadable(f"{shown}:{error.lineno or 1}: {error.msg}") from None
        except (ValueError, RecursionError, MemoryError) as error:
            raise Unreadable(f"{shown} is no Python that can be read: {unparsed(error)}") from None
        package = name if file.stem == "__init__" else name.rpartition(".")[0]
        return self._module(name, shown, text, package, tree)

    def hold(self, name: str, shown: str, text: str) -> None:
        """Takes a module that was read already, and parses as Python.

        Args:
            name: dotted; any other text for a module that cannot be imported.
            shown: its file for messages.
            text: its source.
        """
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
        self._keep(name, self._module(name, shown, text, name.rpartition(".")[0], tree))

    def _module(
        self, name: str, shown: str, text: str, package: str, tree: ast.Module
    ) -> PythonModule:
        found = PythonModule(name, shown, text, package, tree, self)
        found.names.update(defined(tree.body, package))
        return found

    # ------------------------------------------------------------------------- lookup

    def trusted(self, name: str, inner: str) -> PythonModule | None:
        """An installed module, or one of the standard library, if `inner` of it may be read."""
        if name in self._trust or f"{name}:{inner}" in self._trust:
            return installed().module(name)
        return None

    def beyond(self, found: Outside) -> Meaning | None:
        """What a name outside the folders means, where its module may be read."""
        module = self.trusted(found.module, found.name)
        return None if module is None else self.meaning(module, found.name)

    def meaning(self, module: PythonModule, dotted: str) -> Meaning | None:
        """What a dotted name in a module means, imports followed; None where it is not defined.

        Raises:
            Unreadable: a module on the way cannot be read, or there are too many of them.
        """
        if module.home is not self:
            return module.home.meaning(module, dotted)
        head, *rest = dotted.split(".")
        try:
            found = self._named(module, head, set())
            for step in rest:
                found = self._inside(found, step)
        except RecursionError:
            raise Unreadable(f"{module.shown}: {dotted} comes through too many modules") from None
        return found

    def _named(self, module: PythonModule, name: str, seen: set[str]) -> Meaning | None:
        key = f"{module.name}:{name}"
        if key in seen:
            return None
        seen.add(key)
        entry = module.names.get(name)
        if entry is None:
            return self._starred(module, name, seen)
        if isinstance(entry, tuple):
            return self._imported(*entry, seen)
        if isinstance(entry, ast.Call) and key not in self._calls:
            self._calls.add(key)
            entry = as_class(name, entry, lambda dotted: self._full(module, dotted)) or entry
            module.names[name] = entry
        return _entry(module, name, entry)

    def _full(self, module: PythonModule, dotted: str) -> str:
        try:
            found = self.meaning(module, dotted) if dotted else None
        except Unreadable:  # which is said where the name is needed
            return ""
        return found.dotted if isinstance(found, Outside) else ""

    def _starred(self, module: PythonModule, name: str, seen: set[str]) -> Meaning | None:
        for starred in module.stars:
            source = self._of(starred)
            found = self._named(source, name, seen) if source is not None else None
            if source is None and has_name(starred, name):
                found = Outside(starred, name)
            if found is not None:
                return found
        return None

    def _imported(self, source: str, name: str, seen: set[str]) -> Meaning:
        module = self._of(source)
        if module is None:
            inner = self._of(f"{source}.{name}") if name else None
            return inner if inner is not None else Outside(source, name)
        if not name:
            return module
        found = self._named(module, name, seen)
        if found is None:
            found = self.module(f"{source}.{name}")
        return found if found is not None else Outside(source, name)

    def _of(self, name: str) -> PythonModule | None:
        """A module that another imports; None where it is left outside."""
        return None if name.partition(".")[0] in self._outside else self.module(name)

    def _inside(self, found: Meaning | None, step: str) -> Meaning | None:
        match found:
            case PythonModule():
                inner = self._named(found, step, set())
                if inner is None:
                    inner = self.module(f"{found.name}.{step}")
                if inner is None and self._is_folder(f"{found.name}.{step}"):
                    return Outside(f"{found.name}.{step}", "")
                return inner
            case Outside():
                module = self._of(f"{found.dotted}.{step}")
                return module if module is not None else Outside(found.dotted, step)
            case ClassIn():
                entry = dict(defined(found.node.body, found.module.package)).get(step)
                if isinstance(entry, ast.ClassDef):
                    return ClassIn(found.module, f"{found.path}.{step}", entry)
                if isinstance(entry, ast.FunctionDef | ast.AsyncFunctionDef):
                    return FunctionIn(found.module, entry, found)
                if isinstance(entry, ast.expr):
                    return ValueIn(found.module, f"{found.path}.{step}", entry)
        return None


def _entry(module: PythonModule, name: str, entry: ast.stmt | ast.expr) -> Meaning | None:
    match entry:
        case ast.ClassDef():
            return ClassIn(module, name, entry)
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return FunctionIn(module, entry)
        case ast.expr():
            return ValueIn(module, name, entry)
    return None


@cache
def installed() -> PythonModules:
    """The standard library and installed packages, as their stubs and sources say."""
    stubs = importlib.util.find_spec("mypy")
    folders = [Path(place) / "typeshed" / "stdlib" for place in _places(stubs)]
    folders += [Path(place) for place in sys.path if place.endswith("site-packages")]
    return PythonModules((*folders, Path(sysconfig.get_path("stdlib"))), known=_KNOWN)


def file_of_installed(name: str) -> Path | None:
    """The file of an installed module that was read here; None where none was."""
    return installed().file(name) if installed.cache_info().currsize else None


def _places(package: ModuleSpec | None) -> list[str]:
    return list(package.submodule_search_locations or ()) if package is not None else []
