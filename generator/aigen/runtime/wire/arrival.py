"""A call whose answer arrives: the conversation of a plain call, its replies read as they come.

Here is decided, without any input or output, what is shown of a reply, when another may be asked
for, and what the end means. Until a partial answer has been
shown, everything is tried again as in a call, with other models too; after that nothing is, for it
could be taken back. A reply that was kept is judged before anything of it is shown.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from aigen.runtime.errors import AigenError, ProviderError, StreamError
from aigen.runtime.record.call import Call
from aigen.runtime.record.calls import done
from aigen.runtime.setting_kinds import Settings
from aigen.runtime.wire import faking
from aigen.runtime.wire.adapters import ways
from aigen.runtime.wire.assembling import Assembling
from aigen.runtime.wire.deadline import Deadline
from aigen.runtime.wire.driving import Step, ToolWork
from aigen.runtime.wire.events import (
    AskedAgain,
    Event,
    Partial,
    TextDelta,
    ToolCallDelta,
    Used,
)
from aigen.runtime.wire.exchange import in_our_words, wait_before_another
from aigen.runtime.wire.fallback import conversation_of
from aigen.runtime.wire.messages import Reply, Request, Usage
from aigen.runtime.wire.partial import Growing
from aigen.runtime.wire.partial_text import GrowingText
from aigen.runtime.wire.places import ABSENT, Place, Places, Record
from aigen.runtime.wire.plan import Plan
from aigen.runtime.wire.reading import read_body
from aigen.runtime.wire.receiving import Attempt, as_stream, without_usage

if TYPE_CHECKING:
    from aigen.runtime.tools.outcome import Outcome

_GRACE = 2.0
"""Seconds that a server may still take to count tokens when the reply is complete."""

_TOOL = frozenset(("tool", "tool_strict"))

_OF_A_CALL = frozenset(("function", "arguments"))
"""The members of a call that a model writes as text."""


class Arrival:
    """A call whose answer arrives.

    Args:
        plan: of the call.
        inputs: as they were bound.
        call: takes what happens.
        root: where the answer stands in a reply.

    Attributes:
        value: the answer, when there is one.
        answered: whether there is.
    """

    def __init__(self, plan: Plan, inputs: Mapping[str, Any], call: Call, root: Place) -> None:
        self.plan, self.call, self.root = plan, call, root
        self.value: Any = None
        self.answered = False
        self._shown: Any = ABSENT
        self._heard = False
        self._steps = conversation_of(plan, inputs, call, lambda: self._shown is ABSENT)
        self._outputs = [field["name"] for field in plan.form.definition["outputs"]]
        self._began = time.perf_counter()
        self._request: Request | None = None
        self._assembling = Assembling()
        self._growing: Growing | GrowingText | None = None
        self._is_text = False

    # ------------------------------------------------------------------ one reply

    def settings(self, request: Request) -> Settings:
        """By which a request is sent: the call's, or those of another model."""
        return request.settings or self.plan.settings

    def begin(self, request: Request) -> None:
        """Nothing has arrived yet of the reply to a request."""
        self._request = request
        self._assembling = Assembling()
        self._is_text = self.plan.form.reader.text and ways.WAYS[request.adapter].bare
        no_json = ways.WAYS[request.adapter].written is not None  # shown when it is whole
        if no_json or self._may_be_a_call(request):
            self._growing = None
        elif self._is_text:
            self._growing = GrowingText(self.plan.settings.reading == "repair")
        else:
            self._growing = Growing(self.root)

    def _may_be_a_call(self, request: Request) -> bool:
        """Whether what arrives looks like an answer where it only leads to a tool call.

        Models say what they are about to do; of a text only its end tells that it is the answer.
        """
        if not self.plan.tools:
            return False
        written = not request.body.get("tools")
        return self._is_text or (written and not _OF_A_CALL.isdisjoint(self._outputs))

    def attempt(self, request: Request, deadline: Deadline) -> Attempt:
        """Begins a request, or begins it again."""
        self.begin(request)
        return Attempt(deadline, self.settings(request))

    def take(self, payload: Any, attempt: Attempt) -> list[Event]:
        """What a payload brings.

        Raises:
            ProviderError: it is an error.
            ValueError: it is none of a stream.
        """
        events = self._events_of(payload)
        if self._assembling.complete:
            attempt.hurry(_GRACE)
        elif self._shown is not ABSENT:
            attempt.stay()
        return events

    def _events_of(self, payload: Any) -> list[Event]:
        events: list[Event] = []
        for event in self._assembling.take(payload):
            events.append(event)
            self._heard = True
            growing = self._growing
            text = self._text_of(event)
            if text and growing is not None and growing.feed(text):
                events += self._partial(growing.shown())
        return events

    def _text_of(self, event: Event) -> str:
        """What an event brings of the answer's own text."""
        assert self._request is not None
        if self._request.adapter in _TOOL:
            return event.arguments if isinstance(event, ToolCallDelta) else ""
        return event.text if isinstance(event, TextDelta) else ""

    def _partial(self, shown: Any) -> list[Event]:
        return self._show(self._answer_in(shown))

    def _show(self, value: Any) -> list[Event]:
        """The answer as far as it is there, where any is."""
        if value is ABSENT:
            return []
        self._shown = value
        return [Partial(value)]

    def _answer_in(self, shown: Any) -> Any:
        if shown is ABSENT or self._is_text or len(self._outputs) > 1:
            return shown
        return shown.get(self._outputs[0], ABSENT)

    def reply(self, attempt: Attempt) -> Reply:
        """The reply whose stream has ended.

        Raises:
            ProviderError: it is not whole.
        """
        seconds = time.monotonic() - attempt.began
        reply = self._assembling.reply(request_id=attempt.request_id, seconds=seconds)
        if attempt.turn is not None and reply.usage is not None:
            attempt.turn.used(reply.usage)
        recorder, request = faking.recorder(attempt.deadline.script), self._request
        if recorder is not None and request is not None:
            recorder.note(as_stream(request), self.settings(request), reply)
        return reply

    def is_complete(self) -> bool:
        """Whether the reply is, however its stream ended."""
        return self._assembling.complete

    def wait(self, problem: Exception, number: int, attempt: Attempt) -> float:
        """Seconds before the request is begun again.

        Raises:
            StreamError: a partial was shown already.
            AigenError: it is final.
        """
        request = self._request
        assert request is not None
        settings = self.settings(request)
        if attempt.turn is not None and not self._heard:
            attempt.turn.used(None)
        ours = problem if isinstance(problem, AigenError) else _in_stream(problem)
        if isinstance(ours, ProviderError):
            ours.request_id = ours.request_id or attempt.request_id
        if self._shown is not ABSENT:
            error = ours or in_our_words(problem, request, settings, attempt.deadline)
            raise self.broken(error.message) from error
        if ours is None and without_usage(
            request, getattr(problem, "status_code", None), str(problem)
        ):
            return 0.0
        return wait_before_another(
            ours or problem, ours, number, request, settings, attempt.deadline
        )

    def broken(self, why: str) -> StreamError:
        """The error of a stream that has shown something and cannot go on."""
        text = self._assembling.text
        return StreamError(
            f"{self.plan.name}: the stream broke after a part of the answer was shown: {why}",
            partial=None if self._shown is ABSENT else self._shown,
            text=text,
            function=self.plan.name,
            reply=text,
            usage=self.call.usage,
            attempts=[exchange.reply for exchange in self.call.exchanges],
        )

    # ------------------------------------------------------------------ the conversation

    def first(self) -> Request:
        """The first request."""
        with self.call.inside():
            request = next(self._steps)
        assert isinstance(request, Request)
        return request

    def failed(self, problem: Exception) -> Step:
        """What is done in place of what failed.

        Raises:
            Exception: there is none.
        """
        with self.call.inside():
            return self._steps.throw(problem)

    def went(self, done: Reply | list[Outcome]) -> Step | None:
        """What a reply, or what became of tool calls, leads to; None where it was the answer.

        Raises:
            StreamError: the reply asks for tools, and a part of it was shown as the answer.
            AigenError: it cannot be used.
        """
        try:
            with self.call.inside():
                step = self._steps.send(done)
        except StopIteration as finished:
            self.value, self.answered = finished.value, True
            self.call.value = finished.value
            return None
        if isinstance(step, ToolWork) and self._shown is not ABSENT:
            names = ", ".join(call.name for call in step.calls)
            raise self.broken(f"the model asked for {names} behind it")
        return step

    @contextmanager
    def working(self) -> Iterator[dict[tuple[int, int], Outcome]]:
        """Takes what became of tool calls; where not all were run, the call has what was done.

        They go by the number of the call and, for those that its code made, of the call inside it,
        from 1; 0 is the call itself.
        """
        outcomes: dict[tuple[int, int], Outcome] = {}
        try:
            yield outcomes
        except BaseException:
            self.call.tools += [outcomes[place] for place in sorted(outcomes)]
            raise

    def before_tools(self, reply: Reply) -> list[Event]:
        """All of a reply that asks for tools and was kept, so that nothing of it was given yet."""
        self._growing = None
        kept = [*self._events_of(reply.raw), Used(reply.usage or Usage())] if reply.cached else []
        self._heard = False
        return kept

    def asked_again(self, why: str) -> list[Event]:
        """Says that what was given so far is void, where there was any."""
        heard, self._heard = self._heard, False
        return [AskedAgain(why)] if heard else []

    def last(self, reply: Reply) -> list[Event]:
        """All of a reply that was kept; the whole answer, where it has not been shown yet.

        Raises:
            StreamError: the whole reply says something else than was shown of it.
        """
        if reply.cached:
            kept = [*self._events_of(reply.raw), Used(reply.usage or Usage())]
            return kept + self._rest(reply)
        return self._rest(reply)

    def _rest(self, reply: Reply) -> list[Event]:
        growing = self._growing
        if growing is not None:
            if growing.flush():
                events = self._partial(growing.shown())
                if growing.whole and not self.call.repairs:
                    return events
            elif growing.whole and not self.call.repairs and self._shown is not ABSENT:
                return []
        assert self._request is not None
        repair = self.plan.settings.reading == "repair"
        request = self._request
        outputs = ways.read(request.adapter, self.plan.form, reply, repair, request.decode).outputs
        if self._is_text:
            value: Any = outputs["result"]
        else:
            value = self._answer_in(self.root.whole(outputs))
        if value is ABSENT:
            return []
        if self._shown is ABSENT or value != self._shown:
            if self._shown is not ABSENT and not has_grown(self._shown, value):
                raise self.broken("the whole reply reads differently from what was shown")
            return self._show(value)
        return []

    def ended(self, problem: BaseException | None) -> None:
        """Records the call; of one that was left early that it was."""
        if isinstance(problem, GeneratorExit):
            problem = StreamError(
                f"{self.plan.name}: the stream was left before its end",
                code="left",
                function=self.plan.name,
                text=self._assembling.text,
                partial=None if self._shown is ABSENT else self._shown,
            )
        self.call.error = problem
        self.call.seconds = time.perf_counter() - self._began
        done(self.call)


def _in_stream(problem: Exception) -> AigenError | None:
    """The error that a server sent inside a stream, where the SDK raises it."""
    body = getattr(problem, "body", None)
    if isinstance(body, Mapping) and getattr(problem, "status_code", None) is None:
        try:
            read_body({"error": body})
        except ProviderError as found:
            return found
    return None


def has_grown(before: Any, after: Any) -> bool:
    """Whether what was shown is still there in what is shown now."""
    if before is None:
        return True
    if isinstance(before, str) and type(before) is type(after):
        return bool(after.startswith(before))
    if isinstance(before, list) and isinstance(after, list):
        return len(before) <= len(after) and all(map(has_grown, before, after))
    if type(before) is type(after) and hasattr(before, "__pydantic_fields_set__"):
        before, after = vars(before), vars(after)
    if isinstance(before, dict) and isinstance(after, dict):
        return all(
            name in after and has_grown(value, after[name]) for name, value in before.items()
        )
    return bool(before == after)


def root_of(schema: Mapping[str, Any], annotation: Any) -> Place:
    """Where an answer stands in a reply: the object of its outputs.

    Args:
        schema: of that object.
        annotation: of the partial answer: of one output its value's.
    """
    places = Places(schema.get("$defs", {}))
    properties = schema["properties"]
    if len(properties) > 1:
        return places.of({**schema, "$defs": {}}, annotation)
    names = {name: name for name in properties}
    only = Record(None, names, True, lambda name: places.of(properties[name], annotation))
    return Place({}, {}, dict, False, None, (only,))
