from __future__ import annotations

import json

import pytest
from aigen.ir import Choice, Given, Level, Text
from aigen.ir.dump import from_data, to_data

F = "functions:\n  f:\n    formula: y ~ x\n"


def of(made):
    return made.program.modules["spec"].functions[0]


def test_the_one_output_is_called_result(resolved) -> None:
    made = resolved(
        F + "    fields: {y: {choice: [a, b]}}\n"
        "    demos: [{x: one, y: a}, {x: two, result: b}, {x: three}]\n"
        "    settings: {log_content: [x, y]}\n"
    )
    assert made.found == []
    function = of(made)
    assert function.output_name == "y"
    assert [one.name for one in function.outputs] == ["result"]
    assert function.answer.type == Choice((Level("a"), Level("b")))
    assert function.demos == (
        {"x": "one", "result": "a"},
        {"x": "two", "result": "b"},
        {"x": "three"},
    )
    assert function.settings == {"log_content": ["x", "result"]}


@pytest.mark.parametrize("rows", ["{x: a, y: b, result: c}", "{x: a, result: b, y: b}"])
def test_a_demo_gives_its_output_once(resolved, rows: str) -> None:
    (one,) = resolved(F + f"    demos: [{rows}]\n").found
    assert one.code == "AIG312"
    assert one.message == "demo gives the output twice, as result and as y"


def test_demos_hold_defaults_and_every_required_input(resolved) -> None:
    made = resolved(
        "functions:\n  f:\n    formula: y ~ x + n\n    fields: {n: {type: int, default: 3}}\n"
        "    demos: [{x: one}, {n: 4, y: b}]\n"
    )
    assert of(made).demos[0] == {"x": "one", "n": 3}
    assert [one.message for one in made.found] == ["demo has no x, which the function requires"]


@pytest.mark.parametrize(
    ("rest", "code", "at"),
    [
        ("    fields: {z: str}\n", "AIG301", "z"),
        ("    fields: {x: {type: str, required: false}}\n", "AIG305", None),
        ("    fields: {y: {type: str, required: false}}\n", "AIG305", None),
        ("    tools: [g]\n", "AIG306", "g"),
        ("    settings: {temprature: 0}\n", "AIG307", "temprature"),
        ("    settings: {api_key: abc}\n", "AIG307", "api_key"),
        ("    settings: {temperature: warm}\n", "AIG308", "warm"),
        ("    settings: {approve: 'os:system'}\n", "AIG218", "'os:system'"),
        ("    settings: {log_content: {'a-b': true}}\n", "AIG309", "'a-b'"),
        ("    settings: {log_content: [z]}\n", "AIG309", "z"),
        ("    demos: [{x: a, z: b}]\n", "AIG312", "z"),
        ("    tests: [{inputs: {}}]\n", "AIG313", "{}"),
        ("    defined_in: 'a b'\n", "AIG317", "'a b'"),
        ("    answer: Y\n", "AIG314", "Y"),
    ],
)
def test_a_fault_is_one_finding_at_its_place(
    resolved, rest: str, code: str, at: str | None
) -> None:
    made = resolved(F + rest)
    (one,) = made.found
    assert one.code == code
    assert one.hint or code == "AIG308"
    if at is not None:
        assert made.at(one) == at


def test_a_file_s_log_content_may_name_anything_but_no_identifier(resolved) -> None:
    assert resolved("settings: {log_content: {other: false}}\n").codes == []
    assert resolved("settings: {log_content: {'a b': false}}\n").codes == ["AIG309"]


@pytest.mark.parametrize(
    ("file", "own", "both"),
    [
        ("true", "[x]", ["x"]),
        ("false", "[x]", False),
        ("[x]", "true", ["x"]),
        ("{x: false}", "[x, y]", {"x": False, "result": True, "y": False, "*": False}),
        ("{x: false}", "{y: false}", {"x": False, "result": False, "*": True}),
    ],
)
def test_log_content_only_removes(resolved, file: str, own: str, both: object) -> None:
    made = resolved(f"settings: {{log_content: {file}}}\n{F}    settings: {{log_content: {own}}}\n")
    found = of(made).settings["log_content"]
    if isinstance(both, dict):
        assert isinstance(found, dict)
        both.pop("y", None)
        assert found == both
    else:
        assert found == both


def test_settings_of_the_function_lie_over_the_file_s(resolved) -> None:
    made = resolved(f"settings: {{temperature: 0, retries: 2}}\n{F}    settings: {{retries: 0}}\n")
    assert of(made).settings == {"temperature": 0, "retries": 0}


def test_reasoning_as_an_output_under_configured_cot(resolved) -> None:
    spec = "functions: {f: {formula: reasoning ~ x}}"
    assert resolved(spec).codes == []
    assert resolved(spec, reasoning="cot").codes == ["AIG304"]


def test_tools_are_found_in_this_file_first(resolved) -> None:
    made = resolved(
        {
            "spec.yaml": F + "    tools: [send, g, shop.orders.find]\n"
            "  g: {formula: y ~ x}\ntools: {send: {description: Send it.}}\n",
            "shop/orders.yaml": "tools: {find: {description: Find it.}, send: {description: No.}}",
        }
    )
    assert made.found == []
    assert of(made).tools == ("spec.send", "spec.g", "shop.orders.find")


def test_a_choice_given_at_run_time(resolved) -> None:
    made = resolved(F + "    fields: {y: {list: {record: {kind: {choice: {$given: kinds}}}}}}\n")
    assert made.found == []
    assert of(made).given == ("kinds",)
    item = made.program.definitions[("spec", "FYItem")]
    assert item.members[0].type == Given("kinds")


LEVELLED = F + "    fields: {y: {list: {choice: {$given: kinds}}}}\n    tests:\n"


def test_a_test_gives_the_levels_of_a_choice(resolved) -> None:
    made = resolved(LEVELLED + "      - {inputs: {x: a, kinds: [b, c]}, expect: {y: [c]}}\n")
    assert made.found == []
    (test,) = of(made).tests
    assert test.inputs == {"x": "a", "kinds": ["b", "c"]}
    assert test.expect == {"result": ["c"]}
    assert (
        resolved(LEVELLED + "      - {inputs: {x: a, kinds: [3]}, expect: {y: [3]}}\n").found == []
    )


@pytest.mark.parametrize(
    ("case", "at", "says"),
    [
        ("{inputs: {x: a}}", "{x: a}", "has no kinds, which the function requires"),
        ("{inputs: {x: a, kinds: []}}", "[]", "test's kinds [] does not fit"),
        ("{inputs: {x: a, kinds: {b: c}}}", "{b: c}", "test's kinds"),
        (
            "{inputs: {x: a, kinds: [refund, praise]}, expect: {y: [refnd]}}",
            "refnd",
            'expectation\'s y "refnd" at [0] does not fit choice given as kinds',
        ),
    ],
)
def test_levels_that_a_test_gives_are_judged(resolved, case: str, at: str, says: str) -> None:
    made = resolved(f"{LEVELLED}      - {case}\n")
    (one,) = made.found
    assert made.at(one) == at and says in one.message
    if "refnd" in case:
        assert (one.code, one.hint) == ("AIG313", 'did you mean "refund"?')


def test_levels_named_like_an_input_say_what_to_do(resolved) -> None:
    (one,) = resolved(F + "    fields: {y: {choice: {$given: x}}}\n").found
    assert one.code == "AIG315" and one.hint is not None
    assert one.hint.startswith("take x out of the formula")


@pytest.mark.parametrize("keys", ["{inputs: {x: a}, outputs: {y: b}}", "{input: {x: a}, y: b}"])
def test_a_demo_written_as_a_test_is_one_finding(resolved, keys: str) -> None:
    (one,) = resolved(F + f"    demos: [{keys}]\n").found
    assert one.code == "AIG312" and "demo has its values under input" in one.message
    assert one.hint == "write them side by side: {x: …, y: …}"


def test_a_demo_of_a_field_that_is_called_inputs(resolved) -> None:
    spec = "functions: {f: {formula: y ~ inputs, demos: [{inputs: a, y: b}]}}"
    assert resolved(spec).found == []


def test_an_expected_record_is_whole(resolved) -> None:
    made = resolved(
        F + "    fields: {y: {record: {a: str, b: str}}}\n"
        "    tests: [{inputs: {x: a}, expect: {y: {a: c}}}]\n"
    )
    (one,) = made.found
    assert one.hint == "add b; to compare a part of an output, write check: pkg.mod:func"


def test_a_file_that_lies_further_up_is_named(resolved, tmp_path) -> None:
    (tmp_path / "rows.csv").write_text("x\na\n")
    spec = "functions: {f: {formula: y ~ x, data: rows.csv}}"
    (one,) = resolved({"a/b/s.yaml": spec}).found
    assert (one.code, one.hint) == ("AIG123", 'did you mean "../../rows.csv"?')
    (one,) = resolved({"a/b/t.yaml": spec.replace("rows", "none")}).found
    assert one.hint is not None and one.hint.startswith("a file is named from the folder of its")


def test_columns_give_types(resolved) -> None:
    table = {
        "fields": [
            {"name": "x", "type": "string"},
            {"name": "price", "type": "number", "constraints": {"required": True}},
            {"name": "y", "type": "string", "constraints": {"required": True, "enum": ["a", "b"]}},
        ]
    }
    made = resolved(
        {
            "data.json": json.dumps(table),
            "spec.yaml": "functions: {f: {formula: y ~ ., data: data.json}}",
        }
    )
    assert made.found == []
    function = of(made)
    assert [one.name for one in function.inputs] == ["x", "price"]
    assert function.answer.type == Choice((Level("a"), Level("b")))


def test_an_own_prompt_is_lowered(resolved) -> None:
    made = resolved(F + '    prompt:\n      - system: "{{ instruction }}"\n      - demos\n'
                    '      - user: "{{ x | upper }}!"\n')  # fmt: skip
    assert made.found == []
    assert of(made).prompt == (
        {"role": "system", "body": [{"value": ["instruction"]}]},
        {"role": "demos"},
        {"role": "user", "body": [{"value": ["x"], "filters": [["upper"]]}, "!"]},
    )


def test_checks_lie_under_the_python_path(resolved) -> None:
    made = resolved(
        {
            "spec.yaml": F + "    fields: {y: {check: app.checks:polite}}\n"
            "    check: app.checks:shrt\n",
            "app/checks.py": "def polite(text): ...\ndef short(inputs, outputs): ...\n",
        }
    )
    assert of(made).outputs[0].checks == ("app.checks:polite",)
    (one,) = made.found
    assert one.message == "app.checks defines no shrt"
    assert one.hint == "did you mean app.checks:short?"


def test_tests_are_bound(resolved) -> None:
    made = resolved(
        F + "    fields: {x: int}\n    tests: [{name: a, inputs: {x: 5.0}, expect: {y: z}}]\n"
    )
    assert made.found == []
    (test,) = of(made).tests
    assert (test.inputs, test.expect) == ({"x": 5}, {"result": "z"})


SPECS = {
    "a.yaml": "types: {B: {record: {n: int, m: Literal[true]}}}\n"
    + F
    + "    fields: {x: {type: B, default: {n: 1, m: true}}}\n",
    "z/q.yaml": "types: {C: {record: {}}, D: {choice: [1, 2], enum: true}}\nfunctions:\n"
    "  g: {formula: u + v ~ w, fields: {w: a.B, u: C, v: Nope}}\n"
    "tools: {t: {parameters: {p: str}, annotations: {readOnlyHint: true}}}\n",
}


def test_the_order_of_files_changes_nothing(resolved) -> None:
    first, second = resolved(SPECS), resolved(SPECS, reverse=True)
    assert first.found == second.found
    assert json.dumps(to_data(first.program)) == json.dumps(to_data(second.program))


def test_a_dump_comes_back(resolved) -> None:
    program = resolved(SPECS).program
    assert from_data(json.loads(json.dumps(to_data(program)))) == program


def test_unread_names_are_texts(resolved) -> None:
    assert of(resolved(F)).inputs[0].type == Text()


TYPES = """\
types:
  Line: {record: {sku: str, tags: {type: "list[str]", required: false}}}
  Order: {record: {lines: "list[Line]", by: "dict[str, Line]", pair: "tuple[Line, int]"}}
  Lines: list[Line]
  Open: {json_shape: {type: object, properties: {a: {type: string}}}}
  Shut: {json_shape: {type: object, properties: {a: {type: string}}, additionalProperties: false}}
functions:
  f:
    formula: y ~ x
    fields: {x: %s}
    prompt: [{user: %s}]
"""


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("Order | None", "{% for l in x.lines %}{{ l.sku }}{% for t in l.tags %}{{ t }}{% endfor %}"
         "{% endfor %}"),
        ("Order", "{{ x.by.anything.sku }}{% for name in x.by %}{{ name }}{% endfor %}"),
        ("Order", "{% for one in x.pair %}{{ one.sku }}{% endfor %}{% for name in x %}{{ name }}"
         "{% endfor %}"),
        ("Lines", "{% for l in x %}{% if l.tags %}{{ l['sku'] | upper }}{% endif %}{% endfor %}"),
        ("json", "{{ x.a.b }}{% for i in x.c %}{{ i.d }}{% endfor %}"),
        ("str | Lines", "{% for l in x %}{{ l.sku }}{% endfor %}"),
        ("Open", "{{ x.b.c }}"),
    ],
)  # fmt: skip
def test_a_prompt_reads_members(resolved, kind: str, text: str) -> None:
    assert resolved(TYPES % (json.dumps(kind), json.dumps(text))).codes == []


@pytest.mark.parametrize(
    ("kind", "text", "message", "hint"),
    [
        ("Order", "{{ x.line }}", "x has no line, which the prompt reads", "did you mean lines?"),
        ("Order", "{% if x.nope == 1 %}{% endif %}", "x has no nope, which the prompt reads",
         "known: lines, by, pair"),
        ("Lines", "{% for l in x %}{{ l.skuu }}{% endfor %}",
         "an item of x has no skuu, which the prompt reads", "did you mean sku?"),
        ("Order", "{% for l in x.lines %}{% for t in l.tags %}{{ t.a.b }}{% endfor %}{% endfor %}",
         "an item of an item of x.lines.tags has no a, which the prompt reads", "it is str"),
        ("Lines", "{{ x.sku }}", "x has no sku, which the prompt reads", "it is Lines"),
        ("str", "{% for i in x %}{{ i }}{% endfor %}", "the prompt loops over x, which is str",
         "loop over a list, or write the value itself"),
        ("int | None", "{{ x.real }}", "x has no real, which the prompt reads", "it is int | None"),
        ("Shut", "{{ x.b }}", "x has no b, which the prompt reads", "known: a"),
        ("str", "{{ x }}{{ instruction.a }}", "instruction has no a, which the prompt reads",
         "it is str"),
        ("str", "{{ x }}{{ z.a }}", "the prompt reads z, which is no input",
         "name an input, or instruction"),
    ],
)  # fmt: skip
def test_a_prompt_reads_no_member_that_is_not_there(
    resolved, kind: str, text: str, message: str, hint: str
) -> None:
    (one,) = resolved(TYPES % (json.dumps(kind), json.dumps(text))).found
    assert (one.code, one.message, one.hint) == ("AIG310", message, hint)
