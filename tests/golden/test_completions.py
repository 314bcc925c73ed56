"""What editors offer of each kind of generated module: by jedi, and by pyright's server."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import jedi
import pytest
from language_server import LanguageServer

HERE = Path(__file__).parent
CASES = ("support", "types", "names", "package", "python_spec")
HEAD = """\
import case_package
from case_names import names
from case_package import base, shop
from case_package.shop import refunds
from case_python_spec import support as stubs
from case_support import support
from case_types import types

everything = types.Everything()
node = types.Node()
order = base.Order()
"""
OFFERED = {
    "from case_support import ": {"support"},
    "case_package.": {"base", "shop"},
    "support.": {"triage", "Triage", "TriagePartial", "mood", "Tone", "Order"},
    "support.triage.": {"aio", "stream", "astream", "map", "amap", "request", "parse", "apply"},
    'support.triage("x").': {"summary", "urgent"},
    'support.triage.with_options(model="m")("x").': {"summary", "urgent"},
    'support.triage.parse("x").': {"summary", "urgent"},
    'support.triage.stream("x").result().': {"summary", "urgent"},
    'support.triage.map(["x"])[0].': {"summary", "urgent"},
    '[partial for partial in support.triage.stream("x")][0].': {"summary", "urgent"},
    'support.reply("x", None).': {"upper", "startswith"},
    "types.Unit.": {"c", "f"},
    "types.Priority.": {"field_1"},
    "everything.": {"amount", "absent_", "pet", "unit"},
    "everything.pet.": {"kind", "lives"},
    "node.": {"value", "kids"},
    'names.list(self_name="x").': {"class_", "copy_", "field_id", "date_"},
    'shop.find("x").': {"id", "total"},
    "refunds.refund(order).": {"amount", "reason"},
    "shop.lookup_order.": {"aio", "schema", "implement", "annotations"},
    'shop.lookup_order("x").': {"id", "total"},
    "stubs.": {"mood", "reply", "lookup_order", "LookupOrderInput"},
    'stubs.lookup_order("x").': {"items", "keys"},
}
ASKED = {
    "support.triage(": ["message"],
    "support.reply.aio(": ["message", "order", "tone"],
    "support.sort.map(": ["message", "*", "topics"],
    "names.list(": ["class_", "*", "self_name"],
    "shop.lookup_order(": ["order_id", "limit"],
    "shop.LookupOrderInput(": ["*", "order_id", "limit"],
    "refunds.refund.stream(": ["order"],
    "stubs.reply(": ["message", "tone"],
}
SAID = {
    "support.triage": "Read the support ticket.",
    "support.mood": "How does the customer feel",
    "types.Everything": "The members of",
    "shop.lookup_order": "Look",
    "stubs.reply": "Answer",
}
LINES = [*SAID, *OFFERED, *ASKED]
TEXT = HEAD + "\n".join(LINES) + "\n"


def place(code: str) -> tuple[int, int]:
    """Where the code ends in the file: its line, from nought, and its column."""
    return HEAD.count("\n") + LINES.index(code), len(code)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The expected outputs side by side."""
    made = tmp_path_factory.mktemp("completions")
    for case in CASES:
        shutil.copytree(HERE / case / "expected", made / f"case_{case}")
    paths = [str(HERE.parents[1] / "generator")]
    (made / "pyrightconfig.json").write_text(json.dumps({"extraPaths": paths}), encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def script(folder: Path) -> jedi.Script:
    return jedi.Script(TEXT, project=jedi.Project(str(folder)))


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[LanguageServer]:
    opened = LanguageServer(folder, TEXT)
    yield opened
    opened.close()


@pytest.mark.parametrize("code", OFFERED)
def test_jedi_offers(script: jedi.Script, code: str) -> None:
    line, column = place(code)
    assert {found.name for found in script.complete(line + 1, column)} >= OFFERED[code]


@pytest.mark.parametrize("code", ASKED)
def test_jedi_shows_parameters(script: jedi.Script, code: str) -> None:
    line, column = place(code)
    (signature,) = script.get_signatures(line + 1, column)
    assert [each.name for each in signature.params] == [n for n in ASKED[code] if n != "*"]


@pytest.mark.parametrize("code", SAID)
def test_jedi_says(script: jedi.Script, code: str) -> None:
    line, column = place(code)
    assert any(SAID[code] in found.docstring() for found in script.help(line + 1, column))


@pytest.mark.parametrize("code", OFFERED)
def test_pyright_offers(server: LanguageServer, code: str) -> None:
    assert server.completions(*place(code)) >= OFFERED[code]


@pytest.mark.parametrize("code", ASKED)
def test_pyright_shows_parameters(server: LanguageServer, code: str) -> None:
    assert server.parameters(*place(code)) == ASKED[code]


@pytest.mark.parametrize("code", SAID)
def test_pyright_says(server: LanguageServer, code: str) -> None:
    line, column = place(code)
    assert SAID[code] in server.hover(line, column - 1)
