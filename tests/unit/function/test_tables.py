"""`add_to`: the same kind of table with the outputs as columns."""

from __future__ import annotations

import asyncio
import datetime
import gc
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas
import polars
import pyarrow
import pytest
from aigen.runtime import override, same
from aigen.runtime.columns.kinds import kind_of
from aigen.runtime.errors import ConfigurationError, InterfaceOutputError, RefusalError
from aigen.runtime.record.call import Call
from aigen.runtime.testing import refusal, scripted
from shop_ai import support

SPEC = """\
aigen: 1
types:
  Item: {record: {sku: text, due: date, count: int, note: {type: text, required: false}}}
  Node: {record: {name: text, under: "list[Node]"}}
functions:
  read:
    formula: item + items + total + when + any + late + tree ~ text
    fields:
      item: Item | None
      items: list[Item]
      total: float
      when: datetime
      any: int | text
      late: bool | None
      tree: Node
  rank:
    formula: score ~ text
    fields: {score: int}
  sort:
    formula: topic ~ text + tone
    fields:
      topic: {choice: {$given: topics}}
      tone: {type: text, default: kind}
"""

ITEM = {"sku": "a", "due": "2026-01-02", "count": 2}
ANSWER = {
    "item": None,
    "items": [ITEM, {**ITEM, "note": "ü"}],
    "total": 2,
    "when": "2026-01-02T03:04:05Z",
    "any": 7,
    "late": None,
    "tree": {"name": "x", "under": [{"name": "y", "under": []}]},
}
DUE = datetime.date(2026, 1, 2)
ROWS = [{"sku": "a", "due": DUE, "count": 2, "note": note} for note in (None, "ü")]
TREE = {"name": "x", "under": ['{"name": "y", "under": []}']}

KINDS = {"pandas": pandas.DataFrame, "polars": polars.DataFrame, "arrow": pyarrow.table}
EVERY = pytest.mark.parametrize("made", KINDS.values(), ids=KINDS)


def calls_in_memory() -> int:
    gc.collect()
    return sum(type(each) is Call for each in gc.get_objects())


@pytest.mark.parametrize("awaited", [False, True])
def test_the_calls_of_rows_are_not_kept(functions: ModuleType, awaited: bool) -> None:
    before, most = calls_in_memory(), []

    def answered(request: Any) -> Any:
        most.append(calls_in_memory() - before)
        return "1"

    table = polars.DataFrame({"text": [str(at) for at in range(20)]})
    rank = functions.rank.with_options(concurrency=1)
    with scripted(answered):
        made = asyncio.run(rank.aadd_to(table)) if awaited else rank.add_to(table)
    assert made["score"].to_list() == [1] * 20
    assert len(most) == 20
    assert max(most) <= 3


@pytest.fixture
def functions(module: Callable[[str], ModuleType]) -> ModuleType:
    return module(SPEC)


def listed(table: Any, name: str) -> list[Any]:
    column = table[name]
    return column.to_pylist() if hasattr(column, "to_pylist") else column.to_list()


def third(request: Any) -> Any:
    words = request.messages[-1]["content"]
    return refusal() if "m2" in words else {"summary": words[-14:-11], "urgent": "m1" in words}


@EVERY
@pytest.mark.parametrize("awaited", [False, True])
def test_outputs_are_columns_of_the_same_kind_of_table(made: Any, awaited: bool) -> None:
    table = made({"body": ["m0", "m1"], "id": [7, 8]})
    with scripted(third):
        if awaited:
            found = asyncio.run(support.triage.aadd_to(table, message="body"))
        else:
            found = support.triage.add_to(table, message="body")
    assert type(found) is type(table)
    names = found.column_names if made is pyarrow.table else list(found.columns)
    assert names == ["body", "id", "summary", "urgent"]
    assert listed(found, "urgent") == [False, True]
    assert listed(found, "id") == [7, 8]


@EVERY
def test_a_failed_row_is_null_and_its_error_a_column(made: Any) -> None:
    table = made({"message": ["m0", "m1", "m2"]})
    with scripted(third):
        found = support.triage.add_to(table, errors="error")
    assert [None if pandas.isna(each) else each for each in listed(found, "urgent")] == [
        False,
        True,
        None,
    ]
    errors = listed(found, "error")
    assert errors[2].startswith("triage: the model refused") and pandas.isna(errors[0])


@EVERY
def test_without_a_column_for_errors_one_warning_counts_them(made: Any) -> None:
    table = made({"message": ["m0", "m2"]})
    with scripted(third), pytest.warns(UserWarning) as caught:
        support.triage.add_to(table)  # here
    assert [str(each.message).partition(": ")[0] for each in caught] == [
        "1 of 2 rows failed; the first is row 1"
    ]
    assert 'errors="…" names a column' in str(caught[0].message)
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    assert caught[0].filename == __file__ and "# here" in lines[caught[0].lineno - 1]
    with scripted(third), override(on_error="raise"), pytest.raises(RefusalError):
        support.triage.add_to(table, errors="error")


@EVERY
def test_a_single_output_has_its_name_of_the_formula(made: Any) -> None:
    with scripted(lambda request: "happy"):
        found = support.mood.add_to(made({"review": ["good"]}))
    assert listed(found, "mood") == ["happy"]


@pytest.mark.parametrize("texts", [["good", "bad"], []])
def test_a_record_batch_is_given_back_as_one(texts: list[str]) -> None:
    batch = pyarrow.record_batch({"review": pyarrow.array(texts, pyarrow.string())})
    with scripted(lambda request: "happy"):
        found = support.mood.add_to(batch)
    assert isinstance(found, pyarrow.RecordBatch)
    assert found.schema.names == ["review", "mood"]
    assert found["mood"].to_pylist() == ["happy"] * len(texts)


def test_records_are_structs(functions: ModuleType) -> None:
    with scripted(lambda request: ANSWER):
        arrow = functions.read.add_to(pyarrow.table({"text": ["a"]}))
        frame = functions.read.add_to(polars.DataFrame({"text": ["a"]}))
    item = pyarrow.struct(
        [
            ("sku", pyarrow.string()),
            ("due", pyarrow.date32()),
            ("count", pyarrow.int64()),
            ("note", pyarrow.string()),
        ]
    )
    inner_trees = pyarrow.list_(pyarrow.string())
    types = {field.name: field.type for field in arrow.schema}
    assert types == {
        "text": pyarrow.string(),
        "item": item,
        "items": pyarrow.list_(item),
        "total": pyarrow.float64(),
        "when": pyarrow.string(),
        "any": pyarrow.string(),
        "late": pyarrow.bool_(),
        "tree": pyarrow.struct([("name", pyarrow.string()), ("under", inner_trees)]),
    }
    expected = {
        "text": "a",
        "item": None,
        "items": ROWS,
        "total": 2.0,
        "when": "2026-01-02T03:04:05Z",
        "any": "7",
        "late": None,
        "tree": TREE,
    }
    assert arrow.to_pylist() == frame.to_dicts() == [expected]
    inner = {name: kind for name, kind in types.items() if name != "text"}
    assert functions.read.arrow_type == pyarrow.struct(list(inner.items()))
    assert frame.schema["items"].inner == frame.schema["item"]
    assert functions.rank.arrow_type == pyarrow.int64()
    assert functions.sort.arrow_type == support.mood.arrow_type == pyarrow.string()


def test_records_are_dictionaries_in_pandas(functions: ModuleType) -> None:
    with scripted(lambda request: ANSWER):
        found = functions.read.add_to(pandas.DataFrame({"text": ["a", "b"]}))
    assert found["item"].tolist() == [None, None]
    assert found["items"].tolist() == [ROWS, ROWS]
    assert found["any"].tolist() == [7, 7]
    assert found["tree"].tolist()[0]["under"][0]["name"] == "y"
    assert found["total"].dtype == "float64"


@pytest.mark.parametrize(
    "index",
    [
        [5, 5],
        ["b", "a"],
        pandas.MultiIndex.from_tuples([(1, "a"), (0, "b")]),
        pandas.date_range("2026-01-01", periods=2),
    ],
    ids=["repeated", "texts", "multi", "dates"],
)
def test_the_index_is_kept(index: Any, functions: ModuleType) -> None:
    table = pandas.DataFrame({"text": ["m1", "m2"]}, index=index)
    with scripted(lambda request: 1 if "m1" in request.messages[-1]["content"] else 2):
        found = functions.rank.add_to(table)
    assert found.index.equals(table.index)
    assert found["score"].tolist() == [1, 2]
    assert list(table.columns) == ["text"]


def test_integers_stay_integers_where_a_row_failed(functions: ModuleType) -> None:
    table = pandas.DataFrame({"text": ["a", None]})
    with scripted(lambda request: 3):
        found = functions.rank.add_to(table, errors="error")
        whole = functions.rank.add_to(table[:1])
    assert found["score"].dtype == "Int64" and found["score"].isna().tolist() == [False, True]
    assert whole["score"].dtype == "int64"


@EVERY
def test_an_integer_that_no_column_holds_fails_its_row(made: Any, functions: ModuleType) -> None:
    with scripted(lambda request: 2**63):
        found = functions.rank.add_to(made({"text": ["a"]}), errors="error")
    assert "does not fit a column of 64-bit integers" in listed(found, "error")[0]
    largest = [2**63 - 1, -(2**63)]
    with scripted(list(largest)):
        found = functions.rank.with_options(concurrency=1).add_to(made({"text": ["a", "b"]}))
    assert listed(found, "score") == largest


@EVERY
def test_an_answer_that_no_column_holds_raises_where_rows_do(
    made: Any, functions: ModuleType
) -> None:
    rank = functions.rank.with_options(on_error="raise")
    for more in ({}, {"errors": "error"}):
        with scripted(lambda request: 2**63), pytest.raises(InterfaceOutputError, match="64-bit"):
            rank.add_to(made({"text": ["a"]}), **more)
    with scripted(lambda request: 2**63), pytest.raises(InterfaceOutputError, match="64-bit"):
        rank.batches({"text": ["a"]})


def test_a_record_that_may_hold_more_is_text_in_a_column() -> None:
    members = {"type": "object", "properties": {"a": {"type": "string"}}}
    assert kind_of(members, {}) == kind_of({**members, "additionalProperties": True}, {})
    assert kind_of(members, {}).name == "json"
    assert kind_of({**members, "additionalProperties": False}, {}).name == "record"


@EVERY
def test_no_rows_have_columns_of_the_right_type(made: Any, functions: ModuleType) -> None:
    empty = made({"text": ["a"]})[:0]
    with scripted([]):
        found = functions.read.add_to(empty)
    assert len(found) == 0
    if made is pyarrow.table:
        assert pyarrow.types.is_struct(found.schema.field("item").type)
    elif made is polars.DataFrame:
        assert isinstance(found.schema["items"].inner, polars.Struct)
    else:
        assert (found["total"].dtype, found["item"].dtype) == ("float64", "object")


@EVERY
def test_one_value_for_all_rows_and_levels_of_the_call(made: Any, functions: ModuleType) -> None:
    table = made({"words": ["a", "b"], "tone": ["brief", "long"]})
    with scripted(lambda request: "x") as model:
        functions.sort.add_to(table, text="words", topics=iter(["x", "y"]))
        functions.sort.add_to(table, text="words", topics=["x"], tone=same("fixed"))
    said = sorted(request.messages[-1]["content"] for request in model.requests)
    for word in ("brief", "long"):
        assert sum(word in words for words in said) == 1
    assert sum("fixed" in words for words in said) == 2


def test_a_default_takes_the_place_of_a_column_that_is_not_there(functions: ModuleType) -> None:
    with scripted(lambda request: "x") as model:
        functions.sort.add_to(polars.DataFrame({"text": ["a"]}), topics=["x"])
    assert "kind" in model.requests[0].messages[-1]["content"]


TABLE = pandas.DataFrame({"body": ["a"], "summary": ["b"]})


@pytest.mark.parametrize(
    ("table", "columns", "mend"),
    [
        (TABLE, {"message": "body"}, 'has a column "summary" already, .*: rename it or leave it'),
        (TABLE[["body"]], {"message": "bdy"}, 'no column "bdy"; did you mean "body"'),
        (TABLE[["body"]], {"message": "zzzz"}, 'no column "zzzz"; it has body'),
        (TABLE[["body"]], {}, 'say which column is message: message="…"; the table has body'),
        (TABLE[["body"]], {"mesage": "body"}, "there is no input mesage; it takes message"),
        (TABLE[["body"]], {"message": ["a"]}, r"the name of a column, or same\(…\)"),
        (TABLE[["body"]], {"message": "body", "errors": "body"}, 'column "body" already'),
        (TABLE[["body"]], {"message": "body", "errors": "urgent"}, '"urgent" is an output'),
        (polars.LazyFrame({"a": [1]}), {}, r"not a polars.LazyFrame: call .collect\(\) first"),
        ([{"message": "a"}], {}, r"call triage.imap\(rows\)"),
        ("a", {}, "give a pandas or Polars DataFrame or a pyarrow Table"),
        (pandas.Series(["a"]), {}, "takes a table, not a pandas.Series"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_refused_before_any_call(
    table: Any, columns: dict[str, Any], mend: str
) -> None:
    with scripted([]) as model:
        for call in (
            lambda: support.triage.add_to(table, **columns),
            lambda: asyncio.run(support.triage.aadd_to(table, **columns)),
        ):
            with pytest.raises(ConfigurationError, match=f"triage.add_to.*{mend}"):
                call()
    assert not model.requests


def test_without_narwhals_it_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "narwhals", None)
    with pytest.raises(ConfigurationError, match=r'pip install "aigen\[tables\]"') as caught:
        support.triage.add_to(TABLE)
    assert caught.value.code == "missing-extra"


def test_without_pyarrow_the_arrow_type_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ConfigurationError, match=r'pip install "aigen\[data\]"'):
        _ = support.mood.arrow_type


def test_importing_a_generated_module_imports_no_table() -> None:
    script = (
        "import sys; sys.path.insert(0, 'samples'); from shop_ai import support; "
        "print(sorted({'narwhals', 'pandas', 'polars', 'pyarrow', 'asyncio', 'threading'}"
        " & set(sys.modules)))"
    )
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=True
    )
    assert "pandas" not in done.stdout and "narwhals" not in done.stdout
    assert "asyncio" not in done.stdout and "pyarrow" not in done.stdout


USE = """\
from collections.abc import AsyncGenerator, Generator
from typing import assert_type

import pandas
import polars
import pyarrow
from aigen.runtime import AIFunction, Results, same
from aigen.runtime.errors import AigenError


Triage = AIFunction[int, int | None]


async def use(triage: Triage, p: pandas.DataFrame, q: polars.DataFrame) -> None:
    assert_type(triage.add_to(p, message="body", errors="error"), pandas.DataFrame)
    assert_type(triage.add_to(q, tone=same("brief")), polars.DataFrame)
    assert_type(await triage.aadd_to(q), polars.DataFrame)
    assert_type(triage.batches(p, message="body"), pandas.DataFrame)
    assert_type(triage.imap([{"message": "a"}]), Generator[int, None, None])
    given = triage.imap([{"message": "a"}], on_error="give")
    assert_type(given, Generator[int | AigenError, None, None])
    assert_type(triage.aimap([{"message": "a"}]), AsyncGenerator[int, None])
    found = triage.batch.read("results.jsonl")
    assert_type(found, Results[int])
    assert_type(found[0], int)
    assert_type(found[:3], Results[int])
    assert_type(found.values_or(None), list[int | None])
    triage.add_to(table=p)  # slip
    triage.imap([1])  # slip
    triage.imap([], on_error="warn")  # slip
    triage.add_to(p, errors=3)  # slip
"""


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_type_checkers_see_the_types(checker: str, tmp_path: Path) -> None:
    script = tmp_path / "use.py"
    script.write_text(USE, encoding="utf-8")
    options = [] if checker == "mypy" else ["--pythonpath", sys.executable]
    if checker == "mypy":
        options = ["--strict", "--ignore-missing-imports", "--disable-error-code=import-untyped"]
    done = subprocess.run(
        [sys.executable, "-m", checker, *options, script], capture_output=True, text=True
    )
    wrong = {number for number, line in enumerate(USE.splitlines(), 1) if "# slip" in line}
    said = {
        int(line.split(":")[1])
        for line in done.stdout.splitlines()
        if "error" in line and "use.py:" in line
    }
    assert said == wrong, done.stdout
