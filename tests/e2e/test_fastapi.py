"""Generated functions as FastAPI's dependencies and endpoints."""

from __future__ import annotations

import functools
from types import ModuleType
from typing import Annotated, Any

import pytest
from aigen.runtime import override
from aigen.runtime.testing import scripted
from desk_spec import ORDER
from fastapi import Depends, FastAPI
from fastapi.testclient import TestClient


def operation(app: FastAPI, path: str) -> dict[str, Any]:
    """What OpenAPI says of the POST on a path."""
    return app.openapi()["paths"][path]["post"]


def body_of(operation: dict[str, Any]) -> dict[str, Any]:
    return operation["responses"]["200"]["content"]["application/json"]["schema"]


def test_a_dependency_takes_its_inputs_from_the_request(support: ModuleType) -> None:
    app = FastAPI()

    def page(review: str, mood: str) -> dict[str, str]:
        return {"review": review, "mood": mood}

    page.__annotations__ = {"review": str, "mood": Annotated[str, Depends(support.mood)]}
    app.post("/reviews")(page)
    (parameter,) = operation(app, "/reviews")["parameters"]
    assert (parameter["name"], parameter["required"]) == ("review", True)
    with scripted(["unhappy"]) as model:
        found = TestClient(app).post("/reviews", params={"review": "It broke."})
    assert found.json() == {"review": "It broke.", "mood": "unhappy"}
    assert "It broke." in model.requests[0].messages[-1]["content"]
    with scripted([]) as model:
        assert TestClient(app).post("/reviews").status_code == 422
    assert model.requests == []


def test_an_endpoint_shows_its_parameters_words_and_answer(support: ModuleType) -> None:
    app = FastAPI()
    app.post("/triage")(support.triage)
    app.post("/refund")(support.refund)
    shown = operation(app, "/triage")
    assert shown["summary"] == "Triage"
    assert shown["description"].startswith("Read the support ticket.")
    assert body_of(shown) == {"$ref": "#/components/schemas/Triage"}
    model = app.openapi()["components"]["schemas"]["Triage"]
    assert model["required"] == ["summary", "urgent"]
    assert model["properties"]["summary"]["description"] == "one sentence, no names"
    taken = {
        field["name"]: field["schema"]["type"] for field in operation(app, "/refund")["parameters"]
    }
    assert taken == {"message": "string", "price": "number", "final_sale": "boolean"}
    assert body_of(operation(app, "/refund"))["enum"] == ["refund", "exchange", "decline"]


# FastAPI silences this where it makes a field, but a model with `defer_build` is built later.
@pytest.mark.filterwarnings(
    "ignore:The 'alias' attribute with value 'order'"
    ":pydantic.warnings.UnsupportedFieldAttributeWarning"
)
@pytest.mark.parametrize("form", ["call", "aio", "partial", "with_options"])
def test_every_form_of_a_function_is_an_endpoint(desk: ModuleType, form: str) -> None:
    forms = {
        "call": desk.answer,
        "aio": desk.answer.aio,
        "partial": functools.partial(desk.answer, tone="brief"),
        "with_options": desk.answer.with_options(retries=0),
    }
    app = FastAPI()
    app.post("/answers")(forms[form])
    shown = operation(app, "/answers")
    assert body_of(shown) == {"$ref": "#/components/schemas/Answer"}
    (tone,) = shown["parameters"]
    assert (tone["name"], tone["required"]) == ("tone", False)
    assert tone["schema"]["enum"] == ["kind", "brief"]
    sent = shown["requestBody"]["content"]["application/json"]["schema"]
    assert sent == {"$ref": "#/components/schemas/Order"}
    line = app.openapi()["components"]["schemas"]["Line"]["properties"]["quantity"]
    assert (line["type"], line["minimum"]) == ("integer", 1)
    client = TestClient(app)
    answer = {"text": "It is on its way.", "copy": ORDER}
    with scripted([answer]) as model:
        found = client.post("/answers", json=ORDER, params={"tone": "brief"})
    assert (found.status_code, found.json()) == (200, answer)
    said = model.requests[0].messages[-1]["content"]
    assert "A-1001" in said and "brief" in said
    with override(model="sample"):
        wrong = client.post("/answers", json={**ORDER, "id": "1001"})
    assert (wrong.status_code, wrong.json()["detail"][0]["loc"]) == (422, ["body", "id"])


def test_a_tool_is_an_endpoint(desk: ModuleType) -> None:
    app = FastAPI()
    app.post("/orders")(desk.import_)
    assert body_of(operation(app, "/orders"))["type"] == "integer"
    found = TestClient(app).post("/orders", params={"id": "A-7", "late": "true"})
    assert found.json() == 4
