"""What dialects are given, and what they give."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from aigen.runtime.definition import ToolDefinition
from aigen.runtime.wire.plain import to_plain

Schema: TypeAlias = dict[str, Any]
LONGEST_NAME = 64


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that a dialect cannot say.

    Attributes:
        code: of the rule, `AIG6xx`.
        message: what, with its path in the schema.
        mend: what to write instead.
    """

    code: str
    message: str
    mend: str | None = None


@dataclass(frozen=True, slots=True)
class Form:
    """What is sent.

    Attributes:
        body: JSON; None where the dialect has no form for it.
        strict: whether the provider is asked to enforce the schema.
        reasons: why not, each with its path in the schema.
        problems: what it cannot say.
    """

    body: Any
    strict: bool = False
    reasons: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply: the function's name, and the canonical schema of all its outputs."""

    function: str
    schema: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The name that the schema is sent under: 1 to 64 of `a-z A-Z 0-9 _ -`."""
        return re.sub(r"[^a-zA-Z0-9_-]", "_", self.function)[:LONGEST_NAME] or "reply"


@dataclass(frozen=True, slots=True)
class ToolForm:
    """A tool as all dialects need it.

    Attributes:
        parameters: the schema of its parameters, plain: canonical and self-contained.
        canonical: the same before it was made plain.
        returns: the plain schema of what it gives, or None.
        options: the format's other keys, only those written.
    """

    name: str
    module: str
    description: str
    canonical: Schema
    parameters: Schema
    returns: Schema | None
    annotations: Mapping[str, Any]
    options: Mapping[str, Any]

    @classmethod
    def of(cls, definition: ToolDefinition) -> ToolForm:
        """The form of a tool's definition."""
        defs = definition.get("$defs", {})
        schema = input_schema(definition)
        if defs and "shape" not in definition:
            schema["$defs"] = defs
        output = definition.get("output")
        returns = None
        if output is not None:
            shape = {**output["shape"]}
            if "desc" in output:
                shape["description"] = output["desc"]
            returns = to_plain({"type": "object", "properties": {"result": shape}, "$defs": defs})
            returns["required"] = ["result"]
        return cls(
            definition["name"],
            definition["module"],
            definition["description"],
            schema,
            to_plain(schema),
            returns,
            definition.get("annotations", {}),
            definition.get("options", {}),
        )

    @property
    def exposure(self) -> str:
        """How the model finds it: `direct`, `code`, `deferred` or `hidden`."""
        return str(self.options.get("exposure", "direct"))

    @property
    def deferred(self) -> bool:
        """Whether it is found by search first."""
        return self.exposure == "deferred"

    @property
    def in_code(self) -> bool:
        """Whether only code that the model writes calls it."""
        return self.exposure == "code"

    @property
    def result(self) -> Schema | None:
        """The schema of what it gives, with its own definitions; None where it is not known."""
        if self.returns is None:
            return None
        found: Schema = dict(self.returns["properties"]["result"])
        defs = self.returns.get("$defs")
        return {**found, "$defs": defs} if defs else found

    @property
    def namespace(self) -> str:
        """Where its name is unique."""
        return str(self.options.get("namespace", self.module))

    @property
    def wants_strict(self) -> bool | None:
        """What its spec says of `strict`; None where it leaves that to the schema."""
        wanted = self.options.get("strict", "auto")
        return wanted if isinstance(wanted, bool) else None

    def unmet(self, reasons: tuple[str, ...]) -> tuple[Problem, ...]:
        """The problem that a tool is to be strict and cannot be."""
        if self.wants_strict is not True or not reasons:
            return ()
        return (
            Problem(
                "AIG601",
                f"{self.name} cannot be strict: {reasons[0].removeprefix(f'{self.name}: ')}",
                "type every part of its parameters, or leave strict out",
            ),
        )


def input_schema(definition: ToolDefinition) -> Schema:
    """The canonical schema of a tool's arguments, without what the caller's context gives."""
    if "shape" in definition:
        return {**definition["shape"], "x-aigen-shape": True}
    injected = definition.get("options", {}).get("inject") or ()
    inputs = [field for field in definition["inputs"] if field["name"] not in cast("Any", injected)]
    properties: Schema = {}
    for field in inputs:
        shape = {**field["shape"]}
        if "desc" in field:
            shape["description"] = field["desc"]
        properties[field["name"]] = shape
    schema: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    required = [field["name"] for field in inputs if "optional" not in field]
    if required:
        schema["required"] = required
    return schema


def wire_names(forms: list[ToolForm]) -> tuple[dict[int, str], tuple[Problem, ...]]:
    """The names that tools are sent under where a provider has no namespaces.

    A name that is unique in the request stands alone; others have their namespace before them.

    Returns:
        The names by position, and those that are too long.
    """
    counts: dict[str, int] = {}
    for form in forms:
        counts[form.name] = counts.get(form.name, 0) + 1
    names: dict[int, str] = {}
    problems = []
    for at, form in enumerate(forms):
        name = form.name
        if counts[name] > 1:
            name = f"{form.namespace.replace('.', '_')}__{name}"
        if len(name) > LONGEST_NAME:
            problems.append(
                Problem(
                    "AIG602",
                    f"{name} has {len(name)} characters, and a tool's name {LONGEST_NAME} at most",
                    "give it a shorter name: or namespace:",
                )
            )
        names[at] = name
    return names, tuple(problems)


def too_long(form: ToolForm, most: int, provider: str) -> tuple[Problem, ...]:
    """The problem that a description is longer than a provider takes."""
    if len(form.description) <= most:
        return ()
    return (
        Problem(
            "AIG603",
            f"the description of {form.name} has {len(form.description)} characters, and {provider}"
            f" takes {most}",
            "shorten it; guidelines: has room for more",
        ),
    )
