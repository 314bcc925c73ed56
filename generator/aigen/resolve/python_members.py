"""The members of a class of the user's own: types, names, defaults, words."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, Protocol

from aigen.diagnostics import Span
from aigen.ir import Default, Field, JsonAny, Type
from aigen.ir.model import Json
from aigen.ir.types import refs
from aigen.resolve.python_annotation import Annotation, Unknown, told
from aigen.resolve.python_annotations import Annotations
from aigen.resolve.python_classes import Classes, ClassShape, NotOurs, enum_values, flag_values
from aigen.resolve.python_constraints import constrained
from aigen.resolve.python_generics import Bound, bindings
from aigen.resolve.python_literals import MISSING, keywords, literal, unparsed
from aigen.resolve.python_modules import ClassIn, Outside, PythonModule, PythonModules, ValueIn
from aigen.resolve.words import takes_null
from aigen.runtime.values import fits
from aigen.schema.canonical import type_schema
from aigen.source.words import Told, docstring, member_words

_FIELDS = frozenset({"pydantic.Field", "pydantic.fields.Field", "dataclasses.field"})
_EMPTY: Mapping[str, Json] = {"list": [], "dict": {}, "set": [], "tuple": [], "frozenset": []}
_GENERATORS: Mapping[str, Callable[[str], str]] = {
    "to_camel": lambda name: _pascal(name)[:1].lower() + _pascal(name)[1:],
    "to_pascal": lambda name: _pascal(name),
}


class Report(Protocol):
    """Takes a fault: its code, its words, what to write instead."""

    def __call__(self, code: str, message: str, hint: str | None = None) -> None:
        """Reports it."""


class Value(NamedTuple):
    """What stands behind a member's `=`.

    Attributes:
        call: a `Field(...)` or `field(...)` call.
        default: in JSON; `MISSING` where it is computed or there is none.
        given: whether there is one.
    """

    call: ast.Call | None = None
    default: Any = MISSING
    given: bool = False


class Members:
    """Reads members of classes."""

    def __init__(
        self,
        modules: PythonModules,
        classes: Classes,
        annotations: Annotations,
        span: Span,
        report: Report,
    ) -> None:
        self._modules = modules
        self._classes = classes
        self._annotations = annotations
        self._span = span
        self._report = report

    def of(
        self, found: ClassIn, shape: ClassShape, arguments: tuple[Type, ...] = ()
    ) -> tuple[Field, ...]:
        """The members of a class with those it inherits, in order.

        Args:
            found: the class.
            shape: what it inherits.
            arguments: the types that its own variables stand for.
        """
        made: dict[str, Field] = {}
        bound = bindings(self._modules, found, arguments, self._read)
        for each in shape.lineage:
            with self._annotations.binding(bound.get(each.target, {})):
                own = list(self._own(each, found, shape))
            for name, field in own:
                if field is None:
                    made.pop(name, None)
                else:
                    made[name] = field
        self._undocumented(found, shape, made)
        return tuple(made.values())

    def _read(self, node: ast.expr, owner: ClassIn, bound: Bound) -> Type:
        try:
            with self._annotations.binding(bound):
                return self._annotations.read(node, owner.module, owner).type
        except Unknown:
            return JsonAny()

    def _own(
        self, each: ClassIn, whole: ClassIn, shape: ClassShape
    ) -> Iterator[tuple[str, Field | None]]:
        words = self.words(each, whole)
        total = not any(
            keyword.arg == "total" and literal(keyword.value) is False
            for keyword in each.node.keywords
        )
        for at, node in enumerate(each.node.body):
            if not isinstance(node, ast.AnnAssign) or not isinstance(node.target, ast.Name):
                continue
            name = node.target.id
            if name == "model_config" or (shape.kind == "model" and name.startswith("_")):
                continue
            try:
                read = self._annotations.read(node.annotation, each.module, each)
            except Unknown as problem:
                self._report(
                    "AIG504",
                    f"{each.module.place(node)}: the type of {each.path}.{name} cannot be known:"
                    f" {problem}",
                    "write a type of the table, or leave the member out of the spec's type",
                )
                yield name, Field(name, JsonAny(), self._span)
                continue
            if "ClassVar" in read.wrappers or "KW_ONLY" in read.wrappers:
                continue
            beneath = each.node.body[at + 1] if at + 1 < len(each.node.body) else None
            told = words(name, node, beneath)
            yield name, self._field(name, node, read, each, shape, told, total)

    # -------------------------------------------------------------------------- a member

    def _field(
        self,
        name: str,
        node: ast.AnnAssign,
        read: Annotation,
        each: ClassIn,
        shape: ClassShape,
        words: str | None,
        total: bool,
    ) -> Field | None:
        value = self.value(node.value, each.module, each)
        calls = [*read.fields, *([value.call] if value.call else [])]
        said: dict[str, Any] = {}
        for call in calls:
            said.update(keywords(call))
            if call is not value.call and not value.given:
                inner = self._field_value(call, each.module, each)
                value = Value(value.call, inner.default, inner.given)
        if said.get("init") is False:
            return None
        kind = constrained(read.type, said)
        optional, default = self._default(name, node, kind, value, each)
        if shape.kind == "typed_dict":
            optional = "NotRequired" in read.wrappers or (
                not total and "Required" not in read.wrappers
            )
        description = said.get("description") or read.description or words
        deprecated = said.get("deprecated", False)
        examples = said.get("examples", [])
        return Field(
            name=self._called(name, node, calls, said, each, shape),
            type=kind,
            span=self._span,
            description=told(kind, description),
            optional=optional,
            default=default,
            examples=tuple(filter(_is_json, examples)) if isinstance(examples, list) else (),
            deprecated=deprecated if isinstance(deprecated, str | bool) else False,
        )

    def _called(
        self,
        name: str,
        node: ast.AnnAssign,
        calls: list[ast.Call],
        said: Mapping[str, Any],
        each: ClassIn,
        shape: ClassShape,
    ) -> str:
        """What a member is called in JSON: its alias, where it has one."""
        if shape.kind not in ("model", "dataclass"):
            return name
        for key in ("validation_alias", "alias"):
            written = [word for call in calls for word in call.keywords if word.arg == key]
            if not written:
                continue
            alias = said.get(key)
            choices = written[-1].value
            if alias is None and isinstance(choices, ast.Call) and choices.args:
                first = literal(choices.args[0])
                alias = first if unparsed(choices.func).endswith("AliasChoices") else None
            if isinstance(alias, str):
                return alias
            self._report(
                "AIG504",
                f"{each.module.place(node)}: the {key} of {each.path}.{name} cannot be known",
                "write it as a text",
            )
            return name
        generator = shape.config.get("alias_generator")
        if generator is None:
            return name
        made = _GENERATORS.get(str(generator))
        if made is None:
            self._report(
                "AIG504",
                f"{each.module.place(node)}: the alias that {generator} makes of"
                f" {each.path}.{name} is known only when it runs",
                "give the member an alias of its own",
            )
            return name
        return made(name)

    # ------------------------------------------------------------------------- defaults

    def _default(
        self, name: str, node: ast.AnnAssign, kind: Type, value: Value, each: ClassIn
    ) -> tuple[bool, Default | None]:
        if not value.given:
            return False, None
        if value.default is None and not takes_null(kind) and not isinstance(kind, JsonAny):
            return True, None
        known = value.default is not MISSING
        if known and value.default is not None and not refs(kind):
            known = fits(value.default, type_schema(kind, "")) is None
        if not known:
            self._report(
                "AIG505",
                f"{each.module.place(node)}: the default of {each.path}.{name} is known only when"
                " it runs, so the member may be absent and the schema has no default",
            )
            return True, None
        return True, Default(value.default)

    def value(self, node: ast.expr | None, module: PythonModule, owner: ClassIn | None) -> Value:
        """What stands behind the `=` of a member or a parameter."""
        if node is None:
            return Value()
        if isinstance(node, ast.Call):
            made = self._annotations.meaning(node.func, module, None)
            if isinstance(made, Outside) and made.dotted in _FIELDS:
                inner = self._field_value(node, module, owner)
                return Value(node, inner.default, inner.given)
        found = self._constant(node, module, owner)
        return Value(None, found, found is not ...)

    def _field_value(self, node: ast.Call, module: PythonModule, owner: ClassIn | None) -> Value:
        written = {word.arg: word.value for word in node.keywords if word.arg}
        default = node.args[0] if node.args else written.get("default")
        if default is not None:
            found = self._constant(default, module, owner)
            return Value(node, found, found is not ...)
        factory = written.get("default_factory")
        if factory is None:
            return Value(node)
        if isinstance(factory, ast.Name) and factory.id in _EMPTY:
            return Value(node, _EMPTY[factory.id], True)
        if isinstance(factory, ast.Lambda):
            return Value(node, self._constant(factory.body, module, owner), True)
        return Value(node, MISSING, True)

    def _constant(self, node: ast.expr, module: PythonModule, owner: ClassIn | None) -> Any:
        """A value in JSON; `...` where it says *required*, `MISSING` where it is computed."""
        found = literal(node)
        if found is MISSING and isinstance(node, ast.Call) and not (node.args or node.keywords):
            found = _EMPTY.get(unparsed(node.func), MISSING)
        if found is MISSING and isinstance(node, ast.Call):
            found = self._path(node, module)
        if found is MISSING and isinstance(node, ast.Name | ast.Attribute):
            found = self._named(node, module, owner)
        if isinstance(found, tuple | set | frozenset):
            found = sorted(found, key=repr) if not isinstance(found, tuple) else [*found]
        return found if found is ... or found is MISSING or _is_json(found) else MISSING

    def _path(self, node: ast.Call, module: PythonModule) -> Any:
        """The text of `Path("…")`."""
        made = self._annotations.meaning(node.func, module, None)
        text = literal(node.args[0]) if len(node.args) == 1 and not node.keywords else None
        is_path = isinstance(made, Outside) and made.module == "pathlib"
        return text if is_path and isinstance(text, str) else MISSING

    def _named(self, node: ast.expr, module: PythonModule, owner: ClassIn | None) -> Any:
        """The value of a constant, or of an enum's member."""
        meaning = self._annotations.meaning(node, module, owner)
        if not isinstance(meaning, ValueIn):
            return MISSING
        outer, _, name = meaning.name.rpartition(".")
        found = self._modules.meaning(meaning.module, outer) if outer else None
        if isinstance(found, ClassIn):
            try:
                shape = self._classes.shape(found)
            except NotOurs:
                return MISSING
            if shape.kind == "flag":
                return (flag_values(found) or {}).get(name, MISSING)
            if shape.kind == "enum":
                members = {each: value for each, value, _ in enum_values(found, shape)}
                return members.get(name, MISSING)
        return literal(meaning.value)

    # ---------------------------------------------------------------------------- words

    def words(self, each: ClassIn, whole: ClassIn | None = None) -> Told:
        """What the source says of a member: the text beneath it, a comment, the docstring."""
        comments = each.module.comments
        documented = {**docstring(each.node).members}
        if whole is not None and whole is not each:
            documented.update(docstring(whole.node).members)

        return member_words(comments, documented)

    def _undocumented(self, found: ClassIn, shape: ClassShape, made: Mapping[str, Field]) -> None:
        known = set(made)
        for each in shape.lineage:
            for node in each.node.body:
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                    known.add(node.name)
                elif isinstance(node, ast.Assign):
                    known.update(t.id for t in node.targets if isinstance(t, ast.Name))
                elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                    known.add(node.target.id)
        for name in docstring(found.node).members:
            if name not in known:
                self._report(
                    "AIG508",
                    f"{found.module.place(found.node)}: the docstring of {found.path} documents"
                    f" {name}, which is no member",
                )


def _is_json(value: object) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, list):
        return all(map(_is_json, value))
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_json(each) for key, each in value.items())
    return value is None or isinstance(value, str | int | bool)


def _pascal(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.split("_") if part)
