from __future__ import annotations

import pytest
from aigen.ir import Default, Integer, Text

TONE = "types: {Tone: {choice: [kind, brief]}, Line: {record: {sku: str, n: {type: int, ge: 1}}}}\n"


def field(resolved, written: str):
    made = resolved(
        f"{TONE}functions:\n  f:\n    formula: y ~ x\n    fields:\n      x: {written}\n"
    )
    return made, made.program.modules["spec"].functions[0].inputs[0]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("{type: Tone, default: kind}", "kind"),
        ("{type: int, default: 5.0}", 5),
        ("{type: str, default: 42}", "42"),
        ("{type: 'str | None', default: null}", None),
        ("{type: date, default: 2026-01-02}", "2026-01-02"),
        ("{type: 'list[Line]', default: [{sku: a, n: 1}]}", [{"sku": "a", "n": 1}]),
        ("{type: json, default: {a: [1]}}", {"a": [1]}),
        ("{choice: ['1', '2'], default: 1}", "1"),
    ],
)
def test_a_default_is_stored_bound(resolved, written: str, value: object) -> None:
    made, found = field(resolved, written)
    assert made.found == []
    assert found.default == Default(value)
    assert found.optional


@pytest.mark.parametrize(
    ("written", "message", "hint", "at"),
    [
        ("{type: Tone, default: knd}", 'default "knd" does not fit choice Tone (kind, brief)',
         'did you mean "kind"?', "knd"),
        ("{choice: [1, 2], default: 3}", "default 3 does not fit choice (1, 2)", None, "3"),
        ("{type: int, ge: 3, default: 1}", "default 1 does not fit int (ge 3)", None, "1"),
        ("{type: 'list[Line]', default: [{sku: a, n: 0}]}",
         "default 0 at [0].n does not fit int (ge 1)", None, "0"),
        ("{type: Line, default: {n: 1}}", "default has no sku, which record Line requires",
         "add sku", "{n: 1}"),
        ("{type: float, default: .inf}", ".inf is no number that JSON has",
         "write a finite number, or null", ".inf"),
        ("{type: float, default: .nan}", ".nan is no number that JSON has",
         "write a finite number, or null", ".nan"),
    ],
)  # fmt: skip
def test_a_default_that_does_not_fit_is_told_at_its_place(
    resolved, written, message, hint, at
) -> None:
    made, _ = field(resolved, written)
    (one,) = made.found
    assert (one.message, one.hint, made.at(one)) == (message, hint, at)


def test_a_computed_default_is_trusted_or_refused(resolved) -> None:
    spec = (
        "functions: {f: {formula: y ~ x, fields: "
        "{x: {type: date, default: {$call: 'datetime:date.today'}}}}}"
    )
    assert resolved(spec).codes == ["AIG218"]
    for trust in ("datetime", "datetime:date.today"):
        made = resolved(spec, trust=(trust,))
        assert made.found == []
        module = made.program.modules["spec"]
        assert module.functions[0].inputs[0].default == Default(call="datetime:date.today")
        assert module.callables == ("datetime:date.today",)


ASYNC = "async def later(*values): return 'x'\ndef now(): return 'x'\n"


@pytest.mark.parametrize(
    ("spec", "what"),
    [
        ("functions: {f: {formula: y ~ x, fields: {x: {default: {$call: 'm:later'}}}}}", "default"),
        ("functions: {f: {formula: y ~ x, check: m:later}}", "check"),
        ("functions: {f: {formula: y ~ x, fields: {y: {check: m:later}}}}", "check"),
        ("functions: {f: {formula: y ~ x, tests: [{inputs: {x: a}, check: m:later}]}}", "check"),
        ("tools: {t: {python: m:later, available: m:later, parameters: {}}}", "available"),
        ("tools: {t: {python: m:later, fixup: m:later, parameters: {}}}", "fixup"),
    ],
)  # fmt: skip
def test_an_async_callable_is_refused_where_nothing_awaits_it(
    resolved, spec: str, what: str
) -> None:
    made = resolved({"spec.yaml": spec, "m.py": ASYNC})
    (one,) = made.found
    assert (one.code, one.hint) == ("AIG218", "write it with def")
    assert "m:later is async" in one.message and f"{what} is called without await" in one.message
    assert made.at(one).strip("'") == "m:later"
    head, _, named = spec.rpartition("m:later")
    assert resolved({"spec.yaml": f"{head}m:now{named}", "m.py": ASYNC}).found == []


def test_members_may_be_absent_or_null(resolved) -> None:
    made = resolved(
        "types: {A: {record: {a: {type: str, required: false}, b: str | None, "
        "c: {type: int, default: 3}, d: {type: int, default: 3, required: true}, "
        "e: {type: str, default: null}}}}"
    )
    members = {one.name: one for one in made.program.definitions[("spec", "A")].members}
    assert members["a"].optional and members["a"].default is None
    assert not members["b"].optional
    assert members["c"].optional and members["c"].default == Default(3)
    assert not members["d"].optional and members["d"].default is None
    assert members["e"].optional and members["e"].type == Text()
    assert made.codes == ["AIG214"]


def test_a_default_may_hold_types_of_another_file(resolved) -> None:
    made = resolved(
        {
            "a.yaml": "functions: {f: {formula: y ~ x, "
            "fields: {x: {type: z.Z, default: {n: 1.0}}}}}",
            "z.yaml": "types: {Z: {record: {n: Count}}, Count: {type: int, ge: 1}}",
        }
    )
    assert made.found == []
    found = made.program.modules["a"].functions[0].inputs[0]
    assert found.default == Default({"n": 1})
    assert made.program.definitions[("z", "Count")].type == Integer(ge=1)


@pytest.mark.parametrize(
    "rest",
    [
        "fields: {b: {type: str, default: 1.10}}",
        "fields: {b: {type: str, default: 0x1F}}",
        "fields: {b: {type: str, default: 1e3}}",
        "fields: {b: {type: str, default: True}}",
        "fields: {b: {type: str | None, default: 1.10}}",
        "fields: {b: {list: str, default: [a, 1.10]}}",
        "fields: {b: {type: 'set[str]', default: [a, 1.10]}}",
        "fields: {b: {record: {c: str}, default: {c: 1.10}}}",
        "fields: {b: {type: str, examples: [1.10]}}",
        "demos: [{a: x, b: 1.10}]",
        "tests: [{inputs: {b: 1.10}}]",
    ],
)
def test_a_number_that_would_be_another_text_is_to_be_quoted(resolved, rest: str) -> None:
    made = resolved(f"functions:\n  f:\n    formula: a ~ b\n    {rest}\n")
    assert made.codes == ["AIG121"]
    assert made.found[0].hint == f'quote it: "{made.at(made.found[0])}"'


@pytest.mark.parametrize(
    "rest",
    [
        "fields: {b: {type: str, default: 10}}",
        "fields: {b: {type: str, default: 1_000}}",
        "fields: {b: {type: str, default: '1.10'}}",
        "fields: {b: {type: float, default: 1.10}}",
        "fields: {b: {type: int, default: 0x1F}}",
        "fields: {b: {type: json, default: 1.10}}",
        "fields: {b: {type: float | str, default: 1.10}}",
    ],
)
def test_a_number_that_stays_what_it_is_is_no_finding(resolved, rest: str) -> None:
    assert resolved(f"functions:\n  f:\n    formula: a ~ b\n    {rest}\n").codes == []


def test_cells_of_a_table_need_no_quotes(resolved) -> None:
    spec = "functions:\n  f:\n    formula: a ~ b\n    fields: {b: str | None}\n    demos: d.csv\n"
    assert resolved({"d.csv": "a,b\nx,1.10\n", "spec.yaml": spec}).codes == []


def test_what_a_default_of_a_union_lacks_is_named(resolved) -> None:
    made = resolved(
        "types: {Order: {record: {id: str, count: int}}}\n"
        "functions:\n  f:\n    formula: a ~ b\n"
        "    fields: {b: {type: Order | None, default: {id: x}}}\n"
    )
    (one,) = made.found
    assert (one.code, one.hint) == ("AIG203", "add count")


@pytest.mark.parametrize(
    "fields",
    [
        "i: {type: int, default: {$file: nope}}",
        "i: {type: str, default: {$file: nope}}",
        "i: {list: int, default: [1, {$file: nope}]}",
        "i: {record: {a: {type: int, default: {$file: nope}}}}",
        "i: {type: int, examples: [{$file: nope}]}",
    ],
)
def test_a_file_that_is_not_there_is_one_fault(resolved, fields: str) -> None:
    spec = f"functions:\n  f:\n    formula: o ~ i\n    fields:\n      {fields}\n"
    assert resolved(spec).codes == ["AIG123"]
    demo = "functions:\n  f:\n    formula: o ~ i\n    fields: {i: int}\n    demos:\n"
    assert resolved(f"{demo}    - {{i: {{$file: nope}}, o: x}}\n").codes == ["AIG123"]


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("none", None),
        ("free", None),
        ("Class.make", None),
        ("Class", None),
        ("made", None),
        ("one", "x"),
        ("several", "x and key"),
    ],
)
def test_a_computed_default_is_called_without_arguments(resolved, name: str, wanted) -> None:
    source = (
        "def none(): ...\n"
        "def free(a=1, *rest, key=2, **more): ...\n"
        "class Class:\n    def __init__(self, x): ...\n"
        "    @staticmethod\n    def make(): ...\n"
        "@filled\ndef made(x): ...\n"
        "def one(x, y=1): ...\n"
        "def several(x, /, *, key, more=1): ...\n"
    )
    spec = (
        "aigen: 1\nfunctions:\n  f:\n    formula: r ~ x\n"
        f"    fields: {{x: {{type: str, default: {{$call: 'app:{name}'}}}}}}\n"
    )
    found = resolved({"app.py": source, "spec.yaml": spec}).found
    said = f"app:{name} requires {wanted}, and a default is called without arguments"
    assert [one.message for one in found] == ([] if wanted is None else [said])


def test_a_table_that_cannot_be_read_is_one_finding(resolved) -> None:
    spec = (
        "functions:\n  f: {formula: r ~ ., data: no.csv, fields: {x: int}, demos: [{x: 1}]}\n"
        "  g: {formula: r ~ x, tools: [f]}\n"
    )
    assert resolved(spec).codes == ["AIG123"]
