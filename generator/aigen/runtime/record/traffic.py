"""Traffic with models, recorded in a file that people review, and replayed.

An exchange is a request's path and body, and the body that came back. No header, address or key is
in it: a recording made at one server, over one transport, is replayed for any other.
"""

from __future__ import annotations

import json
import os
import re
import threading
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from aigen.runtime.differences import Difference, differences
from aigen.runtime.errors import ConfigurationError, ProviderError
from aigen.runtime.record.traffic_file import Exchange, read, write
from aigen.runtime.setting_kinds import Settings
from aigen.runtime.wire import faking
from aigen.runtime.wire.making import api_key
from aigen.runtime.wire.messages import Reply, Request
from aigen.runtime.wire.reading import read_body

Mode: TypeAlias = Literal["once", "none", "all"]
MODES: Final = ("once", "none", "all")

_HIDDEN = "[secret]"
_SECRET_NAME = re.compile(r"(?i)(?:api[-_]?key|authorization|secret|password|token)\Z").search
_SECRETS = re.compile(
    r"\b(?:sk|pk|rk|gsk|xai|tvly|pplx|r8|hf|gh[opsur]|github_pat)[-_][A-Za-z0-9_-]{16,}"
    r"|\bAIza[A-Za-z0-9_-]{30,}|\bAKIA[A-Z0-9]{16}\b"
    r"|\bBearer\s+[A-Za-z0-9._~+/=-]{12,}"
    r"|\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+"
)
_SHOWN = 6
"""Differences that a message names."""


class Recording:
    """Recorded traffic, while `recorded(path)` stands.

    Attributes:
        path: of the file.
        listens: whether requests go out and what comes back is recorded.
        used: the exchanges that were recorded or replayed, in order.
        mend: what a message tells to do about a request that was not recorded.
    """

    def __init__(self, path: Path, mode: Mode, scrub: Callable[[str], str] | None) -> None:
        if mode not in MODES:
            raise ConfigurationError(
                f'recorded(): mode is {", ".join(MODES)}, not "{mode}"', code="recording"
            )
        self.path = path
        self.listens = mode == "all" or (mode == "once" and not path.exists())
        self.used: list[Exchange] = []
        self.mend = f"record it anew: delete {_shown(path)}, or use mode all"
        self._scrub = scrub
        self._lock = threading.Lock()
        self._exchanges = [] if self.listens else read(path, mode)
        self._turns: dict[str, int] = defaultdict(int)

    @property
    def made_with(self) -> tuple[str, str] | None:
        """The provider and model of the first exchange, where the file says them."""
        first = None if self.listens or not self._exchanges else self._exchanges[0]
        if first is None or first.provider is None:
            return None
        return first.provider, str(first.request["body"].get("model"))

    def __call__(self, request: Request) -> faking.Answer | None:
        """The recorded answer to a request; None where it goes out.

        Raises:
            ConfigurationError: it was not recorded; the message names the nearest.
        """
        if self.listens or request.target.provider == "sample":
            return None
        asked = self._asked(request, ())
        anyhow = request.target.model == faking.NO_MODEL
        same = [one for one in self._exchanges if _matches(one.request, asked, anyhow)]
        if not same:
            raise ConfigurationError(self._unknown(asked, anyhow), code="recording")
        with self._lock:
            key = json.dumps(asked, sort_keys=True)
            turn = min(self._turns[key], len(same) - 1)
            self._turns[key] += 1
            self.used.append(same[turn])
        return faking.Answer(_outcome(same[turn]))

    def note(self, request: Request, settings: Settings, outcome: Reply | Exception) -> None:
        """Takes what came back from outside; a sample's answers are none of it."""
        if request.target.provider == "sample":
            return
        secrets = [key for key in (settings.api_key, api_key(request.target, settings)) if key]
        asked, served = self._asked(request, secrets), request.target.provider
        if isinstance(outcome, Reply):
            exchange = Exchange(asked, reply=self._clean(_body(outcome), secrets), provider=served)
        elif isinstance(outcome, ProviderError):
            exchange = Exchange(asked, error=self._clean(_error(outcome), secrets), provider=served)
        else:
            return
        with self._lock:
            self.used.append(exchange)

    def discard(self) -> None:
        """Writes nothing when the block ends."""
        with self._lock:
            self.used.clear()

    def save(self) -> None:
        """Writes what was recorded; the file is replaced whole."""
        if self.listens and self.used:
            write(self.path, self.used)

    def _asked(self, request: Request, secrets: Any) -> dict[str, Any]:
        return {"path": request.path, "body": self._clean(dict(request.body), secrets)}

    def _clean(self, value: Any, secrets: Any) -> Any:
        """A JSON value without secrets: those that were used, and what looks like one."""
        if isinstance(value, Mapping):
            return {
                str(name): _HIDDEN
                if isinstance(inner, str) and _SECRET_NAME(str(name))
                else self._clean(inner, secrets)
                for name, inner in value.items()
            }
        if isinstance(value, (list, tuple)):
            return [self._clean(inner, secrets) for inner in value]
        if not isinstance(value, str):
            return value
        for secret in secrets:
            if len(secret.strip()) > 3:
                value = value.replace(secret.strip(), _HIDDEN)
        value = _SECRETS.sub(_HIDDEN, value)
        return self._scrub(value) if self._scrub else value

    def _unknown(self, asked: Mapping[str, Any], any_model: bool) -> str:
        where = _shown(self.path)
        if not self._exchanges:
            return f"{where} holds no exchange for this request; {self.mend}"
        found = [_differences(one.request, asked, any_model) for one in self._exchanges]
        # Of two with as many differences, the one that says more of the same words.
        number = min(range(len(found)), key=lambda n: (len(found[n]), _length(found[n])))
        lines = [f"  {one}" for one in found[number][:_SHOWN]]
        if len(found[number]) > _SHOWN:
            lines.append(f"  and {len(found[number]) - _SHOWN} more")
        said = "\n".join(lines)
        return (
            f"{where} holds no exchange for this request; the nearest, number {number + 1}, "
            f"differs:\n{said}\n{self.mend}"
        )


def _matches(recorded: Mapping[str, Any], asked: Mapping[str, Any], any_model: bool) -> bool:
    return not _differences(recorded, asked, any_model)


def _differences(
    recorded: Mapping[str, Any], asked: Mapping[str, Any], any_model: bool
) -> list[Difference]:
    if any_model:
        recorded = {**recorded, "body": {**recorded["body"], "model": faking.NO_MODEL}}
    return differences(recorded, asked)


def _length(found: Any) -> int:
    return sum(len(one.wanted) + len(one.found) for one in found)


def _body(reply: Reply) -> Any:
    """What came back; of a stream, the chat completion that it amounts to."""
    if isinstance(reply.raw, Mapping) and ("choices" in reply.raw or "output" in reply.raw):
        return reply.raw
    message: dict[str, Any] = {"role": "assistant", "content": reply.text}
    for name, text in (("refusal", reply.refusal), ("reasoning_content", reply.reasoning)):
        if text is not None:
            message[name] = text
    if reply.tool_calls:
        message["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in reply.tool_calls
        ]
    body: dict[str, Any] = {
        "model": reply.model,
        "choices": [{"index": 0, "finish_reason": reply.finish, "message": message}],
    }
    if reply.usage is not None:
        used = reply.usage
        body["usage"] = {
            "prompt_tokens": used.input_tokens,
            "completion_tokens": used.output_tokens,
        }
    return body


def _error(problem: ProviderError) -> dict[str, Any]:
    return {
        "status": problem.status,
        "code": problem.code,
        "message": problem.message,
        "body": problem.reply,
    }


def _outcome(exchange: Exchange) -> Reply | Exception:
    if exchange.error is None:
        return read_body(exchange.reply)
    error = exchange.error
    return ProviderError(
        str(error.get("message")),
        status=error.get("status"),
        code=error.get("code"),
        reply=error.get("body"),
    )


def _shown(path: Path) -> str:
    try:
        return os.path.relpath(path)
    except ValueError:  # on another drive
        return str(path)
