"""Templates of a project's own: what they override, and what is said of those that are wrong."""

from __future__ import annotations

import importlib
import pickle
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from aigen.emit.overrides import TemplateFault

SPEC = """\
aigen: 1
description: Of the desk.
functions:
  triage:
    formula: urgent ~ message
    description: "Read it.\\n\\nimport os\\n\\nos.abort()"
    fields: {urgent: bool}
"""
HEADER = """\
{% extends "aigen/module.py.jinja" %}
{% block header %}
# Copyright of the shop.
{% endblock %}
"""


@pytest.fixture
def write(here: Path) -> Callable[[str, str], None]:
    """Writes a template of a project that has one function."""
    (here / "specs").mkdir()
    (here / "mine").mkdir()
    (here / "aigen.toml").write_text('out = "ai"\ntemplates = "mine"\n')
    (here / "specs" / "desk.yaml").write_text(SPEC)

    def one(name: str, text: str) -> None:
        (here / "mine" / name).write_text(text)

    return one


def override(name: str, block: str, text: str) -> str:
    return f'{{% extends "aigen/{name}" %}}\n{{% block {block} %}}\n{text}\n{{% endblock %}}\n'


def test_a_block_is_overridden(
    aigen: Any, here: Path, write: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("module.py.jinja", HEADER)
    write(
        "_function.jinja",
        override("_function.jinja", "extra", "\n    def shout(self) -> str:\n        return 'HEY'"),
    )
    assert aigen("build", "--verify").code == 0
    text = (here / "ai" / "desk.py").read_text()
    assert text.splitlines()[1:3] == ["# Copyright of the shop.", "# fmt: off"]
    monkeypatch.syspath_prepend(str(here))
    assert importlib.import_module("ai.desk").triage.shout() == "HEY"
    for name in ("ai.desk", "ai"):
        del sys.modules[name]


def test_a_changed_template_makes_the_build_stale(aigen: Any, here: Path, write: Any) -> None:
    write("module.py.jinja", HEADER)
    assert aigen("build").code == 0
    before = (here / "ai" / "desk.py").stat().st_mtime_ns
    assert aigen("build").code == 0
    assert (here / "ai" / "desk.py").stat().st_mtime_ns == before
    write("module.py.jinja", HEADER.replace("shop", "firm"))
    stale = aigen("build", "--check")
    assert stale.code == 1 and "+# Copyright of the firm." in stale.out
    assert "a template" in aigen("build", "-v").err
    assert aigen("build", "--check").code == 0
    (here / "mine" / "module.py.jinja").unlink()
    assert aigen("build", "--check").code == 1


WRONG = {
    "syntax": ("module.py.jinja", HEADER + "{% if %}\n", "module.py.jinja:5", "Expected an expr"),
    "filter": (
        "module.py.jinja",
        HEADER.replace("the shop", "{{ 1 | shop }}"),
        "module.py.jinja:3",
        "No filter named 'shop'",
    ),
    "no extends": (
        "module.py.jinja",
        "# mine\n{{ module.doc }}\n",
        "module.py.jinja:1",
        'begin with {% extends "aigen/module.py.jinja" %}',
    ),
    "text before extends": (
        "module.py.jinja",
        "import os\n" + HEADER,
        "module.py.jinja:1",
        "does not extend",
    ),
    "extends another": (
        "_tool.jinja",
        '{% extends "aigen/_function.jinja" %}\n',
        "_tool.jinja:1",
        "does not extend aigen's _tool.jinja",
    ),
    "empty": ("module.py.jinja", "", "module.py.jinja:1", "does not extend"),
    "block": (
        "_function.jinja",
        override("_function.jinja", "decorator", "@x"),
        "_function.jinja:2",
        'did you mean "decorators"?',
    ),
    "name": (
        "_functions.jinja",
        "@x",
        "_functions.jinja:1",
        'did you mean "_function.jinja"?',
    ),
    "undefined": (
        "module.py.jinja",
        override("module.py.jinja", "header", "# {{ modul.doc }}"),
        "module.py.jinja:3",
        "'modul' is undefined",
    ),
    "attribute": (
        "_function.jinja",
        override("_function.jinja", "extra", "\n    # {{ function.nme }}"),
        "_function.jinja:4",
        "no attribute 'nme'",
    ),
    "sandbox": (
        "_function.jinja",
        override("_function.jinja", "extra", "{{ function.__class__.__mro__ }}"),
        "_function.jinja:3",
        "unsafe",
    ),
    "sandbox by a filter": (
        "module.py.jinja",
        override("module.py.jinja", "header", "{{ module | attr('__class__') }}"),
        "module.py.jinja:3",
        "unsafe",
    ),
    "error": (
        "module.py.jinja",
        override("module.py.jinja", "header", "#\n# {{ 1 // 0 }}"),
        "module.py.jinja:4",
        "ZeroDivisionError",
    ),
    "outside": (
        "module.py.jinja",
        override("module.py.jinja", "header", '{% include "../aigen.toml" %}'),
        "module.py.jinja:3",
        "TemplateNotFound",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_template_is_an_error_at_its_line(
    case: str, aigen: Any, here: Path, write: Any
) -> None:
    name, text, place, message = WRONG[case]
    write(name, text)
    for command in (["build"], ["check"]):
        ran = aigen(*command)
        said = ran.out + ran.err
        assert ran.code == 1
        assert f"mine/{place}:1: error[AIG712]: " in said and message in said
        assert "Traceback" not in said
    assert not (here / "ai").exists()


def test_a_template_that_includes_itself(aigen: Any, write: Any) -> None:
    write(
        "module.py.jinja", override("module.py.jinja", "header", '{% include "module.py.jinja" %}')
    )
    ran = aigen("build")  # where Python gives up is one of its lines
    assert ran.code == 1
    assert re.match(r"mine/module.py.jinja:[13]:1: error\[AIG712\]: RecursionError: ", ran.err)


def test_files_that_are_no_text_and_no_files(aigen: Any, here: Path, write: Any) -> None:
    (here / "mine" / "module.py.jinja").write_bytes(b"\xff\n")
    assert "mine/module.py.jinja:1:1: error[AIG712]: it is not UTF-8" in aigen("build").err
    (here / "mine" / "module.py.jinja").unlink()
    (here / "mine" / "notes.txt").write_text("no template {% if")
    assert aigen("build").code == 0


MADE = {
    "no Python": ("module.py.jinja", "header", "import", "no Python"),
    "no statement": ("module.py.jinja", "header", "return 1", "no Python"),
    "a NUL": ("module.py.jinja", "header", "# \\0".replace("\\0", "\0"), "no Python"),
    "indentation": ("_function.jinja", "call", "@x\n{{ super() }}", "indent"),
    "words in a comment": ("_function.jinja", "aliases", "# {{ function.words }}", "no Python"),
    "words without quotes": (
        "_function.jinja",
        "aliases",
        "{{ function.words[4:-4] }}",
        "no Python",
    ),
    "words by a filter": (
        "_function.jinja",
        "aliases",
        "{{ function.words | replace('\"', '') | replace('Read it.', '') }}",
        "words of a spec become code",
    ),
    "words that decide": (
        "_function.jinja",
        "aliases",
        "{% if 'abort' in function.words %}\nimport os\n{% endif %}",
        "words of a spec become code",
    ),
    "another encoding": (
        "module.py.jinja",
        "header",
        "# {{ module.doc | replace('Of the desk', 'coding: utf-7 ') }}",
        "says that it is utf-7",
    ),
    "an unknown encoding": ("module.py.jinja", "header", "# coding: shop", "no Python"),
    "twice": ("module.py.jinja", "imports", "{{ super() }}\nfrom x import triage", "twice"),
    "lacking": ("_function.jinja", "instance", "", 'lacks "triage"'),
}


@pytest.mark.parametrize("case", MADE)
def test_what_templates_make_is_judged(case: str, aigen: Any, here: Path, write: Any) -> None:
    name, block, text, message = MADE[case]
    write("package.py.jinja", override("package.py.jinja", "header", "# Fine."))
    if name == "_function.jinja":
        write("module.py.jinja", HEADER)
    write(name, override(name, block, text))
    ran = aigen("build")
    assert ran.code == 1 and f"mine/{name}:2:1: error[AIG713]: " in ran.err, ran.err
    assert message in ran.err
    assert not (here / "ai").exists()


def test_words_stand_where_a_literal_may(aigen: Any, here: Path, write: Any) -> None:
    text = "\n    said = {{ function.words | indent }}"
    write("_function.jinja", override("_function.jinja", "extra", text))
    assert aigen("build").code == 0
    assert re.search(r'said = """Read it\.\n', (here / "ai" / "desk.py").read_text())


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ('"nowhere"', 'aigen.toml:2:1: error[AIG707]: templates: there is no folder "nowhere"'),
        ("1", "aigen.toml:2:1: error[AIG707]: templates is a folder's path"),
        ('""', "aigen.toml:2:1: error[AIG707]: templates is a folder's path"),
    ],
)
def test_the_key(value: str, message: str, aigen: Any, here: Path, write: Any) -> None:
    (here / "aigen.toml").write_text(f'out = "ai"\ntemplates = {value}\n')
    ran = aigen("build")
    assert ran.code == 1 and message in ran.err


def test_a_fault_comes_back_from_a_child_that_renders() -> None:
    fault = TemplateFault("a.jinja", 3, "no", "yes", "AIG713")
    again = pickle.loads(pickle.dumps(fault))
    assert vars(again) == vars(fault)
