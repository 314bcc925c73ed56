"""Specs written in Python: read as text, never imported, into the tree that YAML gives too.

A function whose body is `...`, `return answer()` or `raise NotImplementedError` is an AI function,
any other a tool that implements itself; names that begin with `_` are neither.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias

from aigen.diagnostics import Span
from aigen.source.words import Comments
from aigen.spec.keys import FUNCTION, TOOL, Key, Keys
from aigen.spec.nodes import Entry, Mapping, Scalar
from aigen.spec.nodes import Sequence as Items
from aigen.spec.python_functions import read_function
from aigen.spec.python_names import module_name
from aigen.spec.python_syntax import Imports, Syntax, dotted, parse, statements
from aigen.spec.reading import Reading
from aigen.spec.setting_words import SETTING_WORDS
from aigen.spec.tools import read_tool
from aigen.spec.tree import FieldSpec, FunctionSpec, PythonType, SpecFile, Text, ToolSpec

_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef

_SAID: Final = frozenset(("formula", "inputs", "outputs", "data", "answer"))
"""Keys of a function that its signature stands for."""

_BODY: Final = frozenset(("python", "execute", "mcp", "http"))
"""Keys of a tool that its body stands for."""

_AI: Final[Keys] = {name: key for name, key in FUNCTION.items() if name not in _SAID}
_TOOL: Final[Keys] = {name: key for name, key in TOOL.items() if name not in _BODY}


def read_python(
    reading: Reading, path: Path, module: str, python_path: Sequence[Path]
) -> SpecFile | None:
    """Reads a spec in Python.

    Args:
        reading: of the file; takes what is wrong.
        path: the file.
        module: the generated module's dotted name.
        python_path: the folders that modules are imported from.

    Returns:
        The file, with all of it that could be read; None where it is no Python.
    """
    tree = parse(reading)
    if tree is None:
        return None
    own = module_name(path, python_path)
    package = (own or "").rpartition(".")[0]
    imports = Imports(tree, package, python_path)
    work = _Work(reading, Syntax(reading.source), imports, own, path.suffix == ".pyi")
    for node in _defined(work, tree):
        if isinstance(node, ast.ClassDef):
            work.read_class(node)
        else:
            work.read(node)
    words = ast.get_docstring(tree)
    place = work.syntax.span(tree.body[0]) if tree.body else Span(reading.source.path, 1, 1, 1, 2)
    reads = (*reading.reads, *imports.files())
    return SpecFile(
        path=reading.source.path,
        module=module,
        source=reading.source,
        description=Text(words, place) if words else None,
        types=tuple(work.types),
        functions=tuple(work.functions),
        tools=(*work.tools, *work.imported.values()),
        reads=tuple(dict.fromkeys(reads)),
        python=own or reading.source.path,
    )


def _defined(work: _Work, tree: ast.Module) -> list[_Function | ast.ClassDef]:
    """The public functions and classes, each once."""
    found: dict[str, _Function | ast.ClassDef] = {}
    overloads: dict[str, _Function] = {}
    for node in statements(tree.body):
        if not isinstance(node, _Function | ast.ClassDef):
            continue
        work.refuse_hidden(node)
        if node.name.startswith("_"):
            continue
        if isinstance(node, _Function) and work.is_overload(node):
            overloads.setdefault(node.name, node)
            continue
        name = work.syntax.name(node)
        if node not in tree.body:
            work.reading.report(
                "AIG513",
                name.span,
                f"whether {node.name} is defined is known only when it runs",
                "write it at the top level of the file",
            )
        elif node.name in found:
            work.reading.report("AIG107", name.span, f'"{node.name}" stands twice')
        else:
            found[node.name] = node
    for function in overloads.values():
        if function.name not in found:
            work.refuse_overloads(function)
    work.own = {name: node.lineno for name, node in found.items()}
    work.held = {name: node.lineno for node in tree.body for name in _held(node)}
    return list(found.values())


def _held(node: ast.stmt) -> list[str]:
    """The names of what may hold a callable that is no function of the file: values, classes."""
    match node:
        case ast.ClassDef(name=name) | ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
        case ast.Assign(targets=targets):
            return [each.id for each in targets if isinstance(each, ast.Name)]
    return []


@dataclass(slots=True)
class _Work:
    """A spec in Python while it is read.

    Attributes:
        name: what it is imported as; None where nothing can import it.
        stub: whether it is a `.pyi`.
        own: the public functions and classes, with their lines.
        held: classes and what is assigned at the top level, with their lines.
        imported: tools that its functions name, by target.
    """

    reading: Reading
    syntax: Syntax
    imports: Imports
    name: str | None
    stub: bool
    own: dict[str, int] = field(default_factory=dict)
    held: dict[str, int] = field(default_factory=dict)
    comments: Comments = field(init=False)
    types: list[FieldSpec] = field(default_factory=list)
    functions: list[FunctionSpec] = field(default_factory=list)
    tools: list[ToolSpec] = field(default_factory=list)
    imported: dict[str, ToolSpec] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.comments = Comments(self.reading.source.text)

    def read_class(self, node: ast.ClassDef) -> None:
        """Takes a class of a stub as a type; refuses another that nothing could import."""
        name = self.syntax.name(node)
        if self.stub:
            target = Text(f"{self._module}:{node.name}", name.span)
            self.types.append(FieldSpec(name, name.span, type=PythonType(target, name.span)))
        elif self.name is None:
            self._outside(name, "class")

    def read(self, node: _Function) -> None:
        """Reads an AI function or a tool."""
        name = self.syntax.name(node)
        said = self._decorator(node)
        body = _body(node)
        if not body or all(isinstance(each, ast.Pass) for each in body):
            wrong = f"the body of {node.name} does nothing"
            self.reading.report("AIG514", name.span, wrong, "write return answer()")
        elif self._is_declared(body):
            if said == "tool":
                wrong = f"{node.name} is no tool: its body is the model's work"
                self.reading.report("AIG514", name.span, wrong, "write @ai, or a body")
                return
            self._function(name, node)
        elif said == "ai":
            wrong = f"{node.name} is no AI function: its body does the work itself"
            hint = "write return answer() as its body, or @tool"
            self.reading.report("AIG514", name.span, wrong, hint)
        else:
            self._tool(name, node)

    def is_overload(self, node: _Function) -> bool:
        """Whether it only says how another definition of its name may be called."""
        names = [self.imports.full(each) for each in node.decorator_list]
        return not {"typing.overload", "typing_extensions.overload"}.isdisjoint(names)

    def refuse_hidden(self, node: _Function | ast.ClassDef) -> None:
        """Reports decorators of what is neither an AI function nor a tool."""
        inside = node.body if isinstance(node, ast.ClassDef) else [node]
        for each in inside:
            hidden = each is not node or node.name.startswith("_")
            if hidden and isinstance(each, _Function) and self._decorator(each):
                wrong = f"{each.name} is neither an AI function nor a tool, whatever decorates it"
                hint = "write it at the top level of the file, without _ before its name"
                self.reading.report("AIG514", self.syntax.name(each).span, wrong, hint)

    def refuse_overloads(self, node: _Function) -> None:
        """Reports a function of several signatures and no body."""
        wrong = f"which signature {node.name} has is known only when it is called"
        hint = "write one definition without @overload"
        self.reading.report("AIG513", self.syntax.name(node).span, wrong, hint)

    def _is_declared(self, body: Sequence[ast.stmt]) -> bool:
        if len(body) != 1:
            return False
        match body[0]:
            case ast.Expr(value=ast.Constant(value=value)):
                return value is ...
            case ast.Return(value=ast.Call() as call) | ast.Expr(value=ast.Call() as call):
                return self.imports.full(call.func) == "aigen.declare.answer"
            case ast.Raise(exc=ast.Call(func=ast.Name(id=name)) | ast.Name(id=name)):
                return name == "NotImplementedError"
        return False

    def _decorator(self, node: _Function) -> str | None:
        """Which of the two decorators stands there, if one does."""
        found = {each for each in map(self._declares, node.decorator_list) if each}
        if len(found) > 1:
            wrong = f"{node.name} is an AI function or a tool, and not both"
            self.reading.report("AIG514", self.syntax.name(node).span, wrong, "keep one decorator")
        return min(found, default=None)

    def _declares(self, node: ast.expr) -> str | None:
        full = self.imports.full(node.func if isinstance(node, ast.Call) else node)
        return {"aigen.declare.ai": "ai", "aigen.declare.tool": "tool"}.get(full or "")

    # ----------------------------------------------------------------------------- kinds

    def _function(self, name: Text, node: _Function) -> None:
        for each in node.decorator_list:
            if self._declares(each) is None:
                self.reading.report(
                    "AIG513",
                    self.syntax.span(each),
                    f"what {self.syntax.shown(each)} makes of {node.name} cannot be known",
                    "leave it out: an AI function has @ai alone",
                )
        entries = self._keywords(node, {**_AI, **_settings()})
        found = read_function(self.reading, self.syntax, self.comments, node, entries, self._module)
        if found is not None:
            self.functions.append(found)

    @property
    def _module(self) -> str:
        return self.name or self.reading.source.path

    def _tool(self, name: Text, node: _Function) -> None:
        if self.stub:
            wrong = f"the tool {node.name} stands in a stub, which nothing can import"
            hint = "write the spec as a .py under python_path"
            self.reading.report("AIG516", name.span, wrong, hint)
        elif self.name is None:
            self._outside(name, "tool")
        else:
            entries = self._keywords(node, _TOOL)
            self.tools.append(self._as_tool(name, f"{self.name}:{node.name}", entries))

    def _as_tool(self, name: Text, target: str, entries: dict[str, Entry]) -> ToolSpec:
        word = Scalar("python", name.span, "python", True)
        written = {**entries, "python": Entry(word, Scalar(target, name.span, target, True))}
        key = Scalar(name.value, name.span, name.value, True)
        return read_tool(self.reading, Entry(key, Mapping(written, name.span)))

    def _outside(self, name: Text, what: str) -> None:
        self.reading.report(
            "AIG515",
            name.span,
            f"the {what} {name.value} cannot be imported: the file is not under python_path",
            "add its folder to python_path in [tool.aigen]",
        )

    # -------------------------------------------------------------------------- keywords

    def _keywords(self, node: _Function, keys: Keys) -> dict[str, Entry]:
        """What the decorators say, by key."""
        found: dict[str, Entry] = {}
        for each in node.decorator_list:
            if isinstance(each, ast.Call) and self._declares(each):
                for argument in each.args:
                    place = self.syntax.span(argument)
                    self.reading.report("AIG511", place, "a key is missing", "write key=value")
                for word in each.keywords:
                    self._keyword(word, f'"{node.name}"', keys, found)
        return found

    def _keyword(self, word: ast.keyword, what: str, keys: Keys, found: dict[str, Entry]) -> None:
        if word.arg is None:
            place = self.syntax.span(word)
            self.reading.report("AIG511", place, "keys are no literals: **", "write each key")
            return
        name, place = self.syntax.start(word, word.arg)
        key = Scalar(name, place, name, True)
        entry = Entry(key, key)
        if not self.reading.known(entry, what, keys):
            return
        if word.arg == "tools":
            found["tools"] = entry._replace(value=self._tools(word.value))
            return
        value = self.syntax.node(self.reading, word.value, word.arg)
        if value is not None:
            found[word.arg] = entry._replace(value=value)

    def _tools(self, node: ast.expr) -> Items:
        items = node.elts if isinstance(node, ast.List | ast.Tuple) else [node]
        found = [self._named(item) for item in items]
        return Items(tuple(each for each in found if each is not None), self.syntax.span(node))

    def _named(self, node: ast.expr) -> Scalar | None:
        """The name of a tool: a text, a function of this file, or one that was imported."""
        span = self.syntax.span(node)
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return Scalar(node.value, span, node.value, False)
        name = dotted(node)
        target = self.imports.target(node) or self._value_above(name, node.lineno)
        if target is not None:
            key = target.rpartition(":")[2].rpartition(".")[2]
            if target not in self.imported:
                self.imported[target] = self._as_tool(Text(key, span), target, {})
            return Scalar(key, span, key, True)
        line = self.own.get(name or "")
        if name is not None and line is not None and (self.stub or line < node.lineno):
            return Scalar(name, span, name, True)
        shown = self.syntax.shown(node)
        if line is not None:
            wrong = "is not defined yet when the file is imported"
            hint = f'write its name as a text: "{shown}"'
        elif (name or "").partition(".")[0] in self.held and not self.stub:
            wrong, hint = "is not defined yet when the file is imported", "define it above"
        else:
            wrong = "is no tool that can be known"
            hint = f'import the function, or write its name as a text: "{shown}"'
        self.reading.report("AIG517", span, f"{shown} {wrong}", hint)
        return None

    def _value_above(self, name: str | None, before: int) -> str | None:
        """The target of a value or of a class's method that stands above a line of this file."""
        head, _, rest = (name or "").partition(".")
        if self.name is None or head not in self.held or (head in self.own and not rest):
            return None
        return f"{self.name}:{name}" if self.held[head] < before else None


def _settings() -> Keys:
    return {name: Key("any", words.doc) for name, words in SETTING_WORDS.items()}


def _body(node: _Function) -> list[ast.stmt]:
    """The body without its docstring."""
    first = node.body[0]
    is_text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    if is_text and isinstance(first.value.value, str):  # type: ignore[attr-defined]
        return node.body[1:]
    return node.body
