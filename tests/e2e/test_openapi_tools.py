"""An OpenAPI document, imported, built, checked, and called over HTTP: by code and by a model."""

from __future__ import annotations

import asyncio
import importlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml
from aigen.cli import run
from aigen.runtime import override
from aigen.runtime.errors import InterfaceInputError, ToolError
from aigen.runtime.testing import scripted, tool_call
from servers import Seen, Step, serving

PET = {
    "type": "object",
    "required": ["id", "name"],
    "properties": {
        "id": {"type": "integer", "format": "int64", "readOnly": True},
        "name": {"type": "string", "minLength": 1},
        "born": {"type": "string", "format": "date", "nullable": True},
        "kind": {"$ref": "#/components/schemas/Kind"},
        "parents": {"type": "array", "items": {"$ref": "#/components/schemas/Pet"}},
    },
}
DOCUMENT = {
    "openapi": "3.0.3",
    "info": {"title": "Pets", "version": "1"},
    "servers": [{"url": "https://pets.example/v1"}],
    "security": [{"key": []}],
    "paths": {
        "/pets": {
            "get": {
                "operationId": "listPets",
                "summary": "List pets.",
                "parameters": [
                    {"name": "filter", "in": "query", "style": "deepObject", "explode": True,
                     "schema": {"type": "object", "properties": {"kind": {"type": "string"}}}},
                    {"name": "tags", "in": "query", "explode": False,
                     "schema": {"type": "array", "items": {"type": "string"}}},
                    {"name": "limit", "in": "query",
                     "schema": {"type": "integer", "maximum": 100}},
                ],
                "responses": {"200": {"description": "", "content": {"application/json": {
                    "schema": {"type": "array", "items": {"$ref": "#/components/schemas/Pet"}}}}}},
            },
            "post": {
                "operationId": "addPet",
                "requestBody": {"required": True, "content": {"application/json": {
                    "schema": {"$ref": "#/components/schemas/Pet"}}}},
                "responses": {"201": {"description": "", "content": {"application/json": {
                    "schema": {"$ref": "#/components/schemas/Pet"}}}}},
            },
        },
        "/pets/{petId}": {
            "delete": {
                "operationId": "deletePet",
                "parameters": [
                    {"name": "petId", "in": "path", "required": True, "schema": {"type": "string"}},
                    {"name": "X-Reason", "in": "header", "schema": {"type": "string"}},
                ],
                "responses": {"204": {"description": ""}},
            }
        },
        "/login": {
            "post": {
                "operationId": "login",
                "security": [],
                "requestBody": {"required": True, "content": {"application/x-www-form-urlencoded": {
                    "schema": {"type": "object", "additionalProperties": {"type": "string"}}}}},
                "responses": {"200": {"description": "", "content": {"text/plain": {}}}},
            }
        },
    },
    "components": {
        "schemas": {"Pet": PET, "Kind": {"type": "string", "enum": ["cat", "dog"]}},
        "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}},
    },
}  # fmt: skip
REX = {"id": 7, "name": "Rex", "born": None, "more": "servers add members"}

ASK = """
functions:
  clerk:
    formula: answer ~ question
    description: Answer from the shop's data.
    tools: [pets.deletePet, pets.listPets]
"""


def answer(seen: Seen) -> Step:
    """A small shop."""
    path = urlsplit(seen.path).path
    if path == "/v1/login":
        return Step("hello", headers={"Content-Type": "text/plain"})
    if seen.headers.get("x-key") != "kkkk":
        return Step({"message": "who are you?"}, 401)
    if seen.method == "DELETE":
        return Step("", 204) if path.endswith("/7") else Step({"message": "no such pet"}, 404)
    return Step({**seen.body, "id": 8}, 201) if seen.method == "POST" else Step([REX])


@pytest.fixture
def pets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "aigen.toml").write_text('specs = ["specs"]\nout = "pets_ai"\n')
    (tmp_path / "pets.json").write_text(json.dumps(DOCUMENT), encoding="utf-8")
    assert run(["import", "openapi", "pets.json", "-o", "specs/pets.yaml"]) == 0
    (tmp_path / "specs" / "ask.yaml").write_text(f"aigen: 1\n{ASK}", encoding="utf-8")
    assert run(["build"]) == 0
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PETS_API_KEY", "kkkk")
    importlib.invalidate_caches()
    yield importlib.import_module("pets_ai.pets")
    for name in [name for name in sys.modules if name.split(".")[0] == "pets_ai"]:
        del sys.modules[name]


def test_code_calls_it(pets: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(answer) as server:
        monkeypatch.setenv("PETS_URL", server.url)
        (rex,) = pets.listPets({"kind": "dog"}, ["a,b", "c"], 5)
        assert (rex.name, rex.born) == ("Rex", None)
        assert asyncio.run(pets.addPet.aio({"name": "Tom", "kind": "cat"})).id == 8
        assert pets.deletePet("7", "sold") is None
        assert pets.login({"user": "ann", "password": "p&w"}) == "hello"
        with pytest.raises(ToolError, match=r"404 Not Found.*no such pet"):
            pets.deletePet("9")
        with pytest.raises(InterfaceInputError, match="a part of a path"):
            pets.deletePet("../pets")
        with pytest.raises(InterfaceInputError):
            pets.addPet({"kind": "cat"})
        monkeypatch.setenv("PETS_API_KEY", "wrong")
        with pytest.raises(ToolError, match="the credentials in PETS_API_KEY do not suffice"):
            pets.deletePet("7")
    listed, added, deleted, login = server.requests[:4]
    assert parse_qs(urlsplit(listed.path).query) == {
        "filter[kind]": ["dog"], "tags": ["a,b,c"], "limit": ["5"],
    }  # fmt: skip
    assert "tags=a%2Cb,c" in listed.path
    assert added.body == {"name": "Tom", "kind": "cat"}
    assert (deleted.path, deleted.headers["x-reason"]) == ("/v1/pets/7", "sold")
    assert login.body == "user=ann&password=p%26w" and "x-key" not in login.headers
    assert len(server.requests) == 6


def test_a_model_calls_it(pets: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    clerk = importlib.import_module("pets_ai.ask").clerk
    with serving(answer) as server:
        monkeypatch.setenv("PETS_URL", server.url)
        delete = tool_call("deletePet", {"petId": "7"}, "c3")
        calls = [
            tool_call("listPets", {"limit": 500}, "c1"),
            tool_call("listPets", {"limit": 5}, "c2"),
        ]
        with scripted([*calls, delete, "Rex is here."]) as model:
            assert clerk("Who is here? Delete Rex.") == "Rex is here."
        told = [m["content"] for m in model.requests[-1].body["messages"] if m["role"] == "tool"]
        assert "not run" in told[0] and "100" in told[0]
        assert '"Rex"' in told[1]
        assert "not run" in told[2]  # nobody is there to ask, and it destroys
        assert [seen.method for seen in server.requests] == ["GET"]
        with scripted([delete, "Done."]), override(approve="never"):
            clerk("Delete Rex.")
        assert server.requests[-1].method == "DELETE"


def test_what_is_generated_is_typed(pets: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "use.py").write_text(
        "from pets_ai.pets import Pet, deletePet, listPets\n\n"
        "found: list[Pet] = listPets(limit=3)\n"
        "name: str = found[0].name\n"
        "deletePet(petId='7')\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "use.py", "pets_ai"],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


def test_the_spec_shows_where_it_goes(pets: ModuleType) -> None:
    spec = yaml.safe_load(Path("specs/pets.yaml").read_text(encoding="utf-8"))
    assert spec["description"] == (
        "Operations of Pets, from pets.json. Requests go to https://pets.example/v1, with"
        " PETS_API_KEY."
    )
