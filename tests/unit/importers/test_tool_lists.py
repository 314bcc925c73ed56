"""Tool lists as specs: names, fields, words, and what strangers may not say."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from aigen.cli import run

Import = Callable[..., Any]


def tool(name: str, properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "additionalProperties": False, **more}
    return {"name": name, "inputSchema": schema}


def parameters(imported: Import, properties: dict[str, Any], **more: Any) -> Any:
    spec = imported("mcp", [tool("look", properties, **more)]).spec
    return spec["tools"]["look"]["parameters"]


@pytest.mark.parametrize(
    ("schema", "field"),
    [
        ({"type": "string"}, {"type": "str"}),
        ({"type": "string", "description": "words"}, {"type": "str", "description": "words"}),
        ({"type": "string", "title": "A"}, {"type": "str"}),
        ({"type": "string", "title": "Name", "description": "words"},
         {"type": "str", "description": "words"}),
        ({"type": "string", "deprecated": True}, {"type": "str", "deprecated": True}),
        ({"type": "string", "deprecated": "no"}, {"type": "str"}),
        ({"type": "string", "title": "Name"}, {"type": "str", "description": "Name"}),
        ({"type": "string", "format": "date"}, {"type": "date"}),
        ({"type": "string", "pattern": "^a", "minLength": 2},
         {"type": "str", "pattern": "^a", "min_length": 2}),
        ({"type": "integer", "minimum": 1, "exclusiveMaximum": 9},
         {"type": "int", "ge": 1, "lt": 9}),
        ({"type": "number", "multipleOf": 0.5}, {"type": "float", "multiple_of": 0.5}),
        ({"type": ["boolean", "null"]}, {"type": "bool", "optional": True}),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, {"type": "int", "optional": True}),
        ({"type": ["string", "number"]}, {"type": "str | float"}),
        ({"type": ["string", "string"], "minLength": 1}, {"type": "str", "min_length": 1}),
        ({"type": ["integer", "null", "number", "integer", "string"]},
         {"type": "float | str", "optional": True}),
        ({"type": "string", "enum": ["no", "on"]}, {"choice": ["no", "on"]}),
        ({"enum": [1, 2, None]}, {"choice": [1, 2], "optional": True}),
        ({"const": "one"}, {"choice": ["one"]}),
        ({"type": "array", "items": {"type": "string"}, "maxItems": 3},
         {"type": "list[str]", "max_length": 3}),
        ({"type": "array", "items": {"type": "string", "minLength": 1}},
         {"list": {"type": "str", "min_length": 1}}),
        ({"type": "array"}, {"type": "list[json]"}),
        ({"type": "array", "items": {"type": "integer"}, "uniqueItems": True},
         {"type": "set[int]"}),
        ({"type": "object"}, {"type": "dict[str, json]"}),
        ({"type": "object", "additionalProperties": {"type": "integer"}},
         {"type": "dict[str, int]"}),
        ({}, {"type": "json"}),
    ],
)  # fmt: skip
def test_what_fields_say_as_well(imported: Import, schema: Any, field: Any) -> None:
    assert parameters(imported, {"a": schema}, required=["a"]) == {"a": field}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "format": "hostname"},
        {"type": "integer", "minimum": 1, "exclusiveMinimum": 0},
        {"oneOf": [{"type": "integer"}, {"type": "number"}]},
        {"oneOf": [{}, {"type": "null"}]},
        {"type": ["string", "integer"], "minLength": 2},
        {"type": ["string", "array"]},
        {"type": "array", "uniqueItems": True, "items": {"type": "string", "minLength": 1}},
        {"type": "object", "required": ["b"]},
        {"type": "object", "additionalProperties": False},
        {"type": "object", "additionalProperties": {"type": "string", "minLength": 1}},
        {"type": "boolean", "minimum": 1},
        {"type": "string", "format": "date", "minLength": 3},
        {"enum": ["a", "b"], "const": "a"},
        {"type": "string", "enum": ["a", None]},
        {"enum": ["a", "a"]},
        {"type": "null", "enum": ["a", None]},
        {"type": "object", "properties": {"b": True}, "required": ["c"],
         "additionalProperties": False},
        {"enum": ["a", 1.5]},
        {"enum": [True]},
        {"type": ["string", "integer"], "enum": ["a", 1]},
        {"type": "array", "items": {"type": "string"}, "contains": {"const": "a"}},
        {"type": "object", "properties": {"b": {"type": "string"}}},
        {"type": "object", "properties": {"b": True}, "additionalProperties": False,
         "minProperties": 1},
        {"type": "object", "properties": {"$b": True}, "additionalProperties": False},
        {"not": {"type": "string"}},
        {"type": "object", "properties": {"b": True}, "required": ["c"]},
    ],
)  # fmt: skip
def test_what_fields_cannot_say_stays_a_json_schema(imported: Import, schema: Any) -> None:
    found = parameters(imported, {"a": {**schema, "description": "words"}}, required=["a"])
    assert found == {"a": {"json_shape": schema, "description": "words"}}


def test_what_may_be_absent_and_defaults(imported: Import) -> None:
    found = parameters(
        imported,
        {"a": {"type": "integer"}, "b": {"type": "integer", "default": 2},
         "c": {"type": "integer", "default": 3}},
        required=["c"],
    )  # fmt: skip
    assert found == {
        "a": {"type": "int", "required": False},
        "b": {"type": "int", "default": 2},
        "c": {"type": "int", "default": 3, "required": True},
    }


def test_an_open_object_is_taken_as_it_says_or_closed(imported: Import) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    tools = [{"name": "look", "inputSchema": schema}]
    made = imported("mcp", tools).spec["tools"]["look"]
    assert made["parameters"] == {"json_shape": schema}
    made = imported("mcp", tools, "--closed").spec["tools"]["look"]
    assert made["parameters"] == {"a": {"type": "str"}}
    opened = [{"name": "look", "inputSchema": {**schema, "additionalProperties": True}}]
    made = imported("mcp", opened, "--closed").spec["tools"]["look"]
    assert "json_shape" in made["parameters"]


def test_a_reference_to_the_whole_of_the_arguments(imported: Import) -> None:
    members = {"label": {"type": "string"}, "next": {"$ref": "#"}}
    spec = imported("mcp", [tool("make_node", members, required=["label"])]).spec
    fields = {"label": {"type": "str"}, "next": {"type": "MakeNode", "required": False}}
    assert spec["tools"]["make_node"]["parameters"] == fields
    assert spec["types"] == {"MakeNode": {"record": fields}}


def with_status(name: str, *levels: str, **more: Any) -> dict[str, Any]:
    """A tool that takes an order by a definition, which refers to another."""
    order = {
        "type": "object",
        "properties": {"status": {"$ref": "#/$defs/Status"}},
        "required": ["status"],
        "additionalProperties": False,
    }
    definitions = {"Order": order, "Status": {"enum": [*levels], **more}}
    return tool(name, {"order": {"$ref": "#/$defs/Order"}}, **{"$defs": definitions})


def test_a_definition_of_several_tools_is_one_type(imported: Import) -> None:
    first, second = with_status("open_order", "new", "done"), with_status("look", "new", "done")
    first["outputSchema"] = first["inputSchema"]
    spec = imported("mcp", [first, second]).spec
    assert spec["types"] == {
        "Order": {"record": {"status": {"type": "Status"}}},
        "Status": {"choice": ["new", "done"]},
    }
    taken = {"order": {"type": "Order", "required": False}}
    assert spec["tools"]["open_order"] == {"parameters": taken, "returns": {"record": taken}}
    assert spec["tools"]["look"] == {"parameters": taken}


@pytest.mark.parametrize(
    "other",
    [
        with_status("look", "new", "lost"),
        with_status("look", "new", "done", description="of an order"),
    ],
)
def test_definitions_that_differ_are_types_each(imported: Import, other: Any) -> None:
    spec = imported("mcp", [with_status("open", "new", "done"), other]).spec
    assert [*spec["types"]] == ["Order", "Status", "LookOrder", "LookStatus"]
    assert spec["types"]["LookOrder"] == {"record": {"status": {"type": "LookStatus"}}}


def test_definitions_of_drafts_that_differ_are_types_each(imported: Import) -> None:
    old = with_status("look", "new", "done")
    old["inputSchema"]["$schema"] = "http://json-schema.org/draft-07/schema#"
    spec = imported("mcp", [with_status("open", "new", "done"), old]).spec
    assert [*spec["types"]] == ["Order", "Status", "LookOrder", "LookStatus"]


def test_a_definition_that_no_fields_need_is_no_type_for_others(imported: Import) -> None:
    """A part that stays a schema holds its definitions itself."""
    first, second = with_status("open_order", "new", "done"), with_status("look", "new", "done")
    odd = {"anyOf": [{"$ref": "#/$defs/Status"}, {"type": "array"}]}
    first["inputSchema"]["properties"] = {"odd": odd}
    spec = imported("mcp", [first, second]).spec
    assert "json_shape" in spec["tools"]["open_order"]["parameters"]["odd"]
    named = spec["tools"]["look"]["parameters"]["order"]["type"]
    inner = spec["types"][named]["record"]["status"]["type"]
    assert spec["types"].keys() == {named, inner}


def test_what_comes_back_has_no_default(imported: Import) -> None:
    told = {**tool("look", {}), "outputSchema": {"type": "object", "default": {}}}
    spec = imported("mcp", [told]).spec
    assert spec["tools"]["look"]["returns"] == {"type": "dict[str, json]"}


def test_words_of_others_beside_the_arguments(imported: Import) -> None:
    more = {"x-order": 1, "title": "Arguments", "$comment": "ours"}
    assert parameters(imported, {"a": {"type": "string"}}, required=["a"], **more) == {
        "a": {"type": "str"}
    }


def test_what_is_no_tool_is_told_once(imported: Import) -> None:
    done = imported("mcp", [3])
    assert done.code == 1 and done.err.count("error[") == 1


def test_defaults_that_do_not_work_are_words(imported: Import) -> None:
    properties = {
        "a": {"type": "integer", "default": "none", "description": "how many"},
        "b": {"type": "object", "default": {"$call": "os:getcwd"}},
        "c": {"default": {"in": [{"$file": "secret.txt"}]}},
    }
    done = imported("mcp", [tool("look", properties)])
    found = done.spec["tools"]["look"]["parameters"]
    assert found["a"]["description"] == 'how many (default: "none")'
    assert found["b"]["description"] == '(default: {"$call": "os:getcwd"})'
    assert not any("default" in field for field in found.values())
    assert done.err.count("warning[AIG140]") == 3
    assert 'default "none" does not fit' in done.err
    nested = {"o": {"type": "object", "properties": {"a": {"type": "integer", "default": "x"}}}}
    shape = imported("mcp", [tool("look", nested)]).spec["tools"]["look"]["parameters"]["o"]
    inner = {"type": "integer", "description": '(default: "x")'}
    assert shape["json_shape"]["properties"] == {"a": inner}


def test_names_are_kept_or_told(imported: Import) -> None:
    names = ["get-user", "get_user", "getUser", "files.read", "import", "x" * 70, "look", "look"]
    done = imported("mcp", [tool(name, {"class": {"type": "string"}}) for name in names])
    tools = done.spec["tools"]
    called = {key: made.get("name", key) for key, made in tools.items()}
    assert list(called.values()) == [
        *("get-user", "get_user", "getUser", "files_read", "import", "x" * 64, "look", "look_2"),
    ]
    assert tools["files_read"]["metadata"] == {"original_name": "files.read"}
    assert '"files.read" is no name of a tool here; models call it files_read' in done.err
    assert '"look" is there twice; models call it look_2' in done.err


def test_types_written_in_place_that_collide_stay_json_schemas(imported: Import) -> None:
    inner = {"type": "object", "properties": {"a": True}, "additionalProperties": False}
    done = imported("mcp", [tool("log", {"user_input": inner}), tool("log_user", {"a": {}})])
    assert "json_shape" in done.spec["tools"]["log"]["parameters"]


def test_definitions_are_types(imported: Import) -> None:
    node = {
        "type": "object",
        "properties": {"kids": {"type": "array", "items": {"$ref": "#/$defs/node"}}},
        "additionalProperties": False,
    }
    at = {"at": {"$ref": "#/$defs/node"}}
    named = [tool(n, at, **{"$defs": {"node": {**node, "description": n}}}) for n in "ab"]
    spec = imported("mcp", named).spec
    assert spec["types"].keys() == {"Node", "BNode"}
    assert spec["types"]["Node"]["record"]["kids"] == {"type": "list[Node]", "required": False}
    assert spec["types"]["BNode"]["record"]["kids"] == {"type": "list[BNode]", "required": False}
    assert spec["tools"]["b"]["parameters"] == {"at": {"type": "BNode", "required": False}}


def test_everything_else_an_mcp_tool_says(imported: Import) -> None:
    told = {
        **tool("look", {}),
        "title": "Look up",
        "description": "Looks.\n\n  Twice.\n",
        "annotations": {"readOnlyHint": True, "destructiveHint": True, "openWorldHint": False},
        "outputSchema": {"type": "object", "properties": {"a": {"type": "string"}}},
        "_meta": {"owner": "us"},
    }
    made = imported("mcp", {"result": {"tools": [told]}}, "--server", "desk").spec["tools"]["look"]
    assert made == {
        "description": "Looks.\n\n  Twice.\n",
        "parameters": {},
        "returns": {"json_shape": told["outputSchema"]},
        "mcp": {"server": "desk", "tool": "look"},
        "annotations": {"title": "Look up", "read_only": True, "open_world": False},
        "metadata": {"_meta": {"owner": "us"}},
    }


def test_both_shapes_of_openai_and_words_of_python(imported: Import) -> None:
    schema = {
        "type": "dict",
        "properties": {"a": {"type": "float"}, "b": {"type": "any", "optional": True}},
        "required": ["a"],
    }
    flat = {"type": "function", "name": "flat", "parameters": schema, "strict": False}
    chat = {
        "type": "function",
        "function": {"name": "chat", "description": "d", "parameters": schema},
    }
    group = {"type": "namespace", "name": "n", "tools": [{**flat, "name": "inner"}]}
    items = [flat, chat, group, {"type": "web_search"}, {"type": "function", "name": "none"}]
    done = imported("openai", {"tools": items}, "--closed")
    fields = {"a": {"type": "float"}, "b": {"type": "json", "required": False}}
    assert done.spec["tools"] == {
        "flat": {"parameters": fields, "strict": False},
        "chat": {"description": "d", "parameters": fields},
        "inner": {"parameters": fields, "strict": False},
        "none": {"parameters": {}},
    }
    assert "a tool of type web_search is the provider's own" in done.err
    shape = imported("openai", [chat]).spec["tools"]["chat"]["parameters"]["json_shape"]
    assert shape["type"] == "object" and shape["properties"]["a"] == {"type": "number"}


@pytest.mark.parametrize(
    ("kind", "content", "said"),
    [
        ("mcp", "", "given.json:1:1: error[AIG104]"),
        ("mcp", "{,", "given.json:1:2: error[AIG106]"),
        ("mcp", "3", "given.json:1:1: error[AIG121]: this is no MCP tool"),
        ("mcp", '{"tools": []}', "given.json:1:11: error[AIG121]: the list of MCP tools is empty"),
        ("mcp", "[1]", "given.json:1:2: error[AIG121]: this is no MCP tool, which"),
        ("mcp", '[{"inputSchema": {}}]', "given.json:1:2: error[AIG122]: this MCP tool has no"),
        ("mcp", '[{"name": 3}]', "given.json:1:11: error[AIG121]: name is a text"),
        ("mcp", '[{"name": "a"}]', "error[AIG122]: the tool a has no inputSchema"),
        ("mcp", '[{"name": "a", "inputSchema": []}]', "given.json:1:31: error[AIG404]"),
        ("mcp", '[{"name": "a", "inputSchema": {"type": "strin"}}]', "error[AIG404]"),
        ("mcp", '[{"name": "a", "inputSchema": {"properties": {"b": {"type": "strin"}}}}]',
         "given.json:1:61: error[AIG233]"),
        ("mcp", '[{"name": "a", "inputSchema": {"$ref": "b.json"}}]', "error[AIG231]"),
        ("mcp", '[{"name": "a", "inputSchema": {}, "annotations": 1}]', "annotations is a mapping"),
        ("openai", '[{"type": "function"}]', "given.json:1:2: error[AIG122]"),
        ("openai", '[{"type": "web_search"}]', "no tool of one's own"),
        ("json-schema", "[]", "given.json:1:1: error[AIG230]"),
        ("json-schema", '{"type": "strin"}', 'given.json:1:10: error[AIG233]: "strin" is no type'),
    ],
)  # fmt: skip
def test_a_bad_file_is_told_at_its_place(
    imported: Import, kind: str, content: str, said: str
) -> None:
    done = imported(kind, content)
    assert done.code == 1
    assert said in done.err


def test_exit_codes_and_files_in_the_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("list.json").write_text('[{"name": "look", "inputSchema": {}}]')
    assert run(["import", "mcp", "list.json"]) == 0
    assert capsys.readouterr().out.startswith("aigen: 1\n")
    assert run(["import", "mcp", "none.json"]) == 1
    assert "cannot read none.json" in capsys.readouterr().err
    Path("made.yaml").write_text("mine")
    assert run(["import", "mcp", "list.json", "-o", "made.yaml"]) == 1
    assert Path("made.yaml").read_text() == "mine"
    assert run(["import", "mcp", "list.json", "-o", "made.yaml", "--force"]) == 0
    assert Path("made.yaml").read_text().startswith("aigen: 1\n")
    assert run(["import", "mcp", "list.json", "-o", "made.txt"]) == 2
    assert run(["import", "nothing", "list.json"]) == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["list.json", "made.yaml"]


def test_a_default_of_null_says_that_a_member_may_be_absent(imported: Import) -> None:
    done = imported("mcp", [tool("look", {"a": {"type": "integer", "default": None}})])
    assert done.spec["tools"]["look"]["parameters"] == {"a": {"type": "int", "default": None}}
    assert "warning[AIG214]" in done.err


def test_a_default_in_a_tuple_names_no_code(imported: Import) -> None:
    first = {"type": "object", "default": {"$call": "os:getcwd"}}
    done = imported("mcp", [tool("look", {"a": {"type": "array", "items": [first]}})])
    said = done.spec["tools"]["look"]["parameters"]["a"]["json_shape"]["items"]
    assert said == [{"type": "object", "description": '(default: {"$call": "os:getcwd"})'}]


def test_what_a_build_tells_an_import_does_not(imported: Import) -> None:
    done = imported("mcp", [tool("look", {"a": {"unevaluatedItems": False}})])
    assert done.code == 0 and "AIG241" not in done.err


def test_names_at_the_limits(imported: Import) -> None:
    longest = "n" * 64
    tools = [tool(name, {}) for name in (longest, longest, "_read.file_")]
    spec = imported("mcp", tools).spec
    assert [*spec["tools"]] == [longest, f"{'n' * 59}_2", "read_file"]


def test_what_says_nothing(imported: Import) -> None:
    told = {**tool("look", {}), "outputSchema": None, "annotations": None, "$more": 1}
    done = imported("mcp", [told])
    assert done.spec["tools"]["look"] == {"parameters": {}}
    assert "$more has a key with $, so it is left out" in done.err


def test_words_of_openai(imported: Import) -> None:
    schema = tool("look", {"a": {"type": "Dict"}}, required=["a"])["inputSchema"]
    given = {"name": "look", "strict": True, "parameters": schema}
    made = imported("openai", [given]).spec["tools"]["look"]
    assert made == {"parameters": {"a": {"type": "dict[str, json]"}}}
