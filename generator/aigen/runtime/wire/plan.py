"""What one call needs to hold its conversation, as data."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from aigen.runtime.setting_kinds import Settings
from aigen.runtime.wire.answer import Answer
from aigen.runtime.wire.form import Form
from aigen.runtime.wire.messages import Target

if TYPE_CHECKING:
    from aigen.runtime.tools.available import Available
    from aigen.runtime.tools.offered import Tool


class Plan(NamedTuple):
    """What a conversation needs.

    Attributes:
        form: the function as it is asked.
        answers: turns outputs that fit into the answer.
        settings: of the call.
        target: where it goes.
        tools: what the model may use.
        available: which of them it may use in this call; None without any.
    """

    form: Form
    answers: Answer
    settings: Settings
    target: Target
    tools: tuple[Tool, ...] = ()
    available: Available | None = None

    @property
    def name(self) -> str:
        """What the model reads as the function's name."""
        return self.form.definition["name"]

    @property
    def path(self) -> str:
        """`module/function`, for who is asked whether a tool may run."""
        return f"{self.form.definition['module'].replace('.', '/')}/{self.name}"
