"""What a Python spec imports: it keeps types, and says that a spec is no program."""

from __future__ import annotations

import subprocess
import sys
from inspect import signature
from pathlib import Path

import pytest
from aigen.declare import ai, answer, tool


@ai(temperature=0)
def mood(review: str) -> str:
    """How does the customer feel?"""
    return answer()


@ai
def plain(review: str) -> str: ...


@tool(risk="read")
def half(x: int) -> int:
    return x // 2


def test_a_declared_function_says_that_it_is_a_spec() -> None:
    for function in (mood, plain):
        with pytest.raises(
            NotImplementedError, match=f"^{function.__name__} is a spec: run `aigen"
        ):
            function("Great!")
    with pytest.raises(NotImplementedError, match="this function is a spec"):
        answer()


def test_a_declared_function_looks_like_itself() -> None:
    assert (mood.__name__, mood.__doc__) == ("mood", "How does the customer feel?")
    assert list(signature(mood).parameters) == ["review"]


def test_a_tool_is_the_function_itself() -> None:
    assert half(7) == 3
    assert tool(half) is half


def test_type_checkers_see_the_functions_types(tmp_path: Path) -> None:
    spec = tmp_path / "spec.py"
    spec.write_text(
        "from typing import Literal\nfrom aigen.declare import ai, answer, tool\n"
        "@ai(temperature=0)\ndef mood(review: str) -> Literal['a', 'b']:\n    return answer()\n"
        "@ai\ndef plain(n: int = 1) -> bool:\n    return answer()\n"
        "@tool(risk='read')\ndef half(x: int) -> int:\n    return x // 2\n"
        "reveal_type(mood('x'))\nreveal_type(plain(n=2))\nreveal_type(half(x=1))\nmood(1)\n",
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "m")]
    done = subprocess.run([*command, str(spec)], capture_output=True, text=True, check=False)
    lines = done.stdout.replace("builtins.", "").splitlines()  # as mypy said until 1.19
    said = [line.partition(": ")[2] for line in lines[:4]]
    assert said[0].endswith("\"Literal['a'] | Literal['b']\"") or "Literal['a', 'b']" in said[0]
    assert said[1:3] == ['note: Revealed type is "bool"', 'note: Revealed type is "int"']
    assert 'incompatible type "int"; expected "str"' in said[3]


def test_nothing_but_the_standard_library_is_imported() -> None:
    code = "import sys, aigen.declare; print(sorted(m for m in sys.modules if 'aigen' in m))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['aigen', 'aigen.declare']"
