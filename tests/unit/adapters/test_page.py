"""The page on adapters shows what is sent: `pytest --update-golden` writes its examples anew."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from aigen.emit.schemas import pretty
from aigen.runtime import Image, Request
from aigen.runtime.own_providers import fault_in

PAGE = Path(__file__).parents[3] / "docs" / "adapters.md"
TEXT = PAGE.read_text(encoding="utf-8")
EXAMPLE = re.compile(r"<!-- (\w+) -->\n```text\n(.*?)```", re.DOTALL)
SPEC, PROMPT = re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)
LOOK = """\
aigen: 1
functions:
  look:
    formula: words ~ picture + question
    fields: {picture: image}
"""


def shown(request: Request) -> str:
    """A request as the page has it: its messages, then what the reply is held to."""
    parts = [f"[{message['role']}]\n{_content(message)}" for message in request.messages]
    for key in ("response_format", "tools", "tool_choice"):
        if key in request.body:
            parts.append(f"{key}: {pretty(request.body[key])}")
    return "\n\n".join(parts) + "\n"


def _content(message: dict[str, Any]) -> str:
    content = message.get("content")
    if content is None:
        return str(pretty(message["tool_calls"]))
    return content if isinstance(content, str) else pretty(content)


def example(name: str, compiled: Any) -> str:
    if name == "media":
        function = compiled(LOOK)["look"].with_options(adapter="json", model="gpt-4.1")
        picture = Image("https://example.com/kettle.png")
        return shown(function.request(picture=picture, question="Is it on?"))
    spec = SPEC + PROMPT if name == "prompt" else SPEC
    function = compiled(spec)["triage"].with_options(adapter=name, model="gpt-4.1")
    return shown(function.request(message="It sparks.", attempts=1))


def test_the_examples_are_what_is_sent(compiled: Any, pytestconfig: pytest.Config) -> None:
    if pytestconfig.getoption("--update-golden"):
        text = EXAMPLE.sub(
            lambda found: f"<!-- {found[1]} -->\n```text\n{example(found[1], compiled)}```", TEXT
        )
        PAGE.write_text(text, encoding="utf-8")
        return
    examples = dict(EXAMPLE.findall(TEXT))
    assert set(examples) == {"json", "tool", "prompted", "xml", "chat", "prompt", "media"}
    for name, text in examples.items():
        assert text == example(name, compiled), name


def test_the_configuration_is_one() -> None:
    (text,) = re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL)
    assert fault_in(tomllib.loads(text)["tool"]["aigen"]["providers"]) is None
