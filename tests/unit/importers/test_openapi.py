"""OpenAPI documents: operations as tools, schemas in JSON Schema's words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from aigen.cli import run

Import = Callable[..., Any]
TEXT = {"type": "string"}


def document(paths: Any, *, version: str = "3.0.3", **more: Any) -> dict[str, Any]:
    return {
        "openapi": version,
        "info": {"title": "Shop", "version": "1"},
        "servers": [{"url": "https://shop.example/v1"}],
        "paths": paths,
        **more,
    }


def get(*parameters: Any, **more: Any) -> dict[str, Any]:
    found = {"operationId": "look", "parameters": [*parameters], "responses": {}}
    return {"/things": {"get": {**found, **more}}}


def only(done: Any) -> Any:
    (tool,) = done.spec["tools"].values()
    return tool


def test_an_operation(imported: Import) -> None:
    paths = {
        "/pets/{petId}": {
            "parameters": [{"name": "petId", "in": "path", "required": True,
                            "schema": {"type": "integer", "format": "int64"}}],
            "get": {
                "operationId": "get-pet",
                "summary": "Get a pet.",
                "description": "Those that were sold, too.",
                "tags": ["pets"],
                "parameters": [
                    {"name": "fields", "in": "query", "description": "which members",
                     "schema": {"type": "array", "items": TEXT}},
                    {"name": "X-Trace", "in": "header", "schema": TEXT},
                ],
                "responses": {"200": {"content": {"application/json": {
                    "schema": {"$ref": "#/components/schemas/Pet"}}}}},
            },
        }
    }  # fmt: skip
    pet = {"type": "object", "properties": {"id": {"type": "integer"}},
           "additionalProperties": False}  # fmt: skip
    done = imported("openapi", document(paths, components={"schemas": {"Pet": pet}}))
    assert done.spec["description"] == (
        "Operations of Shop, from given.json. Requests go to https://shop.example/v1."
    )
    assert done.spec["types"] == {"Pet": {"record": {"id": {"type": "int", "required": False}}}}
    assert done.spec["tools"] == {
        "get-pet": {
            "description": "Get a pet.\n\nThose that were sold, too.",
            "parameters": {
                "petId": {"type": "int"},
                "fields": {"type": "list[str]", "description": "which members", "required": False},
                "X_Trace": {"type": "str", "required": False},
            },
            "returns": {"type": "Pet"},
            "http": {
                "url": "https://shop.example/v1",
                "url_env": "GIVEN_URL",
                "path": "/pets/{petId}",
                "parameters": {
                    "petId": "path",
                    "fields": "query",
                    "X_Trace": {"in": "header", "name": "X-Trace"},
                },
            },
            "annotations": {"read_only": True},
        }
    }


def test_what_a_method_says(imported: Import) -> None:
    paths = {"/a": {m: {"responses": {}} for m in ("get", "put", "post", "patch", "delete")}}
    tools = imported("openapi", document(paths)).spec["tools"]
    said = {k: (t.get("annotations"), t.get("risk"), t["metadata"]) for k, t in tools.items()}
    assert said == {
        "get_a": ({"read_only": True}, None, {"original_name": "get /a"}),
        "post_a": (None, None, {"original_name": "post /a"}),
        "put_a": ({"idempotent": True}, None, {"original_name": "put /a"}),
        "patch_a": (None, None, {"original_name": "patch /a"}),
        "delete_a": ({"destructive": True, "idempotent": True}, "dangerous",
                     {"original_name": "delete /a"}),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("parameter", "place"),
    [
        ({"name": "a", "in": "query"}, "query"),
        ({"name": "a", "in": "cookie"}, "cookie"),
        ({"name": "a", "in": "query", "explode": False}, {"in": "query", "explode": False}),
        ({"name": "a", "in": "query", "style": "deepObject", "explode": True},
         {"in": "query", "style": "deepObject"}),
        ({"name": "a", "in": "query", "style": "pipeDelimited"},
         {"in": "query", "style": "pipeDelimited"}),
        ({"name": "a", "in": "query", "allowReserved": True},
         {"in": "query", "allow_reserved": True}),
        ({"name": "a", "in": "header", "explode": True}, {"in": "header", "explode": True}),
        ({"name": "a", "in": "query", "content": {"application/json": {"schema": TEXT}}},
         {"in": "query", "style": "json"}),
        ({"name": "filter[a]", "in": "query"}, {"in": "query", "name": "filter[a]"}),
        ({"name": "2nd", "in": "query"}, {"in": "query", "name": "2nd"}),
    ],
)  # fmt: skip
def test_where_a_parameter_goes(imported: Import, parameter: Any, place: Any) -> None:
    (found,) = only(imported("openapi", document(get(parameter))))["http"]["parameters"].values()
    assert found == place


def test_headers_of_the_connection_are_no_arguments(imported: Import) -> None:
    names = ("Host", "Content-Length", "transfer-encoding", "Accept-Encoding", "X-A", "TE")
    found = [{"name": name, "in": "header", "schema": TEXT} for name in names]
    tool = only(imported("openapi", document(get(*found))))
    assert list(tool["parameters"]) == ["X_A"]


def test_names_of_arguments(imported: Import) -> None:
    paths = {"/a/{id}": {"get": {"parameters": [
        {"name": "id", "in": "path", "required": True, "schema": TEXT},
        {"name": "id", "in": "query", "schema": TEXT},
        {"name": "filter[a]", "in": "query", "schema": TEXT},
        {"name": "filter-a", "in": "query", "schema": TEXT},
        {"name": "Authorization", "in": "header", "schema": TEXT},
    ], "responses": {}}}}  # fmt: skip
    places = only(imported("openapi", document(paths)))["http"]["parameters"]
    assert places == {
        "id": "path",
        "query_id": {"in": "query", "name": "id"},
        "filter_a": {"in": "query", "name": "filter[a]"},
        "query_filter_a": {"in": "query", "name": "filter-a"},
    }


def test_a_path_and_its_parameters_that_do_not_agree(imported: Import) -> None:
    paths = {"/a/{id}": {"get": {"parameters": [
        {"name": "ids", "in": "path", "required": True, "schema": TEXT},
    ], "responses": {}}}}  # fmt: skip
    done = imported("openapi", document(paths))
    assert only(done)["parameters"] == {"id": {"type": "str"}}
    assert "/a/{id} has no {ids}, so this parameter is left out" in done.err


def test_a_style_that_is_none_there_and_a_path_that_says_body(imported: Import) -> None:
    parameter = {"name": "body", "in": "path", "required": True, "style": "form", "schema": True}
    body = {"content": {"application/json": {"schema": {"type": "integer"}}}, "required": True}
    operation = {"requestBody": body, "parameters": [parameter], "responses": {}}
    done = imported("openapi", document({"/a/{body}": {"put": operation}}, version="3.1.0"))
    assert only(done)["http"]["parameters"] == {"body": "path", "request_body": "body"}
    assert only(done)["parameters"] == {"body": {"type": "json"}, "request_body": {"type": "int"}}
    assert "what is in path has no style form, so it is simple" in done.err


def posted(content: Any, **more: Any) -> dict[str, Any]:
    body = {"content": content, **more}
    return {"/things": {"post": {"operationId": "add", "requestBody": body, "responses": {}}}}


@pytest.mark.parametrize(
    ("content", "http", "field"),
    [
        ({"text/plain": {}, "application/json": {"schema": {"type": "integer"}}},
         {}, {"type": "int"}),
        ({"application/vnd.a+json": {"schema": TEXT}}, {"content": "application/vnd.a+json"},
         {"type": "str"}),
        ({"application/json": {}}, {}, {"type": "json"}),
        ({"text/csv": {"schema": TEXT}}, {"content": "text/csv"}, {"type": "str"}),
        ({"application/octet-stream": {}}, {"content": "application/octet-stream"},
         {"type": "str"}),
        ({"application/x-www-form-urlencoded": {
            "schema": {"type": "object", "additionalProperties": TEXT},
            "encoding": {"a": {"style": "deepObject", "explode": True}}}},
         {"content": "application/x-www-form-urlencoded",
          "encoding": {"a": {"style": "deepObject"}}}, {"type": "dict[str, str]"}),
        ({"multipart/form-data": {
            "schema": {"type": "object", "additionalProperties": False,
                       "properties": {"file": {"type": "string", "format": "binary"}}}}},
         {"content": "multipart/form-data",
          "encoding": {"file": {"content": "application/octet-stream"}}},
         {"record": {"file": {"type": "str", "required": False}}}),
    ],
)  # fmt: skip
def test_bodies(imported: Import, content: Any, http: Any, field: Any) -> None:
    tool = only(imported("openapi", document(posted(content, required=True))))
    assert tool["parameters"] == {"body": field}
    more = {k: v for k, v in tool["http"].items() if k not in ("url", "url_env", "method", "path")}
    assert more == {**http, "parameters": {"body": "body"}}


def test_a_body_that_may_be_absent_and_one_that_is_a_component(imported: Import) -> None:
    content = {"application/json": {"schema": TEXT}}
    assert only(imported("openapi", document(posted(content))))["parameters"]["body"] == {
        "type": "str", "required": False,
    }  # fmt: skip
    paths = {"/a": {"post": {"requestBody": {"$ref": "#/components/requestBodies/B"},
                             "parameters": [{"$ref": "#/components/parameters/P"}],
                             "responses": {"200": {"$ref": "#/components/responses/R"}}}},
    }  # fmt: skip
    components = {
        "requestBodies": {"B": {"content": content, "required": True}},
        "parameters": {"P": {"name": "p", "in": "query", "schema": {"type": "integer"}}},
        "responses": {"R": {"description": "", "content": {"application/json": {"schema": TEXT}}}},
    }
    tool = only(imported("openapi", document(paths, components=components)))
    assert tool["parameters"].keys() == {"p", "body"} and tool["returns"] == {"type": "str"}


def answered(**responses: Any) -> dict[str, Any]:
    said = {code.strip("_"): {"description": "", **each} for code, each in responses.items()}
    return get(responses=said)


JSON = {"content": {"application/json": {"schema": {"type": "integer"}}}}


@pytest.mark.parametrize(
    ("responses", "returns"),
    [
        ({"_200": JSON}, {"type": "int"}),
        ({"_200": JSON, "_201": JSON, "_404": {"content": {"text/plain": {}}}}, {"type": "int"}),
        ({"_200": JSON, "_204": {}}, {"type": "int", "optional": True}),
        ({"_2XX": JSON}, {"type": "int"}),
        ({"_204": {}}, None),
        ({"_200": {"content": {"text/html": {}}}}, None),
        ({"_200": JSON, "_202": {"content": {"text/plain": {"schema": TEXT}}}}, None),
        ({"_200": {"content": {"application/json": {}}}}, None),
        ({"default": JSON}, None),
    ],
)
def test_what_comes_back(imported: Import, responses: Any, returns: Any) -> None:
    assert only(imported("openapi", document(answered(**responses)))).get("returns") == returns
    done = imported("openapi", document(answered(**responses)), "--no-returns")
    assert "returns" not in only(done)


def test_an_answer_of_a_media_type_of_its_own_is_asked_for(imported: Import) -> None:
    content = {"application/vnd.shop+json": {"schema": TEXT}}
    tool = only(imported("openapi", document(answered(_200={"content": content}))))
    assert tool["http"]["headers"] == {"Accept": "application/vnd.shop+json"}


@pytest.mark.parametrize(
    ("old", "field"),
    [
        ({"type": "string", "nullable": True}, {"type": "str", "optional": True}),
        ({"type": "string", "enum": ["a"], "nullable": True}, {"choice": ["a"], "optional": True}),
        ({"type": "integer", "minimum": 1, "exclusiveMinimum": True}, {"type": "int", "gt": 1}),
        ({"type": "integer", "minimum": 1, "exclusiveMinimum": False}, {"type": "int", "ge": 1}),
        ({"type": "integer", "format": "int32", "example": 3}, {"type": "int", "examples": [3]}),
        ({"type": "string", "format": "password", "x-a": 1}, {"type": "str"}),
        ({"type": "string", "format": "date-time"}, {"type": "datetime"}),
        ({"$ref": "#/components/schemas/A", "nullable": True, "maxLength": 3}, {"type": "A"}),
        ({"nullable": True, "anyOf": [TEXT]},
         {"type": "str", "optional": True}),
        ({"nullable": True, "allOf": [{"$ref": "#/components/schemas/A"}]},
         {"json_shape": {"anyOf": [{"allOf": [{"$ref": "#/$defs/A"}]}, {"type": "null"}],
                         "$defs": {"A": TEXT}}}),
    ],
)  # fmt: skip
def test_schemas_of_3_0(imported: Import, old: Any, field: Any) -> None:
    paths = get({"name": "a", "in": "query", "required": True, "schema": old})
    done = imported("openapi", document(paths, components={"schemas": {"A": TEXT}}))
    assert only(done)["parameters"]["a"] == field


def test_schemas_of_3_1_are_json_schemas(imported: Import) -> None:
    schema = {"type": ["string", "null"], "nullable": False, "minLength": 1}
    paths = get({"name": "a", "in": "query", "required": True, "schema": schema})
    found = only(imported("openapi", document(paths, version="3.1.0")))["parameters"]["a"]
    assert found == {"type": "str", "optional": True, "min_length": 1}
    number = {"exclusiveMinimum": 3, "type": "integer"}
    paths = get({"name": "a", "in": "query", "required": True, "schema": number})
    found = only(imported("openapi", document(paths, version="3.1.1")))["parameters"]["a"]
    assert found == {"type": "int", "gt": 3}


def test_what_only_requests_or_answers_hold(imported: Import) -> None:
    user = {
        "type": "object",
        "required": ["id", "name", "password", "name"],
        "properties": {"id": {"type": "integer", "readOnly": True}, "name": TEXT,
                       "password": {"type": "string", "writeOnly": True}},
    }  # fmt: skip
    group = {"type": "array", "items": {"$ref": "#/components/schemas/User"}}
    ref = {"schema": {"$ref": "#/components/schemas/Group"}}
    paths = posted({"application/json": ref}, required=True)
    paths["/things"]["post"]["responses"] = {"200": {"content": {"application/json": ref}}}
    schemas = {"User": user, "Group": group}
    spec = imported("openapi", document(paths, components={"schemas": schemas})).spec
    types = spec["types"]
    assert spec["tools"]["add"]["parameters"]["body"] == {"type": "GroupRequest"}
    assert spec["tools"]["add"]["returns"] == {"type": "Group"}
    assert types["GroupRequest"] == {"type": "list[UserRequest]"}
    assert types["UserRequest"]["json_shape"]["required"] == ["name", "password"]
    assert types["User"]["json_shape"]["required"] == ["id", "name"]


def test_references_of_every_kind(imported: Import) -> None:
    tree = {"type": "object", "additionalProperties": False, "properties": {
        "kids": {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}}}}  # fmt: skip
    paths = get(
        {"name": "a", "in": "query", "schema": {"$ref": "#/components/schemas/Tree"}},
        {"name": "b", "in": "query", "schema": {
            "$ref": "#/components/schemas/Tree/properties/kids"}},
        {"name": "c", "in": "query", "schema": {
            "$ref": "#/paths/~1things/get/parameters/3/schema"}},
        {"name": "d", "in": "query", "schema": {"type": "integer"}},
    )  # fmt: skip
    spec = imported("openapi", document(paths, components={"schemas": {"Tree": tree}})).spec
    kinds = [field["type"] for field in spec["tools"]["look"]["parameters"].values()]
    assert kinds == ["Tree", "TreePropertiesKids", "Parameters3Schema", "int"]
    assert spec["types"]["TreePropertiesKids"] == {"type": "list[Tree]"}


@pytest.mark.parametrize(
    ("scheme", "auth"),
    [
        ({"type": "apiKey", "in": "header", "name": "X-Key"},
         {"header": "X-Key", "env": "GIVEN_API_KEY"}),
        ({"type": "apiKey", "in": "query", "name": "key"},
         {"query": "key", "env": "GIVEN_API_KEY"}),
        ({"type": "apiKey", "in": "cookie", "name": "sid"},
         {"cookie": "sid", "env": "GIVEN_API_KEY"}),
        ({"type": "http", "scheme": "Basic"}, {"basic": "GIVEN_LOGIN"}),
        ({"type": "http", "scheme": "bearer"}, {"bearer": "GIVEN_TOKEN"}),
        ({"type": "oauth2", "flows": {}}, {"bearer": "GIVEN_TOKEN"}),
        ({"type": "openIdConnect", "openIdConnectUrl": "x"}, {"bearer": "GIVEN_TOKEN"}),
    ],
)  # fmt: skip
def test_credentials_are_names_of_variables(imported: Import, scheme: Any, auth: Any) -> None:
    components = {"securitySchemes": {"OPENAI": scheme}}
    paths = get(security=[{"OPENAI": []}])
    done = imported("openapi", document(paths, components=components))
    assert only(done)["http"]["auth"] == [auth]
    assert done.spec["description"].endswith(f"v1, with {[*auth.values()][-1]}.")
    done = imported("openapi", document(paths, components=components), "--prefix", "my-shop")
    assert [*only(done)["http"]["auth"][0].values()][-1].startswith("MY_SHOP_")


def test_ways_to_authorize(imported: Import) -> None:
    schemes = {
        "one": {"type": "apiKey", "in": "header", "name": "X-A"},
        "two": {"type": "apiKey", "in": "header", "name": "X-B"},
        "token": {"type": "http", "scheme": "bearer"},
        "digest": {"type": "http", "scheme": "digest"},
    }
    more = {"components": {"securitySchemes": schemes}, "security": [{"token": ["a"]}]}
    assert only(imported("openapi", document(get(), **more)))["http"]["auth"] == [
        {"bearer": "GIVEN_TOKEN"}
    ]
    assert "auth" not in only(imported("openapi", document(get(security=[]), **more)))["http"]
    assert "auth" not in only(imported("openapi", document(get(security=[{}]), **more)))["http"]
    ways = [{"one": [], "two": []}, {"digest": []}, {"token": []}, {}]
    done = imported("openapi", document(get(security=ways), **more))
    assert only(done)["http"]["auth"] == [
        [{"header": "X-A", "env": "GIVEN_API_KEY_ONE"},
         {"header": "X-B", "env": "GIVEN_API_KEY_TWO"}],
        {"bearer": "GIVEN_TOKEN"},
        "none",
    ]  # fmt: skip
    assert "credentials of digest (digest) cannot be sent" in done.err


def test_servers(imported: Import) -> None:
    server = {"url": "https://{region}.shop.example/", "variables": {"region": {"default": "eu"}}}
    assert only(imported("openapi", document(get(), servers=[server])))["http"]["url"] == (
        "https://eu.shop.example"
    )
    near = document(get(servers=[{"url": "https://near.example"}]))
    assert only(imported("openapi", near))["http"]["url"] == "https://near.example"
    for servers in ([{"url": "/v1"}], [], [{"url": "ftp://a"}], [{"url": "https://{x}.example"}]):
        done = imported("openapi", document(get(), servers=servers))
        assert "url" not in only(done)["http"]
        assert only(done)["http"]["url_env"] == "GIVEN_URL"
        assert "Requests go to the server in GIVEN_URL." in done.spec["description"]
    given = imported("openapi", document(get()), "--url", "http://127.0.0.1:8000")
    assert only(given)["http"]["url"] == "http://127.0.0.1:8000"


def test_a_part_of_a_document(imported: Import) -> None:
    paths = {f"/{name}": {"get": {"operationId": f"{name}/list", "tags": [name[0]],
                                  "responses": {}}}
             for name in ("pets", "parts", "users")}  # fmt: skip

    def names(*patterns: str) -> list[str]:
        more = [word for pattern in patterns for word in ("--only", pattern)]
        return [*imported("openapi", document(paths), *more).spec["tools"]]

    assert names() == ["pets_list", "parts_list", "users_list"]
    assert names("p") == ["pets_list", "parts_list"]
    assert names("/us*", "pets/list") == ["pets_list", "users_list"]


def test_a_part_that_is_not_there(imported: Import) -> None:
    done = imported("openapi", document(get(operationId="pets/list")), "--only", "dogs")
    assert done.code == 1 and "no operation is dogs" in done.err
    assert done.err.rstrip().splitlines()[-2].endswith(" there are pets/list")
    done = imported("openapi", document(get(operationId="pets/list")), "--only", "pet/list")
    assert "did you mean pets/list?" in done.err


def test_objects_of_requests_are_closed_where_that_is_wanted(imported: Import) -> None:
    thing = {"schema": {"$ref": "#/components/schemas/Thing"}}
    paths = posted({"application/json": thing}, required=True)
    paths["/things"]["post"]["responses"] = {"200": {"content": {"application/json": thing}}}
    schema = {"type": "object", "properties": {"a": TEXT}, "required": ["a"]}
    content = document(paths, components={"schemas": {"Thing": schema}})
    spec = imported("openapi", content).spec
    assert spec["types"] == {"Thing": {"json_shape": schema}}
    spec = imported("openapi", content, "--closed").spec
    types, tool = spec["types"], spec["tools"]["add"]
    assert types[tool["parameters"]["body"]["type"]] == {"record": {"a": {"type": "str"}}}
    assert types[tool["returns"]["type"]] == {"json_shape": schema}  # what servers add passes


def test_strangers_name_no_code_and_no_file(imported: Import) -> None:
    paths = get(
        {"name": "a", "in": "query", "schema": {"default": {"$call": "os:getcwd"}}},
        {"name": "b", "in": "query", "schema": {"type": "integer", "default": "x", "example": "y"}},
        operationId="os:system", description="{$file: /etc/passwd}",
    )  # fmt: skip
    done = imported("openapi", document(paths))
    tool = only(done)
    assert tool["parameters"]["a"]["description"] == '(default: {"$call": "os:getcwd"})'
    assert tool["parameters"]["b"] == {
        "type": "int", "required": False, "description": '(default: "x") (examples: ["y"])',
    }  # fmt: skip
    assert tool.keys().isdisjoint({"python", "execute", "mcp"})
    assert [*done.spec["tools"]] == ["os_system"]
    assert tool["description"] == "{$file: /etc/passwd}"


def test_a_document_of_schemas_alone_is_types(imported: Import) -> None:
    schemas = {
        "Pet": {
            "type": "object",
            "properties": {
                "kind": {"$ref": "#/components/schemas/the~1kind"},
                "id": {"type": "integer", "format": "int64", "readOnly": True},
                "secret": {"type": "string", "writeOnly": True},
            },
            "required": ["kind", "id", "secret"],
            "additionalProperties": False,
        },
        "the/kind": {"type": "string", "enum": ["cat", "dog"], "nullable": True},
        "Open": {"type": "object", "properties": {"a": {"type": "string"}}},
    }
    schemas["Open"]["x-own"] = 1
    held = {"components": {"schemas": schemas}}
    spec = imported("openapi", document({}, **held)).spec
    assert spec.keys() == {"aigen", "description", "types"}
    assert spec["description"] == "Types of given.json."
    assert spec["types"] == {
        "Pet": {
            "record": {
                "kind": {"type": "TheKind"},
                "id": {"type": "int"},
                "secret": {"type": "str", "required": False},
            }
        },
        "TheKind": {"choice": ["cat", "dog"], "optional": True},
        "Open": {"json_shape": {"type": "object", "properties": {"a": {"type": "string"}}}},
    }
    spec = imported("openapi", document({}, **held), "--closed").spec
    assert spec["types"]["Open"] == {"record": {"a": {"type": "str", "required": False}}}
    # A document of operations has the types that they need.
    assert "types" not in imported("openapi", document(get(), **held)).spec


def test_who_asks_for_operations_of_schemas_alone_is_told(imported: Import) -> None:
    held = {"components": {"schemas": {"A": {"type": "string"}}}}
    done = imported("openapi", document({}, **held), "--only", "look*")
    assert done.code == 1 and "the document has no operation" in done.err


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"swagger": "2.0", "paths": {}}, "given.json:2:13: error[AIG121]: this is Swagger 2.0"),
        ({"openapi": "4.0.0"}, "this is OpenAPI 4.0.0"),
        ([], "this is no OpenAPI document"),
        (document({}), "the document has no operation"),
        (document([]), "paths is a mapping of paths"),
        (document({"pets": {}}), '"pets" is no path with its operations'),
        (document({"/a": {"get": []}}), "get /a is no operation"),
        (document({"/a/{{id}}": {}}), 'the braces of path "/a/{{id}}" do not close, or are'),
        (document(get(3)), "this is no parameter"),
        (document(get({"name": "a", "in": "body"})), "a parameter has a name, and is in path"),
        (document(get({"$ref": "#/components/parameters/P"})), "leads to nothing"),
        (document(get({"$ref": "others.json#/P"})), "leads out of the document"),
        (document(get({"name": "a", "in": "query", "schema": {"$ref": "#Pet"}})),
         '$ref "#Pet" is no place in the document'),
        (document(get({"name": "a", "in": "query", "schema": {"$ref": "#"}})),
         '$ref "#" is no place in the document'),
        (document(get({"name": "a", "in": "query", "schema": {"$ref": "#/components/schemas/Pte"}}),
                  components={"schemas": {"Pet": {}}}), "did you mean Pet?"),
        (document(get({"name": "a", "in": "query", "schema": {"type": "strin"}})), "error[AIG233]"),
        (document(get({"name": "a", "in": "query", "schema": {"pattern": "("}})), "error[AIG208]"),
        (document(get({"name": "a", "in": "query", "schema": {"enum": []}})), "error[AIG230]"),
        (document(get({"name": "a", "in": "query", "schema": {"$ref": "#/components/schemas/A"}}),
                  components={"schemas": {"A": {"$ref": "#/components/schemas/A"}}}),
         "error[AIG232]: references go in a circle"),
        (document(get(security=[{"x": []}])), "security names x, which is no security scheme"),
        (document(get(security=3)), "security is a list"),
        (document(get(), components={"securitySchemes": {"k": {"type": "apiKey"}}},
                  security=[{"k": []}]), "the key k has no name"),
    ],
)  # fmt: skip
def test_a_bad_document_is_told_at_its_place(imported: Import, content: Any, said: str) -> None:
    done = imported("openapi", content)
    assert done.code == 1 and said in done.err


def test_yaml_and_a_path_item_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    held = document({"/a": {"$ref": "#/x-items/a"}}, **{"x-items": {"a": get()["/things"]}})
    Path("shop.yaml").write_text(yaml.safe_dump(held), encoding="utf-8")
    assert run(["import", "openapi", "shop.yaml"]) == 0
    assert "url_env: SHOP_URL" in capsys.readouterr().out


def linked(length: int, per: int) -> dict[str, Any]:
    """Schemas of which each refers to the next ones."""
    return {
        f"Link{number}": {
            "type": "object",
            "properties": {
                f"to{step}": {"$ref": f"#/components/schemas/Link{(number + step) % length}"}
                for step in range(1, per + 1)
            },
        }
        for number in range(length)
    }


def linking(schemas: dict[str, Any], operations: int) -> dict[str, Any]:
    paths = {
        f"/things{number}": {"get": {"operationId": f"look{number}", "responses": {"200": {
            "content": {"application/json": {
                "schema": {"$ref": f"#/components/schemas/Link{number}"}}}}}}}
        for number in range(operations)
    }  # fmt: skip
    return document(paths, components={"schemas": schemas})


def test_a_chain_longer_than_calls_are_deep(imported: Import) -> None:
    done = imported("openapi", linking(linked(600, 1), 1), "--closed")
    assert len(done.spec["types"]["Link0"]["json_shape"]["$defs"]) == 600


def test_schemas_that_all_need_each_other(imported: Import) -> None:
    done = imported("openapi", linking(linked(300, 3), 300))
    assert done.code == 1
    assert "no spec can hold this: more than 500,000 values" in done.err
    assert "--only PATTERN" in done.err


def test_what_a_request_leaves_out_of_odd_documents(imported: Import) -> None:
    text = {"type": "string"}
    parameters = [
        {"name": "id", "in": "path", "schema": text},
        {"name": "trace", "in": "header", "allowReserved": True, "schema": text},
        {"name": "both", "in": "query", "schema": {**text, "example": "a", "examples": ["b"]}},
    ]
    empty = {"200": {"description": "of no schema", "content": {"application/json": {}}}}
    look = {"operationId": "look", "parameters": parameters, "responses": empty}
    servers = [{"url": "https://shop.example/v1?key=1"}]
    tool = imported("openapi", document({"/a/{id}": {"get": look}}, servers=servers)).spec["tools"][
        "look"
    ]
    assert tool["parameters"]["id"] == {"type": "str"}
    assert tool["parameters"]["both"] == {"type": "str", "examples": ["b"], "required": False}
    assert tool["http"]["parameters"] == {"id": "path", "trace": "header", "both": "query"}
    assert "returns" not in tool and "url" not in tool["http"]
