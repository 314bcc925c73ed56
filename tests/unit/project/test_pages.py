"""The page on configuration names every key, setting and provider; its snippet runs."""

from __future__ import annotations

import dataclasses
import os
import re
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from aigen.configuration import Configuration
from aigen.runtime.errors import ConfigurationError
from aigen.runtime.layers import checked
from aigen.runtime.setting_kinds import KINDS
from aigen.runtime.wire.catalogue import PROVIDERS
from aigen.spec import spec_schema
from aigen.spec.setting_words import SETTING_WORDS

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")


def test_every_key_is_there() -> None:
    names = {field.name for field in dataclasses.fields(Configuration)} - {"root"}
    for name in (*names, "providers", "mcp_servers"):
        assert f"| `{name}` |" in PAGE


def test_every_setting_is_there() -> None:
    assert list(SETTING_WORDS) == list(KINDS)
    for name, words in SETTING_WORDS.items():
        assert f"| `{name}` |" in PAGE
        assert words.doc.rstrip(".") in PAGE


def test_every_provider_is_there() -> None:
    assert all(f"`{name}`" in PAGE for name in PROVIDERS)


def test_the_snippet_runs() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "samples")}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)


GOOD = {
    "model": ["gpt", "local"],
    "stop": ["x", ["x", "y"]],
    "timeout": [1, 0.5],
    "approve": ["changes", ["refund"]],
    "log_content": [False, ["a"], {"*": False}],
    "base_url": ["https://models.test/v1"],
}
BAD = {
    "model": ["", 5],
    "stop": [5],
    "timeout": [0, -1, "soon", True],
    "retries": [-1, 1.5],
    "base_url": ["localhost"],
    "adapter": ["pigeon"],
    "metadata": [{"a": 1}],
    "log_content": [5],
}


@pytest.mark.parametrize("name", sorted({*GOOD, *BAD}))
def test_an_editor_judges_as_the_runtime_does(name: str) -> None:
    validator = jsonschema.Draft7Validator(spec_schema())
    for value in GOOD.get(name, []):
        assert checked({name: value}, "here")
        assert validator.is_valid({"aigen": 1, "settings": {name: value}})
    for value in BAD.get(name, []):
        with pytest.raises(ConfigurationError, match=name):
            checked({name: value}, "here")
        assert not validator.is_valid({"aigen": 1, "settings": {name: value}})
