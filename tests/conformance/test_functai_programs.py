"""The public cases of interfaces, binding and checking."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from aigen.runtime.errors import AigenError
from aigen.runtime.values import bind_inputs, canonical, check_outputs, read_interface

_FOLDER = Path(__file__).parents[3] / "shared" / "cases" / "functai" / "programs"
_CASES = sorted(_FOLDER.glob("*.json"))
pytestmark = pytest.mark.skipif(not _CASES, reason="the public cases are not here")


class _Native:
    def __init__(self, data: dict[str, str]) -> None:
        self.data = data


class _Worded(_Native):
    def __str__(self) -> str:
        return self.data["$text"]


def _native(value: Any) -> Any:
    if isinstance(value, list):
        return [_native(item) for item in value]
    if isinstance(value, dict):
        if set(value) in ({"$type", "$repr"}, {"$type", "$repr", "$text"}):
            return _Worded(value) if "$text" in value else _Native(value)
        return {name: _native(member) for name, member in value.items()}
    return value


def _data(value: Any) -> Any:
    if isinstance(value, _Native):
        return value.data
    if isinstance(value, list | tuple):
        return [_data(item) for item in value]
    if isinstance(value, dict):
        return {name: _data(member) for name, member in value.items()}
    return value


def _outcome(run: Any) -> dict[str, Any]:
    try:
        return {"value": run()}
    except AigenError as error:
        return {"refuses": error.code, "field": error.field, "message": str(error)}  # type: ignore[attr-defined]


def _agree(expect: dict[str, Any], seen: dict[str, Any], key: str) -> None:
    if "refuses" in expect:
        assert (seen.get("refuses"), seen.get("field")) == (expect["refuses"], expect["field"])
    else:
        assert "value" in seen, seen
        assert canonical(_data(seen["value"])) == canonical(expect[key])


def _check(interface: Any, check: dict[str, Any]) -> None:
    if "inputs" in check:
        seen = _outcome(lambda: bind_inputs(interface, _native(check["inputs"])))
        _agree(check["expect"], seen, "inputs")
    else:
        seen = _outcome(lambda: check_outputs(interface, _native(check["returned"])))
        _agree(check["expect"], seen, "outputs")
    quotes = check["expect"].get("quotes", "")
    if quotes:
        assert quotes in seen["message"]


@pytest.mark.parametrize("path", _CASES, ids=lambda path: path.stem)
def test_case(path: Path) -> None:
    case = json.loads(path.read_text("utf-8"))
    match case["program"]:
        case "ai":
            data = {key: case["definition"][key] for key in ("description", "inputs", "outputs")}
            seen = _outcome(lambda: read_interface(data, shapes="any"))
            if "refuses" in case["expect"]:
                return _agree(case["expect"], seen, "")
            assert seen["value"].id == case["expect"]["signature"]
            for check in case.get("binds", []):
                _check(seen["value"], check)
        case "module":
            interface = read_interface(case["interface"])
            assert interface.id == case["expect"]["signature"]
            for check in case["checks"]:
                _check(interface, check)
        case "definitions":
            for each in case["interfaces"]:
                seen = _outcome(lambda each=each: read_interface(each["interface"]))
                if "refuses" in each["expect"]:
                    _agree(each["expect"], seen, "")
                else:
                    assert seen["value"].id == each["expect"]["signature"], seen
        case "same-data":
            ids = {read_interface(each).id for each in case["interfaces"]}
            assert len(ids) == 1
        case other:
            pytest.skip(f"a case of a kind unknown here: {other}")
    return None
