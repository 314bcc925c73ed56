"""Named types as the texts that their templates put together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from aigen.emit import words
from aigen.emit.annotations import nullable, partial, plain
from aigen.emit.defaults import immutable
from aigen.emit.judged import judged
from aigen.emit.layout import STEP, Group, Long, Node, annotated, assigned, flat
from aigen.emit.literals import quote, value
from aigen.emit.names import BASE_MODEL, Identifier, levels, members
from aigen.emit.scope import ModuleScope
from aigen.ir import Alias, Choice, Enumeration, Field, Function, Record, Ref


@dataclass(frozen=True, slots=True)
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


def record_text(record: Record, scope: ModuleScope, answers: Function | None) -> TypeText:
    """A record as a pydantic model; `answers` is the function whose answer it is, if any."""
    otherwise = f"Answer of `{answers.name}`." if answers else f"A `{record.name}` record."
    lines = words.prose(record.description or "", STEP, otherwise)
    return members_text(scope.names.types[record.name], record.members, lines, scope, record)


def members_text(
    name: str,
    fields: tuple[Field, ...],
    lines: list[str],
    scope: ModuleScope,
    record: Record | None = None,
) -> TypeText:
    """A pydantic model of these members."""
    attributes = _attributes(fields, scope)
    return TypeText(
        form="model",
        name=name,
        bases=scope.use("pydantic", "BaseModel"),
        doc=words.doc(lines, STEP),
        lines=tuple(_member(field, attributes[field.name], scope) for field in fields),
        config=_config(record, attributes, scope),
    )


def partial_text(record: Record, scope: ModuleScope) -> TypeText:
    """The partial of a record: all members optional, nothing judged."""
    attributes = _attributes(record.members, scope)
    own = scope.names.types[record.name]
    lines = []
    for field in record.members:
        annotation = nullable(partial(field.type, scope))
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
        doc=words.doc(_choice_words(definition, "One of these."), STEP),
        lines=tuple(
            assigned(name, Long(each) if isinstance(each, str) else value(each), STEP)
            for name, each in zip(levels(values), values, strict=True)
        ),
    )


def alias_text(definition: Alias, scope: ModuleScope, recursive: bool) -> TypeText:
    """A named choice, or another type with a name; `recursive` where it contains itself."""
    name = scope.names.types[definition.name]
    node = judged(definition.type, scope)
    note = f"{name}: {scope.use('typing', 'TypeAlias')}"
    doc = words.doc(_choice_words(definition, ""), 0) if _has_words(definition) else ""
    if not recursive:
        return TypeText("alias", name, "", doc, (assigned(note, node),))
    checked = scope.use("typing", "TYPE_CHECKING")
    made = scope.use("typing_extensions", "TypeAliasType")
    text = Long(flat(node))
    run = Group(f"{made}(", (quote(name), text), ")")
    lines = (
        f"if {checked}:",
        "    " + assigned(note, Long(flat(plain(definition.type, scope))), STEP),
        "else:",
        "    " + assigned(name, run, STEP),
    )
    return TypeText("alias", name, "", doc, lines)


def _has_words(definition: Alias) -> bool:
    if definition.description:
        return True
    kind = definition.type
    return isinstance(kind, Choice) and any(level.meaning for level in kind.levels)


def _choice_words(definition: Alias | Enumeration, otherwise: str) -> list[str]:
    lines = words.prose(definition.description or "", 0, otherwise)
    kind = definition.type if isinstance(definition, Alias) else definition
    if isinstance(kind, Choice | Enumeration):
        listed = words.meanings((level.value, level.meaning) for level in kind.levels)
        if listed:
            lines = [*(lines or ["One of these."]), ""]
            for line in listed:
                lines += words.listed(line, STEP)
    return lines


def _attributes(fields: tuple[Field, ...], scope: ModuleScope) -> dict[str, Identifier]:
    """Attribute names, with `_` where a name would hide a type that its class uses.

    pydantic and type checkers look a name up in the class first: an attribute with a value hides
    it from every annotation, and one without from those that follow.
    """
    names = [field.name for field in fields]
    annotations = [_used_names(flat(judged(field.type, scope))) for field in fields]
    hiding: dict[str, bool] = {}
    for index, field in enumerate(fields):
        attribute = Identifier(field.name)
        used = set().union(*annotations[index + 1 :])
        if _has_value(field, attribute):
            used |= set().union(*annotations[: index + 1], _ALWAYS)
        hiding[attribute] = hiding.get(attribute, False) or attribute in used
    return members(names, hiding)


_ALWAYS = frozenset({"Field", "ConfigDict", "None"})


def _used_names(annotation: str) -> set[str]:
    return set(words.NAME.findall(annotation))


def _has_value(field: Field, attribute: str) -> bool:
    return bool(
        field.optional
        or field.default is not None
        or field.description
        or field.deprecated
        or field.examples
        or attribute != field.name
        or attribute in BASE_MODEL
    )


def _member(field: Field, attribute: str, scope: ModuleScope) -> str:
    annotation = judged(field.type, scope)
    arguments: list[Node] = []
    default: str | None = None
    if field.default is not None:
        default = immutable(field.type, field.default.value, scope)
        if default is None:
            arguments.append(f"default_factory={_factory(field, scope)}")
        else:
            arguments.append(f"default={default}")
    elif field.optional:
        annotation = nullable(annotation)
        default = "None"
        arguments.append("default=None")
    bare = len(arguments)
    if attribute != field.name:
        arguments += _alias(field.name)
    if field.description:
        arguments.append(Long(field.description, "description="))
    if field.deprecated:
        reason = field.deprecated
        arguments.append("deprecated=True" if reason is True else Long(str(reason), "deprecated="))
    if len(arguments) == bare and (not arguments or default is not None):
        return annotated(attribute, annotation, default)
    call = Group(f"{scope.use('pydantic', 'Field')}(", tuple(arguments), ")")
    return annotated(attribute, annotation, call)


def _alias(name: str) -> list[Node]:
    return [Long(name, "validation_alias="), Long(name, "serialization_alias=")]


def _factory(field: Field, scope: ModuleScope) -> str:
    return "None"


def _config(record: Record | None, attributes: dict[str, Identifier], scope: ModuleScope) -> str:
    extra = "allow" if record is not None and record.additional is not None else "forbid"
    config = [f'extra="{extra}"', "strict=True", "allow_inf_nan=False", "defer_build=True"]
    return _config_dict(config + _naming(attributes), scope)


def _naming(attributes: dict[str, Identifier]) -> list[str]:
    """What a model says where an attribute is not called as its member is."""
    config = []
    if any(name != attribute for name, attribute in attributes.items()):
        config += ["validate_by_name=True", "serialize_by_alias=True"]
    if any(attribute.startswith("model_") for attribute in attributes.values()):
        config.append("protected_namespaces=()")
    return config


def _config_dict(config: list[str], scope: ModuleScope) -> str:
    call = Group(f"{scope.use('pydantic', 'ConfigDict')}(", tuple(config), ")")
    return assigned("model_config", call, STEP)


__all__ = ["Ref", "TypeText", "alias_text", "enumeration_text", "partial_text", "record_text"]
