"""The key `http` of a tool, checked."""

from __future__ import annotations

from typing import Any

import pytest


def spec(http: str, parameters: str = "{id: int, q: str}") -> str:
    return f"tools:\n  look:\n    description: Look.\n    parameters: {parameters}\n    http:\n" + (
        "".join(f"      {line}\n" for line in http.splitlines())
    )


FULL = """\
method: POST
url: https://shop.example/v1
url_env: SHOP_URL
path: /pets/{petId}
parameters:
  id: {in: path, name: petId, style: label, explode: true}
  q: query
content: application/vnd.shop+json; charset=utf-8
encoding: {a: {style: deepObject, explode: true, content: text/plain}}
headers: {Accept: text/plain}
auth: [{bearer: A}, [{header: X-B, env: B}, {query: c, env: C}], {cookie: d, env: D}, none]
max_bytes: 10"""


def test_a_request_is_kept_as_it_is_written(resolved: Any) -> None:
    made = resolved(spec(FULL))
    assert made.found == []
    http = made.program.modules["spec"].tools[0].options["http"]
    assert http["parameters"]["id"] == {
        "in": "path", "name": "petId", "style": "label", "explode": True,
    }  # fmt: skip
    assert http["auth"][1] == [{"header": "X-B", "env": "B"}, {"query": "c", "env": "C"}]
    assert list(http) == [line.partition(":")[0] for line in FULL.splitlines() if line[0] != " "]


URL = "url: https://shop.example/v1\n"


@pytest.mark.parametrize(
    ("http", "said"),
    [
        ("method: GET", "http has no url"),
        (URL + "metod: GET", "http has no key metod"),
        (URL + "method: get", "method is one of GET"),
        ("url: shop.example", "url is https://host/…"),
        ("url: 'ftp://shop.example'", "url is https://host/…"),
        ("url: 'https://[::1'", "url is https://host/…"),
        ("url: 'https://ann:secret@shop.example'", "a url holds no credentials"),
        ("url: 'https://shop.example?a=b'", "url ends before ? and #"),
        ("url_env: A-B", "is the name of a variable"),
        (URL + "path: pets", "path is a path such as"),
        (URL + "path: '/pets/{id'", "the braces of path"),
        (URL + "path: '/pets/{ids}'", "{ids} in the path is no parameter"),
        (URL + "parameters: {id: path}", "path has no {id}"),
        (URL + "parameters: {di: query}", "http sends di, which is no parameter"),
        (URL + "parameters: {id: qeury}", "the place of id is one of"),
        (URL + "parameters: {id: {name: x}}", "does not say where it is"),
        (URL + "parameters: {id: {in: query, style: simple}}", "the style of id is one of"),
        (URL + "parameters: {id: {in: body, style: form}}", "body has no style"),
        (URL + "parameters: {id: {in: query, explode: 1}}", "explode is true or false"),
        (URL + "parameters: {id: {in: header, name: Host}}", "no header that a tool can send"),
        (URL + "parameters: {id: {in: header, name: 'a b'}}", "no header that a tool can send"),
        (URL + "parameters: {id: body, q: body}", "id and q are each the whole body"),
        (URL + "parameters: 3", "parameters is a mapping"),
        (URL + "headers: {Content-Length: '3'}", "no header that a tool can send"),
        (URL + "headers: {X-A: 3}", "header X-A is ASCII text"),
        (URL + 'headers: {X-A: "a\\nb"}', "header X-A is ASCII text"),
        (URL + "content: json", "content is a media type"),
        (URL + "encoding: {a: {style: simple}}", "style is one of form"),
        (URL + "auth: {bearer: A}", "auth is a list of ways"),
        (URL + "auth: [{bearer: A, env: B}]", "a credential is {bearer: VARIABLE}"),
        (URL + "auth: [{header: A}]", "a credential is {bearer: VARIABLE}"),
        (URL + "auth: [{beerer: A}]", "a credential has no key beerer"),
        (URL + "auth: [[{bearer: 'sk-123'}]]", "is the name of a variable"),
        (URL + "max_bytes: 0", "max_bytes is a number from 1 on"),
    ],
)
def test_a_fault_is_told_at_its_place(resolved: Any, http: str, said: str) -> None:
    made = resolved(spec(http))
    assert "AIG405" in made.codes
    assert any(said in each.message for each in made.found), [e.message for e in made.found]
    assert all(each.span.line > 4 for each in made.found)


def test_the_names_of_a_json_shape_are_known(resolved: Any) -> None:
    shape = "{json_shape: {type: object, properties: {a: {}}}}"
    assert resolved(spec(URL + "parameters: {a: query}", shape)).found == []
    assert resolved(spec(URL + "parameters: {b: query}", shape)).codes == ["AIG405"]
    assert resolved(spec(URL + "path: '/x/{b}'", "{$call: 'm:f'}")).codes == ["AIG218"]
