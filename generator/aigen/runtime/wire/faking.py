"""Models that need no network: a test's script, and the sample model.

A script stands for the process, not for a context: code under test may call from any thread.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from aigen.runtime.layers import Settings
from aigen.runtime.wire.messages import Reply, Request


@dataclass(frozen=True, slots=True)
class Answer:
    """What a fake model does: waits, then gives or raises."""

    outcome: Reply | Exception
    delay: float = 0.0

    def reply(self, timeout: float) -> Reply:
        """The reply.

        Raises:
            Exception: the one that the script says, or TimeoutError where it waited too long.
        """
        if self.delay >= timeout:
            raise TimeoutError
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


scripts: list[Callable[[Request], Answer]] = []
"""The innermost script is the last."""


def answer(request: Request, settings: Settings) -> Answer | None:
    """What a fake model says, or None where the request goes out."""
    if scripts:
        return scripts[-1](request)
    if request.target.provider == "sample":
        from aigen.runtime.wire.sample import sample_reply

        return Answer(sample_reply(request, request.reply_schema))
    return None
