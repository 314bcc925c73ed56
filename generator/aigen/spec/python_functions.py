"""AI functions of a Python spec: the signature as formula and fields."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from aigen.diagnostics import Span
from aigen.source.parameters import with_defaults
from aigen.source.words import Comments, FunctionWords
from aigen.spec.fields import read_fields
from aigen.spec.functions import described, read_settings
from aigen.spec.keys import FUNCTION
from aigen.spec.nodes import Entry, Node, Scalar
from aigen.spec.nodes import Sequence as Items
from aigen.spec.python_syntax import Syntax
from aigen.spec.reading import Reading
from aigen.spec.tree import (
    AnnotationOf,
    FieldSpec,
    Formula,
    FunctionSpec,
    LiteralOf,
    Name,
    Setting,
    Text,
    TypeExpr,
)

_RESULT = "result"


def read_function(
    reading: Reading,
    syntax: Syntax,
    comments: Comments,
    node: ast.FunctionDef | ast.AsyncFunctionDef,
    entries: dict[str, Entry],
    module: str,
) -> FunctionSpec | None:
    """An AI function, whose return annotation is its one output.

    Args:
        reading: of the file; takes what is wrong.
        syntax: of the file.
        comments: of the file.
        node: the function.
        entries: what its decorator says, by key: keys of a function, and settings.
        module: what the tree calls the module in which annotations mean something.

    Returns:
        None where it has no signature that a model could answer, which is reported.
    """
    words = FunctionWords(node, comments)
    return _Reading(reading, syntax, words, node, entries, module).function()


class _Parameter(NamedTuple):
    node: ast.arg
    default: ast.expr | None


@dataclass(slots=True)
class _Reading:
    reading: Reading
    syntax: Syntax
    words: FunctionWords
    node: ast.FunctionDef | ast.AsyncFunctionDef
    entries: dict[str, Entry]
    module: str

    def function(self) -> FunctionSpec | None:
        key = self.syntax.name(self.node)
        parameters = [_Parameter(*each) for each in with_defaults(self.node.args)]
        if not self._is_callable(key, parameters):
            return None
        documented = self.words.documented
        for name in documented.members:
            if name not in self.words.places:
                wrong = f"the docstring of {key.value} documents {name}, which is no parameter"
                self.reading.report("AIG412", key.span, wrong)
        value = {name: entry.value for name, entry in self.entries.items() if name in FUNCTION}
        written = self._written(value)
        fields = [self._field(each, written) for each in parameters]
        fields.append(self._output(written, key))
        output = fields[-1].name
        inputs = tuple(field.name for field in fields[:-1])
        others = [field for name, field in written.items() if name not in _names(fields)]
        function = described(
            self.reading,
            key,
            self.syntax.span(self.node),
            value,
            Formula((output,), inputs, None, key.span),
            (*fields, *others),
        )
        if function.description is None and documented.text:
            words = Text(documented.text, self.syntax.span(self.node.body[0]))
            function = replace(function, description=words)
        return replace(function, settings=self._settings(value))

    def _settings(self, value: dict[str, Node]) -> tuple[Setting, ...]:
        found = list(read_settings(self.reading, value["settings"]) if "settings" in value else ())
        named = {setting.name.value for setting in found}
        for name, entry in self.entries.items():
            if name in FUNCTION:
                continue
            if name in named:
                self.reading.report("AIG107", entry.key.span, f'"{name}" stands twice')
            else:
                found.append(Setting(Text(name, entry.key.span), entry.value))
        return tuple(found)

    # ------------------------------------------------------------------------- signature

    def _is_callable(self, key: Text, parameters: Sequence[_Parameter]) -> bool:
        """Whether it is a function that the generated one can be; reports why not."""
        args = self.node.args
        for each, mark in ((args.vararg, "*"), (args.kwarg, "**")):
            if each is not None:
                self._refuse(
                    self.syntax.span(each),
                    f"{mark}{each.arg} is no input: its names are known only when it is called",
                    "name each input, or take a list or a dict",
                )
        if isinstance(self.node, ast.AsyncFunctionDef):
            self._refuse(
                key.span,
                f"{key.value} is declared async; every AI function can be awaited",
                "write def",
            )
        if not parameters and args.vararg is None and args.kwarg is None:
            self._refuse(key.span, f"{key.value} takes nothing that a model could read")
        return bool(parameters)

    def _refuse(self, span: Span, message: str, hint: str | None = None) -> None:
        self.reading.report("AIG513", span, message, hint)

    # ---------------------------------------------------------------------------- fields

    def _written(self, value: dict[str, Node]) -> dict[str, FieldSpec]:
        """The fields that the decorator describes."""
        if "fields" not in value:
            return {}
        found = read_fields(self.reading, value["fields"], "fields")
        return {field.name.value: field for field in found}

    def _field(self, each: _Parameter, written: dict[str, FieldSpec]) -> FieldSpec:
        node = each.node
        name = self.syntax.start(node, node.arg)
        if not node.arg.isascii():
            self.reading.report("AIG131", name.span, f'"{node.arg}" is no ASCII identifier')
        words = self.words.parameter(node.arg)
        said = written.get(node.arg)
        default = self._default(each.default)
        kind: TypeExpr | None = self._type(
            node.annotation, words, None if default else each.default
        )
        if kind is None:
            kind, default = self._guessed(default, each.default)
        if kind is None and (said is None or said.type is None):
            kind, default = self._untyped(name.span, f"the type of {node.arg} is not written"), None
        own = FieldSpec(name, self.syntax.span(node), type=kind, default=default)
        if words is not None and not isinstance(kind, AnnotationOf):
            own = replace(own, description=Text(words, name.span))
        return own if said is None else _laid_over(said, own)

    def _output(self, written: dict[str, FieldSpec], key: Text) -> FieldSpec:
        returns = self.node.returns
        words = self.words.returned()
        said = written.get(_RESULT)
        kind: TypeExpr | None = self._type(returns, words, None)
        if isinstance(returns, ast.Constant) and returns.value is None:
            kind = self._untyped(self.syntax.span(returns), f"{key.value} answers nothing")
        elif kind is None and (said is None or said.type is None):
            kind = self._untyped(key.span, f"what {key.value} answers is not written")
        place = key.span if returns is None else self.syntax.span(returns)
        own = FieldSpec(Text(_RESULT, place), place, type=kind)
        if words is not None and not isinstance(kind, AnnotationOf):
            own = replace(own, description=Text(words, place))
        return own if said is None else _laid_over(said, own)

    def _untyped(self, span: Span, message: str) -> TypeExpr:
        """Reports a type that is missing; all values fit the one it is taken for."""
        self.reading.report("AIG512", span, message, "annotate it: str")
        return Name("json", span)

    def _type(
        self, node: ast.expr | None, words: str | None, computed: ast.expr | None
    ) -> AnnotationOf | None:
        if node is None:
            return None
        place = None if computed is None else self.syntax.span(computed)
        return AnnotationOf(
            node,
            self.module,
            self.syntax.span(node),
            self.syntax.shown(node),
            words,
            computed,
            place,
        )

    def _default(self, node: ast.expr | None) -> Node | None:
        """A default that is a literal; any other is judged where names are known."""
        if node is None or (isinstance(node, ast.Constant) and node.value is ...):
            return None
        try:
            ast.literal_eval(node)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            return None
        return self.syntax.node(self.reading, node, "the default")

    def _guessed(
        self, default: Node | None, written: ast.expr | None
    ) -> tuple[TypeExpr | None, Node | None]:
        """The type of a literal default; a tuple of texts is a choice, the first the default."""
        if isinstance(default, Scalar) and default.value is not None:
            return Name(type(default.value).__name__, default.span), default
        if isinstance(written, ast.Tuple) and isinstance(default, Items):
            levels = [each.value for each in default.items if isinstance(each, Scalar)]
            texts = [each for each in levels if isinstance(each, str)]
            if texts and len(texts) == len(default.items):
                return LiteralOf(tuple(dict.fromkeys(texts)), default.span), default.items[0]
        return None, default


def _laid_over(said: FieldSpec, own: FieldSpec) -> FieldSpec:
    """What the decorator says of a field, over what the signature says."""
    return replace(
        said,
        type=said.type or own.type,
        description=said.description or own.description,
        default=said.default if said.default is not None else own.default,
    )


def _names(fields: Sequence[FieldSpec]) -> set[str]:
    return {field.name.value for field in fields}
