"""Reading specs in Python: which files are, literals with their places, what is refused."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from aigen.diagnostics import Diagnostic, Diagnostics, Span
from aigen.spec import is_spec, read_file
from aigen.spec.nodes import plain_value
from aigen.spec.tree import SpecFile
from hypothesis import given, settings
from hypothesis import strategies as st

HEAD = "from aigen.declare import ai, answer, tool\n"
ASK = "def ask(x: str) -> str: ...\n"


def read(
    text: str, name: str = "spec.py", *, importable: bool = True
) -> tuple[SpecFile | None, list[Diagnostic]]:
    found = Diagnostics()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_text(text, encoding="utf-8")
        file = read_file(
            path,
            root=path.parent,
            shown=name,
            module="spec",
            diagnostics=found,
            python_path=(path.parent,) if importable else (),
        )
    return file, list(found)


def at(text: str, span: Span | None) -> str:
    assert span is not None and span.line == span.end_line
    return text.split("\n")[span.line - 1][span.column - 1 : span.end_column - 1]


def faults(text: str, name: str = "spec.py", *, importable: bool = True) -> list[tuple[str, str]]:
    """The codes of what is found, with the text that each points at."""
    found = read(text, name, importable=importable)[1]
    return [(one.code, at(text, one.span)) for one in found]


@pytest.mark.parametrize(
    "line",
    [
        "from aigen.declare import ai",
        "from aigen.declare import (\n    ai,\n)",
        "from aigen import declare",
        "import aigen.declare",
        "import os, aigen.declare as d",
        "try:\n    import aigen.declare\nexcept ImportError: ...",
        "from aigen.declare import ai\ndef f(:",
    ],
)
def test_what_imports_the_declarations_is_a_spec(line: str) -> None:
    assert is_spec(f"'''Words.'''\n{line}\n".encode(), ".py")
    assert is_spec(line.encode(), ".pyi")


@pytest.mark.parametrize(
    "text",
    [
        "import aigen\n",
        "from aigen.runtime import tool\n",
        "'''\nfrom aigen.declare import ai\n'''\n",
        "# import aigen.declare\n",
        "def f():\n    from aigen.declare import ai\n",
        "from .aigen.declare import ai\n",
        "from aigen.declared import ai\n",
        "aigen: 1\n",
        "",
    ],
)
def test_other_python_is_none(text: str) -> None:
    assert not is_spec(text.encode(), ".py")


def test_literals_keep_their_values_and_places() -> None:
    text = (
        f"{HEAD}@ai(temperature=0.5, seed=-3, tags=('é', \"b\"), settings={{'stop': ['x']}},\n"
        f"    demos=[{{'x': 'a', 'result': None}}, {{'x': True}}])\n{ASK}"
    )
    file, found = read(text)
    assert file is not None and not found
    (function,) = file.functions
    assert {one.name.value: plain_value(one.value) for one in function.settings} == {
        "stop": ["x"],
        "temperature": 0.5,
        "seed": -3,
    }
    assert {one.name.value: at(text, one.value.span) for one in function.settings} == {
        "stop": "['x']",
        "temperature": "0.5",
        "seed": "-3",
    }
    assert function.tags == ("é", "b")
    assert [plain_value(demo) for demo in function.demos] == [
        {"x": "a", "result": None},
        {"x": True},
    ]
    assert at(text, function.demos[1].span) == "{'x': True}"
    assert at(text, function.key.span) == "ask"
    assert [at(text, each.span) for each in function.formula.inputs] == ["x"]


def test_columns_count_code_points() -> None:
    text = f"{HEAD}@ai(name='ééé', temprature=0)\n{ASK}"
    assert faults(text) == [("AIG120", "temprature")]


@pytest.mark.parametrize(
    ("decorator", "code", "place"),
    [
        ("@ai(temperature=1 / 2)", "AIG511", "1 / 2"),
        ("@ai(demos=rows)", "AIG511", "rows"),
        ("@ai(demos=[{'x': f'a'}])", "AIG511", "f'a'"),
        ("@ai(demos=[{**rows}])", "AIG511", "rows"),
        ("@ai(name=b'ask')", "AIG511", "b'ask'"),
        ("@ai(name='\\ud800')", "AIG511", "'\\ud800'"),
        ("@ai(**keys)", "AIG511", "**keys"),
        ("@ai('ask')", "AIG511", "'ask'"),
        ("@ai(metadata={True: 'a'})", "AIG112", "True"),
        ("@ai(metadata={'a': 'b', 'a': 'c'})", "AIG107", "'a'"),
        ("@ai(seed=1, settings={'seed': 2})", "AIG107", "seed"),
        ("@ai(formula='y ~ x')", "AIG120", "formula"),
        ("@ai(descripton='Words.')", "AIG120", "descripton"),
        ("@ai(name=3)", "AIG121", "3"),
        ("@ai(check='app.checks.short')", "AIG127", "'app.checks.short'"),
        ("@ai(tools=[missing])", "AIG517", "missing"),
        ("@ai(tools=[find()])", "AIG517", "find()"),
        ("@ai(tools=[ask])", "AIG517", "ask"),
        ("@functools.cache", "AIG513", "functools.cache"),
        ("@tool", "AIG514", "ask"),
    ],
)
def test_decorators(decorator: str, code: str, place: str) -> None:
    assert faults(f"{HEAD}{decorator}\n{ASK}") == [(code, place)]


@pytest.mark.parametrize(
    ("function", "code", "place"),
    [
        ("def ask(*x: str) -> str: ...", "AIG513", "x: str"),
        ("def ask(x: str, **more: str) -> str: ...", "AIG513", "more: str"),
        ("def ask() -> str: ...", "AIG513", "ask"),
        ("async def ask(x: str) -> str: ...", "AIG513", "ask"),
        ("if x:\n    def ask(x: str) -> str: ...", "AIG513", "ask"),
        ("def ask(é: str) -> str: ...", "AIG131", "é"),
        ("def ask(x: str) -> str:\n    'Words.'", "AIG514", "ask"),
        ("def ask(x: str) -> str: pass", "AIG514", "ask"),
        ("@ai\ndef ask(x: str) -> str: return x", "AIG514", "ask"),
        ("@tool(python='a:b')\ndef ask(x: str) -> str: return x", "AIG120", "python"),
        (f"{ASK}{ASK}", "AIG107", "ask"),
        (f"@ai\n@tool()\n{ASK}", "AIG514", "ask"),
        (f"@ai\n{ASK.replace('ask', '_ask')}", "AIG514", "_ask"),
        ("class _Desk:\n    @tool\n    def ask(self, x: str): return x", "AIG514", "ask"),
        (
            "def ask(x: str) -> str:\n    '''A.\n\n    :param y: words\n    '''\n    ...",
            "AIG412",
            "ask",
        ),
        ("def ask(x: str = b'a') -> str: ...", "AIG511", "b'a'"),
    ],
)
def test_functions(function: str, code: str, place: str) -> None:
    assert faults(f"{HEAD}{function}\n") == [(code, place)]


def test_tools_and_classes_must_be_importable() -> None:
    text = f"{HEAD}def half(x: int) -> int: return x // 2\nclass Order: ...\nclass _Own: ...\n{ASK}"
    assert faults(text, importable=False) == [("AIG515", "half"), ("AIG515", "Order")]
    assert faults(text, "spec.pyi") == [("AIG516", "half")]
    assert not faults(text)
    file, found = read(HEAD + ASK, importable=False)
    assert file is not None and not found
    assert file.python == "spec.py"


def test_the_docstring_is_the_modules_description() -> None:
    file, found = read(f'"""The desk.\n\n    More.\n"""\n{HEAD}{ASK}')
    assert file is not None and not found
    assert file.description is not None
    assert file.description.value == "The desk.\n\nMore."


def test_what_a_spec_imports_is_watched(tmp_path: Path) -> None:
    for name in ("types.py", "orders/__init__.py"):
        (tmp_path / "app" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "app" / name).write_text("", encoding="utf-8")
    path = tmp_path / "spec.py"
    path.write_text(f"import os, app.types\nfrom app import orders\n{HEAD}{ASK}", encoding="utf-8")
    file = read_file(
        path,
        root=tmp_path,
        shown="spec.py",
        module="spec",
        diagnostics=Diagnostics(),
        python_path=(tmp_path,),
    )
    assert file is not None
    assert file.reads == tuple(
        str(tmp_path / "app" / name) for name in ("orders/__init__.py", "types.py")
    )


@pytest.mark.parametrize("text", ["def f(:\n", "x = '\0'\n", "(" * 300 + ")" * 300, "if 1:\nx\n"])
def test_what_is_no_python(text: str) -> None:
    file, found = read(HEAD + text)
    assert file is None
    assert [one.code for one in found] == ["AIG510"]


def test_deep_nesting_is_no_traceback() -> None:
    chain = "if 1: ...\n" + "".join(f"elif {n}: ...\n" for n in range(800))
    _, found = read(HEAD + chain + ASK)
    assert {one.code for one in found} <= {"AIG510"}


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                *("@ai", "@tool", "(", ")", "def f", "x: ", "str", "-> ", "...", ":\n", "    "),
                *(
                    "\n",
                    "return answer()",
                    "=",
                    "[",
                    "]",
                    "{",
                    "}",
                    "'a'",
                    "1",
                    ",",
                    "é",
                    "*",
                    "class A",
                ),
            ]
        ),
        max_size=25,
    )
)
def test_junk_is_a_finding_never_a_traceback(parts: list[str]) -> None:
    file, found = read(HEAD + "".join(parts))
    assert file is not None or found
