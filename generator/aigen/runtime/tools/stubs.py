"""Tools as functions of typed Python modules, for code that a model writes; 4-tools, *Exposure*.

Each namespace is a module. Names that Python cannot write are spelled so that it can (`per-page` is
`per_page`), records are `TypedDict`s, and the stub of a module is what the code is checked against.
"""

from __future__ import annotations

import ast
import json
import keyword
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from aigen.runtime.errors import ConfigurationError
from aigen.runtime.tools.catalogue import offered_inputs, type_text

TOOLBOX: Final = "toolbox"
"""The module in which code finds and reads about tools."""

_HOMES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("str", "int", "float", "bool", "list", "set", "tuple", "dict"), "builtins"),
    **dict.fromkeys(("Any", "Literal", "TypedDict", "NotRequired"), "typing"),
    **dict.fromkeys(("date", "datetime", "time", "timedelta"), "datetime"),
    "Decimal": "decimal",
}
"""Where the names that a type is written with come from."""

_IMPORTS: Final = "".join(f"import {home} as _{home}\n" for home in dict.fromkeys(_HOMES.values()))
_LENIENT: Final = ("date", "date-time", "time", "duration", "decimal")
"""Formats whose text is taken beside the Python value."""


@dataclass(frozen=True, slots=True)
class PythonTool:
    """One tool as Python code calls it.

    Attributes:
        name: as the call of an AI function knows it.
        definition: with Python's names, for the catalogue, help and search.
        parameters: what the tool calls its parameters, by their Python names, in order.
    """

    name: str
    definition: Mapping[str, Any]
    parameters: Mapping[str, str]

    @property
    def path(self) -> str:
        """`module.function`."""
        return f"{self.module}.{self.definition['name']}"

    @property
    def module(self) -> str:
        """The module that it is in, dotted."""
        return str(self.definition["options"]["namespace"])


@dataclass(slots=True)
class Module:
    """A module that code may import.

    Attributes:
        functions: the names of its functions.
        records: the sources of its `TypedDict`s, by name.
        names: of the records, by their schemas.
        stub: the source of its `.pyi`.
        modules: those inside it.
    """

    functions: list[str] = field(default_factory=list)
    records: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    stub: str = _IMPORTS
    modules: dict[str, Module] = field(default_factory=dict)


def python_tool(
    name: str, definition: Mapping[str, Any], schema: Mapping[str, Any], namespace: str
) -> PythonTool:
    """A tool as Python code calls it.

    Args:
        name: as the call of an AI function knows it.
        definition: of the tool or AI function.
        schema: of its arguments, as a JSON Schema.
        namespace: of the tool.
    """
    own = schema.get("properties", {})
    wanted = [name for name in schema.get("required", ()) if name in own]
    taken: dict[str, str] = {}
    for each in sorted(own, key=lambda name: name not in wanted):  # as Python wants them
        taken[_free(python_name(each), taken)] = each
    properties = {python: own[name] for python, name in taken.items()}
    required = [python for python, name in taken.items() if name in wanted]
    given = definition.get("options", {})
    options = {key: given[key] for key in ("signature", "guidelines", "record") if key in given}
    shown = {
        "name": python_name(definition["name"]),
        "module": definition["module"],
        "description": definition["description"],
        "options": {**options, "namespace": module_name(namespace)},
        "shape": {**schema, "properties": properties, "required": required},
        "$defs": {**definition.get("$defs", {}), **schema.get("$defs", {})},
        **{key: definition[key] for key in ("output", "outputs") if key in definition},
    }
    return PythonTool(name, shown, taken)


def python_name(name: str) -> str:
    """A name that Python can write, and that does not begin with `_`."""
    found = re.sub(r"\W", "_", name, flags=re.ASCII).lstrip("_") or "it"
    found = f"n{found}" if found[0].isdigit() else found
    return f"{found}_" if keyword.iskeyword(found) else found


def module_name(namespace: str) -> str:
    """A namespace as a module; one that is called like one of Python's own has a `_` after it."""
    first, *others = [python_name(part) for part in namespace.split(".")]
    if first in sys.stdlib_module_names or first == TOOLBOX:
        first = f"{first}_"
    return ".".join([first, *others])


def modules_of(tools: Sequence[PythonTool]) -> dict[str, Module]:
    """The modules of some tools, by name.

    Raises:
        ConfigurationError: two tools are called alike, or a tool like a module.
    """
    root = placed(tools)
    for tool in tools:
        module = _module(root, tool)
        module.stub += _function(tool, module)
    for module in _all(root):
        module.stub += "".join(map(_qualified, module.records.values()))
    return root.modules


def placed(tools: Sequence[PythonTool]) -> Module:
    """A module of the modules of some tools, without stubs.

    Raises:
        ConfigurationError: as of `modules_of`.
    """
    root = Module()
    for tool in tools:
        _module(root, tool).functions.append(tool.definition["name"])
    for tool in tools:
        module, name = _module(root, tool), tool.definition["name"]
        if module.functions.count(name) > 1 or name in module.modules:
            raise ConfigurationError(
                f"two tools or modules are {tool.path} in Python: give one another name or"
                " namespace",
                code="tool-name",
            )
    return root


def _module(root: Module, tool: PythonTool) -> Module:
    for part in tool.module.split("."):
        root = root.modules.setdefault(part, Module())
    return root


def records_of(tool: PythonTool) -> str:
    """The sources of the records that a tool takes and gives."""
    module = Module(functions=[tool.definition["name"]])
    _function(tool, module)
    return "\n".join(source.rstrip() for source in module.records.values())


def _all(module: Module) -> Iterator[Module]:
    for inner in module.modules.values():
        yield inner
        yield from _all(inner)


def _free(name: str, taken: Mapping[str, Any] | Sequence[str]) -> str:
    while name in taken:
        name = f"{name}_"
    return name


# ------------------------------------------------------------------------ a function's types


def _function(tool: PythonTool, module: Module) -> str:
    """The line of a tool in its module's stub; its records join the module."""
    definition = tool.definition
    types = _Types(definition["$defs"], module, _camel(definition["name"]))
    parameters = []
    for each in offered_inputs(definition):
        shown = types.text(each["shape"], _camel(each["name"]), taken=True)
        parameters.append(f"{each['name']}: {shown}" + (" = ..." if "optional" in each else ""))
    returned = types.returned(definition)
    return _qualified(f"def {definition['name']}({', '.join(parameters)}) -> {returned}: ...\n")


@dataclass(frozen=True, slots=True)
class _Types:
    """The types of one tool in Python, with its records in a module.

    Attributes:
        defs: the definitions that its schemas refer to.
        module: takes the records.
        tool: its name, for what has none.
    """

    defs: Mapping[str, Any]
    module: Module
    tool: str

    def returned(self, definition: Mapping[str, Any]) -> str:
        """The type of the result."""
        outputs = definition.get("outputs")
        if outputs is not None and len(outputs) > 1:
            members = {each["name"]: each["shape"] for each in outputs}
            record = {"type": "object", "properties": members, "required": list(members)}
            return self.text(record, "Result", taken=False)
        if outputs is not None:
            return self.text(outputs[0]["shape"], "Result", taken=False)
        output = definition.get("output")
        return self.text(output["shape"], "Result", taken=False) if output else "Any"

    def text(self, schema: Any, name: str, *, taken: bool) -> str:
        """A type as one expression.

        Args:
            schema: canonical, or any JSON Schema.
            name: of what it describes.
            taken: whether it is of a parameter, which takes a text for what is written as one.
        """
        return type_text(self._plain(schema, name, taken, ()), {})

    def _plain(
        self, schema: Any, name: str, taken: bool, within: tuple[str, ...]
    ) -> dict[str, Any]:
        """A schema of what `type_text` can write, with its records as names."""
        if not isinstance(schema, Mapping):
            return {}
        if "$ref" in schema:
            return self._referred(str(schema["$ref"]), taken, within)
        if "enum" in schema or "const" in schema:
            return _levels(schema.get("enum", [schema.get("const")]))
        options = schema.get("anyOf") or schema.get("oneOf")
        if options is None and isinstance(schema.get("type"), list):
            options = [{**schema, "type": each} for each in schema["type"]]
        if options is not None:
            return {"anyOf": [self._plain(each, name, taken, within) for each in options]}
        if len(schema.get("allOf", ())) == 1:
            return self._plain(schema["allOf"][0], name, taken, within)
        kind = schema.get("type")
        if kind == "array":
            inner = {key: schema[key] for key in ("items", "prefixItems") if key in schema}
            return {**schema, **self._inner(inner, name, taken, within)}
        if kind == "object":
            return self._object(schema, name, taken, within)
        if kind == "string" and schema.get("format") == "uuid":
            return {"type": "string"}  # the sandbox has no UUID
        if kind == "string" and taken and schema.get("format") in _LENIENT:
            return {"anyOf": [schema, {"type": "string"}]}
        return dict(schema) if isinstance(kind, str) else {}

    def _inner(
        self, parts: Mapping[str, Any], name: str, taken: bool, within: tuple[str, ...]
    ) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, part in parts.items():
            if isinstance(part, list):
                found[key] = [
                    self._plain(each, f"{name}Item{number}", taken, within)
                    for number, each in enumerate(part, 1)
                ]
            else:
                found[key] = self._plain(part, f"{name}Item", taken, within)
        return found

    def _object(
        self, schema: Mapping[str, Any], name: str, taken: bool, within: tuple[str, ...]
    ) -> dict[str, Any]:
        others = schema.get("additionalProperties")
        if schema.get("properties") and not others:
            return self._record(schema, f"{self.tool}{name}")
        if schema.get("properties") or not isinstance(others, Mapping):
            return {"type": "object"}
        inner = self._plain(others, f"{name}Value", taken, within)
        return {"type": "object", "additionalProperties": inner}

    def _referred(self, target: str, taken: bool, within: tuple[str, ...]) -> dict[str, Any]:
        key = target.removeprefix("#/$defs/").removeprefix("#/definitions/")
        inner = self.defs.get(key)
        if not isinstance(inner, Mapping) or key in within:
            return {}
        name = _camel(key)
        if inner.get("properties") and not inner.get("additionalProperties"):
            return self._record(inner, name)
        return self._plain(inner, name, taken, (*within, key))

    def _record(self, schema: Mapping[str, Any], name: str) -> dict[str, Any]:
        """A record by its name; one that its module has already is that one."""
        said = json.dumps(schema, sort_keys=True, default=str)
        known = self.module.names.get(said)
        if known is not None:
            return {"$ref": known}
        module = self.module
        name = _free(name, [*_HOMES, *module.functions, *module.modules, *module.records])
        module.names[said] = name
        module.records[name] = ""  # what refers to itself finds the name taken
        members = {
            member: self.text(part, f"{name.removeprefix(self.tool)}{_camel(member)}", taken=False)
            for member, part in schema["properties"].items()
        }
        module.records[name] = _typed_dict(name, members, schema.get("required", ()))
        return {"$ref": name}


def _typed_dict(name: str, members: Mapping[str, str], required: Sequence[str]) -> str:
    written = {
        member: shown if member in required else f"NotRequired[{shown}]"
        for member, shown in members.items()
    }
    if all(member.isidentifier() and not keyword.iskeyword(member) for member in written):
        lines = "".join(f"    {member}: {shown}\n" for member, shown in written.items())
        return f"class {name}(TypedDict):\n{lines}"
    inner = ", ".join(f"{member!r}: {shown}" for member, shown in written.items())
    return f"{name} = TypedDict({name!r}, {{{inner}}})\n"


def _levels(values: Sequence[Any]) -> dict[str, Any]:
    """The levels of a choice; what no `Literal` can hold is its type."""
    if values and all(isinstance(value, str | int | bool | None) for value in values):
        return {"enum": list(values)}
    numbers = values and all(isinstance(value, int | float) for value in values)
    return {"type": "number"} if numbers else {}


def _camel(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in python_name(name).split("_")) or "Value"


class _Homes(ast.NodeTransformer):
    """Writes the names of types with the modules they are from: a tool may be called `list`."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        home = _HOMES.get(node.id)
        if home is None or not isinstance(node.ctx, ast.Load):
            return node
        return ast.Attribute(ast.Name(f"_{home}", ast.Load()), node.id, ast.Load())


def _qualified(source: str) -> str:
    return ast.unparse(_Homes().visit(ast.parse(source))) + "\n"
