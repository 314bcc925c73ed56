from __future__ import annotations

import keyword

import pytest
from aigen.emit.names import BASE_MODEL, Identifier, Scope, levels, members, type_name
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("class", "class_"),
        ("None", "None_"),
        ("match", "match"),
        ("self", "self_"),
        ("2fa", "field_2fa"),
        ("_id", "field_id"),
        ("__typename", "field_typename"),
        ("", "field_empty"),
        ("content-type", "content_type"),
        ("naïve", "naïve"),
        ("名前", "名前"),
        ("🎉", "field_"),
        ("ﬁeld", "field"),
    ],
)
def test_python_names_change_only_where_they_must(text: str, name: str) -> None:
    assert Identifier(text) == name


@given(st.text())
def test_any_text_becomes_an_identifier(text: str) -> None:
    for name in (Identifier(text), type_name(text), Identifier(text, "Type")):
        assert name.isidentifier()
        assert not keyword.iskeyword(name)
        assert not name.startswith("_")


@given(st.lists(st.text(), unique=True))
def test_members_never_collide_and_do_not_depend_on_each_other_needlessly(names: list[str]) -> None:
    found = members(names, {})
    assert len(set(found.values())) == len(names)
    assert list(found) == names
    for name, attribute in found.items():
        if Identifier(name) == name and name not in BASE_MODEL:
            assert attribute == name


def test_exact_matches_come_first() -> None:
    found = members(["user-id", "user_id", "user id"], {})
    assert found == {"user-id": "user_id_2", "user_id": "user_id", "user id": "user_id_3"}


def test_members_do_not_shadow_what_a_model_has() -> None:
    found = members(["copy", "json", "model_dump", "Config", "id", "type", "format"], {})
    renamed = ["copy_", "json_", "model_dump_", "Config_"]
    assert list(found.values()) == [*renamed, "id", "type", "format"]
    assert {name for name in dir(BaseModel) if not name.startswith("_")} <= BASE_MODEL


def test_enum_members_do_not_shadow_methods() -> None:
    assert levels(["title", "a-b", "a_b", "name", "1st"]) == [
        "title_",
        "a_b_2",
        "a_b",
        "name_",
        "field_1st",
    ]
    assert levels([1, -1]) == ["field_1", "minus_1"]


def test_class_names_raise_the_first_letters() -> None:
    assert type_name("get_user") == "GetUser"
    assert type_name("Order") == "Order"
    assert type_name("list") == "List"


def test_a_private_name_makes_way() -> None:
    scope = Scope(["Field"])
    assert scope.private("Field") == "_Field"
    assert scope.private("Field") == "_Field_2"
