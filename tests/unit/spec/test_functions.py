"""Fields, prompts, demos, tests, tables and tools as written."""

from __future__ import annotations

import io
from pathlib import Path

import jsonschema
import pytest
import yaml
from aigen.diagnostics import all_rules
from aigen.spec import spec_schema
from aigen.spec.nodes import plain_value
from aigen.spec.tree import Call, ChoiceOf, GivenChoice, Name

from .reading import HEAD, codes, field, function, read

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("[a, b]", "AIG121"),
        ("12", "AIG121"),
        ("{tpye: int}", "AIG120"),
        ("{<<: {type: int}}", "AIG120"),
        ("{python: app:B}", "AIG120"),
        ("{type: a long text}", "AIG129"),
        ("{type: {$file: x}}", "AIG121"),
        ("{type: int, choice: [1]}", "AIG134"),
        ("{enum: true}", "AIG134"),
        ("{choice: {kind: warm, and patient, brief: short}}", "AIG126"),
        ("{choice: [a, {b: warm}]}", "AIG121"),
        ("{choice: [true]}", "AIG121"),
        ("{choice: [True]}", "AIG121"),
        ("{choice: [1.10, b]}", "AIG121"),
        ("{choice: {0x1F: words, b: words}}", "AIG121"),
        ("{choice: {$given: x, y: z}}", "AIG127"),
        ("{default: {$call: app.f}}", "AIG127"),
        ("{default: {$cal: app:f}}", "AIG120"),
        ("{required: yes}", "AIG121"),
        ("{ge: .inf}", "AIG121"),
        ("{min_length: -1}", "AIG121"),
        ("{check: app.f}", "AIG127"),
        ("{description: {$file: x.md}}", "AIG123"),
        ("the #1 reason", "AIG125"),
        ("count the # of things", "AIG125"),
        ("#1 of all", "AIG125"),
        ("{json_shape: 3}", "AIG121"),
    ],
)
def test_one_fault_of_a_field_is_one_finding(text: str, code: str) -> None:
    assert field(text)[1] == [code]


def test_what_cannot_be_read_takes_any_value() -> None:
    found, _ = field("{type: a long text, default: 3, ge: 1}")
    assert isinstance(found.type, Name) and found.type.name == "json"
    assert not found.constraints


def test_fields() -> None:
    found, seen = field("{choice: {1: one, no: '', x: {$file: w.md}}, enum: true}")
    assert seen == ["AIG123"] and isinstance(found.type, ChoiceOf)
    assert [level.value for level in found.type.levels] == [1, "no", "x"]
    assert isinstance(field("{choice: {$given: x}}")[0].type, GivenChoice)
    assert isinstance(field("{default: {$call: app:f}}")[0].default, Call)
    assert field("")[0].type is field("null")[0].type is None


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("../../etc/passwd", "outside"),
        ("/etc/passwd", "absolute"),
        ("link.md", "outside"),
        ("nothing.md", "no file"),
        ("folder", "no file"),
        ('"a\\0b"', "no file"),
        ("x" * 5000, "no file"),
    ],
)
def test_a_spec_reads_only_below_its_root(path: str, says: str, tmp_path: Path) -> None:
    from aigen.diagnostics import Diagnostics
    from aigen.spec import read_file

    root = tmp_path / "specs"
    (root / "folder").mkdir(parents=True)
    (tmp_path / "secret.md").write_text("secret")
    (root / "link.md").symlink_to(tmp_path / "secret.md")
    spec = root / "spec.yaml"
    spec.write_text(f"{HEAD}    description: {{$file: {path}}}\n")
    found = Diagnostics()
    read_file(spec, root=root, shown="spec.yaml", module="spec", diagnostics=found)
    (one,) = found
    assert one.code == "AIG123" and says in one.message


def test_files_stand_for_texts_also_in_data() -> None:
    found = function(
        f"{HEAD}    demos: [{{b: {{$file: mails/1.txt}}, a: x}}]\n"
        "    instructions: {$file: i.md}\n",
        files={"mails/1.txt": "Hello\r\n", "i.md": "\ufeffBe kind.\n\n"},
    )
    assert plain_value(found.demos[0]) == {"b": "Hello", "a": "x"}
    assert found.instructions is not None and found.instructions.value == "Be kind."


def prompt(body: str, **options: object) -> list[tuple[str, object]]:
    messages = function(f"{HEAD}    prompt:\n{body}", **options).prompt
    return [(one.role, list(one.body)) for one in messages or ()]


def test_a_prompt_is_lowered_to_data() -> None:
    body = (
        "      - system: Be kind.\n      - demos\n      - user: |\n"
        "          {% if b.c and not d == 'x' %}{{ b.c | upper | default('-') }}\n"
        "          {%- elif e %}{% for x in e %}{{ x.y }}{% endfor %}{% else %}no{% endif %}\n"
    )
    assert prompt(body) == [
        ("system", ["Be kind."]),
        ("demos", []),
        (
            "user",
            [
                {
                    "branches": [
                        [
                            [
                                "and",
                                ["is", ["b", "c"]],
                                ["not", ["==", {"value": ["d"]}, {"text": "x"}]],
                            ],
                            [{"value": ["b", "c"], "filters": [["upper"], ["default", "-"]]}],
                        ],
                        [
                            ["is", ["e"]],
                            [{"each": "x", "of": ["e"], "do": [{"value": ["x", "y"]}]}],
                        ],
                    ],
                    "otherwise": ["no"],
                },
                "\n",
            ],
        ),
    ]


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ('"{{ b | reverse }}"', 6, 23),
        ("|\n          hello\n          you {{ b | nope }}", 8, 22),
        ("|\n          hello\n          {%- set x = 1 %}", 8, 15),
        ('"{{ b[0] }}"', 6, 20),
        ('"{{ 1 + b }}"', 6, 19),
        ("\"{% include 'x' %}\"", 6, 19),
        ('"{{ b ? }}"', 6, 21),
        ('"{{ b"', 6, 19),
        ('"{{ b }}{% raw %}"', 6, 23),
        ('"{{ b }}{%- raw -%}"', 6, 23),
        ('"{{ b }}{% raw %} {{ b }}"', 6, 32),
        ('"{{ b }}{#"', 6, 23),
        ('"{{ b }}{# why"', 6, 25),
        ('"' + "{% if b %}" * 60 + "{% endif %}" * 60 + '"', 6, 529),
        ('"{{ ' + "(" * 5000 + "b" + ")" * 5000 + ' }}"', 6, 15),
    ],
)
def test_a_prompt_outside_the_subset_is_refused_where_it_is(
    text: str, line: int, column: int
) -> None:
    _, (one,) = read(f"{HEAD}    prompt:\n      - user: {text}\n")
    assert one.code == "AIG135" and one.span is not None
    assert one.span[1:3] == (line, column)


def test_a_fault_in_a_prompts_file_is_placed_in_the_file() -> None:
    text = f"{HEAD}    prompt: [{{user: {{$file: p/long.md}}}}]\n"
    _, (one,) = read(text, {"p/long.md": "{{ b }}\n\nTwo {{ b | nope }}\n"})
    assert one.span is not None and one.span[:3] == ("specs/p/long.md", 3, 12)


def test_names_of_a_prompt_have_their_places() -> None:
    found = function(f"{HEAD}    prompt:\n      - user: |\n          x {{{{ b }}}} {{{{ b.c }}}}\n")
    assert found.prompt is not None
    reads = [(read.root, read.steps, read.span[1:3]) for read in found.prompt[0].reads]
    assert reads == [("b", (), (7, 16)), ("b", ("c",), (7, 24))]


def test_demos_from_files() -> None:
    rows = function(
        f"{HEAD}    demos: d.jsonl\n",
        files={"d.jsonl": '{"b": 1, "a": {"x": [2]}}\n\n{"b": 3}\n'},
    ).demos
    assert [plain_value(row) for row in rows] == [{"b": 1, "a": {"x": [2]}}, {"b": 3}]
    assert [row.span.line for row in rows] == [1, 3]
    rows = function(
        f"{HEAD}    demos: d.csv\n    fields: {{a: int}}\n",
        files={"d.csv": 'a,b\n12,007\n3,"x\ny"\n,4\n'},
    ).demos
    assert [plain_value(row) for row in rows] == [
        {"a": 12, "b": "007"},
        {"a": 3, "b": "x\ny"},
        {"a": None, "b": "4"},
    ]
    assert [row.span.line for row in rows] == [2, 3, 5]


@pytest.mark.parametrize(
    ("name", "data", "found"),
    [
        ("d.jsonl", '{"b": 1}\n[1]\n{"b": nan}\n', [("AIG137", 2), ("AIG106", 3)]),
        ("d.csv", "a,b\n1,2,3\n", [("AIG137", 2)]),
        ("d.csv", "a,a\n1,2\n", [("AIG137", 1)]),
        ("d.txt", "", [("AIG137", 5)]),
    ],
)
def test_demos_that_cannot_be_read(name: str, data: str, found: list[tuple[str, int]]) -> None:
    seen = read(f"{HEAD}    demos: {name}\n", {name: data})[1]
    assert [(one.code, one.span and one.span.line) for one in seen] == found


def columns(name: str, data: bytes) -> dict[str, object]:
    file, _ = read(f"{HEAD}    data: {name}\n", {name: data})
    assert file is not None
    found: dict[str, object] = {}
    for column in file.functions[0].columns or ():
        kind = column.type
        shown = [one.value for one in kind.levels] if isinstance(kind, ChoiceOf) else kind
        found[column.name] = shown.name if isinstance(shown, Name) else shown
    return found


def test_columns_of_tables() -> None:
    assert columns("t.csv", b"n,x,d,w,b\n1,1.5,2020-01-01,007,true\n,2,2020-01-02,y,false\n") == {
        "n": "int",
        "x": "float",
        "d": "date",
        "w": "str",
        "b": "bool",
    }
    table = b'{"fields": [{"name": "m", "type": "string", "constraints": {"enum": ["a", "b"]}},\n'
    assert columns("t.json", table + b'{"name": "n", "type": "integer"}]}') == {
        "m": ["a", "b"],
        "n": "int",
    }
    for name in ("t.parquet", "t.arrow", "t.json", "t.csv"):
        assert codes(f"{HEAD}    data: {name}\n", files={name: b"\xff"})


@pytest.mark.parametrize(
    ("formula", "fields", "table", "said"),
    [
        ("a ~ b", "", "a,b,c\n1,2,3\n", "the types of a, b come from a sample: rows 1 to 1"),
        ("a ~ .", "", "a,b\n1,2\n2,3\n", "the types of a, b come from a sample: rows 1 to 2"),
        ("a ~ b", "{a: words only}", "a\n1\n", "the types of a come from a sample: rows 1 to 1"),
        ("a ~ b", "{a: int}", "a,b\n1,2\n", "the types of b come from a sample: rows 1 to 1"),
        ("a ~ b", "", "a,b\n", "the table has no row in its first MB, so a, b are text"),
        ("a ~ b", "{a: int, b: str}", "a,b\n1,2\n", None),
        ("a ~ .", "{a: int, b: str}", "a,b\n1,2\n", None),
        ("a ~ b", "", "x,y\n1,2\n", None),
    ],
)
def test_a_sample_is_told_where_it_says_a_type(
    formula: str, fields: str, table: str, said: str | None
) -> None:
    text = f"aigen: 1\nfunctions:\n  f:\n    formula: {formula}\n    data: t.csv\n"
    text += f"    fields: {fields}\n" if fields else ""
    found = read(text, files={"t.csv": table})[1]
    assert [one.message for one in found] == ([said] if said else [])
    assert all(one.code == "AIG139" for one in found)


def test_levels_come_from_every_row_group() -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")

    def part(levels: list[str]) -> object:
        return arrow.table({"c": arrow.array(levels).dictionary_encode(), "n": range(len(levels))})

    target = io.BytesIO()
    with parquet.ParquetWriter(target, part(["a"]).schema) as writer:  # type: ignore[attr-defined]
        for levels in (["a", "b"], ["c", "b"]):
            writer.write_table(part(levels))
    assert columns("t.parquet", target.getvalue()) == {"c": ["a", "b", "c"], "n": "int"}
    target = io.BytesIO()
    many = part([f"level {n}" for n in range(2000)])
    parquet.write_table(many, target)
    assert columns("t.parquet", target.getvalue())["c"] is None
    for opening in (arrow.ipc.new_file, arrow.ipc.new_stream):
        target = io.BytesIO()
        with opening(target, part(["a", "b"]).schema) as writer:  # type: ignore[attr-defined]
            writer.write_table(part(["a", "b"]))
        assert columns("t.arrow", target.getvalue()) == {"c": ["a", "b"], "n": "int"}


def test_all_faults_are_found_in_one_run() -> None:
    text = (
        "aigen: 1\nfunction: {}\n"
        "tools:\n  t: {exposure: cod, timeout: x, python: a.b, parameters: {}}\n"
        "functions:\n  f: {formula: a}\n  g: {formula: a ~ b, tags: 3, tests: [{inputs: 1}]}\n"
    )
    file, found = read(text)
    assert file is not None and [one.key.value for one in file.functions] == ["g"]
    expected = ["AIG120", "AIG121", "AIG121", "AIG127", "AIG131", "AIG121", "AIG121"]
    assert sorted(one.code for one in found) == sorted(expected)
    assert found[0].hint == 'did you mean "functions"?'


def test_the_editors_schema_takes_what_is_read() -> None:
    schema = spec_schema()
    for draft in (jsonschema.Draft7Validator, jsonschema.Draft202012Validator):
        draft.check_schema(schema)
        judge = draft(schema)
        for path in [
            *ROOT.glob("samples/specs/**/*.yaml"),
            *ROOT.glob("tests/golden/*/spec*.yaml"),
        ]:
            data = yaml.load(path.read_text(encoding="utf-8"), yaml.BaseLoader)
            errors = [e.message for e in judge.iter_errors(_typed(data))]
            assert not errors, (path, errors)


def _typed(value: object) -> object:
    if isinstance(value, dict):
        return {key: _typed(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_typed(item) for item in value]
    from aigen.runtime.values.scalars import plain_scalar

    return plain_scalar(value) if isinstance(value, str) else value


def test_the_editors_schema_refuses_unknown_keys_and_kinds() -> None:
    judge = jsonschema.Draft7Validator(spec_schema())
    for code in ("AIG120", "AIG121", "AIG122", "AIG114"):
        example = all_rules()[code].example
        assert isinstance(example, str)
        assert not judge.is_valid(yaml.safe_load(example.replace("?}", "}"))), code


@pytest.mark.parametrize(
    ("functions", "code", "hint"),
    [
        ("  f: {forumla: a ~ b}\n", "AIG120", 'did you mean "formula"?'),
        ("  f: {input: b, outputs: a}\n", "AIG120", 'did you mean "inputs"?'),
        ("  f: a ~ b\n", "AIG121", 'write {formula: "a ~ b"}'),
        ("  f: words\n", "AIG121", None),
        ("  f: [a, b]\n", "AIG121", None),
        ("  f:\n  formula: a ~ b\n  fields: {a: int}\n", "AIG120", 'indent them under "f"'),
        ("  f:\n    formula: a ~ b\n  description: words\n", "AIG120", 'indent it under "f"'),
        ("  f:\n    formula: a ~ b\n    fields:\n    a: int\n", "AIG120", "indent it under fields"),
        ("  f: {formula: a ~ b, a: int, b: words}\n", "AIG120", "write them under fields"),
        ("  f: {formula: a ~ b, c: int}\n", "AIG120", None),
    ],
)
def test_a_fault_of_a_function_is_one_finding(functions: str, code: str, hint: str | None) -> None:
    _, found = read(f"aigen: 1\nfunctions:\n{functions}")
    assert [one.code for one in found] == [code]
    assert hint is None or found[0].hint == hint


def test_what_was_not_indented_is_read_where_it_belongs() -> None:
    keys = "  formula: a ~ b\n  fields:\n    a: int\n"
    file, _ = read(f"aigen: 1\nfunctions:\n  f:\n{keys}  tags: {{formula: c ~ d}}\n")
    assert file is not None
    assert [one.key.value for one in file.functions] == ["f", "tags"]
    assert list(file.functions[0].fields) == ["a"]


def test_keys_of_a_tool_that_are_not_indented() -> None:
    _, found = read("aigen: 1\ntools:\n  t:\n  description: D.\n  parameters: {a: int}\n")
    assert [(one.code, one.hint) for one in found] == [("AIG120", 'indent them under "t"')]


@pytest.mark.parametrize("level", ["1.10", "null", "true", "1e3"])
def test_a_level_that_is_no_text_is_to_be_quoted(level: str) -> None:
    _, found = read(f"{HEAD}    fields:\n      b: {{choice: [{level}, b]}}\n")
    assert [one.hint for one in found] == [f'quote it: "{level}"']


def test_a_message_is_one_line() -> None:
    _, found = read('aigen: 1\ntools: {t: {python: "\\n", parameters: {}}}\n')
    assert [one.message for one in found] == ['"\\n" names no callable']
