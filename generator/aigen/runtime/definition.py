"""The definition of an AI function: the one JSON text in a generated module, and what it holds.

The compiler writes it (`aigen.emit.definition`), `aigen.runtime.function` parses it at the first
call. A runtime takes every `format` up to its own. `layout` says how adapters lay a request out;
old layouts stay, so upgrading aigen never changes what a model is sent.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

FORMAT = 1
LAYOUT = 1

Json: TypeAlias = "str | int | float | bool | None | list[Json] | dict[str, Json]"
Shape: TypeAlias = dict[str, Any]
"""A JSON Schema (2020-12). `$ref`s are `#/$defs/<name>` into the definition's own `$defs`.

Two keywords of our own: `x-aigen-given: "<parameter>"` on a text whose levels the call gives, and
`x-aigen-media: "image" | "audio" | "file"` on an input that takes media. `format` is one of
`date date-time time duration decimal uuid uri email` and is enforced; inside a subschema that has
`x-aigen-shape: true` (a spec's own JSON Schema) members that `properties` does not name pass
unless it closes the object.
"""


class FieldDefinition(TypedDict):
    """An input or an output. The one output of a one-output function is named `result`."""

    name: str
    shape: Shape
    desc: NotRequired[str]
    optional: NotRequired[Literal[True]]


class ComputedDefault(TypedDict):
    """`{$call: pkg.mod:func}`: called with no arguments each time the input is left out."""

    call: str


class ValueDefault(TypedDict):
    """A default in its JSON form, bound at build."""

    value: Json


class CheckDefinition(TypedDict):
    """A predicate `pkg.mod:func` over one output, or over inputs and outputs without `field`."""

    call: str
    field: NotRequired[str]


Path: TypeAlias = list[str]
"""A name and members: `["order", "id"]`."""


class ValueSegment(TypedDict):
    """`{{ order.id | upper }}`. Filters stand in order, each a list: its name, then arguments."""

    value: Path
    filters: NotRequired[list[list[Json]]]


class IfSegment(TypedDict):
    """`{% if %}`: the first branch whose test holds, else `else`."""

    # A branch is [test, body].
    branches: list[list[Any]]
    otherwise: NotRequired[list[Segment]]


class ForSegment(TypedDict):
    """`{% for item in order.lines %}`."""

    each: str
    of: Path
    do: list[Segment]


Segment: TypeAlias = str | ValueSegment | IfSegment | ForSegment
"""A piece of a prompt; a text stands as itself.

A test is `["is", path]` (truthy), `["not", test]`, `["and", test, test]`, `["or", test, test]`,
`["==", operand, operand]` or `["!=", operand, operand]`; an operand is `{"value": path}` (with
filters) or `{"text": literal}` of any JSON scalar.
"""


class MessageDefinition(TypedDict):
    """A message of the function's own prompt; `role: demos` stands for the demos."""

    role: Literal["system", "user", "assistant", "demos"]
    body: NotRequired[list[Segment]]


class Ids(TypedDict):
    """`sha256:` and 64 hexadecimal digits each; 3-runtime, *Interface, ids*."""

    interface: str
    version: str


Definition = TypedDict(
    "Definition",
    {
        "format": int,
        "layout": int,
        "name": str,  # what the model reads
        "function": NotRequired[str],  # the Python name, where it is another
        "module": str,  # dotted inside the package, or `defined_in`
        "description": str,
        "instructions": NotRequired[str],
        "inputs": list[FieldDefinition],
        "outputs": list[FieldDefinition],
        "output": NotRequired[str],  # the formula's name of a single output
        "$defs": NotRequired[dict[str, Shape]],
        "given": NotRequired[list[str]],
        "settings": NotRequired[dict[str, Json]],
        "configured": NotRequired[dict[str, Json]],  # [tool.aigen.settings], baked in at build
        "defaults": NotRequired[dict[str, ValueDefault | ComputedDefault]],
        "demos": NotRequired[list[dict[str, Json]]],
        "tools": NotRequired[list[str]],  # dotted inside the package
        "prompt": NotRequired[list[MessageDefinition]],
        "checks": NotRequired[list[CheckDefinition]],
        "deprecated": NotRequired[str | Literal[True]],
        "tags": NotRequired[list[str]],
        "ids": Ids,
    },
)
"""A function as data. Keys that would be empty are left out."""


class ToolAnnotations(TypedDict, total=False):
    """What a tool does to the world, in the spec format's names."""

    title: str
    read_only: bool
    destructive: bool
    idempotent: bool
    open_world: bool
    requires_user: bool


HttpPlace = TypedDict(
    "HttpPlace",
    {
        "in": str,  # path, query, header, cookie, body (the whole of it) or member (of its object)
        "name": NotRequired[str],  # by default the argument's
        "style": NotRequired[str],  # OpenAPI's, or json
        "explode": NotRequired[bool],
        "allow_reserved": NotRequired[bool],
    },
)
"""Where an argument of a tool goes in its HTTP request."""


class HttpEncoding(TypedDict, total=False):
    """How a member of a form is written."""

    style: str
    explode: bool
    content: str


class HttpDefinition(TypedDict, total=False):
    """A tool that is an HTTP request, as its spec says it (1-spec-format, *Tools*)."""

    method: str
    url: str
    url_env: str
    path: str
    parameters: dict[str, str | HttpPlace]
    content: str
    encoding: dict[str, HttpEncoding]
    headers: dict[str, str]
    auth: list[dict[str, str] | list[dict[str, str]] | Literal["none"]]
    max_bytes: int


ToolDefinition = TypedDict(
    "ToolDefinition",
    {
        "format": int,
        "name": str,  # what the model calls
        "function": NotRequired[str],  # the Python name, where it is another
        "module": str,  # dotted inside the package
        "description": str,
        "inputs": list[FieldDefinition],  # the parameters, in order
        "shape": NotRequired[Shape],  # of the parameters as a whole, where a spec wrote that
        "output": NotRequired[FieldDefinition],  # what it returns, named `result`
        "$defs": NotRequired[dict[str, Shape]],
        "defaults": NotRequired[dict[str, ValueDefault | ComputedDefault]],
        "python": NotRequired[str],  # `pkg.mod:func`, called with the arguments by name
        "execute": NotRequired[str],  # `pkg.mod:func`, called with a mapping and the context
        "http": NotRequired[HttpDefinition],  # the request that the tool is
        "parameters": NotRequired[str],  # `pkg.mod:func`, gives the parameters once a call
        "passing": NotRequired[dict[str, str]],  # of arguments not passed by their name
        "context": NotRequired[list[str]],  # what the function takes the context as
        "bound": NotRequired[bool],  # the function is a method that needs an object
        "annotations": NotRequired[ToolAnnotations],
        "options": NotRequired[dict[str, Json]],  # the format's other keys, only those written
    },
)
"""A tool as data. Keys that would be empty are left out."""


def require_format(format: int) -> None:
    """Refuses a package whose definitions this runtime is too old to read.

    Generated packages call it when they are imported.

    Raises:
        ConfigurationError: the format is newer than `FORMAT` (code `format-too-new`).
    """
    if format > FORMAT:
        from aigen.runtime.errors import ConfigurationError

        raise ConfigurationError(
            f"this package was generated in format {format} and the installed aigen reads up to"
            f" {FORMAT}: pip install --upgrade aigen",
            code="format-too-new",
        )
