"""What a file is, before its meaning: bytes, syntax, places, limits."""

from __future__ import annotations

import json
import time
from dataclasses import fields, is_dataclass
from typing import Any

import pytest
from aigen.diagnostics import Diagnostics, Source, Span
from aigen.spec.json_reader import read_json
from aigen.spec.nodes import Mapping, Scalar, plain_value
from aigen.spec.yaml_reader import read_yaml
from hypothesis import given
from hypothesis import strategies as st

from .reading import HEAD, codes, read

DATA = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from("\n\x85\u2028")),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text("abc$é ", min_size=1), inner, max_size=3)
    ),
    max_leaves=12,
)


def bomb() -> str:
    lines = [f"x{n}: &x{n} [{', '.join([f'*x{n - 1}'] * 9)}]" for n in range(1, 10)]
    return "\n".join(["aigen: 1", "x0: &x0 [a, a, a]", *lines])


@pytest.mark.parametrize(
    ("data", "code", "line", "column"),
    [
        (b"", "AIG104", 1, 1),
        (b"\n\n", "AIG104", 1, 1),
        (b"aigen: 1\ndescription: a\xff\n", "AIG102", 2, 15),
        (b"\xef\xbb\xbf\xff", "AIG102", 1, 1),
        (b"aigen: 1\n---\naigen: 1\n", "AIG111", 2, 1),
        (b"aigen: 1\naigen: 1\n", "AIG107", 2, 1),
        (b"aigen: 1\ndescription: !!str x\n", "AIG109", 2, 14),
        (b"aigen: 1\ndescription: *x\n", "AIG110", 2, 14),
        (b"aigen: &x [*x]\n", "AIG110", 1, 12),
        (b"aigen: 1\ndescription: a: b\n", "AIG105", 2, 15),
        (b"aigen: 1\n\tx: 1\n", "AIG105", 2, 1),
        (b"aigen: 1\n[a]: b\n", "AIG112", 2, 1),
        (b"[aigen]", "AIG121", 1, 1),
        (b"other: 1\n", "AIG114", 1, 1),
        (b"aigen: true\n", "AIG114", 1, 8),
    ],
)
def test_one_finding_at_its_place(data: bytes, code: str, line: int, column: int) -> None:
    _, found = read(data)
    assert [one.code for one in found] == [code]
    assert found[0].span is not None
    assert found[0].span[1:3] == (line, column)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (bomb(), "AIG110"),
        ("aigen: 1\nx: &x " + "a" * 100_000 + "\ny: [" + "*x, " * 100 + "]\n", "AIG110"),
        ("[" * 10_000, "AIG108"),
        ("- " * 10_000, "AIG108"),
        ("{a: " * 10_000, "AIG108"),
        ("aigen: 1\n" + "x" * (100 << 20), "AIG103"),
        ("aigen: 1\nx: [" + "a," * 600_000 + "]\n", "AIG103"),
        (
            HEAD + "    fields:\n      b: {type: '" + "list[" * 60 + "a" + "]" * 60 + "'}\n",
            "AIG129",
        ),
        ("aigen: 1\nx: " + "{a" * 90 + "a" * 200_000 + "[]}", "AIG105"),
    ],
    ids=["bomb", "long", "flow", "block", "braces", "large", "values", "type", "bracket"],
)
def test_what_is_out_of_proportion_is_refused_at_once(text: str, code: str) -> None:
    started = time.process_time()
    assert codes(text) == [code]
    assert time.process_time() - started < 20  # not for ever; on a busy machine too


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"aigen": 1, "aigen": 1}', "AIG107"),
        ('{"aigen": NaN}', "AIG106"),
        ('{"aigen": -Infinity}', "AIG106"),
        ('{"aigen": 1e999}', "AIG106"),
        ('{"aigen": 01}', "AIG106"),
        ('{"aigen": 1,}', "AIG106"),
        ('{"aigen": 1} x', "AIG106"),
        ("{'aigen': 1}", "AIG106"),
        ('{"aigen": "\\ud800"}', "AIG106"),
        ("[" * 10_000, "AIG108"),
        ("// aigen\n{}", "AIG106"),
    ],
)
def test_json_has_its_own_rules(text: str, code: str) -> None:
    assert codes(text, name="spec.json") == [code]


def test_a_byte_order_mark_and_carriage_returns_change_nothing() -> None:
    text = f"{HEAD}    description: |\n      One.\n      Two.\n"
    plain, _ = read(text)
    for data in (
        b"\xef\xbb\xbf" + text.encode(),
        text.replace("\n", "\r\n").encode(),
        text.replace("\n", "\r").encode(),
    ):
        assert read(data) == (plain, [])


def test_scalars_are_those_of_yaml_1_2() -> None:
    text = "[no, on, 12:30, 012, 2020-01-01, 0x1F, 0o17, 1e3, .5, ~, True, '1', 1_000, =]"
    node = read_yaml(Source("x", text), Diagnostics())
    assert node is not None
    assert plain_value(node) == [
        *("no", "on", "12:30", "012", "2020-01-01"),
        *(31, 15, 1000.0, 0.5, None, True, "1", "1_000", "="),
    ]


@given(DATA)
def test_yaml_and_json_of_the_same_data_are_the_same(data: object) -> None:
    text = json.dumps(data, ensure_ascii=False)
    found = Diagnostics()
    as_json, as_yaml = read_json(Source("x", text), found), read_yaml(Source("x", text), found)
    assert not list(found)
    assert as_json is not None and as_yaml is not None
    assert plain_value(as_json) == plain_value(as_yaml) == data


@given(DATA)
def test_every_value_has_its_place(data: object) -> None:
    text = json.dumps({"key": data}, ensure_ascii=False)
    for reader in (read_json, read_yaml):
        node = reader(Source("x", text), Diagnostics())
        assert isinstance(node, Mapping)
        span = node.entries["key"].value.span
        lines = text.split("\n")
        assert span.line == span.end_line == 1
        assert json.loads(lines[0][span.column - 1 : span.end_column - 1]) == data


def test_block_texts_and_collections_end_where_they_end() -> None:
    node = read_yaml(Source("x", "a: |\n  x\n  y\n\n# z\nb: [1,\n 2]\n"), Diagnostics())
    assert isinstance(node, Mapping)
    spans = [entry.value.span for entry in node.entries.values()]
    assert spans == [Span("x", 1, 4, 3, 4), Span("x", 6, 4, 7, 4)]
    assert isinstance(node.entries["a"].value, Scalar)


def unplaced(value: Any) -> Any:
    """A tree without its places."""
    if isinstance(value, Span | Source):
        return None
    if isinstance(value, Scalar):
        return value.value
    if is_dataclass(value):
        return {
            field.name: unplaced(getattr(value, field.name))
            for field in fields(value)
            if field.name not in ("path", "source")
        }
    if isinstance(value, dict):
        return {key: unplaced(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return type(value).__name__, [unplaced(item) for item in value]
    return value


def test_a_spec_in_yaml_and_in_json_is_one_tree() -> None:
    spec = {
        "aigen": 1,
        "types": {
            "T": {"choice": {"kind": "warm", "brief": "short"}},
            "R": {"record": {"n": "int"}},
        },
        "functions": {
            "f": {
                "formula": "a + c ~ b",
                "fields": {"b": {"type": "list[R]", "default": []}, "c": {"type": "T"}},
                "demos": [{"b": [{"n": 1}], "a": "x", "c": "kind"}],
                "prompt": ["demos", {"user": "{% if b %}{{ b | length }}{% endif %}"}],
                "tests": [{"inputs": {"b": []}, "expect": {"c": "kind"}}],
            }
        },
        "tools": {"t": {"python": "app:t", "parameters": {"x": "int"}, "exposure": "code"}},
    }
    as_json = read(json.dumps(spec), name="spec.json")
    as_yaml = read(json.dumps(spec, indent=1))
    assert not as_json[1] and not as_yaml[1]
    assert unplaced(as_json[0]) == unplaced(as_yaml[0])


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("x: {type: str, description: the # of items}\ny: 1\n", 2, 33),
        ("x: [words, the #1]\n", 2, 16),
        ("x: {a: 1,\n  b: the # of items}\n", 3, 10),
    ],
)
def test_a_comment_that_takes_the_bracket_is_named(text: str, line: int, column: int) -> None:
    _, found = read(f"aigen: 1\n{text}")
    assert [one.code for one in found] == ["AIG105"]
    assert found[0].span is not None and found[0].span[1:3] == (line, column)
    assert found[0].hint is not None and found[0].hint.startswith("# begins a comment")


@pytest.mark.parametrize(
    "text", ["x: {a: 1, # first\n  b: 2 # second\n  c: 3}\n", "x: {a: b\n# }\ny: 1\n"]
)
def test_other_comments_are_not_blamed(text: str) -> None:
    _, found = read(f"aigen: 1\n{text}")
    assert [(one.code, one.hint) for one in found] == [("AIG105", None)]


@pytest.mark.parametrize(
    "line",
    [
        "description: words  # of the shop",
        "description: words # the shop",
        "settings: {}  # of all",
    ],
)
def test_a_comment_is_no_cut(line: str) -> None:
    assert codes(f"aigen: 1\n{line}\n") == []
