"""The request that a tool with `http` makes of its arguments."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from aigen.runtime.errors import ConfigurationError, InterfaceInputError
from aigen.runtime.tools.http.request import Request, build
from aigen.runtime.tools.http.styles import header, pairs, segment
from hypothesis import given
from hypothesis import strategies as st

COLORS = ["blue", "black", "brown"]
POINT = {"R": 100, "G": 200}


def request(http: dict[str, Any], **arguments: Any) -> Request:
    definition: Any = {"name": "look", "http": {"url": "https://shop.example/v1", **http}}
    return build(definition, arguments)


# The tables of OpenAPI 3.1, *Style Examples*.
@pytest.mark.parametrize(
    ("style", "explode", "value", "text"),
    [
        ("matrix", False, "blue", ";color=blue"),
        ("matrix", False, COLORS, ";color=blue,black,brown"),
        ("matrix", False, POINT, ";color=R,100,G,200"),
        ("matrix", True, COLORS, ";color=blue;color=black;color=brown"),
        ("matrix", True, POINT, ";R=100;G=200"),
        ("label", False, "blue", ".blue"),
        ("label", False, COLORS, ".blue,black,brown"),
        ("label", True, COLORS, ".blue.black.brown"),
        ("label", True, POINT, ".R=100.G=200"),
        ("simple", False, "blue", "blue"),
        ("simple", False, COLORS, "blue,black,brown"),
        ("simple", False, POINT, "R,100,G,200"),
        ("simple", True, POINT, "R=100,G=200"),
        ("json", False, POINT, "%7B%22R%22%3A100%2C%22G%22%3A200%7D"),
    ],
)
def test_styles_of_a_path(style: str, explode: bool, value: Any, text: str) -> None:
    assert segment("color", value, style, explode) == text


@pytest.mark.parametrize(
    ("style", "explode", "value", "text"),
    [
        ("form", True, "a b&c", "color=a%20b%26c"),
        ("form", True, True, "color=true"),
        ("form", True, 2.0, "color=2"),
        ("form", True, "", "color="),
        ("form", True, None, ""),
        ("form", True, COLORS, "color=blue&color=black&color=brown"),
        ("form", False, COLORS, "color=blue,black,brown"),
        ("form", False, ["a,b", "c"], "color=a%2Cb,c"),
        ("form", False, [], ""),
        ("form", True, POINT, "R=100&G=200"),
        ("form", False, POINT, "color=R,100,G,200"),
        ("spaceDelimited", False, COLORS, "color=blue%20black%20brown"),
        ("pipeDelimited", False, COLORS, "color=blue%7Cblack%7Cbrown"),
        ("deepObject", True, POINT, "color%5BR%5D=100&color%5BG%5D=200"),
        ("deepObject", True, {"a": {"b": [1, None]}}, "color%5Ba%5D%5Bb%5D%5B0%5D=1"),
        ("json", False, {"a": [1]}, "color=%7B%22a%22%3A%5B1%5D%7D"),
    ],
)
def test_styles_of_a_query(style: str, explode: bool, value: Any, text: str) -> None:
    assert "&".join(f"{k}={v}" for k, v in pairs("color", value, style, explode)) == text


def test_styles_of_a_header_and_reserved_characters() -> None:
    assert header(COLORS, False) == "blue,black,brown"
    assert header(POINT, False) == "R,100,G,200"
    assert header(POINT, True) == "R=100,G=200"
    assert header(POINT, False, "json") == '{"R":100,"G":200}'
    kept = pairs("at", "/a:b?c&d#e=f", "form", True, reserved=True)
    assert kept == [("at", "/a:b?c%26d%23e%3Df")]


def test_each_argument_goes_to_its_place() -> None:
    found = request(
        {
            "method": "POST",
            "path": "/pets/{petId}/notes",
            "parameters": {
                "pet": {"in": "path", "name": "petId"},
                "tags": {"in": "query", "name": "tag[]"},
                "trace": {"in": "header", "name": "X-Trace"},
                "session": "cookie",
                "note": "body",
            },
            "headers": {"accept": "application/vnd.shop+json"},
        },
        pet="a/b c", tags=["x", "y"], trace="t1", session="s;1", note={"text": "é"},
    )  # fmt: skip
    assert found.url == ("https://shop.example/v1/pets/a%2Fb%20c/notes?tag%5B%5D=x&tag%5B%5D=y")
    assert dict(found.headers) == {
        "User-Agent": "aigen",
        "Content-Type": "application/json",
        "accept": "application/vnd.shop+json",
        "X-Trace": "t1",
        "Cookie": "session=s%3B1",
    }
    assert json.loads(found.content or b"") == {"text": "é"}
    assert found.path == "/v1/pets/a%2Fb%20c/notes"


def test_where_arguments_go_that_a_spec_says_nothing_of() -> None:
    assert request({"path": "/pets/{id}"}, id=7, q="x").url.endswith("/v1/pets/7?q=x")
    found = request({"method": "PUT", "path": "/pets/{id}"}, id=7, name="Rex", age=None)
    assert (found.url[-7:], found.content) == ("/pets/7", b'{"name":"Rex","age":null}')
    assert request({"method": "DELETE"}, id=7).content is None


def test_what_is_absent_or_null_is_not_sent() -> None:
    places = {"a": "query", "b": "header", "c": "cookie", "d": "body"}
    found = request({"method": "POST", "parameters": places}, a=None, b=None, c=None)
    assert found.url == "https://shop.example/v1"
    assert dict(found.headers).keys() == {"User-Agent", "Accept"}
    assert found.content is None
    assert request({"method": "POST", "parameters": places}, d=None).content == b"null"


@pytest.mark.parametrize(
    "value",
    [
        *("", " ", ".", "..", "../admin", "a/../../b", "..\\x", "a/..", "\x00", [], [".."]),
        *("%2e%2e", "%252e%2e", "..;", "..;v=1", ".. ", "\uff0e\uff0e", "\u2025", "a%2f.."),
    ],
)
def test_a_value_that_could_leave_its_part_of_the_path_is_refused(value: Any) -> None:
    with pytest.raises(InterfaceInputError, match="a part of a path") as refused:
        request({"path": "/pets/{id}/notes"}, id=value)
    assert [*refused.value.path] == ["id"]


def test_parts_that_make_dots_together_are_refused() -> None:
    for style in ("simple", "label"):
        with pytest.raises(InterfaceInputError):
            request(
                {"path": "/a/{x}{y}", "parameters": {"x": {"in": "path", "style": style}}},
                x=".", y=".",
            )  # fmt: skip
    with pytest.raises(InterfaceInputError, match="id wants a value"):
        request({"path": "/pets/{id}"})


@given(st.text(min_size=1) | st.integers() | st.booleans() | st.lists(st.text(), min_size=1))
def test_no_value_leaves_its_segment(value: Any) -> None:
    try:
        found = request({"path": "/pets/{id}/notes"}, id=value).url
    except InterfaceInputError:
        return
    parts = urlsplit(found)
    steps = parts.path.split("/")
    assert (parts.netloc, parts.query, parts.fragment) == ("shop.example", "", "")
    assert steps[:3] == ["", "v1", "pets"] and steps[4:] == ["notes"]
    assert found.isascii() and unquote(steps[3]) not in ("", ".", "..")


def test_a_header_holds_no_line_break() -> None:
    for value in ("a\r\nX: b", "a\x00"):
        with pytest.raises(InterfaceInputError, match="line breaks"):
            request({"parameters": {"h": "header"}}, h=value)


def test_forms() -> None:
    form = {
        "method": "POST",
        "content": "application/x-www-form-urlencoded",
        "parameters": {"body": "body"},
        "encoding": {"expand": {"style": "deepObject"}, "ids": {"style": "form", "explode": False}},
    }
    body = {"a": "x&y", "expand": {"b": 1}, "ids": [1, 2], "o": {"c": True}, "n": None}
    found = request(form, body=body)
    assert found.content == b"a=x%26y&expand%5Bb%5D=1&ids=1,2&o=%7B%22c%22%3Atrue%7D"
    assert ("Content-Type", "application/x-www-form-urlencoded") in found.headers


def test_parts_of_a_form() -> None:
    parts = {
        "method": "POST",
        "content": "multipart/form-data",
        "parameters": {"body": "body"},
        "encoding": {"file": {"content": "application/octet-stream"}},
    }
    found = request(parts, body={'a"\r\nb': "x", "file": "data", "tags": [1, {"c": 2}], "no": None})
    kind = dict(found.headers)["Content-Type"]
    boundary = kind.partition("boundary=")[2].encode()
    assert kind.startswith("multipart/form-data; ")
    pieces = (found.content or b"").split(b"--" + boundary)
    assert pieces[1:] == [
        b'\r\nContent-Disposition: form-data; name="a%22%0D%0Ab"\r\n\r\nx\r\n',
        b'\r\nContent-Disposition: form-data; name="file"; filename="file"\r\n'
        b"Content-Type: application/octet-stream\r\n\r\ndata\r\n",
        b'\r\nContent-Disposition: form-data; name="tags"\r\n\r\n1\r\n',
        b'\r\nContent-Disposition: form-data; name="tags"\r\nContent-Type: application/json'
        b'\r\n\r\n{"c":2}\r\n',
        b"--\r\n",
    ]


def test_a_body_of_text() -> None:
    http = {"method": "POST", "content": "text/plain", "parameters": {"body": "body"}}
    assert request(http, body="as it is").content == b"as it is"


WAYS = [
    ({"bearer": "SHOP_TOKEN"}, "Authorization", "Bearer s3cret:x"),
    ({"basic": "SHOP_TOKEN"}, "Authorization", "Basic czNjcmV0Ong="),
    ({"header": "X-Key", "env": "SHOP_TOKEN"}, "X-Key", "s3cret:x"),
    ({"cookie": "sid", "env": "SHOP_TOKEN"}, "Cookie", "sid=s3cret%3Ax"),
]


@pytest.mark.parametrize(("way", "name", "value"), WAYS)
def test_credentials_come_from_the_environment(
    way: dict[str, str], name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_TOKEN", "s3cret:x\n")
    found = request({"auth": [way]})
    assert dict(found.headers)[name] == value
    assert "s3cret" not in found.path and found.variables == ["SHOP_TOKEN"]
    monkeypatch.delenv("SHOP_TOKEN")
    with pytest.raises(ConfigurationError, match="look needs credentials: set SHOP_TOKEN"):
        request({"auth": [way]})


def test_a_key_in_the_query_is_not_in_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_KEY", "k&1")
    found = request({"auth": [{"query": "key", "env": "SHOP_KEY"}]}, q="x")
    assert found.url == "https://shop.example/v1?q=x&key=k%261"
    assert found.path == "/v1"


def test_the_first_way_whose_variables_are_set(monkeypatch: pytest.MonkeyPatch) -> None:
    both = [{"header": "X-A", "env": "SHOP_A"}, {"header": "X-B", "env": "SHOP_B"}]
    ways = {"auth": [both, {"bearer": "SHOP_TOKEN"}]}
    with pytest.raises(ConfigurationError, match="set SHOP_A and SHOP_B or SHOP_TOKEN"):
        request(ways)
    monkeypatch.setenv("SHOP_A", "aaaa")
    monkeypatch.setenv("SHOP_TOKEN", "tttt")
    assert dict(request(ways).headers)["Authorization"] == "Bearer tttt"
    monkeypatch.setenv("SHOP_B", "bbbb")
    headers = dict(request(ways).headers)
    assert (headers["X-A"], headers["X-B"]) == ("aaaa", "bbbb")
    assert "Authorization" not in headers
    none = request({"auth": [{"bearer": "SHOP_NONE"}, "none"]})
    assert "Authorization" not in dict(none.headers)


def test_a_credential_that_would_break_a_header_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_TOKEN", "a\r\nX: b")
    with pytest.raises(ConfigurationError, match="characters that no credential has"):
        request({"auth": [{"bearer": "SHOP_TOKEN"}]})


def test_the_server_may_be_another(monkeypatch: pytest.MonkeyPatch) -> None:
    http = {"url_env": "SHOP_URL", "path": "/pets"}
    assert request(http).url == "https://shop.example/v1/pets"
    monkeypatch.setenv("SHOP_URL", "http://127.0.0.1:8000/")
    assert request(http).url == "http://127.0.0.1:8000/pets"
    for wrong in (
        "ftp://host",
        "host",
        "http://host?a=b",
        "file:///etc",
        "http://[",
        "http://:80",
        "http://h:x",
    ):
        monkeypatch.setenv("SHOP_URL", wrong)
        with pytest.raises(ConfigurationError, match="what SHOP_URL holds is no URL"):
            request(http)
    monkeypatch.delenv("SHOP_URL")
    with pytest.raises(ConfigurationError, match="set SHOP_URL to something like"):
        request({"url": "", "url_env": "SHOP_URL"})
