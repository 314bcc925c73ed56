"""Generated tools, sentence by sentence: callables, input models, schemas, names of any kind."""

from __future__ import annotations

import asyncio
import inspect
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from aigen.building import build
from aigen.project import Project
from aigen.runtime.dialects import DIALECTS
from aigen.runtime.errors import ConfigurationError, InterfaceInputError
from aigen.runtime.tools.catalogue import line
from pydantic import BaseModel, ValidationError
from runners import ran

APP = '''
from __future__ import annotations
from aigen.runtime import ToolContext

def plain(self: str, input: int, client: str = "c", json: bool = False) -> str:
    """Take odd names.

    Args:
        self: not an object
    """
    return f"{self} {input} {client} {json}"

def anything(**given: object) -> str:
    """Take all."""
    return ", ".join(f"{name}={value}" for name, value in sorted(given.items()))

async def waits(order: str) -> list[str]:
    """Wait for it."""
    return [order]

def user(order: str, db: object, ctx: ToolContext) -> str:
    """Look it up."""
    return f"{order} {db} {ctx.tool} {ctx.namespace} {ctx.context['user']}"

class Desk:
    def own(self, order: str) -> str:
        """Look it up here."""
        return f"own {order}"
'''

ODD = ("self", "input", "client", "json", "class", "return")
SPEC = f"""
tools:
  plain: {{python: own_app:plain, annotations: {{read_only: true, title: Plain}}}}
  odd:
    python: own_app:anything
    parameters:
{"".join(f"      {name}: {{type: int, description: the {name}}}{chr(10)}" for name in ODD)}
  declared:
    description: Made elsewhere.
    parameters: {{class: str, return: {{type: int, default: 1}}}}
    returns: {{type: str, description: words}}
  waits: {{python: own_app:waits}}
  user: {{python: own_app:user, inject: [db]}}
  own: {{python: own_app:Desk.own}}
  shaped:
    description: Takes a mapping.
    parameters:
      json_shape: {{type: object, properties: {{n: {{type: integer}}}}, required: [n]}}
"""


@pytest.fixture
def desk(module: Any) -> Any:
    return module(SPEC, APP)


def test_a_typed_callable(desk: Any) -> None:
    found = inspect.signature(desk.plain).parameters
    assert [*found] == ["self_", "input", "client", "json"]
    assert [each.default for each in found.values()][2:] == ["c", False]
    assert inspect.signature(desk.plain).return_annotation is str
    assert desk.plain("s", 1) == "s 1 c False"
    assert desk.plain(self_="s", input=1, client="d", json=True) == "s 1 d True"
    assert asyncio.run(desk.plain.aio("s", 2)) == "s 2 c False"
    assert (desk.waits("a"), asyncio.run(desk.waits.aio("b"))) == (["a"], ["b"])
    assert "not an object" in desk.plain.__call__.__doc__ or "not an object" in desk.plain.__doc__
    with pytest.raises(InterfaceInputError, match="the input input wants an integer"):
        desk.plain("s", "many")


def test_an_input_model(desk: Any) -> None:
    assert issubclass(desk.OddInput, BaseModel)
    assert desk.odd.input is desk.OddInput
    made = desk.OddInput.model_validate(dict.fromkeys(ODD, 1))
    assert made.model_dump() == dict.fromkeys(ODD, 1)
    assert made.model_json_schema()["properties"].keys() == {*ODD}
    with pytest.raises(ValidationError):
        desk.OddInput.model_validate({**dict.fromkeys(ODD, 1), "more": 1})
    with pytest.raises(ValidationError):
        desk.OddInput.model_validate({**dict.fromkeys(ODD, 1), "class": "one"})
    assert not hasattr(desk, "ShapedInput")  # its schema is the spec's own


def test_parameters_of_any_name(desk: Any) -> None:
    given = {name: at for at, name in enumerate(ODD)}
    wanted = "class=4, client=2, input=1, json=3, return=5, self=0"
    assert desk.odd(*given.values()) == wanted
    names = [*inspect.signature(desk.odd).parameters]
    assert names == ["self_", "input", "client", "json", "class_", "return_"]
    assert desk.odd(**dict(zip(names, given.values(), strict=True))) == wanted
    assert ran(desk.odd, name="odd", arguments=json.dumps(given)).text == wanted
    done = ran(desk.odd, name="odd", arguments=json.dumps({**given, "class_": 1}))
    assert done.is_error and "has no input class_" in done.text


@pytest.mark.parametrize("dialect", DIALECTS)
def test_schemas(desk: Any, dialect: str) -> None:
    body = desk.odd.schema(dialect)
    inner = body.get("function", body)
    keys = ("parameters", "input_schema", "parametersJsonSchema", "inputSchema")
    schema = next(inner[key] for key in keys if key in inner)
    assert [*schema["properties"]] == [*ODD]
    assert schema["properties"]["class"]["description"] == "the class"
    assert sorted(schema["required"]) == sorted(ODD)


def test_a_dialect_that_there_is_not(desk: Any) -> None:
    words = "no dialect 'xml'; there are openai-chat, openai-responses, anthropic, gemini, mcp"
    with pytest.raises(ConfigurationError, match=words):
        desk.odd.schema("xml")


def test_the_implementation_is_imported_at_the_first_call(desk: Any) -> None:
    assert desk.plain.schema() and repr(desk.plain) and desk.plain.input
    assert "own_app" not in sys.modules
    desk.plain("s", 1)
    assert "own_app" in sys.modules


def test_what_is_shown_of_a_tool(desk: Any) -> None:
    assert repr(desk.user).split("\n") == [
        "<tool user>",
        "  description: Look it up.",
        "  parameters: <dict of 4>",
        "  python: own_app:user",
        "  exposure: direct",
        "  execution: sequential",
        "  record: True",
        "  inject: <list of 1>",
        "  annotations: <dict of 0>",
        "  format: 1",
    ]


KEPT = """
tools:
  plain:
    python: own_app:plain
    service: Desk service
    metadata: {team: desk}
    fixup: own_app:anything
    signature: plain(whatever)
    snippet: takes odd names
    guidelines: [Never guess.]
    output_tokens: 100
    timeout: 3
"""


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
def test_what_is_kept_with_a_tool_is_not_sent(module: Any, dialect: str) -> None:
    plain = module(KEPT, APP).plain
    sent = json.dumps(plain.schema(dialect))
    for word in ("Desk service", "anything", "whatever", "takes odd", "Never guess", "timeout"):
        assert word not in sent
    assert ('"_meta": {"team": "desk"}' in sent) is (dialect == "mcp")
    assert ("team" in sent) is (dialect == "mcp")
    assert line(plain.definition).startswith("plain(whatever)")
    told = str(plain).split("\n")
    assert {"  service: Desk service", "  metadata: <dict of 1>", "  timeout: 3"} <= {*told}


def test_implementing(desk: Any) -> None:
    with pytest.raises(ConfigurationError, match="declared only"):
        desk.declared("a")

    @desk.declared.implement
    def declared(**given: Any) -> str:
        return f"{given['class']} {given['return']}"

    assert declared(**{"class": "x", "return": 0}) == "x 0"  # it is still its own function
    assert (desk.declared("a"), desk.declared("a", return_=2)) == ("a 1", "a 2")
    with pytest.raises(ConfigurationError, match=r"own\.implement\(obj\.own\)"):
        desk.own("1")
    import own_app

    desk.own.implement(own_app.Desk().own)
    assert desk.own("1") == "own 1"
    desk.shaped.implement(lambda n: n + 1)
    assert desk.shaped({"n": 1}) == 2


def test_annotations(desk: Any) -> None:
    assert desk.plain.annotations == {"read_only": True, "title": "Plain"}
    assert desk.odd.annotations == {}
    assert desk.plain.schema("mcp")["annotations"] == {"readOnlyHint": True, "title": "Plain"}


def test_what_the_caller_gives(desk: Any) -> None:
    from aigen.runtime import settings

    assert [*inspect.signature(desk.user).parameters] == ["order"]
    assert [*desk.UserInput.model_fields] == ["order"]
    assert [*desk.user.schema()["inputSchema"]["properties"]] == ["order"]
    with settings(context={"db": "DB", "user": "ada"}):
        assert desk.user("1") == "1 DB user desk ada"
    done = ran(
        desk.user, name="user", arguments='{"order": "1"}', context={"db": "DB", "user": "ada"}
    )
    assert done.text == "1 DB user desk ada"
    done = ran(
        desk.user,
        name="user",
        arguments='{"order": "1", "db": "mine"}',
        context={"db": "DB", "user": "ada"},
    )
    assert done.is_error and "has no input db" in done.text


def test_files_of_dialects(tmp_path: Path) -> None:
    (tmp_path / "specs" / "shop").mkdir(parents=True)
    spec = "aigen: 1\ntools:\n  send: {description: Send., parameters: {text: str}}\n"
    spec += "  hide: {description: Hide., exposure: hidden}\n"
    (tmp_path / "specs" / "shop" / "mail.yaml").write_text(spec)
    dialects = ", ".join(f'"{name}"' for name in DIALECTS)
    (tmp_path / "aigen.toml").write_text(
        f'specs = ["specs"]\nout = "ai"\ndialects = [{dialects}]\n'
    )
    project = Project.load(tmp_path, named=[])
    build(project)
    assert not project.diagnostics.failed
    folder = tmp_path / "ai" / "schemas" / "shop"
    for name in DIALECTS:
        text = (folder / f"mail.tools.{name}.json").read_text()
        assert '"send"' in text and "hide" not in text
        assert text.endswith("\n") and json.loads(text)
    assert json.loads((folder / "mail.tools.openai-chat.json").read_text())[0]["type"] == "function"


def test_what_a_request_of_all_tools_cannot_say_is_found(tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    tools = "".join(
        f"  t{at}: {{description: Does it., strict: true, parameters: {{a: int}}}}\n"
        for at in range(21)
    )
    (tmp_path / "specs" / "desk.yaml").write_text(f"aigen: 1\ntools:\n{tools}")
    (tmp_path / "aigen.toml").write_text(
        'specs = ["specs"]\nout = "ai"\ndialects = ["anthropic"]\n'
    )
    project = Project.load(tmp_path, named=[])
    build(project)
    [found] = project.diagnostics
    assert (found.code, found.message) == (
        "AIG601",
        "anthropic: t20 cannot be strict: with it the request has 21 strict tools, and strict takes"
        " 20",
    )


def test_type_checkers_know_them(desk: Any, tmp_path: Path) -> None:
    use = tmp_path / "use.py"
    use.write_text(
        "from own_tools import desk\n"
        "text: str = desk.plain('a', 1)\n"
        "text = desk.odd(1, 2, 3, 4, 5, return_=6)\n"
        "found: list[str] = desk.waits('a')\n"
        "async def later() -> list[str]:\n    return await desk.waits.aio('a')\n"
        "model: desk.OddInput = desk.OddInput.model_validate({})\n"
    )
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache")]
    done = subprocess.run([*command, str(use)], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    use.write_text("from own_tools import desk\nnumber: int = desk.plain('a', 'b')\n")
    done = subprocess.run([*command, str(use)], capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout.count("error:") == 2
