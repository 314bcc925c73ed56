"""Tools and replies in each provider's form."""

from __future__ import annotations

import json
from typing import Any

import pytest
from aigen.runtime.definition import ToolDefinition
from aigen.runtime.dialects import DIALECTS, Form, reply_form, tool_form, tools_form

NOTE = {
    "type": "object",
    "properties": {"text": {"type": "string", "maxLength": 9}, "tag": {"const": "x"}},
    "required": ["text"],
    "additionalProperties": False,
}


def tool(name: str = "lookup", **more: Any) -> ToolDefinition:
    definition: Any = {
        "format": 1,
        "name": name,
        "module": "shop",
        "description": "Looks an order up.",
        "inputs": [
            {"name": "order", "shape": {"type": "string"}, "desc": "its number"},
            {"name": "limit", "shape": {"type": "integer", "default": 3}, "optional": True},
        ],
        **more,
    }
    found: ToolDefinition = definition
    return found


def shaped(**schema: Any) -> ToolDefinition:
    return tool(inputs=[], shape={"type": "object", **schema})


def test_openai_chat() -> None:
    assert tool_form("openai-chat", tool()) == Form(
        {
            "type": "function",
            "function": {
                "name": "lookup",
                "description": "Looks an order up.",
                "parameters": {
                    "type": "object",
                    "properties": {
                        "order": {"type": "string", "description": "its number"},
                        "limit": {
                            "type": ["integer", "null"],
                            "description": "default: 3\nnull: the default",
                        },
                    },
                    "required": ["order", "limit"],
                    "additionalProperties": False,
                },
                "strict": True,
            },
        },
        strict=True,
    )


def test_what_is_not_strict_says_why() -> None:
    form = tool_form("openai-chat", shaped())
    function = form.body["function"]
    assert function["strict"] is False and function["parameters"] == {"type": "object"}
    assert form.reasons == ("the schema: an object with members of any name has no strict form",)
    assert not form.problems
    wanted = tool_form("openai-chat", {**shaped(), "options": {"strict": True}})
    assert [problem.code for problem in wanted.problems] == ["AIG601"]
    left = tool_form("openai-chat", {**tool(), "options": {"strict": False}})
    assert left.body["function"]["strict"] is False and not left.reasons


def test_openai_responses_groups_namespaces_and_defers() -> None:
    form = tools_form(
        "openai-responses",
        [
            tool("a"),
            tool("b", options={"exposure": "deferred"}),
            tool("c", options={"namespace": "crm"}),
            tool("d", options={"exposure": "hidden"}),
        ],
    )
    shown = [(each["type"], each.get("name"), each.get("defer_loading")) for each in form.body]
    assert shown == [
        ("function", "a", None),
        ("function", "b", True),
        ("namespace", "crm", None),
        ("tool_search", None, None),
    ]
    assert [each["name"] for each in form.body[2]["tools"]] == ["c"]
    assert form.strict


def test_anthropic_keeps_what_may_be_absent() -> None:
    definition = tool(
        inputs=[{"name": "note", "shape": {**NOTE}}],
        options={"examples": [{"note": {"text": "hi"}}]},
    )
    form = tool_form("anthropic", definition)
    assert form.strict and form.body["input_examples"] == [{"note": {"text": "hi"}}]
    note = form.body["input_schema"]["properties"]["note"]
    assert note["required"] == ["text"]
    assert note["properties"]["text"] == {"type": "string", "description": "at most 9 characters"}


@pytest.mark.parametrize(
    ("shape", "reason"),
    [
        ({"$ref": "#/$defs/Node"}, "$defs/Node: it contains itself"),
        ({}, "value: any JSON value has no strict form"),
        ({"type": "object", "additionalProperties": True}, "value: an object with members"),
        ({"type": "array"}, "value: an array whose items are not typed"),
        ({"enum": [[1]]}, "value: a choice of lists or records"),
        ({"not": {"type": "string"}}, "value: not has no strict form"),
    ],
)
def test_why_anthropic_is_not_strict(shape: Any, reason: str) -> None:
    node = {"type": "object", "properties": {"n": {"$ref": "#/$defs/Node"}}}
    definition = tool(inputs=[{"name": "value", "shape": shape}], **{"$defs": {"Node": node}})
    form = tool_form("anthropic", definition)
    assert not form.strict and "strict" not in form.body
    assert form.reasons[0].startswith(reason)


def test_gemini_says_in_words_what_it_ignores() -> None:
    definition = tool(inputs=[{"name": "const", "shape": {**NOTE}}])
    form = tools_form("gemini", [definition])
    declared = form.body["functionDeclarations"][0]["parametersJsonSchema"]
    note = declared["properties"]["const"]["properties"]
    assert note["text"] == {"type": "string", "description": "at most 9 characters"}
    assert note["tag"] == {"enum": ["x"]}
    odd = tool_form("gemini", shaped(patternProperties={"^x": {"type": "string"}}))
    assert [problem.code for problem in odd.problems] == ["AIG604"]


def test_mcp_has_hints_and_results() -> None:
    definition = tool(
        annotations={"title": "Look up", "read_only": True, "requires_user": True},
        output={"name": "result", "shape": {"type": "string"}, "desc": "its state"},
        options={"metadata": {"owner": "shop"}},
    )
    body = tool_form("mcp", definition).body
    assert body["title"] == "Look up"
    assert body["annotations"] == {"title": "Look up", "readOnlyHint": True}
    assert body["_meta"] == {"owner": "shop"}
    assert body["outputSchema"]["properties"]["result"] == {
        "type": "string",
        "description": "its state",
    }
    whole = tool(output={"name": "result", "shape": {**NOTE}})
    assert tool_form("mcp", whole).body["outputSchema"]["required"] == ["text"]


def test_names_that_clash_get_their_namespace() -> None:
    pair = [tool("find"), tool("find", module="crm.people"), tool("x" * 60), tool("x" * 60)]
    form = tools_form("openai-chat", pair)
    names = [each["function"]["name"] for each in form.body]
    assert names[:2] == ["shop__find", "crm_people__find"]
    assert {problem.code for problem in form.problems} == {"AIG602"}


def test_long_descriptions_are_told() -> None:
    problems = tool_form("openai-responses", tool(description="x" * 1025)).problems
    assert [problem.code for problem in problems] == ["AIG603"]


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
def test_replies(dialect: str) -> None:
    form = reply_form(dialect, "read it", {**NOTE, "x-aigen-shape": True})
    assert "x-aigen" not in json.dumps(form.body)
    expected = {
        "openai-chat": ["type", "json_schema"],
        "openai-responses": ["type", "name", "schema", "strict"],
        "anthropic": ["type", "schema"],
        "gemini": ["responseMimeType", "responseJsonSchema"],
        "mcp": ["type", "properties", "required", "additionalProperties"],
    }
    assert list(form.body) == expected[dialect]
    if dialect == "openai-responses":
        assert form.body["name"] == "read_it" and form.body["strict"] is True


def test_a_reply_that_anthropic_cannot_enforce_has_no_form() -> None:
    assert reply_form("anthropic", "f", {"type": "object", "x-aigen-shape": True}).body is None


ICON = {"src": "https://shop.example/look.png", "mimeType": "image/png", "sizes": ["48x48"]}


def test_mcp_has_what_an_import_kept() -> None:
    kept = {"icons": [ICON], "_meta": {"a.example/owner": "us"}, "team": "desk"}
    body = tool_form("mcp", tool(options={"metadata": kept})).body
    assert body["icons"] == [ICON]
    assert body["_meta"] == {"team": "desk", "a.example/owner": "us"}
    types = pytest.importorskip("mcp.types")
    found = types.Tool.model_validate(body)
    assert found.icons[0].src == ICON["src"]
    assert found.meta == body["_meta"]


@pytest.mark.parametrize("icons", [[], "look.png", ["look.png"], [{"href": "x"}], [{"src": 1}]])
def test_what_is_no_icon_stays_metadata(icons: Any) -> None:
    body = tool_form("mcp", tool(options={"metadata": {"icons": icons}})).body
    assert "icons" not in body
    assert body["_meta"] == {"icons": icons}
