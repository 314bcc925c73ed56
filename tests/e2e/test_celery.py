"""Generated functions as celery's tasks."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from types import ModuleType

import pytest
from aigen.runtime import override
from aigen.runtime.errors import InterfaceInputError
from aigen.runtime.testing import scripted
from celery import Celery
from celery.contrib.testing.worker import start_worker
from desk_spec import ORDER

OWN = {"shared": False}
"""For `app.task`: a task of this application, and not of each that comes after it."""
GOOD = {"summary": "A kettle sparks.", "urgent": True}


@pytest.fixture
def app() -> Celery:
    """An application that keeps messages and results in memory, pickled."""
    found = Celery("shop", broker="memory://", backend="cache+memory://", set_as_current=False)
    found.conf.update(
        task_serializer="pickle",
        result_serializer="pickle",
        accept_content=["pickle", "json"],
        task_always_eager=True,
        task_eager_propagates=True,
        task_store_eager_result=True,
        broker_transport_options={"polling_interval": 0.05},
    )
    return found


def test_a_task_is_named_as_its_function(app: Celery, support: ModuleType) -> None:
    task = app.task(support.triage, **OWN)
    assert task.name == "shop_ai.support.triage"
    assert task.__doc__ == support.triage.__doc__
    assert app.tasks["shop_ai.support.triage"].run is support.triage
    assert app.task(support.mood.with_options(retries=0), **OWN).name == "shop_ai.support.mood"


def test_it_takes_what_its_function_takes(app: Celery, support: ModuleType) -> None:
    task = app.task(support.triage, **OWN)
    ticket = support.Triage(**GOOD)
    with scripted(lambda request: GOOD):
        assert task("It sparks.") == ticket
        assert task.delay("It sparks.").get() == ticket
        assert task.delay(message="It sparks.").get() == ticket
        assert task.s("It sparks.").apply_async().get() == ticket
    for wrong in ((), ("a", "b")):
        with scripted([]) as model, pytest.raises(TypeError, match="argument"):
            task.delay(*wrong)
        assert model.requests == []


def test_what_may_be_left_out_may_be(app: Celery, desk: ModuleType) -> None:
    task = app.task(desk.answer, **OWN)
    with scripted(lambda request: {"text": "Soon.", "copy": ORDER}) as model:
        for inputs in ((ORDER,), (ORDER, "brief")):
            assert task.delay(*inputs).get().text == "Soon."
    tones = [request.messages[-1]["content"] for request in model.requests]
    assert "brief" not in tones[0] and "brief" in tones[1]


def test_its_result_is_kept_pickled(app: Celery, support: ModuleType) -> None:
    with scripted([GOOD]):
        id = app.task(support.triage, **OWN).delay("It sparks.").id
    assert b"Triage" in bytes(app.backend.get(app.backend.get_key_for_task(id)))
    assert app.AsyncResult(id).get(timeout=300) == support.Triage(**GOOD)


def test_its_error_is_the_callers(app: Celery, support: ModuleType) -> None:
    with override(model="sample"), pytest.raises(InterfaceInputError, match="message"):
        app.task(support.triage, **OWN).delay(None)


def test_models_travel_as_json(app: Celery, desk: ModuleType) -> None:
    app.conf.update(task_serializer="json", result_serializer="json")
    task = app.task(pydantic=True, **OWN)(desk.answer)
    answer = {"text": "Soon.", "copy": ORDER}
    with scripted([answer]):
        assert task.delay(order=ORDER).get() == answer


@pytest.fixture
def own_logging() -> Iterator[None]:
    """A worker sets the root logger's level and handlers, which would stay for other tests."""
    root = logging.getLogger()
    level, handlers = root.level, [*root.handlers]
    yield
    root.setLevel(level)
    root.handlers[:] = handlers


@pytest.mark.usefixtures("own_logging")
def test_a_worker_runs_it(app: Celery, support: ModuleType) -> None:
    app.conf.task_always_eager = False
    task = app.task(support.triage.with_options(model="sample"), **OWN)
    with start_worker(app, pool="solo", perform_ping_check=False, shutdown_timeout=300):
        assert isinstance(task.delay("It sparks.").get(timeout=300), support.Triage)
