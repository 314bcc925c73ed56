"""Named types as the texts that their templates put together."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from operator import methodcaller
from typing import Literal

from aigen.emit import words
from aigen.emit.annotations import nullable, partial, plain, union
from aigen.emit.defaults import immutable, made
from aigen.emit.judged import judged, judged_alone, takes_null
from aigen.emit.layout import STEP, Group, Long, Node, annotated, assigned, group
from aigen.emit.literals import quote, value
from aigen.emit.names import BASE_MODEL, Identifier, levels, members
from aigen.emit.scope import ModuleScope
from aigen.ir import Alias, Choice, Enumeration, Field, Function, JsonAny, Record


@dataclass(slots=True)
class TypeText:
    """All that `_model.jinja` writes of one named type.

    Attributes:
        form: which macro writes it.
        lines: attributes of a class, or the statements of an alias; each may be several lines.
        config: the arguments of a model's `ConfigDict`.
    """

    form: Literal["model", "enum", "alias"]
    name: str
    bases: str
    doc: str
    lines: tuple[str, ...]
    config: str = ""


def record_texts(record: Record, scope: ModuleScope, answers: Function | None) -> list[TypeText]:
    """A record as a pydantic model, and its partial where it streams.

    Args:
        record: what is written.
        scope: of its module.
        answers: the function whose answer it is, if any.
    """
    otherwise = f"Answer of `{answers.name}`." if answers else f"The members of `{record.name}`."
    lines = words.prose(record.description or "", STEP, otherwise)
    streamed = record.name in scope.names.partials
    found = [_member(field, scope) for field in record.members]
    arrived = [partial(field.type, scope) for field in record.members] if streamed else []
    attributes = _attributes(found, scope, record, arrived)
    text = _model(scope.names.types[record.name], lines, found, attributes, scope, record)
    return [text, _partial(record, arrived, attributes, scope)] if streamed else [text]


def members_text(
    name: str, fields: tuple[Field, ...], lines: list[str], scope: ModuleScope
) -> TypeText:
    """A pydantic model of these members."""
    found = [_member(field, scope) for field in fields]
    return _model(name, lines, found, _attributes(found, scope), scope)


def _model(
    name: str,
    lines: list[str],
    found: list[_Member],
    attributes: dict[str, Identifier],
    scope: ModuleScope,
    record: Record | None = None,
) -> TypeText:
    fields = tuple([member.field for member in found])
    lines_ = [_line(member, attributes[member.field.name], scope) for member in found]
    return TypeText(
        form="model",
        name=name,
        bases=scope.use("pydantic", "BaseModel"),
        doc=words.doc(lines, STEP),
        lines=tuple(lines_ + _body(fields, attributes, record, scope)),
        config=_config(record, attributes, scope),
    )


def _partial(
    record: Record, arrived: list[Node], attributes: dict[str, Identifier], scope: ModuleScope
) -> TypeText:
    """The partial of a record: all members optional, nothing judged."""
    own = scope.names.types[record.name]
    lines = []
    for field, kind in zip(record.members, arrived, strict=True):
        annotation = nullable(kind)
        attribute = attributes[field.name]
        default: Node = "None"
        if attribute != field.name:
            default = Group(
                f"{scope.use('pydantic', 'Field')}(",
                ("default=None", *_alias(field.name)),
                ")",
            )
        lines.append(annotated(attribute, annotation, default))
    config = ["defer_build=True", *_naming(attributes)]
    return TypeText(
        form="model",
        name=scope.names.partials[record.name],
        bases=scope.use("pydantic", "BaseModel"),
        doc=words.doc([f"`{own}` while it streams: what has arrived so far."], STEP),
        lines=tuple(lines),
        config=_config_dict(config, scope),
    )


def enumeration_text(definition: Enumeration, scope: ModuleScope) -> TypeText:
    """An enum of texts or integers."""
    values = [level.value for level in definition.levels]
    base = "StrEnum" if all(isinstance(each, str) for each in values) else "IntEnum"
    return TypeText(
        form="enum",
        name=scope.names.types[definition.name],
        bases=scope.use("enum", base),
        doc=words.doc(_choice_words(definition, STEP, "One of these."), STEP),
        lines=tuple(
            assigned(name, Long(each) if isinstance(each, str) else value(each), STEP)
            for name, each in zip(levels(values), values, strict=True)
        ),
    )


def alias_text(definition: Alias, scope: ModuleScope, recursive: bool) -> TypeText:
    """A named choice, or another type with a name; `recursive` where it contains itself."""
    name = scope.names.types[definition.name]
    node = judged_alone(definition.type, scope)
    note = f"{name}: {scope.use('typing', 'TypeAlias')}"
    said = _choice_words(definition, 0)
    doc = words.doc(said, 0) if said else ""
    if not recursive:
        return TypeText("alias", name, "", doc, (assigned(note, node),))
    checked = scope.use("typing", "TYPE_CHECKING")
    made = scope.use("typing_extensions", "TypeAliasType")
    text = Long(node)
    run = Group(f"{made}(", (quote(name), text), ")")
    lines = (
        f"if {checked}:",
        "    " + assigned(note, Long(plain(definition.type, scope)), STEP),
        "else:",
        "    " + assigned(name, run, STEP),
    )
    return TypeText("alias", name, "", doc, lines)


def _choice_words(definition: Alias | Enumeration, indent: int, otherwise: str = "") -> list[str]:
    lines = words.prose(definition.description or "", indent, otherwise)
    kind = definition.type if isinstance(definition, Alias) else definition
    if isinstance(kind, Choice | Enumeration):
        listed = words.meanings((level.value, level.meaning) for level in kind.levels)
        if listed:
            lines = [*(lines or ["One of these."]), ""]
            for line in listed:
                lines += words.listed(line, indent)
    return lines


_FIELD = frozenset({"Field"})


@dataclass(slots=True)
class _Member:
    """A member before it has its name in Python.

    Attributes:
        default: the value itself, where one expression says it.
        value, words: arguments of `Field`; an alias stands between them.
    """

    field: Field
    annotation: Node
    default: Node | None
    value: tuple[Node, ...]
    words: tuple[Node, ...]

    def uses(self) -> frozenset[str]:
        """The names that its line looks up; `Field` may yet be one for the sake of an alias."""
        parts = [self.annotation, *self.value]
        parts += [] if self.default is None else [self.default]
        return _FIELD.union(*[_used_names(part) for part in parts])

    @property
    def has_value(self) -> bool:
        """Whether something is assigned to it, whatever its name is."""
        return bool(self.value or self.words)


def _attributes(
    found: list[_Member],
    scope: ModuleScope,
    record: Record | None = None,
    arrived: Collection[Node] = (),
) -> dict[str, Identifier]:
    """Attribute names, with `_` where a name would hide one that its class uses.

    pydantic and type checkers look a name up in the class first: an attribute with a value hides
    it from every line, and one without from those that follow. All attributes of a partial have
    values, and they are called as those of the record are; `arrived` is what they say.
    """
    fields = tuple([member.field for member in found])
    names = _names(fields)
    body = _body(fields, {name: name for name in names}, record, scope)
    if not any(map(scope.may_mean, map(Identifier, names))):
        return members(names, {})
    lines = [member.uses() for member in found]
    lines += map(_used_names, (*arrived, *body))
    everything = _FIELD.union(*lines)
    hiding: dict[str, bool] = {}
    for index, member in enumerate(found):
        name = member.field.name
        attribute = Identifier(name)
        if attribute not in everything:
            continue
        valued = arrived or member.has_value or attribute != name or attribute in BASE_MODEL
        used = everything if valued else frozenset().union(*lines[index + 1 :])
        hiding[attribute] = hiding.get(attribute, False) or attribute in used
    return members(names, hiding)


def _names(fields: tuple[Field, ...]) -> list[str]:
    return [field.name for field in fields]


# Texts and comments, which name nothing; then names that are no attribute's and no keyword's.
_UNREAD = re.compile(r"""\"(?:[^"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|#.*""")
_READ = re.compile(r"(?<![\w.])[^\W\d]\w*+(?!=)")


@lru_cache(4096)
def _used_names(code: str) -> frozenset[str]:
    return frozenset(_READ.findall(_UNREAD.sub("", code)))


def _member(field: Field, scope: ModuleScope) -> _Member:
    """What one attribute says: annotation, default, words."""
    annotation = judged(field.type, scope)
    default: Node | None = None
    arguments: list[Node] = []
    said: list[Node] = []
    if field.default is not None and field.default.call is None:
        default = immutable(field.type, field.default.value, scope)
        if default is None:
            written = made(field.type, field.default.value, scope)
            arguments.append(f"default_factory=lambda: {written}")
        else:
            arguments.append(_long(default, "default="))
    elif field.optional or field.default is not None:
        default = "None"
        arguments.append("default=None")
        if takes_null(field.type, scope):
            annotation = nullable(annotation)
        else:
            annotation = group(
                f"{scope.use('typing', 'Annotated')}[",
                [union([annotation, "None"]), f"{scope.runtime('MayBeAbsent', 'types')}()"],
                "]",
            )
            arguments.append(f"exclude_if={scope.runtime('absent', 'types')}")
    if field.description:
        said.append(Long(field.description, "description="))
    if field.deprecated:
        reason = field.deprecated
        said.append("deprecated=True" if reason is True else Long(str(reason), "deprecated="))
    return _Member(field, annotation, default, tuple(arguments), tuple(said))


def _line(member: _Member, attribute: str, scope: ModuleScope) -> str:
    """One attribute; an alias where it is not called as the member is."""
    name, default = member.field.name, member.default
    alias = _alias(name) if attribute != name else []
    arguments = [*member.value, *alias, *member.words]
    if not arguments or (default is not None and len(arguments) == 1):
        return annotated(attribute, member.annotation, _long(default) if default else None)
    call = Group(f"{scope.use('pydantic', 'Field')}(", tuple(arguments), ")")
    return annotated(attribute, member.annotation, call)


def _long(written: Node, head: str = "") -> Node:
    """A default that is a text may need several lines."""
    if written[0] in "\"'":
        return Long(ast.literal_eval(written), head)
    return f"{head}{written}"


def _alias(name: str) -> list[Node]:
    return [Long(name, "validation_alias="), Long(name, "serialization_alias=")]


def _body(
    fields: tuple[Field, ...],
    attributes: Mapping[str, str],
    record: Record | None,
    scope: ModuleScope,
) -> list[str]:
    """What else the body of a model says: of open members, of its shape, of what may be absent."""
    lines: list[str] = []
    if record is not None and record.additional not in (None, JsonAny()):
        extra = Group(
            f"{scope.builtin('dict')}[",
            (scope.builtin("str"), judged(record.additional, scope)),
            "]",
        )
        note = "  # pyright: ignore[reportIncompatibleVariableOverride]"
        lines.append(annotated("__pydantic_extra__", str(extra), None) + note)
    if record is not None and record.shape is not None:
        made = scope.runtime("enforce_shape", "types")
        lines.append(assigned("_shape", Group(f"{made}(", (Long(record.shape),), ")"), STEP))
    absent = [
        quote(attributes[field.name])
        for field in fields
        if field.optional
        and (field.default is None or field.default.call is not None)
        and takes_null(field.type, scope)
    ]
    if absent:
        made = scope.runtime("left_out", "types")
        lines.append(assigned("_absent", Group(f"{made}(", tuple(absent), ")"), STEP))
    return lines


def _config(record: Record | None, attributes: dict[str, Identifier], scope: ModuleScope) -> str:
    extra = "allow" if record is not None and record.additional is not None else "forbid"
    config = [f'extra="{extra}"', "strict=True", "allow_inf_nan=False", "defer_build=True"]
    return _config_dict(config + _naming(attributes), scope)


_is_protected = methodcaller("startswith", "model_")


def _naming(attributes: dict[str, Identifier]) -> list[str]:
    """What a model says where an attribute is not called as its member is."""
    config = []
    if list(attributes) != list(attributes.values()):
        config += ["validate_by_name=True", "serialize_by_alias=True"]
    if any(map(_is_protected, attributes.values())):
        config.append("protected_namespaces=()")
    return config


def _config_dict(config: list[str], scope: ModuleScope) -> str:
    return _config_text(scope.use("pydantic", "ConfigDict"), tuple(config))


@lru_cache(256)
def _config_text(name: str, config: tuple[str, ...]) -> str:
    return assigned("model_config", Group(f"{name}(", config, ")"), STEP)


__all__ = ["TypeText", "alias_text", "enumeration_text", "record_texts"]
