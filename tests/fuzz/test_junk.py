"""Whatever a spec holds, resolving it gives findings, never a traceback."""

from __future__ import annotations

import json
from pathlib import Path

from aigen.diagnostics import Diagnostics
from aigen.ir.dump import from_data, to_data
from aigen.resolve import ResolveContext, resolve
from aigen.rules import check
from aigen.spec import read_file
from aigen.spec.keys import FIELD, FUNCTION, TOOL
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

WORDS = st.one_of(
    st.sampled_from(["str", "int", "a", "b", "A", "B", "list[A]", "list[nope]", "A|None", "image"]),
    st.sampled_from(["dict[int,str]", "Literal[1,1]", "set[A]", "a~b+c", "a.A", "os:system", "é"]),
    st.sampled_from(["app:f", "{{a}}", ".inf", "A[int]", "tuple[A,...]", "result", "cot", "[a-"]),
)
JUNK = st.one_of(
    WORDS,
    st.text(max_size=6),
    st.integers(-3, 10**20),
    st.booleans(),
    st.none(),
    st.floats(allow_nan=False, allow_infinity=False),
)
VALUES = st.recursive(
    JUNK,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(WORDS | st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)
FIELDS = st.deferred(
    lambda: st.one_of(
        JUNK,
        st.dictionaries(
            # What a JSON Schema or a class says is the business of other readers.
            st.sampled_from([key for key in FIELD if key != "json_shape"]),
            st.one_of(VALUES, FIELDS, st.dictionaries(WORDS, FIELDS, max_size=2)),
            max_size=4,
        ),
    )
)
CODEBOOK = st.dictionaries(WORDS, FIELDS, max_size=3)


def entry(keys: object, **known: object) -> st.SearchStrategy[object]:
    optional = dict.fromkeys(keys, VALUES)  # type: ignore[attr-defined]
    return st.fixed_dictionaries({}, optional={**optional, **known})


FUNCTIONS = st.fixed_dictionaries(
    {"formula": st.sampled_from(["a ~ b", "a + c ~ b", "b ~ a + result", "A ~ ."])},
    optional={
        **{key: VALUES for key in FUNCTION if key not in ("data", "inputs", "outputs", "formula")},
        "fields": CODEBOOK,
        "demos": st.lists(st.dictionaries(WORDS, VALUES), max_size=2),
        "settings": st.dictionaries(
            st.sampled_from(["model", "log_content", "approve", "retries", "x"]), VALUES
        ),
    },
)
SPECS = st.fixed_dictionaries(
    {
        "aigen": st.just(1),
        "types": st.dictionaries(st.sampled_from(["A", "B", "a", "date"]), FIELDS, max_size=3),
        "functions": st.dictionaries(WORDS, FUNCTIONS, max_size=2),
        "tools": st.dictionaries(WORDS, entry(TOOL, parameters=CODEBOOK), max_size=2),
    }
)


@settings(
    max_examples=200, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True
)
@given(specs=st.lists(SPECS, min_size=1, max_size=2))
def test_junk_gives_findings(specs: list[object], tmp_path: Path) -> None:
    diagnostics = Diagnostics()
    files = []
    for name, spec in zip("ab", specs, strict=False):
        path = tmp_path / f"{name}.yaml"
        path.write_text(json.dumps(spec, allow_nan=False), encoding="utf-8")
        file = read_file(path, root=tmp_path, shown=path.name, module=name, diagnostics=diagnostics)
        if file is not None:
            files.append(file)
    program = resolve(files, ResolveContext((tmp_path,)), diagnostics)
    check(program, diagnostics)
    data = to_data(program)
    assert from_data(json.loads(json.dumps(data))) == program
    for found in diagnostics:
        assert "\n" not in found.message
