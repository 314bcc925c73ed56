"""Models that need no network: a test's script, and the sample model.

A script stands for the process, not for a context: code under test may call from any thread.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from aigen.runtime.errors import ConfigurationError
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

guards: list[object] = []
"""While there is one, no request leaves the process."""


def answer(request: Request, settings: Settings) -> Answer | None:
    """What a fake model says, or None where the request goes out.

    Raises:
        ConfigurationError: it would go out, inside `no_network()`.
    """
    innermost = scripts[-1:]
    if innermost:
        return innermost[0](request)
    if request.target.provider == "sample":
        from aigen.runtime.wire.sample import sample_reply

        return Answer(sample_reply(request, request.reply_schema))
    if guards:
        raise ConfigurationError(
            f"a request to {request.target.model} inside no_network()", code="no-network"
        )
    return None
