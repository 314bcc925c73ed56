"""The base class of generated AI functions."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, Unpack, cast

from aigen.runtime.columns.methods import OverRows
from aigen.runtime.definition import Definition, require_format
from aigen.runtime.errors import AigenError, ConfigurationError
from aigen.runtime.options import Options

if TYPE_CHECKING:
    from aigen.runtime.record.call import Call
    from aigen.runtime.setting_kinds import Settings
    from aigen.runtime.tools.offered import Tool
    from aigen.runtime.wire.answer import Answer
    from aigen.runtime.wire.arrival import Arrival
    from aigen.runtime.wire.form import Form
    from aigen.runtime.wire.messages import Request
    from aigen.runtime.wire.plan import Plan
    from aigen.runtime.wire.stream import AsyncStream, Stream

R = TypeVar("R", covariant=True)
P = TypeVar("P", covariant=True)
Given = Mapping[str, Sequence[str]]

_FORMS = 64
"""Forms kept of a function; more than a few are only there where levels come with each call."""


class AIFunction(OverRows[R], Generic[R, P]):
    """A function whose work a language model does.

    A generated subclass gives it its signature; each of its methods hands its inputs on to one
    here. Nothing is parsed before the first use.
    """

    def __init__(self, definition: str, answer: Any, partial: Any) -> None:
        """Takes what a generated module holds.

        Args:
            definition: the function as one JSON text (`aigen.runtime.definition.Definition`).
            answer: the type of what it returns; `typing.Any` for plain JSON.
            partial: the type of what it returns while it streams.
        """
        self._text = definition
        self._answer = answer
        self._partial = partial
        self._options: dict[str, Any] = {}
        self._forms: dict[Any, Form] = {}
        self._appear()

    # ------------------------------------------------------------------ what it is

    @cached_property
    def definition(self) -> Definition:
        """The function as data."""
        found = cast("Definition", json.loads(self._text))
        require_format(found["format"])
        return found

    @property
    def ids(self) -> Mapping[str, Any]:
        """The `interface` and the `version` id: `sha256:` and 64 hexadecimal digits each."""
        return {**self.definition["ids"]}

    @property
    def interface(self) -> dict[str, Any]:
        """What it takes and gives, as data: each shape carries its own `$defs`."""
        from aigen.runtime.wire.adapters.layout import with_own_definitions

        defs = self.definition.get("$defs", {})
        sides = {
            side: [
                {**field, "shape": with_own_definitions(field["shape"], defs)} for field in fields
            ]
            for side, fields in (
                ("inputs", self.definition["inputs"]),
                ("outputs", self.definition["outputs"]),
            )
        }
        return {"description": self.definition["description"], **sides}

    def __repr__(self) -> str:
        from aigen.runtime.describing import described

        return described(self.definition, self._options.get("model"))

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self).__module__, self.__name__, self._options)

    def __copy__(self) -> Self:
        return self.with_options()

    def __deepcopy__(self, memo: Any) -> Self:
        return self.with_options()

    def __call__(self, *args: Any, **inputs: Any) -> R:
        """Calls the model with inputs by name; a generated subclass has them as parameters."""
        if args:
            raise TypeError(f"{self.__name__}() takes its inputs by name")
        return self.apply(inputs)

    # ------------------------------------------------------------------ other ways to call it

    def with_options(self, **settings: Unpack[Options]) -> Self:
        """The same function with settings of its own, above those of its spec.

        Raises:
            ConfigurationError: an unknown setting, or a value that does not fit.
        """
        from aigen.runtime.layers import checked
        from aigen.runtime.record.content import refuse_unknown_fields

        if settings.get("log_content") is not None:
            fields = (*self.definition["inputs"], *self.definition["outputs"])
            names = [field["name"] for field in fields]
            refuse_unknown_fields(settings["log_content"], names, self.__name__)
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.__dict__.pop("_settings", None)
        other.__dict__.pop("_parsing", None)
        other._appear()
        other._options = {**self._options, **checked(settings, "with_options()")}
        for name, value in settings.items():
            if value is None:
                other._options.pop(name, None)
        return other

    def apply(self, inputs: Mapping[str, Any]) -> R:
        """A call from a mapping; names it does not take are refused.

        Raises:
            InterfaceInputError: the inputs do not fit.
            AigenError: as a call raises it.
        """
        return self._call(*self._split(inputs))

    async def aapply(self, inputs: Mapping[str, Any]) -> R:
        """Like `apply`, awaited."""
        return await self._acall(*self._split(inputs))

    def request(self, *args: Any, **inputs: Any) -> Request:
        """What a call would send, from a mapping or inputs by name, without sending it."""
        return self._request(*self._split({**(args[0] if args else {}), **inputs}))

    def parse(self, reply: Any) -> R:
        """Reads a reply without asking for one.

        Args:
            reply: text; a chat completion, or a response of the Responses API, as the SDK's object
                or its body as data.

        Raises:
            ReplyError: it cannot be read, is a refusal, or was cut off.
        """
        settings = self._resolved()
        kept: tuple[Settings, Callable[[Any], Any]] | None = self.__dict__.get("_parsing")
        if kept is None or kept[0] is not settings:
            from aigen.runtime.wire.conversation import parser

            kept = self.__dict__["_parsing"] = settings, parser(self._plan(None, parsing=True))
        return cast("R", kept[1](reply))

    # ------------------------------------------------------------------ what subclasses call

    def _call(self, inputs: Mapping[str, Any], given: Given | None = None) -> R:
        from aigen.runtime.wire.deadline import Deadline
        from aigen.runtime.wire.driving import drive
        from aigen.runtime.wire.fallback import conversation_of

        call = self._begun().enter()
        began = time.perf_counter()
        try:
            plan, bound = self._bound(inputs, given, call)
            deadline = Deadline(plan.settings.timeout)
            if plan.available is not None:
                plan.available.find_out(deadline)
            steps = conversation_of(plan, bound, call)
            call.value = drive(steps, plan.settings, deadline)
            return cast("R", call.value)
        except BaseException as problem:
            call.error = problem
            raise
        finally:
            _ended(call, began)

    async def _acall(self, inputs: Mapping[str, Any], given: Given | None = None) -> R:
        from aigen.runtime.wire.deadline import Deadline
        from aigen.runtime.wire.driving import adrive
        from aigen.runtime.wire.fallback import conversation_of

        call = self._begun().enter()
        began = time.perf_counter()
        try:
            plan, bound = await self._abound(inputs, given, call)
            deadline = Deadline(plan.settings.timeout)
            if plan.available is not None:
                await plan.available.afind_out(deadline)
            steps = conversation_of(plan, bound, call)
            call.value = await adrive(steps, plan.settings, deadline)
            return cast("R", call.value)
        except BaseException as problem:
            call.error = problem
            raise
        finally:
            _ended(call, began)

    def _stream(self, inputs: Mapping[str, Any], given: Given | None = None) -> Stream[P, R]:
        from aigen.runtime.wire.stream import Stream

        return Stream(self._arrival(inputs, given))

    def _astream(self, inputs: Mapping[str, Any], given: Given | None = None) -> AsyncStream[P, R]:
        from aigen.runtime.wire.stream import AsyncStream

        return AsyncStream(self._arrival(inputs, given))

    def _request(self, inputs: Mapping[str, Any], given: Given | None = None) -> Request:
        from aigen.runtime.wire.phases import first_request

        return first_request(*self._bound(inputs, given, None, showing=True))

    # ------------------------------------------------------------------ one call's parts

    def _begun(self) -> Call:
        from aigen.runtime.record.calls import begun

        return begun(self.definition)

    def _arrival(self, inputs: Mapping[str, Any], given: Given | None) -> Arrival:
        """A call that is to be streamed; what does not bind is refused here already."""
        from aigen.runtime.wire.arrival import Arrival, root_of

        call = self._begun()
        began = time.perf_counter()
        try:
            plan, bound = self._bound(inputs, given, call)
        except BaseException as problem:
            call.error = problem
            _ended(call, began)
            raise
        if plan.form.root is None:
            plan.form.root = root_of(plan.form.reader.schema, self._partial)
        return Arrival(plan, bound, call, plan.form.root)

    def _split(self, inputs: Mapping[str, Any]) -> tuple[dict[str, Any], Given | None]:
        """Inputs, and the levels that the call gives."""
        parameters = self.definition.get("given", ())
        if not parameters:
            return dict(inputs), None
        given = {name: inputs[name] for name in parameters if name in inputs}
        return {name: value for name, value in inputs.items() if name not in given}, given

    def _settled(self, given: Given | None) -> Given:
        """The levels for every row: what is wrong with them stops `map` before its first."""
        from aigen.runtime.wire.form import levels_of

        return dict(levels_of(self.definition, given or {}, self.__name__))

    def _bound(
        self,
        inputs: Mapping[str, Any],
        given: Given | None,
        call: Call | None,
        *,
        showing: bool = False,
    ) -> tuple[Plan, dict[str, Any]]:
        """The plan of a call and its bound inputs; nothing is sent where they do not bind."""
        from aigen.runtime.record.content import keeps
        from aigen.runtime.values import bind_inputs

        try:
            plan = self._plan(given, showing=showing)
        except AigenError:
            if call is not None:  # one that is refused is logged too
                call.settings = self._resolved()
            raise
        contents = plan.settings.log_contents
        quote = not contents or all(
            keeps(contents, field["name"]) for field in self.definition["inputs"]
        )
        if call is not None:
            call.settings = plan.settings
        bound = bind_inputs(plan.form.definition, inputs, quote=quote)
        if call is not None:
            call.inputs = bound
        return plan, bound

    async def _abound(
        self, inputs: Mapping[str, Any], given: Given | None, call: Call
    ) -> tuple[Plan, dict[str, Any]]:
        """Like `_bound`; files are read in a thread, so that the event loop is not kept waiting."""
        if '"x-aigen-media"' not in self._text:
            return self._bound(inputs, given, call)
        import asyncio

        return await asyncio.to_thread(self._bound, inputs, given, call)

    def _plan(self, given: Given | None, *, showing: bool = False, parsing: bool = False) -> Plan:
        from aigen.runtime.wire.conversation import target_of
        from aigen.runtime.wire.plan import Plan

        settings = self._resolved()
        form = self._form(settings.reasoning == "cot", {} if parsing else given or {}, parsing)
        plan = Plan(form, self._answers, settings, target_of(settings, showing=showing or parsing))
        if parsing or not self._tools:
            return plan
        from aigen.runtime.tools.available import Available

        available = Available(self._tools, plan.path, settings)
        return plan._replace(tools=self._tools, available=available)

    def _form(self, reasoning: bool, given: Given, parsing: bool) -> Form:
        """The function as it is asked, kept: with reasoning or not, with the levels of a call."""
        from aigen.runtime.wire.form import form_of, levels_of

        definition = self.definition
        levels = () if parsing else levels_of(definition, given, self.__name__)
        kept = self._forms.get((reasoning, levels))
        if kept is None:
            if len(self._forms) >= _FORMS:
                self._forms.clear()
            kept = form_of(definition, reasoning, levels)
            self._forms[reasoning, levels] = kept
        return kept

    def _resolved(self) -> Settings:
        """The settings now; worked out again only where a layer has changed."""
        kept: tuple[Any, Any, Settings] | None = self.__dict__.get("_settings")
        # Kept with its function: an import statement takes as long as the look does.
        if kept is not None and kept[0]() == kept[1]:
            return kept[2]
        from aigen.runtime.layers import layers_now, resolve

        layers = layers_now()
        definition = self.definition
        found = resolve(
            definition.get("settings", {}), definition.get("configured", {}), self._options
        )
        self.__dict__["_settings"] = (layers_now, layers, found)
        return found

    @cached_property
    def _tools(self) -> tuple[Tool, ...]:
        if not self.definition.get("tools"):
            return ()
        from aigen.runtime.tools.named import tools_of

        return tools_of(self)

    @cached_property
    def _answers(self) -> Answer:
        from aigen.runtime.wire.answer import Answer

        names = [field["name"] for field in self.definition["outputs"]]
        return Answer(self._answer, names, given=bool(self.definition.get("given")))


def _ended(call: Call, began: float) -> None:
    from aigen.runtime.record.calls import done

    call.seconds = time.perf_counter() - began
    done(call)


def _restored(module: str, name: str, options: Mapping[str, Any]) -> Any:
    """A pickled function: found by its name, with its options."""
    import importlib

    found = getattr(importlib.import_module(module), name, None)
    if not isinstance(found, AIFunction):
        raise ConfigurationError(f"there is no AI function {module}.{name} any more", code="import")
    return found.with_options(**options) if options else found
