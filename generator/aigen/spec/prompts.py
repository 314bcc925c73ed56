"""Own messages: a subset of Jinja, checked here and lowered to data.

jinja2 parses; nothing is ever rendered by it. What the subset lacks is refused with its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from collections.abc import Mapping as Names
from typing import Any, Final, Literal, TypeAlias

from aigen.diagnostics import Span
from aigen.spec.nodes import Json, Mapping, Node, Scalar, Sequence
from aigen.spec.reading import Reading
from aigen.spec.tree import PromptMessage, PromptRead, Text

FILTERS = {"tojson": 0, "upper": 0, "lower": 0, "trim": 0, "join": 1, "length": 0, "default": 1}
"""The filters, and how many arguments each takes at most."""

_ROLES: tuple[Literal["system", "user", "assistant"], ...] = ("system", "user", "assistant")


_DEEPEST = 50
"""Levels of `if` and `for`."""

_MOST_NAMES = 1000
Path: TypeAlias = tuple[str | None, ...]
"""An input and steps into it; None is an item of a loop."""
Bound: TypeAlias = Names[str, Path]
"""What the loops around have named."""
_LONGEST = 1_000_000


_UNCLOSED: Final = {
    "raw_begin": "missing end of raw directive",
    "comment_begin": "missing end of comment tag",
}
"""Kinds of jinja2's tokens that no text can end with."""


class _Refused(Exception):
    """What the subset does not take.

    `at` is an offset into the text: the lines of jinja2's tokens and nodes hold offsets here.
    """

    def __init__(self, at: int, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.at, self.message, self.hint = at, message, hint


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
        if not reading.known(entry, "a message", _ROLES):
            return None
    reading.wrong(node, "a message is system, user or assistant with its text, or demos")
    return None


def _lowered(
    reading: Reading, role: Literal["system", "user", "assistant"], text: Text, node: Node
) -> PromptMessage | None:
    source = text.value
    if "{{" not in source and "{%" not in source and "{#" not in source:
        return PromptMessage(role, (source,) if source else (), (), text.span)
    if len(source) > _LONGEST:
        wrong = f"the prompt: more than {_LONGEST:,} characters with tags in them"
        reading.report("AIG135", text.span, wrong)
        return None
    lowering = _Lowering(lambda at: reading.place(node, source, at, at + 1))
    try:
        body = tuple(lowering.body(_parse(source), {}, 0))
    except _Refused as problem:
        span = lowering.place(problem.at)
        reading.report("AIG135", span, f"the prompt: {problem.message}", problem.hint)
        return None
    except RecursionError:
        reading.report("AIG135", text.span, "the prompt is nested too deep")
        return None
    return PromptMessage(role, body, tuple(lowering.reads.values()), text.span)


def _parse(source: str) -> list[Any]:
    """The nodes of a text, each with its offset where jinja2 has a line number.

    Parsing alone runs nothing of the text; the environment has no loader and no extension.
    """
    from jinja2 import Environment, TemplateSyntaxError
    from jinja2.lexer import TokenStream
    from jinja2.parser import Parser

    environment = Environment(autoescape=False, keep_trailing_newline=True)
    lexer = environment.lexer
    tokens = []
    at = 0
    try:
        for _, kind, written in lexer.tokeniter(source, None):
            # Between tokens, `-` has at most taken blanks away.
            at = max(source.find(written, at), at)
            tokens.append((at, kind, written))
            at += len(written)
    except TemplateSyntaxError as problem:
        before = "\n".join(source.split("\n")[: problem.lineno - 1])
        start = len(before) + 1 if problem.lineno > 1 else 0
        raise _Refused(max(start, at), _said(problem)) from None
    # jinja2 misses the end of these only where text follows them.
    if tokens and tokens[-1][1] in _UNCLOSED:
        raise _Refused(tokens[-1][0], _UNCLOSED[tokens[-1][1]])
    parser = Parser(environment, "")
    parser.stream = TokenStream(lexer.wrap(iter(tokens), None, None), None, None)
    try:
        return list(parser.parse().body)
    except TemplateSyntaxError as problem:
        raise _Refused(min(problem.lineno, len(source) - 1), _said(problem)) from None


def _said(problem: Any) -> str:
    said = str(problem.message or "it cannot be parsed").split(" at ")[0].rstrip(".")
    return said[0].lower() + said[1:]


class _Lowering:
    def __init__(self, place: Callable[[int], Span]) -> None:
        self.place = place
        self.reads: dict[Path, PromptRead] = {}

    def body(self, nodes: list[Any], bound: Bound, depth: int) -> Iterator[Json]:
        for node in nodes:
            if depth > _DEEPEST:
                raise _Refused(node.lineno, f"nested deeper than {_DEEPEST} levels")
            match type(node).__name__:
                case "Output":
                    for part in node.nodes:
                        yield self.output(part, bound)
                case "If":
                    yield self.branches(node, bound, depth + 1)
                case "For":
                    yield self.loop(node, bound, depth + 1)
                case kind:
                    tag = {"Assign": "set", "AssignBlock": "set"}.get(kind, kind.lower())
                    raise _Refused(node.lineno, f"{tag} is not in the subset", "known: if and for")

    def output(self, node: Any, bound: Bound) -> Json:
        if type(node).__name__ == "TemplateData":
            return str(node.data)
        return self.value(node, bound)

    def value(self, node: Any, bound: Bound) -> dict[str, Json]:
        filters: list[Json] = []
        while type(node).__name__ == "Filter":
            filters.append(self.filter(node))
            node = node.node
        found: dict[str, Json] = {"value": [*self.path(node, bound)]}
        if filters:
            found["filters"] = filters[::-1]
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

    def path(self, node: Any, bound: Bound) -> list[str]:
        members: list[str] = []
        while type(node).__name__ in ("Getattr", "Getitem"):
            if type(node).__name__ == "Getattr":
                members.append(node.attr)
            elif type(node.arg).__name__ == "Const" and isinstance(node.arg.value, str):
                members.append(node.arg.value)
            else:
                raise _Refused(node.lineno, "a member is named by a text")
            node = node.node
        if type(node).__name__ != "Name":
            raise _Refused(node.lineno, "only {{ name.member }} and filters stand in {{ }}")
        members.reverse()
        self.read((*bound.get(node.name, (node.name,)), *members), node.lineno)
        return [node.name, *members]

    def read(self, path: Path, at: int) -> None:
        """Notes what is read, with every shorter path."""
        for end in range(len(path), 0, -1):
            root, *steps = path[:end]
            if path[:end] in self.reads:
                return
            if len(self.reads) == _MOST_NAMES:
                raise _Refused(at, f"it reads more than {_MOST_NAMES:,} names")
            self.reads[path[:end]] = PromptRead(str(root), tuple(steps), self.place(at))

    def branches(self, node: Any, bound: Bound, depth: int) -> Json:
        branches: list[Json] = [
            [self.test(one.test, bound), list(self.body(one.body, bound, depth))]
            for one in (node, *node.elif_)
        ]
        found: dict[str, Json] = {"branches": branches}
        if node.else_:
            found["otherwise"] = list(self.body(node.else_, bound, depth))
        return found

    def test(self, node: Any, bound: Bound) -> Json:
        match type(node).__name__:
            case "Not":
                return ["not", self.test(node.node, bound)]
            case "And" | "Or" as kind:
                return [kind.lower(), self.test(node.left, bound), self.test(node.right, bound)]
            case "Compare" if len(node.ops) == 1 and node.ops[0].op in ("eq", "ne"):
                mark = "==" if node.ops[0].op == "eq" else "!="
                return [mark, self.operand(node.expr, bound), self.operand(node.ops[0].expr, bound)]
            case "Name" | "Getattr" | "Getitem":
                return ["is", [*self.path(node, bound)]]
        raise _Refused(node.lineno, "a test is a name, not, and, or, == or !=")

    def operand(self, node: Any, bound: Bound) -> Json:
        if type(node).__name__ == "Const":
            return {"text": self.constant(node)}
        return dict(self.value(node, bound))

    def loop(self, node: Any, bound: Bound, depth: int) -> Json:
        if node.else_ or node.test or node.recursive or type(node.target).__name__ != "Name":
            raise _Refused(node.lineno, "a loop is {% for item in name %} … {% endfor %}")
        of = self.path(node.iter, bound)
        root, *members = of
        items = (*bound.get(root, (root,)), *members, None)
        self.read(items, node.iter.lineno)
        inner = {**bound, node.target.name: items}
        return {
            "each": node.target.name,
            "of": [*of],
            "do": list(self.body(node.body, inner, depth)),
        }
