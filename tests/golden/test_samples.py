"""The sample model answers every function of every case, by every adapter and both APIs."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aigen.runtime import AIFunction, calls, settings
from aigen.runtime.testing import no_network
from aigen.runtime.values import fits, jsonable
from aigen.runtime.wire.sample import sample
from test_golden import CASES, built, copy_beside, importing

LEVELS = ["first", "second"]
WAYS: list[dict[str, Any]] = [
    {},
    {"adapter": "json"},
    {"adapter": "prompted"},
    {"reasoning": "cot"},
    {"adapter": "prompted", "reasoning": "cot"},
    {"api": "responses"},
]


@pytest.fixture(scope="module")
def functions(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[AIFunction[Any, Any]]]:
    """Every function that the cases build."""
    folder = tmp_path_factory.mktemp("samples")
    with pytest.MonkeyPatch.context() as patch:
        importing(folder, patch)
        yield [function for case in CASES for function in _of(case, folder)]


def _of(case: str, folder: Path) -> Iterator[AIFunction[Any, Any]]:
    files = built(case)
    copy_beside(case, folder)
    for name, text in files.items():
        path = folder / f"sampled_{case}" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    importlib.invalidate_caches()
    for name in files:
        if name.endswith(".py"):
            parts = (f"sampled_{case}", *Path(name).with_suffix("").parts)
            module = importlib.import_module(".".join(part for part in parts if part != "__init__"))
            for value in vars(module).values():
                own = isinstance(value, AIFunction) and value.__module__ == module.__name__
                # The implementations of tools are the user's own, and not in the cases' folder.
                if own and "tools" not in value.definition:
                    yield value


def inputs_of(function: AIFunction[Any, Any], *, every: bool) -> dict[str, Any]:
    """Sample inputs, all of them or those that must be there, and levels where a call gives them."""
    defaults = function.definition.get("defaults", {})
    found = {
        field["name"]: sample(field["shape"])
        for field in function.interface["inputs"]
        if every or not (field.get("optional") or field["name"] in defaults)
    }
    return {**found, **dict.fromkeys(function.definition.get("given", ()), LEVELS)}


def judged(function: AIFunction[Any, Any], answer: Any) -> None:
    """Sees that an answer's values, as they are dumped, are what the outputs say."""
    outputs = function.interface["outputs"]
    values = function._answers.values(answer)
    assert list(values) == [field["name"] for field in outputs]
    for field in outputs:
        value = jsonable(values[field["name"]])
        shape = field["shape"]
        assert fits(value, shape, shape.get("$defs")) is None, (function, field["name"], value)
        if "x-aigen-given" in shape:
            assert value in LEVELS


def test_there_is_a_function_of_every_case(functions: list[AIFunction[Any, Any]]) -> None:
    packages = {function.__module__.partition(".")[0] for function in functions}
    assert packages == {f"sampled_{case}" for case in CASES}


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("every", [True, False])
def test_every_function_answers(
    functions: list[AIFunction[Any, Any]], way: dict[str, Any], every: bool
) -> None:
    with no_network(), settings(model="sample", **way), calls() as seen:
        for function in functions:
            inputs = inputs_of(function, every=every)
            judged(function, function.apply(inputs))
            judged(function, asyncio.run(function.aapply(inputs)))
    assert len(seen) == 2 * len(functions)
    for call in seen:
        # A sample is read as it is, the first time.
        assert (call.repairs, len(call.exchanges), call.model) == ((), 1, "sample")
        assert bool(call.reasoning) == ("reasoning" in way)


def test_every_function_answers_a_column(functions: list[AIFunction[Any, Any]]) -> None:
    with no_network(), settings(model="sample"):
        for function in functions:
            rows = [inputs_of(function, every=every) for every in (True, False, True)]
            answers = list(function.imap(rows))
            assert len(answers) == 3
            for answer in answers:
                judged(function, answer)
