"""Interfaces as data: reading them, their ids, and checking what goes in and comes out."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from aigen.runtime.errors import ConfigurationError, InterfaceOutputError
from aigen.runtime.values.canonical_json import canonical
from aigen.runtime.values.judge import Judge, located
from aigen.runtime.values.quoting import quoted

_name = re.compile(r"[A-Za-z_][A-Za-z0-9_]*").fullmatch
_ref = re.compile(r"#/\$defs/[A-Za-z0-9_.-]+").fullmatch
_TYPES = frozenset({"string", "integer", "number", "boolean", "null", "array", "object"})
_COUNTS = frozenset({"minItems", "maxItems", "minLength", "maxLength"})
_LIMITS = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"})
_TEXTS = frozenset({"title", "description", "format", "$comment"})
_FLAGS = frozenset({"deprecated", "readOnly", "writeOnly", "uniqueItems"})
_KEYS = frozenset({"description", "inputs", "outputs"})
_FIELD_KEYS = frozenset({"name", "shape", "desc", "type", "opaque", "optional"})


@dataclass(frozen=True, slots=True)
class Field:
    """An input or output of an interface read as data; `opaque` takes any value."""

    name: str
    shape: Mapping[str, Any]
    desc: str = ""
    type: str = ""
    opaque: bool = False
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Interface:
    """What goes into a program and what comes out; `id` is the interface's id."""

    description: str
    inputs: tuple[Field, ...]
    outputs: tuple[Field, ...]
    id: str


def read_interface(data: Any, *, shapes: str = "listed") -> Interface:
    """Reads an interface.

    Args:
        data: `description`, `inputs`, `outputs`, as JSON.
        shapes: `listed` takes only the keywords every language checks; `any` takes others too.

    Raises:
        ConfigurationError: code `interface-malformed`, `field` the first field at fault, None
            where the interface itself is.
    """
    if not isinstance(data, Mapping):
        raise _malformed("an interface is an object", None)
    seen: set[str] = set()
    sides = []
    for side in ("inputs", "outputs"):
        given = data.get(side, [] if side == "inputs" else None)
        if not isinstance(given, list | tuple):
            raise _malformed(f"`{side}` is a list of fields", None)
        sides.append(
            tuple(_field(each, seen, side == "inputs", shapes == "listed") for each in given)
        )
    unknown = sorted(str(key) for key in data if key not in _KEYS)
    if unknown:
        raise _malformed(f"an interface has no {unknown[0]!r}", None)
    if not isinstance(data.get("description", ""), str):
        raise _malformed("`description` is text", None)
    if not sides[1]:
        raise _malformed("an interface has at least one output", None)
    inputs, outputs = sides
    key = interface_id([_plain(each) for each in inputs], [_plain(each) for each in outputs], None)
    return Interface(data.get("description", ""), inputs, outputs, key)


def _plain(field: Field) -> dict[str, Any]:
    return {"name": field.name, "shape": field.shape}


def _malformed(reason: str, field: Any) -> ConfigurationError:
    place = "The interface" if field is None else f"The field {quoted(field)}"
    return ConfigurationError(
        f"{place} is malformed: {reason}.",
        code="interface-malformed",
        field=field if isinstance(field, str) else None,
    )


def _field(data: Any, seen: set[str], is_input: bool, listed: bool) -> Field:
    name = data.get("name") if isinstance(data, Mapping) else None
    reason = _field_fault(data, seen, is_input)
    if reason is None:
        shape = data["shape"]
        try:
            if listed:
                _check_shape(shape)
            judge = Judge(shape, None, formats=False)
            judge.prepare()
            if data.get("optional") and "default" in shape:
                misfit = judge.fits(shape["default"])
                if misfit is not None:
                    raise ValueError(f"its default is not {misfit.expected}")
        except (ValueError, ConfigurationError) as error:
            reason = str(error)
        except (RecursionError, TypeError, AttributeError, KeyError):
            reason = "its shape cannot be read"
    if reason is not None:
        raise _malformed(reason, name)
    seen.add(data["name"])
    kept = {key: data[key] for key in data if key in _FIELD_KEYS}
    return Field(**kept)


def _field_fault(data: Any, seen: set[str], is_input: bool) -> str | None:
    if not isinstance(data, Mapping):
        return "a field is an object"
    name = data.get("name")
    if not isinstance(name, str) or not _name(name):
        return "a name is an ASCII identifier"
    if name in seen:
        return "its name stands twice"
    unknown = sorted(str(key) for key in data if key not in _FIELD_KEYS)
    if unknown:
        return f"a field has no {unknown[0]!r}"
    if not isinstance(data.get("shape"), Mapping):
        return "a field has a shape, an object"
    for key in ("desc", "type"):
        if not isinstance(data.get(key, ""), str):
            return f"`{key}` is text"
    for key in ("opaque", "optional"):
        if key in data and data[key] is not True:
            return f"`{key}` is true when present"
    if "optional" in data and not is_input:
        return "only inputs are optional"
    if "opaque" in data and data["shape"] != {}:
        return "an opaque field's shape is {}"
    return None


def _check_shape(shape: Mapping[str, Any]) -> None:
    defs = shape.get("$defs", {})
    if not isinstance(defs, Mapping):
        raise ValueError("`$defs` is an object of shapes")
    pending: list[tuple[Any, bool]] = [(shape, True)]
    while pending:
        part, top = pending.pop()
        if isinstance(part, bool) and not top:
            continue
        if not isinstance(part, Mapping):
            raise ValueError("a shape is an object")
        for key, value in part.items():
            if key == "$defs" and not top:
                raise ValueError("`$defs` stands at the top of a field's shape")
            pending.extend((inner, False) for inner in _keyword(key, value, defs))
    _check_cycles(shape, defs)


def _keyword(key: str, value: Any, defs: Mapping[str, Any]) -> Iterable[Any]:
    """Checks a keyword's value; gives the shapes in it."""
    if key == "type":
        kinds = value if isinstance(value, list) else [value]
        known = all(isinstance(kind, str) and kind in _TYPES for kind in kinds)
        if not kinds or not known or len(set(kinds)) < len(kinds):
            raise ValueError(f"{value!r} is no type")
    elif key == "enum":
        if not isinstance(value, list) or not value:
            raise ValueError("`enum` is a list of values")
    elif key in ("anyOf", "prefixItems"):
        if not isinstance(value, list) or not value:
            raise ValueError(f"`{key}` holds at least one shape")
        return _objects(key, value)
    elif key in ("properties", "$defs"):
        if not isinstance(value, Mapping):
            raise ValueError(f"`{key}` is an object of shapes")
        return _objects(key, value.values())
    elif key == "items":
        return _objects(key, [value]) if not isinstance(value, bool) else ()
    elif key == "additionalProperties":
        return [value]
    elif key in _COUNTS:
        whole = isinstance(value, int | float) and not isinstance(value, bool)
        if not whole or value < 0 or value != value // 1:
            raise ValueError(f"`{key}` is a count")
    elif key in _LIMITS:
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise ValueError(f"`{key}` is a number")
    elif key == "required":
        if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
            raise ValueError("`required` is a list of names")
        if len(set(value)) < len(value):
            raise ValueError("`required` names a member twice")
    elif key == "$ref":
        if not isinstance(value, str) or not _ref(value) or value[8:] not in defs:
            raise ValueError("a `$ref` is #/$defs/ and a name that stands there")
    elif key in _TEXTS:
        if not isinstance(value, str):
            raise ValueError(f"`{key}` is text")
    elif key in _FLAGS:
        if not isinstance(value, bool):
            raise ValueError(f"`{key}` is true or false")
    elif key == "examples":
        if not isinstance(value, list):
            raise ValueError("`examples` is a list")
    elif key not in ("const", "default"):
        raise ValueError(f"a shape has no {key!r} here")
    return ()


def _objects(key: str, parts: Iterable[Any]) -> list[Any]:
    shapes = list(parts)
    if not all(isinstance(part, Mapping) for part in shapes):
        raise ValueError(f"`{key}` holds shapes, which are objects")
    return shapes


def _check_cycles(shape: Mapping[str, Any], defs: Mapping[str, Any]) -> None:
    """Refuses references that come back to themselves without passing into a value."""
    steps = {name: _direct(part) for name, part in defs.items()}
    done: set[str] = set()
    for start in steps:
        path: dict[str, Any] = {}
        stack = [(start, iter(steps[start]))] if start not in done else []
        path.update({start: None} if stack else {})
        while stack:
            name, following = stack[-1]
            for other in following:
                if other in path:
                    raise ValueError(f"its `$ref` to {other!r} comes back to itself")
                if other not in done and other in steps:
                    path[other] = None
                    stack.append((other, iter(steps[other])))
                    break
            else:
                done.add(name)
                del path[name]
                stack.pop()


def _direct(shape: Any) -> list[str]:
    found: list[str] = []
    pending = [shape]
    while pending:
        part = pending.pop()
        if isinstance(part, Mapping):
            if isinstance(part.get("$ref"), str):
                found.append(part["$ref"][8:])
            pending.extend(part.get("anyOf", ()))
    return found


def interface_id(
    inputs: Iterable[Mapping[str, Any]],
    outputs: Iterable[Mapping[str, Any]],
    defs: Mapping[str, Any] | None,
) -> str:
    """The id of an interface: words beside the shapes and every `default` left out.

    Args:
        inputs: fields with `name` and `shape`.
        outputs: the same.
        defs: the definitions the shapes share; each takes those that it refers to.

    Returns:
        `sha256:` and 64 hexadecimal digits.
    """
    fields = [
        {
            "direction": direction,
            "name": field["name"],
            "purpose": "plain",
            "shape": _alone(field["shape"], defs or {}),
            "type": "",
        }
        for direction, side in (("input", inputs), ("output", outputs))
        for field in side
    ]
    return "sha256:" + hashlib.sha256(canonical(fields).encode()).hexdigest()


def _alone(shape: Mapping[str, Any], defs: Mapping[str, Any]) -> Mapping[str, Any]:
    """A shape with the definitions that it needs, and without a default."""
    needed: dict[str, Any] = {}
    pending: list[Any] = [shape]
    bare = True
    while pending:
        part = pending.pop()
        if isinstance(part, str):  # most are, and asking for a `Mapping` costs more
            continue
        if isinstance(part, list):
            pending.extend(part)
        elif isinstance(part, dict) or isinstance(part, Mapping):  # noqa: SIM101 - as above
            bare = bare and isinstance(part, dict) and "default" not in part
            ref = part.get("$ref")
            if isinstance(ref, str) and ref.startswith("#/$defs/"):
                name = ref[8:]
                if name in defs and name not in needed:
                    needed[name] = defs[name]
                    pending.append(defs[name])
            pending.extend(part.values())
    if needed:
        shape = {**shape, "$defs": {**needed, **shape.get("$defs", {})}}
    return shape if bare else _undefaulted(shape)


_SHAPES = frozenset({"items", "additionalProperties", "not", "if", "then", "else", "contains"})
_SHAPE_LISTS = frozenset({"anyOf", "oneOf", "allOf", "prefixItems"})
_SHAPE_MAPS = frozenset({"properties", "$defs", "patternProperties", "dependentSchemas"})
_SHAPES_TOO = frozenset({"propertyNames", "unevaluatedItems", "unevaluatedProperties"})


def _undefaulted(shape: Any) -> Any:
    if not isinstance(shape, Mapping):
        return shape
    kept: dict[str, Any] = {}
    for key, value in shape.items():
        if key == "default":
            continue
        if (key in _SHAPES or key in _SHAPES_TOO) and isinstance(value, Mapping):
            value = _undefaulted(value)
        elif (key in _SHAPE_LISTS or key == "items") and isinstance(value, list):
            value = [_undefaulted(part) for part in value]
        elif key in _SHAPE_MAPS and isinstance(value, Mapping):
            value = {name: _undefaulted(part) for name, part in value.items()}
        kept[key] = value
    return kept


def check_outputs(
    interface: Interface | Mapping[str, Any], returned: Any, *, quote: bool = True
) -> dict[str, Any]:
    """Checks what a program returned; nothing is bound.

    Args:
        interface: one that `read_interface` gave, or a function's definition.
        returned: the one output's value, or a mapping of all by name. A single output may also be
            the record that its shape wants.
        quote: whether the message may quote the value.

    Returns:
        The outputs by name, the caller's own objects.

    Raises:
        InterfaceOutputError: code `interface-output`, `field` the output at fault.
    """
    fields, judges, function = _outputs(interface)
    names = [name for name, _ in fields]
    if len(names) == 1:
        outputs = {names[0]: returned}
    elif not isinstance(returned, Mapping):
        raise _unfit(function, names[0], "a record of all outputs", returned, (), quote)
    else:
        unknown = sorted(str(name) for name in returned if name not in names)
        if unknown:
            raise _unfit(function, unknown[0], "an output that it has", None, (), False)
        outputs = dict(returned)
    for (name, opaque), judge in zip(fields, judges, strict=True):
        if name not in outputs:
            raise _unfit(function, name, "a value", None, (), False)
        if opaque:
            continue
        misfit = judge.fits(outputs[name])
        if misfit is not None:
            raise _unfit(function, name, misfit.expected, misfit.value, misfit.path, quote)
    return {name: outputs[name] for name in names}


def _outputs(
    interface: Interface | Mapping[str, Any],
) -> tuple[list[tuple[str, bool]], list[Judge], str | None]:
    if isinstance(interface, Interface):
        fields = [(field.name, field.opaque) for field in interface.outputs]
        judges = [Judge(field.shape, None, formats=False) for field in interface.outputs]
        return fields, judges, None
    defs = interface.get("$defs")
    fields = [(field["name"], False) for field in interface["outputs"]]
    judges = [Judge.of(field["shape"], defs) for field in interface["outputs"]]
    return fields, judges, interface.get("name")


def _unfit(
    function: str | None, field: str, expected: str, value: Any, path: Any, quote: bool
) -> InterfaceOutputError:
    shown = f"; got {quoted(value)}" if quote else ""
    whose = f"{function}: the" if function else "The"
    return InterfaceOutputError(
        f"{whose} output {located(field, path)} wants {expected}{shown}.",
        field=field,
        path=path,
        expected=expected,
        function=function,
    )
