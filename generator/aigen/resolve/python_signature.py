"""Functions of the user's own as tools: signature, comments and docstring, read and never imported.

The words of a parameter come from `Annotated` or `Field`, else from a comment, else from the
docstring; 1-spec-format, *Precedence of words and types*.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from aigen.diagnostics import nearest
from aigen.ir import (
    Boolean,
    Choice,
    Default,
    Field,
    Integer,
    JsonAny,
    Level,
    List,
    Map,
    Number,
    Type,
)
from aigen.ir.model import Json
from aigen.ir.types import refs
from aigen.resolve.python_annotation import Annotation, Unknown, parsed, told
from aigen.resolve.python_constraints import constrained
from aigen.resolve.python_decorators import not_known
from aigen.resolve.python_literals import MISSING, keywords, unparsed
from aigen.resolve.python_members import Value
from aigen.resolve.python_modules import (
    ClassIn,
    Outside,
    PythonModules,
    Unreadable,
    ValueIn,
)
from aigen.resolve.python_target import Target, function_at
from aigen.resolve.python_types import ClassReader
from aigen.resolve.words import TEXT, takes_null
from aigen.runtime.values import fits
from aigen.schema.canonical import type_schema
from aigen.source.added import AddedDocs
from aigen.source.parameters import with_defaults
from aigen.source.words import FunctionWords

Passing: TypeAlias = Literal["name", "position", "rest", "others"]
"""How an argument reaches the function: `x`, `x, /`, `*x`, `**x`."""

_CONTEXT = ("aigen.runtime.ToolContext", "aigen.runtime.tools.context.ToolContext", "ToolContext")
_AROUND = ("Annotated", "Optional", "Union")


@dataclass(frozen=True, slots=True)
class Signature:
    """What a function's source says.

    Attributes:
        parameters: in order; names that `known` gives are read without their type.
        passing: how each parameter is passed, where not by its name: in order, those that the
            context gives among them. Before `*x` all are passed by position.
        context: parameters annotated `ToolContext`.
        returns: None where nothing is said of it.
        open: whether it may take further names: `**kwargs`, or a decorator.
        bound: whether it is a method that needs an object.
        added: what the module adds to the documentation of the parameters, as JSON.
    """

    parameters: tuple[Field, ...]
    returns: Field | None
    description: str | None
    passing: dict[str, Passing] = field(default_factory=dict)
    context: tuple[str, ...] = ()
    open: bool = False
    bound: bool = False
    added: Mapping[str, Json] = field(default_factory=dict)


def read_signature(
    target: str,
    modules: PythonModules,
    reader: ClassReader,
    known: frozenset[str],
    *,
    returns: bool = True,
    unsaid: frozenset[str] = frozenset(),
    listed: bool = False,
) -> Signature | None:
    """The signature of a function, static method, class method, method or callable object.

    Args:
        target: `pkg.mod:func` or `pkg.mod:Class.method`.
        modules: finds the user's modules.
        reader: of the classes that annotations name; takes what is wrong.
        known: parameters whose type the spec says itself.
        returns: whether what it returns is read, which the spec may say itself.
        unsaid: parameters whose type the source need not say.
        listed: whether the spec lists parameters, so that the source need not be read; one that has
            a default and no type of values is then left to its default.

    Returns:
        None where it cannot be found or read, which is reported.
    """
    where, _, path = target.partition(":")

    def report(message: str, hint: str = "list its parameters in the spec") -> None:
        if not listed:
            reader.report("AIG413", message, hint)

    try:
        module = modules.module(where)
        if module is None:
            report(f"{where} cannot be read")
            return None
        found = function_at(modules, reader, module, path)
        if found is None:
            wrong = f"{module.shown}: {path} is no function that can be read"
            close = nearest(path, sorted({*module.names} - {path}))
            report(wrong, f"did you mean {where}:{close}?") if close else report(wrong)
            return None
        unknown = not_known(reader, found.function)
        if unknown is not None:
            report(unknown)
            return None
        return _Reading(reader, found, known, returns, unsaid, listed).signature()
    except Unreadable as problem:
        report(str(problem), "mend it, or list the parameters in the spec")
        return None


class _Parameter(NamedTuple):
    node: ast.arg
    default: ast.expr | None
    passing: Passing


class _Reading:
    def __init__(
        self,
        reader: ClassReader,
        found: Target,
        known: frozenset[str],
        returns: bool,
        unsaid: frozenset[str],
        listed: bool,
    ) -> None:
        self._reader = reader
        self._found = found
        self._module, self._node, self._owner = found.function
        self._known = known
        self._reads_returns = returns
        self._listed = listed
        self._added = AddedDocs(self._module.tree, "" if self._owner else self._node.name)
        self._unsaid = unsaid | self._added.typed
        self._untold: set[str] = set()
        self._words = FunctionWords(self._node, self._module.comments)

    def signature(self) -> Signature:
        """All that the source says."""
        parameters: list[Field] = []
        passing: dict[str, Passing] = {}
        context: list[str] = []
        for each in self._parameters():
            name = each.node.arg
            if each.passing != "name":
                passing[name] = each.passing
            if self._is_context(each.node.annotation):
                context.append(name)
                continue
            made = self._field(each)
            if made is not None:
                parameters.append(made)
        self._undocumented()
        return Signature(
            tuple(parameters),
            self._returns() if self._reads_returns else None,
            self._added.text or self._words.documented.text or None,
            passing,
            tuple(context),
            self._node.args.kwarg is not None or self._is_decorated(),
            self._found.instance,
            self._added.arguments,
        )

    def _parameters(self) -> Iterator[_Parameter]:
        args = self._node.args
        by_position = len(args.posonlyargs) + (len(args.args) if args.vararg else 0)
        listed = [
            _Parameter(node, default, "position" if number < by_position else "name")
            for number, (node, default) in enumerate(with_defaults(args))
        ]
        before = len(args.posonlyargs) + len(args.args)
        if args.vararg is not None:
            listed.insert(before, _Parameter(args.vararg, None, "rest"))
        skipped = self._found.positions + (1 if self._takes_self() else 0)
        del listed[: min(skipped, before)]
        if args.kwarg is not None:
            listed.append(_Parameter(args.kwarg, None, "others"))
        return (each for each in listed if each.node.arg not in self._found.given)

    def _is_decorated(self) -> bool:
        """Whether something may have changed which arguments it takes."""
        known = ("staticmethod", "classmethod", "overload", "abstractmethod", "tool")
        written = [
            unparsed(each.func if isinstance(each, ast.Call) else each).rpartition(".")[2]
            for each in self._node.decorator_list
        ]
        return any(each not in known for each in written)

    def _takes_self(self) -> bool:
        if self._owner is None or self._found.positions:
            return False
        names = [n.id for n in self._node.decorator_list if isinstance(n, ast.Name)]
        return "staticmethod" not in names

    def _is_context(self, annotation: ast.expr | None) -> bool:
        """Whether an annotation is `ToolContext`: aliased, in `Annotated` or beside `None` too."""
        pending = [] if annotation is None else [(annotation, self._module)]
        seen: set[str] = set()
        while pending:
            node, module = pending.pop()
            try:
                node = parsed(node)
            except Unknown:
                continue
            match node:
                case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                    pending += [(left, module), (right, module)]
                case ast.Subscript(value=outer, slice=inner):
                    if unparsed(outer).rpartition(".")[2] in _AROUND:
                        inside = inner.elts if isinstance(inner, ast.Tuple) else [inner]
                        pending += [(each, module) for each in inside]
                case ast.Name() | ast.Attribute():
                    found = self._reader.annotations.meaning(node, module, None)
                    if isinstance(found, ValueIn) and found.name not in seen:
                        seen.add(found.name)
                        pending.append((found.value, found.module))
                    if (found.dotted if isinstance(found, Outside) else found) in _CONTEXT:
                        return True
        return False

    # ------------------------------------------------------------------------ a parameter

    def _field(self, each: _Parameter) -> Field | None:
        """A parameter; None for one that is left to its default."""
        name = each.node.arg
        value = self._reader.members.value(each.default, self._module, self._owner)
        read = self._annotation(each, value)
        if read is None:
            return None
        said = {}
        for call in [*read.fields, *([value.call] if value.call else [])]:
            said.update(keywords(call))
        kind = constrained(read.type, said)
        words = (
            self._added.parameter(name)
            or said.get("description")
            or read.description
            or self._words.parameter(name)
        )
        optional, default = self._default(name, kind, value)
        if _is_left_out(each.default):
            optional = True
        if "Unpack" in read.wrappers:
            optional = not self._reader.requires(self._unpacked(each))
        elif each.passing == "rest":
            kind, optional = List(kind), True
        elif each.passing == "others":
            kind, optional = Map(kind), True
        return Field(
            name,
            kind,
            self._reader.span,
            told(kind, words),
            optional,
            default,
        )

    def _unpacked(self, each: _Parameter) -> ClassIn:
        """The class of `**more: Unpack[Options]`."""
        written = parsed(each.node.annotation) if each.node.annotation is not None else None
        inner = parsed(written.slice) if isinstance(written, ast.Subscript) else None
        found = inner and self._reader.annotations.meaning(inner, self._module, self._owner)
        if each.passing != "others" or not isinstance(found, ClassIn):
            raise Unknown("Unpack takes a TypedDict, and stands behind **")
        return found

    def _annotation(self, each: _Parameter, value: Value) -> Annotation | None:
        node = each.node
        if node.arg in self._known:
            return Annotation(JsonAny())  # so that whatever its default is, it is kept
        try:
            if node.annotation is None:
                return Annotation(self._guessed(node, each.default, value))
            read = self._reader.annotations.read(node.annotation, self._module, self._owner)
            if "Unpack" in read.wrappers:
                self._unpacked(each)
            return read
        except Unknown as problem:
            if self._listed and each.default is not None and each.passing == "name":
                return None
            self._untyped(node, str(problem), problem.hint)
            return Annotation(JsonAny())

    def _guessed(self, node: ast.arg, default: ast.expr | None, value: Value) -> Type:
        """The type of a literal default; a tuple of texts is a choice, the first the default."""
        match value.default:
            case bool():
                return Boolean()
            case int():
                return Integer()
            case float():
                return Number()
            case str():
                return TEXT
            case [str(), *_] as levels if isinstance(default, ast.Tuple) and _are_texts(levels):
                return Choice(tuple(Level(each) for each in dict.fromkeys(levels)))
        if node is self._node.args.vararg or node is self._node.args.kwarg:
            return JsonAny()
        raise Unknown("is not written")

    def _untyped(self, node: ast.arg, why: str, hint: str | None) -> None:
        if node.arg in self._unsaid:
            return
        self._untold.add(node.arg)
        self._reader.report(
            "AIG411",
            f"{self._module.place(node)}: the type of the parameter {node.arg} "
            + (why if node.annotation is None else f"cannot be known: {why}"),
            hint or f"annotate it, or write parameters: {{{node.arg}: …}} in the spec",
        )

    def _default(self, name: str, kind: Type, value: Value) -> tuple[bool, Default | None]:
        if not value.given:
            return False, None
        default = value.default
        if isinstance(kind, Choice) and isinstance(default, list) and default:
            default = default[0]
        if default is None and not takes_null(kind) and not isinstance(kind, JsonAny):
            return True, None
        known = default is not MISSING
        if known and default is not None and not refs(kind):
            known = fits(default, type_schema(kind, "")) is None
        if not known and name not in self._untold:
            self._reader.report(
                "AIG505",
                f"{self._module.place(self._node)}: the default of {name} is known only when it"
                " runs, so the parameter may be left out and the schema has no default",
            )
        return True, Default(default) if known else None

    # ----------------------------------------------------------------------------- words

    def _returns(self) -> Field | None:
        node = self._node.returns
        words = self._added.returned or self._words.returned()
        if node is None:
            kind: Type = JsonAny()
            if words is None:
                return None
        else:
            try:
                read = self._reader.annotations.read(node, self._module, self._owner)
            except Unknown:
                return None  # nothing is judged by it
            kind, words = read.type, self._added.returned or read.description or words
        return Field("result", kind, self._reader.span, words)

    def _undocumented(self) -> None:
        args = self._node.args
        every = [*(node for node, _ in with_defaults(args)), args.vararg, args.kwarg]
        names = {each.arg for each in every if each is not None}
        for name in self._words.documented.members:
            if name not in names:
                self._reader.report(
                    "AIG412",
                    f"{self._module.place(self._node)}: the docstring of {self._node.name}"
                    f" documents {name}, which is no parameter",
                )


def _is_left_out(default: ast.expr | None) -> bool:
    """Whether a stub says that there is a default, and not which."""
    return isinstance(default, ast.Constant) and default.value is ...


def _are_texts(levels: Sequence[object]) -> bool:
    return all(isinstance(each, str) for each in levels)


__all__ = ["Passing", "Signature", "read_signature"]
