"""Programs built by hand, as `resolve` would give them."""

from __future__ import annotations

from typing import Any

from aigen.diagnostics import Span
from aigen.ir import (
    Alias,
    Answer,
    Boolean,
    Choice,
    Default,
    Enumeration,
    External,
    Field,
    Formatted,
    Function,
    Integer,
    JsonAny,
    Level,
    List,
    Map,
    Media,
    Module,
    Null,
    Number,
    Program,
    Record,
    Ref,
    Set,
    Shape,
    Text,
    Tool,
    Tuple,
    Type,
    Union,
)

SPAN = Span("specs/support.yaml", 1, 1, 1, 1)


def field(name: str, kind: Type, words: str | None = None, **rest: Any) -> Field:
    return Field(name=name, type=kind, span=SPAN, description=words, **rest)


def choice(*values: str | int | bool) -> Choice:
    return Choice(tuple(Level(value) for value in values))


def function(
    name: str, inputs: list[Field], outputs: list[Field], answer: Ref | None = None, **rest: Any
) -> Function:
    if answer is None:
        (output,) = outputs
        one = field("result", output.type, output.description)
        return Function(
            name, name, tuple(inputs), (one,), output.name, Answer(output.type), SPAN, **rest
        )
    made = Answer(answer, answer.name)
    return Function(name, name, tuple(inputs), tuple(outputs), None, made, SPAN, **rest)


def program(*modules: Module) -> Program:
    definitions = {(m.name, each.name): each for m in modules for each in m.types}
    return Program({m.name: m for m in modules}, definitions)


def triage() -> Program:
    record = Record(
        "Triage",
        (field("summary", Text(), "one sentence, no names"), field("urgent", Boolean())),
        SPAN,
    )
    made = function(
        "triage",
        [field("message", Text(), "the customer's own words")],
        list(record.members),
        Ref("support", "Triage"),
        description="Read the support ticket.",
    )
    return program(
        Module("support", "support.yaml", "Functions the support desk calls.", (record,), (made,))
    )


def everything() -> Program:
    """Every form that a module can hold, over four modules."""
    return program(_support(), _shop(), _refunds(), _deep())


def _support() -> Module:
    def ref(name: str) -> Ref:
        return Ref("support", name)

    tone = Alias(
        "Tone", Choice((Level("kind", "warm and patient"), Level("brief", "two sentences"))), SPAN
    )
    unit = Enumeration(
        "Unit",
        (Level("c", "Celsius"), Level("f"), Level("title"), Level("a-b"), Level("1st")),
        SPAN,
        "A unit of temperature",
    )
    priority = Enumeration("Priority", (Level(1, "low"), Level(2), Level(-1)), SPAN)
    line = Record(
        "Line",
        (field("sku", Text()), field("quantity", Integer(ge=1), "units ordered")),
        SPAN,
    )
    long = choice(*(f"level number {number}" for number in range(9)))
    order = Record(
        "Order",
        (
            field("id", Text(pattern="^A-[0-9]{4}$")),
            field("lines", List(ref("Line"))),
            field("placed", Formatted("date")),
            field("note", Union((Text(), Null()))),
            field("date", Formatted("date"), optional=True),
            field("class", Text(), "the class"),
            field("copy", Text()),
            field("list", List(Integer()), optional=True, default=Default([1, 2])),
            field("tone", ref("Tone"), optional=True, default=Default("kind")),
            field("unit", ref("Unit"), optional=True, default=Default("c")),
            field("priority", ref("Priority"), optional=True, default=Default(1)),
            field("model_name", Text(max_length=4)),
            field("tags", Set(Text(), 1, 3)),
            field("pair", Tuple((Integer(), Text()))),
            field("many", Tuple((), rest=Number(multiple_of=0.5))),
            field("more", Map(Number())),
            field("any", JsonAny(), optional=True),
            field("flag", choice(1, True, "x")),
            field("amount", Formatted("Decimal"), optional=True, default=Default("1.50")),
            field(
                "topic",
                long,
                "words \"with\" 'quotes', " * 6,
                optional=True,
                default=Default("level number 1"),
            ),
            field("kinds", Union((List(Text()), Map(Text()), ref("Line"), long, Null()))),
            field("shaped", Shape('{"type":"object","minProperties":1}', Map(JsonAny()), False)),
        ),
        SPAN,
        "An order as the shop sees it.",
    )
    node = Record(
        "Node",
        (field("value", Integer()), field("kids", List(ref("Node")), optional=True)),
        SPAN,
    )
    cat = Record("Cat", (field("kind", choice("cat")), field("lives", Integer())), SPAN)
    dog = Record("Dog", (field("kind", choice("dog")),), SPAN, additional=Number())
    pet = Alias("Pet", Union((ref("Cat"), ref("Dog"))), SPAN, "A pet.")
    tree = Alias("Tree", Union((Text(), List(ref("Tree")), Map(ref("Tree")))), SPAN, "A tree.")
    items = Alias("Items", List(ref("Item")), SPAN)
    item = Record("Item", (field("sub", ref("Items")),), SPAN)
    answer = Record(
        "Triage",
        (
            field("summary", Text(), "one sentence, no names"),
            field("node", ref("Node")),
            field("order", ref("Order")),
            field("pet", ref("Pet")),
        ),
        SPAN,
    )
    functions = (
        function(
            "triage",
            [field("message", Text(), "the customer's own words")],
            list(answer.members),
            ref("Triage"),
            description="Read the support ticket.",
        ),
        function(
            "mood",
            [field("review", Text())],
            [field("mood", choice("happy", "unhappy", "mixed"))],
            description="how does the customer feel",
        ),
        function(
            "reply",
            [
                field("message", Text()),
                field("order", Union((ref("Order"), Null()))),
                field("tone", ref("Tone"), "how to answer", optional=True, default=Default("kind")),
                field(
                    "when",
                    Formatted("datetime"),
                    optional=True,
                    default=Default("2024-01-31T10:00:00+02:00"),
                ),
                field("unit", ref("Unit"), optional=True, default=Default("title")),
                field("tags", List(Text()), optional=True, default=Default(["a"])),
                field("class", Integer()),
            ],
            [field("reply", Text())],
            given=("categories",),
            description="Answer the customer. " + "Long words that do not fit on a line. " * 4,
        ),
        function(
            "list",
            [field("x", long), field("y", ref("Tree")), field("image", Media("image"))],
            [field("found", List(Union((ref("Node"), ref("Line")))))],
        ),
    )
    tools = (
        Tool(
            "lookup_order",
            "lookup_order",
            SPAN,
            "Look up an order by its number.",
            python="app.orders:lookup_order",
            parameters=(
                field("order_id", Text(), "the order's number, such as A-1001"),
                field("limit", Integer(), optional=True, default=Default(3)),
            ),
            returns=field("result", Union((ref("Order"), Null())), "the order, or null"),
            options={"annotations": {"read_only": True}},
        ),
        Tool("raw", "raw", SPAN, shape='{"type":"object"}'),
        Tool("ping", "ping", SPAN, "Say whether it is there", returns=field("result", Boolean())),
    )
    types = (tone, unit, priority, order, line, items, item, node, cat, dog, pet, tree, answer)
    doc = "Functions the support desk calls."
    return Module("support", "support.yaml", doc, types, functions, tools)


def _shop() -> Module:
    color = External("Color", "app.models:Color", "enum", SPAN, levels=(Level("red"),))
    order = Ref("support", "Order")
    paint = function(
        "paint",
        [field("color", Ref("shop", "Color")), field("order", order)],
        [field("painted", order)],
    )
    return Module("shop", "shop.yaml", None, (color,), (paint,))


def _refunds() -> Module:
    color = Ref("shop", "Color")
    made = function(
        "match", [field("color", color), field("date", Formatted("date"))], [field("same", color)]
    )
    return Module("shop.refunds", "shop/refunds.yaml", None, (), (made,))


def _deep() -> Module:
    order = Ref("support", "Order")
    made = function("same", [field("order", order)], [field("found", order)])
    return Module("one.two", "one/two.yaml", None, (), (made,))
