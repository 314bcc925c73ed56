"""Packages whose modules are imported at their first use, and the files beside the modules."""

from __future__ import annotations

from dataclasses import dataclass

from aigen.emit.layout import Group, assigned, imports
from aigen.emit.literals import quote
from aigen.emit.names import Identifier, Scope
from aigen.emit.scope import ModuleScope
from aigen.runtime.definition import FORMAT

GITATTRIBUTES = "* text eol=lf linguist-generated=true\n"
_DOC = '"""AI functions and tools, one module for each spec; imported at their first use."""'


@dataclass(frozen=True, slots=True)
class Lazy:
    """The names that `_lazy.jinja` writes: what it needs, as this module calls it."""

    modules: str
    import_module: str
    module_type: str
    list_: str
    str_: str
    sorted_: str
    type_checking: str
    offered: str


@dataclass(frozen=True, slots=True)
class PackageText:
    """All that `package.py.jinja` writes of a package that is no module itself."""

    marker: str
    doc: str
    imports: str
    type_checking: str
    checked_imports: str
    exports: str
    require_format: str
    lazy: Lazy


class PackageScope:
    """The names of a package that is no spec's module."""

    def __init__(self, modules: list[str]) -> None:
        self._scope = Scope(modules)
        self.imports: dict[tuple[str, str], str] = {("__future__", "annotations"): "annotations"}

    def use(self, module: str, name: str) -> str:
        """The name here of something imported."""
        key = (module, name)
        if key not in self.imports:
            taken = name in self._scope
            self.imports[key] = (
                self._scope.private(name) if taken else self._scope.take(Identifier(name))
            )
        return self.imports[key]

    def builtin(self, name: str) -> str:
        """The name here of a built-in."""
        return self.use("builtins", name) if name in self._scope else name


def package_text(name: str, modules: list[str], marker: str, runtime: str) -> PackageText:
    """A package `__init__` that is no spec's module; the root one compares the format."""
    scope = PackageScope(modules)
    check = ""
    if not name:
        check = f"{scope.use(f'{runtime}.definition', 'require_format')}({FORMAT})"
    checking = scope.use("typing", "TYPE_CHECKING")
    lazy = lazy_names("__all__", scope)
    return PackageText(
        marker=marker,
        doc=_DOC,
        imports="\n".join(imports(scope.imports)),
        type_checking=checking,
        checked_imports=checked_imports(modules),
        exports=assigned("__all__", Group("[", tuple(map(quote, modules)), "]", body=False)),
        require_format=check,
        lazy=lazy,
    )


def lazy_names(modules: str, scope: PackageScope | ModuleScope) -> Lazy:
    """What lazy importing needs, imported into `scope`."""
    return Lazy(
        modules=modules,
        import_module=scope.use("importlib", "import_module"),
        module_type=scope.use("types", "ModuleType"),
        list_=scope.builtin("list"),
        str_=scope.builtin("str"),
        sorted_=scope.builtin("sorted"),
        type_checking=scope.use("typing", "TYPE_CHECKING"),
        offered="__all__" if modules == "__all__" else f"[*__all__, *{modules}]",
    )


def checked_imports(modules: list[str]) -> str:
    """The import of a package's modules that only type checkers see."""
    line = f"from . import {', '.join(modules)}"
    if len(line) + 4 <= 100:
        return line
    inner = "".join(f"        {name},\n" for name in modules)
    return f"from . import (\n{inner}    )"
