"""JSON Schema files as types, with what they refer to in files beside them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Import = Callable[..., Any]

ADDRESS = {
    "type": "object",
    "properties": {"street": {"type": "string"}, "zip": {"type": "string"}},
    "required": ["street"],
    "additionalProperties": False,
}


def order(ref: str, **more: Any) -> dict[str, Any]:
    return {
        "title": "Order",
        "type": "object",
        "properties": {"to": {"$ref": ref, "description": "where it goes"}},
        "required": ["to"],
        "additionalProperties": False,
        **more,
    }


TYPES = {
    "Order": {"record": {"to": {"type": "Address", "description": "where it goes"}}},
    "Address": {"record": {"street": {"type": "str"}, "zip": {"type": "str", "required": False}}},
}


def test_definitions_are_types(imported: Import) -> None:
    spec = imported("json-schema", order("#/$defs/address", **{"$defs": {"address": ADDRESS}})).spec
    assert spec["types"] == TYPES


def test_files_beside_it(imported: Import) -> None:
    Path("parts").mkdir()
    shared = {"$schema": "x", "definitions": {"address": {"$ref": "../base.json#/$defs/a"}}}
    Path("parts/shared.json").write_text(json.dumps(shared))
    Path("base.json").write_text(json.dumps({"$defs": {"a": ADDRESS}}))
    spec = imported("json-schema", order("base.json#/$defs/a")).spec
    assert spec["types"]["Order"]["record"]["to"]["type"] == "A"
    assert spec["types"]["A"] == TYPES["Address"]
    spec = imported("json-schema", order("parts/shared.json#/definitions/address")).spec
    assert spec["types"]["Address"] == {"type": "A"}
    assert spec["types"]["A"] == TYPES["Address"]


def test_a_part_of_a_file_that_is_called_as_one_of_ours(imported: Import) -> None:
    Path("base.json").write_text(json.dumps({"$defs": {"a": ADDRESS}}))
    Path("more.json").write_text(json.dumps({"$defs": {"a": {"type": "boolean"}}}))
    members = {
        name: {"$ref": ref}
        for name, ref in (
            ("own", "#/$defs/a"), ("base", "base.json#/$defs/a"), ("more", "more.json#/$defs/a"),
        )
    }  # fmt: skip
    schema = {**record(**members), "$defs": {"a": {"type": "integer"}}}
    types = imported("json-schema", schema).spec["types"]
    found = {name: types[made["type"]] for name, made in types["Given"]["record"].items()}
    assert found == {"own": {"type": "int"}, "base": TYPES["Address"], "more": {"type": "bool"}}


def test_a_file_that_references_write_otherwise(imported: Import) -> None:
    Path("the base.json").write_text(json.dumps(ADDRESS))
    refs = ("the%20base.json", "the%20base.json#", "the%20base.json#/")
    schema = record(**{name: {"$ref": ref} for name, ref in zip("abc", refs, strict=True)})
    types = imported("json-schema", schema).spec["types"]
    assert len(types) == 2 and TYPES["Address"] in types.values()


def test_a_file_leaves_behind_what_it_says_of_itself(imported: Import) -> None:
    draft = "https://json-schema.org/draft/2020-12/schema"
    base = {
        **record(zip={"$ref": "#/$defs/a~1b"}),
        "$schema": draft, "$id": "https://a.example/base", "$defs": {"a/b": {"type": "string"}},
    }  # fmt: skip
    Path("base.json").write_text(json.dumps(base))
    types = imported("json-schema", order("base.json")).spec["types"]
    assert types["Base"] == {"record": {"zip": {"type": "AB"}}}
    assert types["AB"] == {"type": "str"}
    opened = order("base.json", additionalProperties=True)
    whole = imported("json-schema", opened).spec["types"]["Order"]["json_shape"]
    assert whole["$defs"] == {
        "base": record(zip={"$ref": "#/$defs/a_b"}),
        "a_b": {"type": "string"},
    }


def test_an_id_is_a_name_in_its_own_file_alone(imported: Import) -> None:
    Path("b.json").write_text(json.dumps(ADDRESS))
    Path("parts.json").write_text(json.dumps({"$ref": "b.json"}))
    held = {"$defs": {"a": {"type": "integer", "$id": "b.json"}}}
    types = imported("json-schema", order("parts.json", **held)).spec["types"]
    assert types["A"] == {"type": "int"}
    assert TYPES["Address"] in types.values()


def test_files_that_refer_to_each_other(imported: Import) -> None:
    back = {**ADDRESS, "properties": {"of": {"$ref": "given.json"}}, "required": []}
    Path("address.json").write_text(json.dumps(back))
    spec = imported("json-schema", order("address.json")).spec
    assert spec["types"]["Order"] == TYPES["Order"]
    assert spec["types"]["Address"] == {"record": {"of": {"type": "Order", "required": False}}}


def test_references_that_lead_nowhere(imported: Import) -> None:
    Path("base.json").write_text("{}")
    for ref, said in (
        ("none.json", "$ref none.json: there is no none.json"),
        ("base.json#/$defs/a", "$ref base.json#/$defs/a leads to nothing"),
        ("../../etc/passwd", "$ref ../../etc/passwd leads out of the folder"),
        ("https://example.com/a.json", "nothing is fetched"),
        ("#/$defs/a", "leads to nothing"),
    ):
        done = imported("json-schema", order(ref))
        assert done.code == 1 and done.err.count("error[") == 1
        assert said in done.err and "given.json:" in done.err


def test_references_to_places_within(imported: Import) -> None:
    """As zod-to-json-schema writes them: a schema that is used again is referred to by its path."""
    home = {**ADDRESS, "description": "where they live", "default": {"street": "a"}}
    members = {
        "home": home,
        "work": {"$ref": "#/definitions/user/properties/home"},
        "zip": {"$ref": "#/definitions/user/properties/home/properties/zip"},
        "up": {"anyOf": [{"type": "null"}, {"$ref": "#/definitions/user"}]},
    }
    user = {"type": "object", "properties": members, "additionalProperties": False}
    schema = {"$ref": "#/definitions/user", "definitions": {"user": user}}
    types = imported("json-schema", schema).spec["types"]
    assert types["User"]["record"] == {
        "home": {"type": "Home", "description": "where they live", "default": {"street": "a"}},
        "work": {"type": "Home", "required": False},
        "zip": {"type": "Zip", "required": False},
        "up": {"type": "User", "optional": True, "required": False},
    }
    assert types["Home"] == {
        "record": {"street": {"type": "str"}, "zip": {"type": "Zip", "required": False}}
    }
    assert types["Zip"] == {"type": "str"}


def record(**members: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": members,
        "required": [*members],
        "additionalProperties": False,
    }


CAT, DOG, OPEN = ({"$ref": f"#/$defs/{name}"} for name in ("Cat", "Dog", "Open"))
ANIMALS = {
    "Cat": record(kind={"const": "cat"}),
    "Dog": record(kind={"const": "dog"}),
    "Open": {"type": "object", "properties": {"kind": {"type": "string"}}},
}
NULL = {"type": "null"}


@pytest.mark.parametrize(
    ("schema", "field"),
    [
        ({"anyOf": [CAT, NULL]}, {"type": "Cat", "optional": True}),
        ({"oneOf": [NULL, CAT]}, {"type": "Cat", "optional": True}),
        ({"anyOf": [CAT, DOG]}, {"type": "Cat | Dog"}),
        ({"anyOf": [CAT, DOG, NULL]}, {"type": "Cat | Dog", "optional": True}),
        ({"oneOf": [CAT, DOG], "discriminator": {"propertyName": "kind"}}, {"type": "Cat | Dog"}),
        ({"type": "array", "items": {"oneOf": [CAT, DOG]}}, {"type": "list[Cat | Dog]"}),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, {"type": "int | str"}),
        ({"anyOf": [CAT, {"type": "boolean"}, NULL]}, {"type": "Cat | bool", "optional": True}),
        ({"type": "integer", "x-order": 3}, {"type": "int"}),
        ({"anyOf": [CAT, OPEN]}, {"type": "Cat | Open"}),
        ({"anyOf": [NULL, NULL, CAT]}, {"type": "Cat", "optional": True}),
        ({"anyOf": [NULL]}, None),
        ({"anyOf": [{}, NULL]}, None),
        ({"oneOf": [NULL, NULL, CAT]}, None),
        ({"anyOf": [{"type": "integer", "description": "of it"}, NULL]}, None),
        ({"oneOf": [CAT, OPEN]}, None),
        ({"oneOf": [{"type": "integer"}, {"type": "number"}]}, None),
        ({"anyOf": [{"type": "integer"}, {"type": "number"}]}, None),
        ({"anyOf": [CAT, {"type": "string", "format": "date"}]}, None),
        ({"anyOf": [CAT, record(a={"type": "string"})]}, None),
    ],
)  # fmt: skip
def test_options(imported: Import, schema: Any, field: Any) -> None:
    given = {**record(a=schema), "$defs": ANIMALS}
    made = imported("json-schema", given).spec["types"]["Given"]["record"]["a"]
    assert made == field if field is not None else [*made] == ["json_shape"]


def test_references_to_what_is_no_schema(imported: Import) -> None:
    schema = {"properties": {"a": {"$ref": "#/x-own/a"}}, "x-own": {"a": {"type": "string"}}}
    spec = imported("json-schema", schema).spec
    assert spec["types"] == {"Given": {"json_shape": schema}}


@pytest.mark.parametrize(
    ("ref", "more"),
    [
        ("#place", {"$defs": {"address": {**ADDRESS, "$anchor": "place"}}}),
        ("#address", {"$defs": {"x": {"$defs": {"y": {**ADDRESS, "$anchor": "address"}}}}}),
        ("address.json", {"$defs": {"address": {**ADDRESS, "$id": "address.json"}}}),
        ("https://a.example/b#/$defs/address",
         {"$id": "https://a.example/b", "$defs": {"address": ADDRESS}}),
        ("#address", {"$schema": "http://json-schema.org/draft-04/schema#",
                      "definitions": {"address": {**ADDRESS, "id": "#address"}}}),
        ("#/$defs/address", {"$id": "https://a.example/b", "$defs": {"address": ADDRESS}}),
        ("#/definitions/address", {"$schema": "http://json-schema.org/draft-04/schema#",
                                   "id": "https://a.example/b",
                                   "definitions": {"address": ADDRESS}}),
        ("https://a.example/b#/definitions/address",
         {"$schema": "http://json-schema.org/draft-04/schema#", "id": "https://a.example/b#",
          "definitions": {"address": ADDRESS}}),
        # What the reference of a part means depends on what the part calls itself.
        ("#/$defs/x", {"$defs": {"x": {"$id": "x", "$ref": "#/$defs/y", "$defs": {"y": ADDRESS}},
                                 "y": {"type": "integer"}}}),
        # The first of a name has it.
        ("#twice", {"$defs": {"a": {"$defs": {"b": {**ADDRESS, "$anchor": "twice"}}},
                              "c": {"type": "integer", "$anchor": "twice"}}}),
        ("bundled", {"$schema": "https://json-schema.org/draft/2020-12/schema",
                     "$defs": {"bundled": {
                         "$schema": "https://json-schema.org/draft/2020-12/schema",
                         "$id": "bundled", "$ref": "#/$defs/address", "$defs": {
                             "address": ADDRESS}}}}),
    ],
)  # fmt: skip
def test_parts_that_have_names(imported: Import, ref: str, more: Any) -> None:
    types = imported("json-schema", order(ref, **more)).spec["types"]
    named = types["Order"]["record"]["to"]["type"]
    assert types["Order"]["record"] == {"to": {"type": named, "description": "where it goes"}}
    while "type" in types[named]:
        named = types[named]["type"]
    assert types[named] == TYPES["Address"]


def test_an_id_beside_a_reference_says_nothing_in_older_drafts(imported: Import) -> None:
    said = {"$schema": "http://json-schema.org/draft-07/schema#"}
    schema = order("#/definitions/address", **said, definitions={"address": ADDRESS})
    schema["properties"]["to"]["$id"] = "https://a.example/other"
    assert imported("json-schema", schema).spec["types"] == TYPES


def test_keys_that_references_write_otherwise(imported: Import) -> None:
    held = {"$defs": {"a b/c~1d": ADDRESS}}
    spec = imported("json-schema", order("#/$defs/a%20b~1c~01d", **held)).spec
    assert spec["types"].keys() == {"Order", "ABC1d"}
    assert spec["types"]["ABC1d"] == TYPES["Address"]


def test_places_of_one_name(imported: Import) -> None:
    one, other = record(of={"type": "string"}), record(of={"type": "integer"})
    refs = [{"$ref": f"#/properties/{name}/properties/of"} for name in ("one", "other")]
    schema = record(one=one, other=other, both={"type": "object", "properties": {
        "a": refs[0], "b": refs[1]}, "additionalProperties": False})  # fmt: skip
    types = imported("json-schema", schema).spec["types"]
    both = types["Given"]["record"]["both"]["record"]
    named = [both[name]["type"] for name in ("a", "b")]
    assert [types[name] for name in named] == [{"type": "str"}, {"type": "int"}]


def test_a_definition_that_is_called_as_a_word_of_types(imported: Import) -> None:
    spec = imported("json-schema", {"$defs": {"UUID": ADDRESS}}).spec
    assert [*spec["types"]] == ["GivenUUID"]


def test_a_whole_that_stays_is_as_it_was_given(imported: Import) -> None:
    address = {**ADDRESS, "$anchor": "address"}
    more = {"$id": "https://a.example/b", "$defs": {"a": address}, "minProperties": 1}
    schema = order("#address", **more)
    assert imported("json-schema", schema).spec["types"] == {"Order": {"json_shape": schema}}


def test_a_part_that_stays_has_its_words_and_default_beside_it(imported: Import) -> None:
    odd = {"not": {"type": "string"}, "examples": [2]}
    given = {"a": {**odd, "description": "no text", "default": 1}}
    schema = {"type": "object", "properties": given, "additionalProperties": False}
    made = imported("json-schema", schema).spec["types"]["Given"]["record"]
    assert made == {"a": {"json_shape": odd, "description": "no text", "default": 1}}


def test_places_in_tuples_of_older_drafts(imported: Import) -> None:
    draft = "http://json-schema.org/draft-07/schema#"
    pair = {"type": "array", "items": [{"$ref": "#/properties/a"}], "additionalItems": False}
    schema = {"$schema": draft, **record(a={"type": "integer"}, pair=pair)}
    made = imported("json-schema", schema).spec["types"]["Given"]["record"]["pair"]["json_shape"]
    assert made["items"] == [{"$ref": "#/$defs/a"}]
    assert made["$defs"] == {"a": {"type": "integer"}} and made["$schema"] == draft


@pytest.mark.parametrize("word", ["$defs", "definitions"])
def test_places_are_held_where_the_definitions_are(imported: Import, word: str) -> None:
    members = {
        "home": {**ADDRESS, "$anchor": "place"},
        "at": {"type": "array", "contains": {"$ref": "#place"}},
        "by": {"type": "array", "contains": {"$ref": "#/properties/home/properties/zip"}},
    }
    schema = {**record(**members), word: {"place": {"type": "integer"}}}
    types = imported("json-schema", schema).spec["types"]
    assert types["Given"]["record"]["home"] == {"type": "Place2"}
    odd = types["Given"]["record"]["at"]["json_shape"]
    assert odd["contains"] == {"$ref": f"#/{word}/place_2"}
    address = {**ADDRESS["properties"], "zip": {"$ref": f"#/{word}/zip"}}
    assert odd[word] == {
        "place_2": {**ADDRESS, "properties": address},
        "zip": {"type": "string"},
    }
    assert types["Given"]["record"]["by"]["json_shape"][word] == {"zip": {"type": "string"}}


NODE = {
    "type": "object",
    "properties": {"label": {"type": "string"}, "next": {"$ref": "#"}},
    "required": ["label"],
    "additionalProperties": False,
}
NODE_FIELDS = {"label": {"type": "str"}, "next": {"type": "Given", "required": False}}


def test_a_reference_to_the_whole(imported: Import) -> None:
    assert imported("json-schema", NODE).spec["types"] == {"Given": {"record": NODE_FIELDS}}
    # A part that stays a schema holds what it refers to, also the whole.
    odd = {"type": "array", "contains": {"$ref": "#"}}
    members = {**NODE["properties"], "odd": odd}
    held = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": {"a": ADDRESS}}
    types = imported(
        "json-schema", {**NODE, **held, "description": "of many", "properties": members}
    ).spec["types"]
    assert types["Given"]["record"]["odd"]["json_shape"] == {
        "type": "array",
        "contains": {"$ref": "#/$defs/Given"},
        "$defs": {
            "Given": {
                **NODE,
                "properties": {
                    "label": {"type": "string"},
                    "next": {"$ref": "#/$defs/Given"},
                    "odd": {"type": "array", "contains": {"$ref": "#/$defs/Given"}},
                },
            }
        },
    }


def test_definitions_that_refer_to_a_whole_that_says_nothing(imported: Import) -> None:
    held = {"$defs": {"any": {"$ref": "#"}, "address": ADDRESS}}
    types = imported("json-schema", held).spec["types"]
    assert types == {
        "Given": {"type": "json"},
        "Any": {"type": "Given"},
        "Address": TYPES["Address"],
    }


@pytest.mark.parametrize(
    "more",
    [
        {"$defs": {"address": {**ADDRESS, "properties": {"of": {"$dynamicRef": "#a"}}}}},
        {"$defs": {"address": {**ADDRESS, "$schema": "http://json-schema.org/draft-07/schema#"}}},
        {"$defs": {"address": {"$ref": "https://json-schema.org/draft/2020-12/schema"}}},
    ],
)
def test_what_means_something_else_elsewhere_stays_whole(imported: Import, more: Any) -> None:
    schema = order("#/$defs/address", **more)
    assert imported("json-schema", schema).spec["types"] == {"Order": {"json_shape": schema}}


@pytest.mark.parametrize("others", [True, {}, {"type": "string"}])
def test_an_object_that_takes_other_members_stays_a_schema(imported: Import, others: Any) -> None:
    schema = {**ADDRESS, "additionalProperties": others}
    for more in ([], ["--closed"]):
        spec = imported("json-schema", schema, *more).spec
        assert spec["types"] == {"Given": {"json_shape": schema}}


def test_a_file_of_definitions_alone(imported: Import) -> None:
    text = {"type": "string", "examples": ["a"], "default": "b"}
    spec = imported("json-schema", {"$defs": {"address": ADDRESS, "list": text}}).spec
    assert spec["types"] == {"Address": TYPES["Address"], "List": {"type": "str"}}


def test_yaml_and_the_file_as_the_name(imported: Import) -> None:
    spec = imported(
        "json-schema", "type: string\nmaxLength: 3\n", name="short-text.schema.yaml"
    ).spec
    assert spec["types"] == {"ShortText": {"type": "str", "max_length": 3}}


def test_an_older_draft_keeps_its_meaning(imported: Import) -> None:
    draft = "http://json-schema.org/draft-07/schema#"
    pair = {"type": "array", "items": [{"type": "string"}], "additionalItems": False}
    schema = {**order("#/definitions/p"), "$schema": draft, "definitions": {"p": pair}}
    types = imported("json-schema", schema).spec["types"]
    assert types["P"] == {"json_shape": {"$schema": draft, **pair}}


@pytest.mark.parametrize(
    ("draft", "part"),
    [
        ("draft-07", {"$ref": "#/definitions/text", "minLength": 3}),
        ("draft-04", {"type": "integer", "minimum": 1, "exclusiveMinimum": True}),
        ("draft-04", {"type": "integer", "maximum": 9, "exclusiveMaximum": False}),
    ],
)
def test_a_part_says_its_draft_where_that_makes_a_difference(
    imported: Import, draft: str, part: Any
) -> None:
    said = f"http://json-schema.org/{draft}/schema#"
    held = {"text": {"type": "string"}}
    schema = {"$schema": said, **record(a=part, b={"not": {}}), "definitions": held}
    made = imported("json-schema", schema).spec["types"]["Given"]["record"]
    needed = {"definitions": held} if "$ref" in part else {}
    assert made["a"] == {"json_shape": {"$schema": said, **part, **needed}}
    assert made["b"] == {"json_shape": {"not": {}}}


def test_an_openapi_document_is_none(imported: Import) -> None:
    ran = imported("json-schema", {"openapi": "3.1.0", "paths": {}, "components": {}})
    assert ran.code == 1
    assert "this is an OpenAPI document, and no JSON Schema" in ran.err
    assert "aigen import openapi" in ran.err


@pytest.mark.parametrize(
    ("schema", "types"),
    [
        ({"title": "w" * 40, "type": "string"},
         {"Given": {"type": "str", "description": "w" * 40}}),
        ({"title": "w" * 39, "type": "string"}, {f"W{'w' * 38}": {"type": "str"}}),
        ({"type": "integer", "default": 3, "examples": [4]}, {"Given": {"type": "int"}}),
        ({"openapi": "our own word", "type": "string"},
         {"Given": {"json_shape": {"openapi": "our own word", "type": "string"}}}),
    ],
)  # fmt: skip
def test_what_a_schema_says_of_itself(imported: Import, schema: Any, types: Any) -> None:
    assert imported("json-schema", schema).spec["types"] == types


def test_a_default_that_does_not_fit_is_a_fault_and_an_example_words(imported: Import) -> None:
    done = imported("json-schema", record(a={"type": "integer", "default": "x"}))
    assert done.code == 1 and "error[AIG234]" in done.err
    done = imported("json-schema", record(a={"type": "integer", "examples": ["x"]}))
    made = done.spec["types"]["Given"]["record"]["a"]
    assert made == {"type": "int", "description": '(examples: ["x"])'}


def test_what_is_odd_in_a_part_is_told_at_its_place(imported: Import) -> None:
    odd = {"type": "object", "required": ["b"], "properties": {}}
    done = imported("json-schema", record(a=odd))
    assert "record" in done.spec["types"]["Given"]
    assert "warning[AIG238]" in done.err and "given.json:" in done.err


def test_open_objects_are_told_of(imported: Import) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    assert "--closed makes fields of those" in imported("json-schema", schema).err
    assert imported("json-schema", schema, "--closed").err == ""
    assert imported("json-schema", {**schema, "additionalProperties": False}).err == ""


def chain(length: int) -> dict[str, Any]:
    """Definitions that each refer to the next."""
    return {
        f"Link{number}": {
            "type": "object",
            "properties": {"next": {"$ref": f"#/$defs/Link{number + 1}"} if more else {}},
            "additionalProperties": False,
        }
        for number, more in ((n, n + 1 < length) for n in range(length))
    }


def test_a_chain_longer_than_calls_are_deep(imported: Import) -> None:
    held = {"$defs": chain(600)}
    spec = imported("json-schema", order("#/$defs/Link0", **held)).spec
    assert len(spec["types"]) == 601
    assert spec["types"]["Link598"]["record"]["next"]["type"] == "Link599"
    # An open object stays a schema, which a build reads with all that it refers to.
    opened = imported("json-schema", order("#/$defs/Link0", additionalProperties=True, **held))
    assert list(opened.spec["types"]) == ["Order"]
    assert len(opened.spec["types"]["Order"]["json_shape"]["$defs"]) == 600


def test_parts_that_all_need_each_other_stay_in_one_schema(imported: Import) -> None:
    """Each of them alone would hold all others, and a spec would have millions of values."""
    number = 300
    definitions = {
        f"D{at}": {
            "type": "object",
            "properties": {"next": {"$ref": f"#/$defs/D{(at + 1) % number}"}},
        }
        for at in range(number)
    }
    spec = imported("json-schema", {"$defs": definitions}).spec
    assert spec["types"] == {"Given": {"json_shape": {"$defs": definitions}}}


def test_a_schema_that_stays_whole_is_judged_where_it_stands(imported: Import) -> None:
    done = imported("json-schema", {"properties": {"a": {"type": "string", "enum": [1]}}})
    assert done.code == 1 and "given.json:" in done.err and "AIG235" in done.err
    assert done.err.count("error[") == 1
    done = imported("json-schema", {"type": "object", "required": ["a"], "properties": {}})
    assert "warning[AIG238]" in done.err and "given.json:" in done.err
    assert done.err.count("[AIG238]") == 1


@pytest.mark.parametrize(
    ("content", "said", "hint"),
    [
        ({"name": "Ada", "age": 3}, "given.json:1:1: error[AIG230]: this is no JSON Schema", ""),
        ({"name": "a", "strict": True, "schema": ADDRESS}, "none of its keys is a keyword",
         "put what stands under schema into a file of its own"),
        ({"openapi": "3.1.0", "components": {}}, "this is an OpenAPI document",
         "aigen import openapi"),
        ('{\n  // Of ours.\n  "type": "object"}', "given.json:2:3: error[AIG106]: JSON has no", ""),
        ('{"type": "object" /* of ours */}', "AIG106]: JSON has no comments", ""),
    ],
)  # fmt: skip
def test_what_is_no_schema(imported: Import, content: Any, said: str, hint: str) -> None:
    done = imported("json-schema", content)
    assert done.code == 1 and said in done.err and hint in done.err


def test_members_that_yaml_merges(imported: Import) -> None:
    text = """
      type: object
      properties:
        a: &short {type: string, maxLength: 3}
        b: {<<: *short, description: like a}
        c:
          <<: [{maxLength: 9, minLength: 1}, *short]
          minLength: 2
        "<<": {type: boolean}
      additionalProperties: false
    """
    record = imported("json-schema", text, name="given.yaml").spec["types"]["Given"]["record"]
    assert record == {
        "a": {"type": "str", "max_length": 3, "required": False},
        "b": {"type": "str", "max_length": 3, "description": "like a", "required": False},
        "c": {"type": "str", "max_length": 9, "min_length": 2, "required": False},
        "<<": {"type": "bool", "required": False},
    }


def test_what_yaml_cannot_merge(imported: Import) -> None:
    done = imported("json-schema", "properties: {a: {<<: 3}}", name="given.yaml")
    assert done.code == 1
    assert "given.yaml:1:22: error[AIG121]: << takes the members of a mapping" in done.err
