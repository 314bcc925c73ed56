"""Outputs that fit, as the answer a caller gets, and the answer's values by output."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from aigen.runtime.errors import ConfigurationError


class Answer:
    """Makes the answers of one function.

    Args:
        kind: the type of the answer; `typing.Any` for plain JSON.
        names: of the outputs; the answer of one is its value, of several a model or a mapping.
        given: whether a call gives levels, which the type does not know.
    """

    def __init__(self, kind: Any, names: Sequence[str], *, given: bool = False) -> None:
        self.names = tuple(names)
        self._one = len(self.names) == 1
        plain = kind is Any or kind is str
        self._validate = None if plain else _validator(kind)
        self._judges = not (plain or given)
        self._keys = frozenset(names)

    def made(self, outputs: Mapping[str, Any]) -> Any:
        """The answer.

        Raises:
            ValueError: a class of the user's own refuses what its schema takes.
        """
        value = outputs[self.names[0]] if self._one else outputs
        if self._validate is None:
            return value
        return self._validate(value, by_alias=True, by_name=False)

    def judges(self, outputs: Any) -> bool:
        """Whether making the answer of these is judging them.

        Generated types take exactly what the outputs' schema takes (`aigen.runtime.types`).
        """
        return self._judges and type(outputs) is dict and outputs.keys() == self._keys

    def values(self, answer: Any) -> dict[str, Any]:
        """The answer's values, by output."""
        return by_output(self.names, answer)


def by_output(names: Sequence[str], answer: Any) -> dict[str, Any]:
    """The values of an answer by the names of the outputs."""
    if len(names) == 1:
        return {names[0]: answer}
    if isinstance(answer, Mapping):
        return dict(answer)
    # A member whose name Python cannot have goes by its alias.
    fields = type(answer).model_fields
    return {field.validation_alias or name: getattr(answer, name) for name, field in fields.items()}


def _validator(kind: Any) -> Callable[..., Any]:
    from pydantic import ConfigDict, PydanticUserError, TypeAdapter
    from pydantic.version import version_short

    try:
        # Lax unions would turn "yes" into true; what is judged already is only made here.
        strict = ConfigDict(strict=True, allow_inf_nan=False)
        adapter: TypeAdapter[Any] = TypeAdapter(kind, config=strict)
    except PydanticUserError:
        # A class has a configuration of its own and takes no other.
        try:
            adapter = TypeAdapter(kind)
        except PydanticUserError as problem:
            words = str(problem).partition("\n")[0]
            raise ConfigurationError(f"pydantic cannot make the answer: {words}") from problem
    # The adapter's own method only hands its arguments on, which takes as long as a small answer.
    validate = adapter.validator.validate_python
    if version_short() in ("2.12", "2.13"):
        _build_classes(adapter.core_schema)
    return validate


def _build_classes(schema: Any) -> None:
    """Builds the classes of a schema that wait to be built (`defer_build`).

    Before pydantic 2.14 an object of one that waits could not be serialized within other values, as
    tracers and agents do with answers.
    """
    pending = [schema]
    while pending:
        part = pending.pop()
        if isinstance(part, Mapping):
            kind = part.get("cls")
            if part.get("type") == "model" and isinstance(kind, type):
                kind.model_rebuild()  # type: ignore[attr-defined]
            pending.extend(part.values())
        elif isinstance(part, list | tuple):
            pending.extend(part)
