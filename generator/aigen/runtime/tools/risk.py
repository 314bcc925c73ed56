"""Which tool calls run, and which are asked about; 4-tools, *Risk, approval, policies*."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, Literal, TypeAlias, TypeVar, cast

from aigen.runtime.callables import at_once
from aigen.runtime.errors import ApprovalError
from aigen.runtime.tools.context import ToolContext
from aigen.runtime.tools.printing import raised
from aigen.runtime.tools.threads import is_own

RISKS: Final = ("read", "local", "change", "dangerous", "critical")
"""The levels, from 0: nothing changes, to 4."""

_UNKNOWN: Final = 3
"""The risk of a tool whose own judgement fails."""

Verdict: TypeAlias = Literal["allow", "modify", "ask", "ask_human", "deny"]
_STRICTEST: Final[tuple[Verdict, ...]] = ("deny", "ask_human", "ask", "modify", "allow")

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class PendingCall:
    """A tool call that waits to be run.

    Attributes:
        name: of the tool, as the model calls it.
        path: `module/function/tool`: who calls what.
        arguments: bound.
        risk: 0 to 4.
        requires_user: whether only a person can approve it.
    """

    name: str
    path: str
    arguments: Mapping[str, Any]
    risk: int
    requires_user: bool = False

    @property
    def effects(self) -> Literal["reads", "changes"]:
        """What it does to the world."""
        return "reads" if self.risk == 0 else "changes"


@dataclass(frozen=True, slots=True)
class Decision:
    """What a policy says of a call.

    Attributes:
        verdict: the strictest of all policies' holds.
        reason: for the model, where the call is not run.
        arguments: in place of the model's, where the verdict is `modify`.
    """

    verdict: Verdict
    reason: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)


def allow() -> Decision:
    """The call may run, whatever the tool's risk."""
    return Decision("allow")


def deny(reason: str) -> Decision:
    """The call is not run; the model reads the reason."""
    return Decision("deny", reason)


def ask(reason: str = "") -> Decision:
    """The call is asked about."""
    return Decision("ask", reason)


def ask_human(reason: str = "") -> Decision:
    """A person is asked, and no function answers instead."""
    return Decision("ask_human", reason)


def modify(arguments: Mapping[str, Any]) -> Decision:
    """The call runs with other arguments, which are checked again."""
    return Decision("modify", "", dict(arguments))


def by_a_person(approve: F) -> F:
    """Marks an `approve` function as one through which a person answers.

    Only such a function is asked about tools that require a person.
    """
    try:
        approve.__aigen_person__ = True  # type: ignore[attr-defined]
    except AttributeError:  # a method of an object, or what is written in C
        return cast("F", by_a_person(partial(approve)))
    return approve


def risk_of(rule: Any, arguments: Mapping[str, Any], ctx: ToolContext, read_only: bool) -> int:
    """The risk of a call: the tool's own level, or what its function says of the arguments.

    Args:
        rule: a level, a function of the arguments and the context, or None.
        arguments: bound.
        ctx: of the call.
        read_only: what the tool says of itself where it has no rule.
    """
    if rule is None:
        return 0 if read_only else 2
    if callable(rule):
        try:
            rule = at_once(rule(copy.deepcopy(arguments), ctx), "the risk")
        except BaseException as problem:
            if not is_own(problem):
                raise
            return _UNKNOWN
    if isinstance(rule, str) and rule in RISKS:
        return RISKS.index(rule)
    whole = isinstance(rule, int) and not isinstance(rule, bool)
    return rule if whole and 0 <= rule <= 4 else _UNKNOWN


def asks(rules: Sequence[Any], call: PendingCall) -> bool:
    """Whether a call is asked about under the rules of the call and of the tool.

    Args:
        rules: each None, `never`, `changes`, `always`, a function, or names and paths.
        call: the call.

    The stricter of the rules holds; without any, risk 3 and 4 are asked about.
    """
    given = [rule for rule in rules if rule is not None]
    if not given:
        return call.risk >= 3
    return any(_rule_asks(rule, call) for rule in given)


def _rule_asks(rule: Any, call: PendingCall) -> bool:
    if rule == "never":
        return False
    if rule == "always":
        return True
    if rule == "changes" or callable(rule):
        return call.effects == "changes"
    names = [rule] if isinstance(rule, str) else list(rule)
    return any(
        name == call.name or name == call.path or call.path.endswith(f"/{name}") for name in names
    )


def decided(
    policies: Sequence[Callable[..., Any]], call: PendingCall, ctx: ToolContext
) -> Decision | None:
    """The strictest decision of all policies; None where none has an opinion.

    Every policy sees every call; one that raises, or gives what is no decision, denies.
    """
    found: list[Decision] = []
    for policy in policies:
        try:
            made = _decision(policy(_shown(call), ctx))
        except BaseException as problem:
            if not is_own(problem):
                raise
            made = deny(f"a policy failed: {type(problem).__name__}")
        if made is not None:
            found.append(made)
    found.sort(key=lambda each: _STRICTEST.index(each.verdict))
    return found[0] if found else None


def _shown(call: PendingCall) -> PendingCall:
    """The call as who is asked about it sees it: what is changed in it changes nothing else."""
    return replace(call, arguments=copy.deepcopy(call.arguments))


def _decision(made: Any) -> Decision | None:
    if made is None:
        return None
    if isinstance(made, Decision) and made.verdict in _STRICTEST:
        if made.verdict == "modify" and not isinstance(made.arguments, Mapping):
            return deny(f"a policy gave {type(made.arguments).__name__} for the arguments")
        return replace(made, reason=str(made.reason or ""))
    if isinstance(made, str) and made in _STRICTEST and made != "modify":
        return Decision(made)
    if inspect.iscoroutine(made):
        made.close()
    return deny(f"a policy gave {type(made).__name__}, which is no decision")


def answered(approve: Any, call: PendingCall, reason: str, *, person: bool) -> str | None:
    """Asks whether a call may run.

    Args:
        approve: the rule that may be a function; functions are who is asked.
        call: the call.
        reason: why it is asked about.
        person: whether only a person may answer.

    Returns:
        None where it may; else why not, for the model.

    Raises:
        ApprovalError: who is asked exits, or is cancelled.
        Exception: who is asked raises it.
    """
    if not callable(approve) or (person and not getattr(approve, "__aigen_person__", False)):
        who = "a person" if person else "an approval"
        because = f": {reason}" if reason else ""
        return f"not run: {call.name} needs {who}, and there is nobody to ask{because}"
    try:
        answer = at_once(approve(_shown(call)), "the approve function")
    except Exception:
        raise
    except BaseException as problem:
        if not is_own(problem):
            raise
        words = f"the approve function failed: {raised(problem)}"
        raise ApprovalError(words, tool=call.name) from problem
    if answer is True:
        return None
    if isinstance(answer, str) and answer:
        return f"not run: {answer}"
    return f"not run: {call.name} was not approved"
