"""Which answers of servers say that they do not take a way."""

from __future__ import annotations

import pytest
from aigen.runtime.errors import ProviderError
from aigen.runtime.wire import learned

REFUSED = [
    ("strict", 400, "Invalid parameter: 'response_format' of type 'json_schema' is not supported"),
    ("strict", 400, "Unknown parameter: 'response_format.json_schema.strict'."),
    ("strict", 400, "response_format value as json_schema is enabled only for api versions 2024"),
    ("strict", 400, "Invalid schema for response_format 'f': 'oneOf' is not permitted"),
    ("schema", 400, "This model does not support response format `json_schema`."),
    ("schema", 400, "This response_format type is unavailable now"),
    ("schema", 422, "body.response_format: Extra inputs are not permitted"),
    ("schema", 501, "structured outputs are not implemented"),
    ("tool", 400, "registry/m does not support tools"),
    ("tool", 404, "No endpoints found that support tool use."),
    ("tool", 400, "Unsupported parameter: 'tool_choice' is not supported with this model."),
    ("tool", 400, "tool_choice 'specified' is incompatible with thinking enabled"),
    ("tool", 400, '"auto" tool choice requires a parser to be set'),
    ("tool_strict", 400, "tools[0].function.strict: unknown field"),
    ("json_object", 400, "'response_format.type' must be 'json_schema' or 'text'"),
]
OTHER = [
    ("strict", 400, "The message is too long."),
    ("strict", 401, "response_format is not supported"),
    ("strict", 429, "response_format is not supported"),
    ("strict", 404, "The model does not exist"),
    ("strict", 400, "Unsupported parameter: 'temperature' is not supported with this model."),
    ("tool", 400, "response_format is not supported"),
    ("json_object", 400, "m does not support tools"),
    ("prompted", 400, "response_format and tools are not supported"),
    ("xml", 400, "response_format and tools are not supported"),
    ("schema", None, "response_format is not supported"),
]


@pytest.mark.parametrize(("way", "status", "words"), REFUSED)
def test_a_way_is_refused(way: str, status: int, words: str) -> None:
    assert learned.refuses_way(ProviderError(words, status=status), way)


@pytest.mark.parametrize(("way", "status", "words"), OTHER)
def test_another_problem_is_none_of_the_way(way: str, status: int | None, words: str) -> None:
    assert not learned.refuses_way(ProviderError(words, status=status), way)


def test_what_is_about_one_schema() -> None:
    for words in ("Invalid schema for response_format", "Invalid JSON schema: too deep"):
        assert learned.is_about_one_schema(ProviderError(words))
    assert not learned.is_about_one_schema(ProviderError("response_format is not supported"))


def test_it_is_kept_under_its_key_until_it_is_forgotten() -> None:
    learned.forget()
    learned.remember(["strict"], ("url", "m"))
    assert learned.refused("strict", ("url", "m"))
    assert learned.refused("strict", "other", ("url", "m"))
    assert not learned.refused("schema", ("url", "m"))
    assert not learned.refused("strict", ("url", "n"))
    learned.forget()
    assert not learned.refused("strict", ("url", "m"))
