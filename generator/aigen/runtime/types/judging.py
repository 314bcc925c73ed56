"""How an annotation judges a value, and says that it does not fit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic_core import PydanticCustomError, core_schema


def unfit(expected: str) -> PydanticCustomError:
    """The error of a value that is not what is expected."""
    return PydanticCustomError("unfit", "Input should be {expected}", {"expected": expected})


def before(judge: Callable[[Any], Any], inner: core_schema.CoreSchema) -> core_schema.CoreSchema:
    """A schema whose values `judge` sees first."""
    return core_schema.no_info_before_validator_function(judge, inner)


def after(judge: Callable[[Any], Any], inner: core_schema.CoreSchema) -> core_schema.CoreSchema:
    """A schema whose values `judge` sees last."""
    return core_schema.no_info_after_validator_function(judge, inner)
