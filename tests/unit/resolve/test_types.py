from __future__ import annotations

import pytest
from aigen import ir
from aigen.ir import (
    Alias,
    Boolean,
    Choice,
    Described,
    Enumeration,
    Formatted,
    Integer,
    JsonAny,
    Level,
    List,
    Map,
    Null,
    Number,
    Record,
    Ref,
    Set,
    Text,
    Tuple,
    Union,
)


def output(resolved, written: str, types: str = ""):
    made = resolved(
        f"{types}\nfunctions:\n  f:\n    formula: y ~ x\n    fields:\n      y: {written}\n"
    )
    return made, made.program.modules["spec"].functions[0].outputs[0].type


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        *((word, Text()) for word in ("str", "string", "text", "character")),
        *((word, Integer()) for word in ("int", "integer")),
        *((word, Number()) for word in ("float", "number", "numeric", "double")),
        *((word, Boolean()) for word in ("bool", "boolean", "logical")),
        *((w, Formatted(w)) for w in ("date", "datetime", "time", "timedelta", "Decimal", "UUID")),
        ("url", Text(format="uri")),
        ("email", Text(format="email")),
        ("json", JsonAny()),
        ("list[int]", List(Integer())),
        ("vector int", List(Integer())),
        ("list", List(JsonAny())),
        ("set[str]", Set(Text())),
        ("tuple[int, str]", Tuple((Integer(), Text()))),
        ("tuple[int, ...]", Tuple((), Integer())),
        ("dict[str, bool]", Map(Boolean())),
        ("str | None", Union((Text(), Null()))),
        ("Optional[str]", Union((Text(), Null()))),
        ("{type: str, optional: true}", Union((Text(), Null()))),
        ("Union[int, int, str]", Union((Integer(), Text()))),
        ("int | (ignored)", Text()),
        ('Literal["a", 1, None]', Union((Choice((Level("a"), Level(1))), Null()))),
        ("{choice: [a, 2]}", Choice((Level("a"), Level(2)))),
        ("{choice: {a: first, b: ''}}", Choice((Level("a", "first"), Level("b")))),
        ("{type: int, ge: 1, lt: 9.5}", Integer(ge=1, lt=9.5)),
        ('{type: "str | None", max_length: 5}', Union((Text(max_length=5), Null()))),
        ("{list: {type: str, pattern: '^a', description: a word}, min_length: 1}",
         List(Described(Text(pattern="^a"), "a word"), min_length=1)),
        ("{type: str, pattern: '(?<x>a)'}", Text(pattern="(?<x>a)")),
    ],
)  # fmt: skip
def test_what_is_written_is_a_type(resolved, written: str, kind: ir.Type) -> None:
    made, found = output(resolved, written)
    assert found == kind
    assert [one for one in made.found if one.severity == "error"] == []


@pytest.mark.parametrize(
    ("written", "message", "hint", "at"),
    [
        ("Ordr", "no type is called Ordr",
         "did you mean Order? As words: {description: Ordr}", "Ordr"),
        ("list[Ordr]", "no type is called Ordr", "did you mean Order?", "Ordr"),
        ("Any", "no type is called Any",
         "did you mean json? As words: {description: Any}", "Any"),
        ("Dict[str, int]", "no type is called Dict", "did you mean dict?", "Dict[str, int]"),
        ("integr", "no type is called integr",
         "did you mean integer? As words: {description: integr}", "integr"),
        ("{type: Ordr}", "no type is called Ordr", "did you mean Order?", "Ordr"),
        ("zzz9", "no type is called zzz9", "declare it under types; as words: {description: zzz9}",
         "zzz9"),
        ("set", "set needs the types it holds", "write set[str]", "set"),
        ("int[str]", "int takes no types", "write int", "int[str]"),
        ("Order[str]", "Order takes no types", "write Order", "Order[str]"),
    ],
)  # fmt: skip
def test_a_misspelt_type_names_the_nearest(resolved, written, message, hint, at) -> None:
    made, _ = output(resolved, written, "types: {Order: {record: {a: int}}}")
    (one,) = made.found
    assert (one.message, one.hint, made.at(one)) == (message, hint, at)


def test_one_unknown_type_is_one_finding(resolved) -> None:
    made, _ = output(resolved, "{type: Ordr, ge: 3, examples: [4]}")
    assert made.codes == ["AIG201"]


def test_types_in_place_are_named_after_the_function_and_field(resolved) -> None:
    made = resolved(
        """
functions:
  triage:
    formula: lines + tone + order ~ message
    fields:
      lines: {list: {record: {sku: str, size: {record: {h: int}}}}}
      tone: {choice: [kind, brief], enum: true}
      order: {record: {id: int}, name: Order}
"""
    )
    assert made.found == []
    types = {one.name: one for one in made.program.modules["spec"].types}
    assert list(types) == [
        "TriageLinesItemSize",
        "TriageLinesItem",
        "TriageTone",
        "Order",
        "Triage",
    ]
    assert isinstance(types["TriageTone"], Enumeration)
    answer = types["Triage"]
    assert isinstance(answer, Record)
    assert [member.name for member in answer.members] == ["lines", "tone", "order"]
    assert answer.members[0].type == List(Ref("spec", "TriageLinesItem"))


def test_types_stand_after_those_they_need(resolved) -> None:
    made = resolved(
        "types:\n  A: {record: {b: B, again: {list: A}}}\n  B: list[C]\n  C: {choice: [x, y]}\n"
    )
    assert made.found == []
    types = made.program.modules["spec"].types
    assert [one.name for one in types] == ["C", "B", "A"]
    assert isinstance(types[1], Alias)


def test_types_of_other_files(resolved) -> None:
    made = resolved(
        {
            "shop/orders.yaml": "types: {Order: {record: {a: int}}}",
            "spec.yaml": "functions:\n  f: {formula: y ~ x, fields: {x: shop.orders.Order}}\n"
            "  g: {formula: y ~ x, fields: {x: Order}}\n",
        }
    )
    first = made.program.modules["spec"].functions[0]
    assert first.inputs[0].type == Ref("shop.orders", "Order")
    (one,) = made.found
    assert one.hint == "did you mean shop.orders.Order? As words: {description: Order}"


def test_files_in_a_cycle_are_refused_once(resolved) -> None:
    made = resolved(
        {
            "a.yaml": "types: {A: {record: {b: b.B | None}}}",
            "b.yaml": "types: {B: {record: {c: c.C | None}}}",
            "c.yaml": "types: {C: {record: {a: a.A | None}}}",
        }
    )
    (one,) = made.found
    assert one.code == "AIG211"
    assert one.message == "spec files need one another: a → b → c → a"
    assert len(one.related) == 2


@pytest.mark.parametrize(
    ("types", "codes"),
    [
        ("A: {record: {a: A | None}}", []),
        ("A: {record: {a: {list: A}}}", []),
        ("A: {record: {a: {type: A, required: false}}}", []),
        ("A: list[A]", []),
        ("Tree: dict[str, Tree] | str", []),
        ("A: {record: {a: A}}", ["AIG216"]),
        ("A: {record: {b: B}}\n  B: {record: {a: A}}", ["AIG216"]),
        ("A: B\n  B: A", ["AIG216", "AIG216"]),
        ("A: A | None", ["AIG216"]),
        ("A: {record: {a: A}}\n  B: {record: {b: B}}\n  C: C | int", ["AIG216"] * 3),
        ("A: {record: {a: A}}\n  B: {record: {a: A}}\n  C: tuple[C, int]", ["AIG216"] * 2),
    ],
)
def test_recursion_needs_an_end(resolved, types: str, codes: list[str]) -> None:
    assert resolved(f"types:\n  {types}\n").codes == codes


@pytest.mark.parametrize(
    "choice",
    ["[true, a]", "[true]", "[1.5, a, a]", "{a: x, 0x1: y}", "[[a], b]"],
)
@pytest.mark.parametrize("enum", ["", ", enum: true"])
def test_a_level_that_is_none_is_one_finding(resolved, choice: str, enum: str) -> None:
    demos = "demos: [{x: a, r: true}]"
    assert resolved(
        f"types:\n  A: {{choice: {choice}{enum}}}\n"
        f"functions:\n  f: {{formula: r ~ x, fields: {{r: A}}, {demos}}}\n"
    ).codes == ["AIG121"]


def test_constraints_say_what_they_apply_to(resolved) -> None:
    made, _ = output(resolved, "{type: 'list[str]', pattern: a}")
    (one,) = made.found
    assert one.message == "pattern applies to str, not to list[str]"
    assert one.hint == "write it on the items: {list: {type: …, pattern: …}}"
    assert made.at(one) == "a"


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("{type: Decimal, ge: 0, lt: 0.5}", None),
        ("{type: 'Decimal | None', gt: 0}", None),
        ("{type: Decimal, multiple_of: 2}", "multiple_of applies to int and float, not to Decimal"),
        ("{type: date, ge: 1}", "ge applies to int, float and Decimal, not to date"),
        ("{type: Decimal, ge: 2, lt: 2}", "no value has ge 2 and lt 2"),
        ("{type: Decimal, ge: 2, examples: ['1']}", 'example "1" does not fit Decimal (ge 2)'),
    ],
)
def test_limits_of_a_decimal(resolved, written: str, message: str | None) -> None:
    made = resolved(f"functions: {{f: {{formula: y ~ x, fields: {{x: {written}}}}}}}")
    assert [one.message for one in made.found] == ([] if message is None else [message])


@pytest.mark.parametrize("pattern", ["[a-", "(", "a{99999999999999999999}"])
def test_patterns_are_compiled(resolved, pattern: str) -> None:
    made, found = output(resolved, f"{{type: str, pattern: '{pattern}'}}")
    assert made.codes == ["AIG208"]
    assert found == Text()


@pytest.mark.parametrize(
    "specs",
    [
        "types: {Mood: {record: {a: str}}, mood: {choice: [a, b]}}",
        "types: {TriagePartial: str}\nfunctions: {triage: {formula: a + b ~ x}}",
        "types: {SendInput: str}\ntools: {send: {parameters: {a: int}}}",
        "functions: {get-user: {formula: y ~ x}, get_user: {formula: y ~ x}}",
        "functions: {ﬁnd: {formula: y ~ x}, find: {formula: y ~ x}}",
        "functions: {send: {formula: y ~ x}}\ntools: {send: {description: Send it.}}",
        "types: {FY: str}\nfunctions: {f: {formula: y ~ x, fields: {y: {record: {a: int}}}}}",
    ],
)
def test_declared_names_that_collide_are_refused_with_both_places(resolved, specs: str) -> None:
    made = resolved(specs)
    (one,) = made.found
    assert one.code == "AIG210"
    assert len(one.related) == 1


def test_a_name_for_the_answer_ends_a_collision(resolved) -> None:
    made = resolved(
        "types: {Triage: str}\nfunctions: {triage: {formula: a + b ~ x, answer: Ticket}}"
    )
    assert made.found == []
    assert made.program.modules["spec"].functions[0].answer.model == "Ticket"


def test_a_user_s_own_type_must_be_trusted(resolved) -> None:
    made = resolved("types: {Order: {python: 'os:path'}}\n")
    assert made.codes == ["AIG218"]


def test_a_long_chain_of_types_is_no_deep_recursion(resolved) -> None:
    lines = "\n".join(f"  T{n}: {{record: {{next: T{n + 1} | None}}}}" for n in range(3000))
    made = resolved(f"types:\n{lines}\n  T3000: str\n")
    assert made.found == []
    assert made.program.modules["spec"].types[0].name == "T3000"
