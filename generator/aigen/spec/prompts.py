"""Own messages: a subset of Jinja, checked here and lowered to data.

jinja2 parses; nothing is ever rendered by it. What the subset lacks is refused with its place.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from aigen.diagnostics import Span
from aigen.spec.nodes import Json, Mapping, Node, Scalar, Sequence
from aigen.spec.reading import Reading
from aigen.spec.tree import PromptMessage, Text

FILTERS = {"tojson": 0, "upper": 0, "lower": 0, "trim": 0, "join": 1, "length": 0, "default": 1}
"""The filters, and how many arguments each takes at most."""

_ROLES: tuple[Literal["system", "user", "assistant"], ...] = ("system", "user", "assistant")


class _Refused(Exception):
    def __init__(self, line: int, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.line, self.message, self.hint = line, message, hint


def read_prompt(reading: Reading, node: Node) -> tuple[PromptMessage, ...] | None:
    """The messages of a prompt, or None where one cannot be read."""
    if not isinstance(node, Sequence) or not node.items:
        reading.wrong(node, "a prompt is a list of messages", 'write - user: "…"')
        return None
    messages = [_message(reading, item) for item in node.items]
    found = tuple(message for message in messages if message is not None)
    return found if len(found) == len(messages) else None


def _message(reading: Reading, node: Node) -> PromptMessage | None:
    if isinstance(node, Scalar) and node.value == "demos":
        return PromptMessage("demos", (), (), node.span)
    if isinstance(node, Mapping) and len(node.entries) == 1:
        (entry,) = node.entries.values()
        for role in _ROLES:
            if entry.key.text == role:
                text = reading.text(entry.value, role)
                return None if text is None else _lowered(reading, role, text, entry.value)
    reading.wrong(node, "a message is system, user or assistant with its text, or demos")
    return None


def _lowered(
    reading: Reading, role: Literal["system", "user", "assistant"], text: Text, node: Node
) -> PromptMessage | None:
    if "{{" not in text.value and "{%" not in text.value and "{#" not in text.value:
        return PromptMessage(role, (text.value,) if text.value else (), (), text.span)
    from jinja2 import Environment, TemplateSyntaxError

    lowering = _Lowering(text, node)
    try:
        # Parsing alone runs nothing of the text; the environment has no loader and no extension.
        tree = Environment(autoescape=False, keep_trailing_newline=True).parse(text.value)
        body = tuple(lowering.body(tree.body, frozenset()))
    except TemplateSyntaxError as problem:
        message = problem.message or "it cannot be parsed"
        reading.report("AIG135", lowering.place(problem.lineno), f"the prompt: {message}")
        return None
    except _Refused as problem:
        span = lowering.place(problem.line)
        reading.report("AIG135", span, f"the prompt: {problem.message}", problem.hint)
        return None
    except RecursionError:
        reading.report("AIG135", text.span, "the prompt is nested too deep")
        return None
    return PromptMessage(role, body, tuple(lowering.names.values()), text.span)


class _Lowering:
    def __init__(self, text: Text, node: Node) -> None:
        self.text = text
        self.inline = isinstance(node, Scalar)
        self.names: dict[str, Text] = {}

    def place(self, line: int) -> Span:
        """The place of a line of the text: its own where the text stands in the spec as read."""
        span = self.text.span
        lines = self.text.value.count("\n")
        if not self.inline or span.end_line - span.line < lines or not lines:
            return span
        first = span.line + 1 if span.end_line - span.line > lines else span.line
        return Span(span.path, first + line - 1, 1, first + line - 1, 2)

    def body(self, nodes: list[Any], bound: frozenset[str]) -> Iterator[Json]:
        for node in nodes:
            match type(node).__name__:
                case "Output":
                    for part in node.nodes:
                        yield self.output(part, bound)
                case "If":
                    yield self.branches(node, bound)
                case "For":
                    yield self.loop(node, bound)
                case kind:
                    raise _Refused(node.lineno, f"{{% {kind.lower()} %}} is not in the subset")

    def output(self, node: Any, bound: frozenset[str]) -> Json:
        if type(node).__name__ == "TemplateData":
            return str(node.data)
        return self.value(node, bound)

    def value(self, node: Any, bound: frozenset[str]) -> dict[str, Json]:
        filters: list[Json] = []
        while type(node).__name__ == "Filter":
            filters.insert(0, self.filter(node))
            node = node.node
        found: dict[str, Json] = {"value": self.path(node, bound)}
        if filters:
            found["filters"] = filters
        return found

    def filter(self, node: Any) -> list[Json]:
        if node.name not in FILTERS:
            known = ", ".join(FILTERS)
            raise _Refused(node.lineno, f'there is no filter "{node.name}"', f"known: {known}")
        if node.kwargs or node.dyn_args or node.dyn_kwargs or len(node.args) > FILTERS[node.name]:
            raise _Refused(node.lineno, f'"{node.name}" takes other arguments')
        return [node.name, *(self.constant(arg) for arg in node.args)]

    def constant(self, node: Any) -> Json:
        if type(node).__name__ == "Const" and isinstance(
            node.value, (str, int, float, bool, type(None))
        ):
            return node.value
        raise _Refused(node.lineno, "a filter's argument is a text, number or truth value")

    def path(self, node: Any, bound: frozenset[str]) -> list[Json]:
        members: list[Json] = []
        while type(node).__name__ in ("Getattr", "Getitem"):
            if type(node).__name__ == "Getattr":
                members.insert(0, node.attr)
            elif type(node.arg).__name__ == "Const" and isinstance(node.arg.value, str):
                members.insert(0, node.arg.value)
            else:
                raise _Refused(node.lineno, "a member is named by a text")
            node = node.node
        if type(node).__name__ != "Name":
            raise _Refused(node.lineno, "only {{ name.member }} and filters stand in {{ }}")
        if node.name not in bound:
            self.names.setdefault(node.name, Text(node.name, self.place(node.lineno)))
        return [node.name, *members]

    def branches(self, node: Any, bound: frozenset[str]) -> Json:
        branches: list[Json] = [
            [self.test(one.test, bound), list(self.body(one.body, bound))]
            for one in (node, *node.elif_)
        ]
        found: dict[str, Json] = {"branches": branches}
        if node.else_:
            found["otherwise"] = list(self.body(node.else_, bound))
        return found

    def test(self, node: Any, bound: frozenset[str]) -> Json:
        match type(node).__name__:
            case "Not":
                return ["not", self.test(node.node, bound)]
            case "And" | "Or" as kind:
                return [kind.lower(), self.test(node.left, bound), self.test(node.right, bound)]
            case "Compare" if len(node.ops) == 1 and node.ops[0].op in ("eq", "ne"):
                mark = "==" if node.ops[0].op == "eq" else "!="
                return [mark, self.operand(node.expr, bound), self.operand(node.ops[0].expr, bound)]
            case "Name" | "Getattr" | "Getitem":
                return ["is", self.path(node, bound)]
        raise _Refused(node.lineno, "a test is a name, not, and, or, == or !=")

    def operand(self, node: Any, bound: frozenset[str]) -> Json:
        if type(node).__name__ == "Const":
            return {"text": self.constant(node)}
        return dict(self.value(node, bound))

    def loop(self, node: Any, bound: frozenset[str]) -> Json:
        if node.else_ or node.test or node.recursive or type(node.target).__name__ != "Name":
            raise _Refused(node.lineno, "a loop is {% for item in name %} … {% endfor %}")
        inner = bound | {node.target.name}
        return {
            "each": node.target.name,
            "of": self.path(node.iter, bound),
            "do": list(self.body(node.body, inner)),
        }
