"""Every rule finds its own example, and what rules say of one another's changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from aigen.compare import KINDS, Change, ChangeRule, Place, change_rules
from aigen.compare.formats import as_github
from aigen.diagnostics import all_rules

Compared = Callable[[str | Mapping[str, str], str | Mapping[str, str]], list[Change]]
RULES = list(change_rules().values())

FUNCTION = "aigen: 1\nfunctions:\n  mood:\n"
SIMPLE = FUNCTION + "    formula: mood ~ review\n"
ORDER = (
    "aigen: 1\ntypes:\n  Order: {record: {%s}}\n"
    "functions:\n  read:\n    formula: order ~ letter\n    fields: {%s: Order}\n"
)

# What an example changes besides, and rightly: two ids, or a callable and what runs it.
BESIDES = {
    "AIG908": {"AIG959"},
    "AIG956": {"AIG961"},
    "AIG959": {"AIG908"},
    "AIG961": {"AIG956"},
    "AIG962": {"AIG956"},
    "AIG963": {"AIG961", "AIG962"},
    "AIG964": {"AIG958"},
}


@pytest.mark.parametrize("rule", RULES, ids=lambda one: one.rule.code)
def test_an_example_has_its_code_and_no_other(rule: ChangeRule, compared: Compared) -> None:
    before, after = rule.rule.example.values()  # type: ignore[union-attr]
    found = compared(before, after)
    codes = {one.code for one in found}
    assert codes == {rule.rule.code} | BESIDES.get(rule.rule.code, set())
    mine = [one for one in found if one.code == rule.rule.code]
    assert len(mine) == 1
    assert (mine[0].kind, mine[0].breaks) == (rule.kind, rule.breaks)
    assert compared(before, before) == []


@pytest.mark.parametrize("rule", RULES, ids=lambda one: one.rule.code)
def test_a_rule_says_why_and_what_to_do(rule: ChangeRule) -> None:
    said = rule.rule
    assert said.title and not said.title.endswith(".")
    assert said.why.endswith(".") and said.mend.endswith(".")
    assert (rule.breaks is not None) == (rule.kind == "breaking")
    assert rule.kind in KINDS
    assert said.code not in all_rules()


def field(text: str, side: str) -> str:
    names = ("mood ~ it", "it ~ review")
    return FUNCTION + f"    formula: {names[side == 'outputs']}\n    fields: {{it: {text}}}\n"


TYPES = [
    # before, after: as an input, and as an output
    ("int", "float", "AIG922", "AIG941"),
    ("float", "int", "AIG921", "AIG942"),
    ("str", "int", "AIG921", "AIG941"),
    ("str", "date", "AIG921", "AIG941"),
    ("date", "datetime", "AIG921", "AIG941"),
    ("str", "json", "AIG922", "AIG941"),
    ("json", "str", "AIG921", "AIG942"),
    ("'str | None'", "str", "AIG921", "AIG942"),
    ("str", "'str | None'", "AIG922", "AIG941"),
    ("'int | str'", "'str | int | None'", "AIG922", "AIG941"),
    ("str", "{choice: [a, b]}", "AIG921", "AIG942"),
    ("{choice: [a, b]}", "str", "AIG922", "AIG941"),
    ("{choice: [a, b]}", "{choice: [1, 2]}", "AIG921", "AIG941"),
    ("{choice: [a, b, c]}", "{choice: [a, b]}", "AIG923", "AIG944"),
    ("{choice: [a, b]}", "{choice: [a, b, c]}", "AIG924", "AIG943"),
    ("{choice: [1, 2, 3]}", "{choice: [1, 2]}", "AIG923", "AIG944"),
    ("{type: str, max_length: 9}", "{type: str, max_length: 5}", "AIG925", "AIG946"),
    ("{type: str, min_length: 5}", "{type: str, min_length: 3}", "AIG926", "AIG945"),
    ("{type: str, pattern: a}", "{type: str, pattern: b}", "AIG925", "AIG945"),
    ("str", "{type: str, pattern: b}", "AIG925", "AIG946"),
    ("{type: str, pattern: b}", "str", "AIG926", "AIG945"),
    ("url", "str", "AIG926", "AIG945"),
    ("{type: int, ge: 1}", "{type: int, ge: 2}", "AIG925", "AIG946"),
    ("{type: int, lt: 9}", "{type: int, lt: 10}", "AIG926", "AIG945"),
    ("{type: int, multiple_of: 2}", "{type: int, multiple_of: 4}", "AIG925", "AIG946"),
    ("{type: int, multiple_of: 4}", "{type: int, multiple_of: 2}", "AIG926", "AIG945"),
    ("{type: int, multiple_of: 4}", "{type: int, multiple_of: 6}", "AIG925", "AIG945"),
    ("'list[int]'", "'list[float]'", "AIG922", "AIG941"),
    ("'list[int]'", "'set[int]'", "AIG921", "AIG941"),
    ("'tuple[int, str]'", "'tuple[int, str, str]'", "AIG921", "AIG941"),
    ("'tuple[int, str]'", "'tuple[float, str]'", "AIG922", "AIG941"),
    ("'dict[str, int]'", "'dict[str, float]'", "AIG922", "AIG941"),
    ("'dict[str, int]'", "{record: {a: int}}", "AIG921", "AIG941"),
    (
        "{type: 'list[str]', max_length: 3}",
        "{type: 'list[str]', max_length: 4}",
        "AIG926",
        "AIG945",
    ),
    (
        "{json_shape: {type: integer, minimum: 1}}",
        "{json_shape: {type: integer}}",
        "AIG926",
        "AIG945",
    ),
]


@pytest.mark.parametrize("side", ["inputs", "outputs"])
@pytest.mark.parametrize(("before", "after", "taken", "given"), TYPES)
def test_types(
    compared: Compared, side: str, before: str, after: str, taken: str, given: str
) -> None:
    found = compared(field(before, side), field(after, side))
    assert [one.code for one in found] == [taken if side == "inputs" else given]
    assert found[0].place.path.startswith(side)


MEMBERS = [
    ("id: str, note: str", "id: str", "AIG927", "AIG947"),
    ("id: str", "id: str, note: str", "AIG927", "AIG948"),
    ("id: str", "id: str, note: {type: str, required: false}", "AIG928", "AIG949"),
    ("id: str, note: str", "id: str, note: {type: str, required: false}", "AIG928", "AIG947"),
    ("id: str, note: {type: str, required: false}", "id: str, note: str", "AIG927", "AIG948"),
    ("id: str", "id: {type: str, max_length: 3}", "AIG925", "AIG946"),
]


@pytest.mark.parametrize("name", ["letter", "order"])
@pytest.mark.parametrize(("before", "after", "taken", "given"), MEMBERS)
def test_members(
    compared: Compared, name: str, before: str, after: str, taken: str, given: str
) -> None:
    found = compared(ORDER % (before, name), ORDER % (after, name))
    assert [one.code for one in found] == [taken if name == "letter" else given]


def test_a_type_that_names_itself(compared: Compared) -> None:
    spec = ORDER % ("id: %s, parts: {list: Order}", "order")
    found = compared(spec % "int", spec % "str")
    assert [(one.code, one.place.path) for one in found] == [("AIG941", "outputs.result.id")]


def test_a_change_of_another_modules_type_is_said_where_it_is_used(compared: Compared) -> None:
    types = "aigen: 1\ntypes:\n  Order: {record: {id: %s}}\n"
    user = FUNCTION + "    formula: mood ~ order\n    fields: {order: types.Order}\n"
    found = compared(
        {"types.yaml": types % "str", "use.yaml": user},
        {"types.yaml": types % "int", "use.yaml": user},
    )
    assert [(one.code, one.place) for one in found] == [
        ("AIG921", ("use", "function", "mood", "inputs.order.id"))
    ]
    parcel = "aigen: 1\ntypes:\n  Parcel: {record: {id: str}}\n"
    gone = compared({"types.yaml": types % "str"}, {"types.yaml": parcel})
    assert [(one.code, one.place.full) for one in gone] == [("AIG906", "types.Order")]


@pytest.mark.parametrize(
    ("before", "after", "codes"),
    [
        ("a", "a + b", ["AIG913"]),
        ("a + b", "b + a", ["AIG917"]),
        ("b", "a + b", ["AIG917", "AIG913"]),
    ],
)
def test_positions(compared: Compared, before: str, after: str, codes: list[str]) -> None:
    """Optional inputs at the end are no break; before others they take their places."""
    spec = FUNCTION + "    formula: mood ~ %s\n    fields: {%s}\n"

    def written(names: str) -> str:
        fields = [f"{name}: {{type: str, default: x}}" for name in names.split(" + ")]
        return spec % (names, ", ".join(fields))

    assert [one.code for one in compared(written(before), written(after))] == codes


def test_a_required_input_that_is_new_is_one_finding(compared: Compared) -> None:
    spec = FUNCTION + "    formula: mood ~ %s\n"
    assert [one.code for one in compared(spec % "b", spec % "a + b")] == ["AIG912"]


def test_a_module_that_is_gone_is_its_functions(compared: Compared) -> None:
    found = compared({"a.yaml": SIMPLE, "b.yaml": SIMPLE}, {"a.yaml": SIMPLE})
    assert [(one.code, one.place.full) for one in found] == [("AIG901", "b.mood")]


def test_a_new_callable_is_placed_where_it_is_named(compared: Compared) -> None:
    tool = "aigen: 1\ntools:\n  find:\n    description: Finds it.\n    parameters: {}\n"
    found = compared(tool, tool + "    python: app:find\n")
    assert [(one.code, one.place.full, one.message) for one in found] == [
        ("AIG961", "shop.find", "a spec now runs app:find"),
        ("AIG942", "shop.find", "result: any JSON is now text"),
        ("AIG963", "shop.find", "it ran nothing and runs app:find"),
    ]
    moved = compared(
        {"a.yaml": tool + "    python: app:find\n"}, {"b.yaml": tool + "    python: app:find\n"}
    )
    assert "AIG961" not in [one.code for one in moved]


HTTP = "http: {url: '%s', auth: [{header: X-Key, env: %s}, {bearer: TOKEN}]}"


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("", HTTP % ("https://a.example/v1", "KEY"), [
            "sends requests to https://a.example",
            "sends the value of KEY to https://a.example",
            "sends the value of TOKEN to https://a.example",
        ]),
        (HTTP % ("https://a.example/v1", "KEY"), HTTP % ("https://a.example/v2", "KEY"), []),
        (HTTP % ("https://a.example", "KEY"), HTTP % ("https://a.example", "OTHER"), [
            "sends the value of OTHER to https://a.example",
        ]),
        (HTTP % ("https://a.example", "KEY"), HTTP % ("https://a.example:444", "KEY"), [
            "sends requests to https://a.example:444",
            "sends the value of KEY to https://a.example:444",
            "sends the value of TOKEN to https://a.example:444",
        ]),
        ("http: {url: 'https://a.example'}", "http: {url_env: WHERE}", [
            "sends requests to the server that WHERE names",
        ]),
        ("", "mcp: {server: near, tool: look}", ["calls the MCP server near"]),
        ("mcp: {server: near, tool: look}", "mcp: {server: near, tool: see}", []),
        ("mcp: {server: near, tool: look}", "mcp: {server: far, tool: look}", [
            "calls the MCP server far at https://far.example",
            "sends the value of FAR_KEY to the MCP server far at https://far.example",
        ]),
        ("", "mcp: {server: here, tool: look}", [
            'calls the MCP server here, run by `serve now`',
            'sends the value of HERE to the MCP server here, run by `serve now`',
        ]),
    ],
)  # fmt: skip
def test_a_new_server_counts_as_a_new_callable(
    compared: Compared, tmp_path: Path, before: str, after: str, said: list[str]
) -> None:
    with (tmp_path / "aigen.toml").open("a", encoding="utf-8") as file:
        file.write(
            '[mcp_servers.far]\nurl = "https://far.example/mcp"\nkey = "FAR_KEY"\n'
            '[mcp_servers.here]\ncommand = ["serve", "now"]\nenv = {A = "HERE"}\n'
        )
    tool = "aigen: 1\ntools:\n  find:\n    description: Finds it.\n    parameters: {}\n    "
    found = compared(f"{tool}{before}\n", f"{tool}{after}\n")
    new = [one for one in found if one.code == "AIG964"]
    assert [one.message for one in new] == [f"a spec now {words}" for words in said]
    assert {(one.kind, one.place.full) for one in new} <= {("callable", "shop.find")}
    assert compared(f"{tool}{after}\n", f"{tool}{after}\n") == []


def test_where_a_function_asks_is_a_new_server(compared: Compared) -> None:
    asked = SIMPLE + "    settings: {base_url: 'https://%s.example/v1'}\n"
    found = compared(SIMPLE, asked % "model")
    assert next((one.code, one.place.full, one.message) for one in found) == (
        "AIG964", "shop.mood", "a spec now asks the model at https://model.example"
    )  # fmt: skip
    assert "AIG964" in [one.code for one in compared(asked % "model", asked % "other")]


def test_a_computed_default_is_a_new_callable(compared: Compared) -> None:
    spec = FUNCTION + "    formula: mood ~ review\n    fields: {review: {type: str%s}}\n"
    found = compared(spec % ", default: hi", spec % ", default: {$call: app:find}")
    assert [(one.code, one.message) for one in found] == [
        ("AIG961", "a spec now runs app:find"),
        ("AIG916", 'the default of review was "hi" and is what app:find gives'),
    ]


def test_a_tools_parameters_are_inputs(compared: Compared) -> None:
    tool = "aigen: 1\ntools:\n  find:\n    description: Finds it.\n    parameters: %s\n"
    found = compared(tool % "{id: str}", tool % "{id: int, by: str}")
    assert {one.code for one in found} == {"AIG912", "AIG921"}
    shape = "{json_shape: {type: object, properties: {id: {type: %s}}, required: [id]}}"
    found = compared(tool % (shape % "number"), tool % (shape % "integer"))
    assert [(one.code, one.place.path) for one in found] == [("AIG921", "inputs.id")]


def test_words_of_a_parameter(compared: Compared) -> None:
    tool = "aigen: 1\ntools:\n  find:\n    description: Finds it.\n    parameters:\n      id: %s\n"
    found = compared(tool % "{type: str}", tool % "such as A-1")
    assert [(one.code, one.message) for one in found] == [
        ("AIG957", "id: the description is another")
    ]


def test_a_member_that_became_required_is_one_finding(compared: Compared) -> None:
    before, after = "id: {type: str, default: x}", "id: str"
    found = compared(ORDER % (before, "letter"), ORDER % (after, "letter"))
    assert [one.code for one in found] == ["AIG927"]
    found = compared(ORDER % (before, "letter"), ORDER % (before.replace("x", "y"), "letter"))
    assert [(one.code, one.message) for one in found] == [
        ("AIG916", 'letter.id: the default "x" is now "y"')
    ]


def test_a_type_is_said_once_where_a_function_uses_it(compared: Compared) -> None:
    types = "types:\n  Line: {record: {id: %s}}\n  Order: {record: {lines: {list: Line}}}\n"
    use = "functions:\n  mood:\n    formula: mood ~ order\n    fields: {order: Order}\n"
    alone = compared("aigen: 1\n" + types % "str", "aigen: 1\n" + types % "int")
    assert [(one.code, one.place) for one in alone] == [
        ("AIG909", ("shop", "type", "Line", "id")),
    ]
    used = compared("aigen: 1\n" + types % "str" + use, "aigen: 1\n" + types % "int" + use)
    assert [one.code for one in used] == ["AIG921"]


WORDED = (
    "aigen: 1\ntypes:\n  Place: {record: {country: {type: str, description: %s}}}\n"
    "functions:\n  find:\n    formula: places + kind ~ text\n"
    "    fields: {places: {list: Place}, kind: {choice: {a: %s, b: second}}}\n"
)


def test_words_inside_a_type_are_a_prompt_s(compared: Compared) -> None:
    found = compared(WORDED % ("its name", "first"), WORDED % ("its ISO code", "first"))
    assert [(one.code, one.kind, one.message) for one in found] == [
        ("AIG908", "wire", "the interface's id is another, for words inside its types are"),
        ("AIG957", "prompt", "places[].country: the description is another"),
    ]


def test_words_that_the_instruction_has_are_said_once(compared: Compared) -> None:
    found = compared(WORDED % ("its name", "first"), WORDED % ("its name", "the first"))
    assert sorted(one.code for one in found if one.kind == "prompt") == ["AIG951"]


def test_inputs_that_are_passed_by_name_may_change_places(compared: Compared) -> None:
    """From the first required input behind an optional one, all are keyword-only."""
    spec = FUNCTION + "    formula: mood ~ a + b + %s\n    fields: {b: {type: str, default: x}}\n"
    assert compared(spec % "c + d", spec % "d + c") == []


def test_parameters_of_levels_that_change_places(compared: Compared) -> None:
    spec = (
        FUNCTION + "    formula: %s ~ review\n"
        "    fields: {x: {choice: {$given: xs}}, y: {choice: {$given: ys}}}\n"
    )
    found = compared(spec % "x + y", spec % "y + x")
    assert {one.code for one in found} <= {"AIG934", "AIG908", "AIG959"}


def test_a_shape_of_parameters_is_compared_as_a_whole(compared: Compared) -> None:
    tool = "aigen: 1\ntools:\n  find:\n    description: Finds it.\n    parameters: %s\n"
    shape = "{json_shape: {type: object, properties: {a: {}}%s}}"
    found = compared(tool % (shape % ""), tool % (shape % ", additionalProperties: false"))
    assert [one.code for one in found] == ["AIG927"]


def test_a_type_of_another_module_that_is_used_no_more_is_not_gone(compared: Compared) -> None:
    types = "aigen: 1\ntypes:\n  Order: {record: {id: str}}\n"
    user = FUNCTION + "    formula: mood ~ order\n    fields: {order: types.Order}\n"
    found = compared(
        {"types.yaml": types, "use.yaml": user},
        {"types.yaml": types, "use.yaml": user.replace("types.Order", "str")},
    )
    assert [one.code for one in found] == ["AIG921"]


def test_a_type_that_types_of_others_use_is_said_at_home(compared: Compared) -> None:
    types = "aigen: 1\ntypes:\n  Order: {record: {id: %s}}\n"
    box = "aigen: 1\ntypes:\n  Box: {record: {of: types.Order}}\n"
    found = compared(
        {"types.yaml": types % "str", "use.yaml": box},
        {"types.yaml": types % "int", "use.yaml": box},
    )
    assert [(one.code, one.place.full) for one in found] == [("AIG909", "types.Order")]
    box += "functions: {mood: {formula: mood ~ box, fields: {box: Box}}}\n"
    used = compared(
        {"types.yaml": types % "str", "use.yaml": box},
        {"types.yaml": types % "int", "use.yaml": box},
    )
    assert [(one.code, one.place.full) for one in used] == [("AIG921", "use.mood")]
    use = "functions: {mood: {formula: mood ~ it, fields: {it: Order}}}\n"
    new = compared(types % "str", types % "int" + use)
    assert [one.code for one in new] == ["AIG909", "AIG902"]
    more = types % "str, note: {type: str, required: false}"
    assert compared(types % "str", more) == [], "no code breaks at a member that may be absent"


def test_a_server_is_said_once(compared: Compared) -> None:
    one = "  %s: {description: Finds it., parameters: {}, http: {url: 'https://a.example'}}\n"
    before = "aigen: 1\ntools:\n  look: {description: Looks., parameters: {}}\n"
    found = compared(before, before + one % "find" + one % "seek")
    assert [each.message for each in found if each.code == "AIG964"] == [
        "a spec now sends requests to https://a.example"
    ]


def test_how_many_demos_are_others(compared: Compared) -> None:
    spec = SIMPLE + "    demos: [{review: A, mood: b}, {review: C, mood: d}, {review: E, mood: %s}]"
    found = compared(spec % "f", spec % "g")
    assert [one.message for one in found] == ["demos: 1 of 3 are others"]


def test_options_of_a_tool(compared: Compared) -> None:
    tool = "aigen: 1\ntools:\n  find: {description: Finds it., parameters: {}, risk: %s}\n"
    found = compared(tool % "read", tool % "critical")
    assert [(one.code, one.place.path) for one in found] == [("AIG958", "options.risk")]


@pytest.mark.parametrize("side", ["order ~ letter", "letter ~ order"])
def test_types_of_a_union_are_compared_with_their_namesakes(compared: Compared, side: str) -> None:
    spec = (
        "aigen: 1\ntypes:\n  Cat: {record: {%s: str}}\n  Dog: {record: {%s: str}}\n"
        f"functions:\n  read: {{formula: {side}, fields: {{order: '%s'}}}}\n"
    )
    cat, dog = "a: str, c", "b: str, c"
    found = compared(spec % ("a", "b", "Cat | Dog"), spec % (cat, dog, "Dog | Cat"))
    assert {one.place.path.rpartition(".")[2] for one in found} <= {"c", "version", "interface"}
    lists = FUNCTION + f"    formula: {side}\n    fields: {{order: '%s'}}\n"
    found = compared(lists % "list[int] | list[str]", lists % "list[str] | list[int]")
    assert {one.code for one in found} <= {"AIG908", "AIG959"}


def test_how_each_kind_counts_on_github() -> None:
    place = Place("shop", "function", "mood")
    found = [Change("AIG901", kind, None, place, "said", "Mend it.") for kind in KINDS]
    lines = as_github(found, lambda one: None).splitlines()
    assert [line.partition(" ")[0] for line in lines] == [
        "::error", "::warning", "::warning", "::notice"
    ]  # fmt: skip
