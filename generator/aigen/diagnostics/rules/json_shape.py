"""Codes 230 to 249: JSON Schemas written in a spec."""

from aigen.diagnostics.rule import Rule

_HEAD = "aigen: 1\ntypes:\n  Order:\n    json_shape:\n"


def _shape(text: str) -> str:
    return _HEAD + "".join(f"      {line}\n" for line in text.splitlines())


RULES: tuple[Rule, ...] = (
    Rule(
        "AIG230",
        "error",
        "A keyword of JSON Schema with a wrong value",
        "Every keyword takes values of one kind: `required` a list of names, `minLength` a whole "
        "number, `properties` schemas by name. A validator would ignore or crash on another.",
        _shape("type: object\nproperties: {id: string}"),
        "Write a value of that kind; a property's value is a schema: `id: {type: string}`.",
    ),
    Rule(
        "AIG231",
        "error",
        "A reference in a JSON Schema that leads to nothing",
        "`$ref` leads to a part of the same schema. Nothing is fetched from elsewhere, so that a "
        "build gives the same code everywhere, and no network is needed.",
        _shape(
            "type: object\nproperties:\n  user: {$ref: '#/$defs/Usr'}\n"
            "$defs:\n  User: {type: string}"
        ),
        "Correct the reference, or copy the schema that it means under `$defs`.",
    ),
    Rule(
        "AIG232",
        "error",
        "References in a circle",
        "A reference that comes back to itself without a member or an item between says nothing, "
        "and judging by it would never end.",
        _shape("$ref: '#/$defs/A'\n$defs:\n  A: {$ref: '#/$defs/B'}\n  B: {$ref: '#/$defs/A'}"),
        "Say what one of them is. A record may hold itself in a list or an optional member.",
    ),
    Rule(
        "AIG233",
        "error",
        "An unknown type in a JSON Schema",
        "The types of JSON Schema are string, integer, number, boolean, null, array and object. "
        "Another word would make the schema refuse every value, or be ignored.",
        _shape("type: object\nproperties: {id: {type: strin}}"),
        "Write one of the seven.",
    ),
    Rule(
        "AIG234",
        "error",
        "A default that does not fit its JSON Schema",
        "A default stands in for a value that is left out, so it must be one the schema takes.",
        _shape("type: object\nproperties: {count: {type: integer, maximum: 3, default: 5}}"),
        "Write a value that fits.",
    ),
    Rule(
        "AIG235",
        "error",
        "A JSON Schema that no value fits",
        "What is asked for contradicts itself, so every value would be refused.",
        _shape("type: object\nproperties:\n  code:\n    allOf: [{type: integer}, {type: string}]"),
        "Drop one of the two, or write `anyOf`.",
    ),
    Rule(
        "AIG236",
        "warning",
        "A keyword that JSON Schema does not have",
        "Unknown keywords are ignored by the rules of JSON Schema, so a misspelt one silently "
        "checks nothing.",
        _shape("type: object\nproperties: {id: {type: string, minLenght: 3}}"),
        "Correct the spelling. Begin words of your own with `x-`.",
    ),
    Rule(
        "AIG237",
        "warning",
        "A keyword beside `$ref` in an old draft",
        "Up to draft-07 everything beside `$ref` is ignored.",
        _shape(
            "$schema: http://json-schema.org/draft-07/schema#\ntype: object\nproperties:\n"
            "  id: {$ref: '#/definitions/Id', maxLength: 4}\ndefinitions:\n  Id: {type: string}"
        ),
        "Put both into `allOf`, or declare draft 2020-12.",
    ),
    Rule(
        "AIG238",
        "warning",
        "A required member that is not described",
        "`required` names a member that `properties` lacks: it must be there and may be anything. "
        "This is mostly a misspelt name.",
        _shape("type: object\nproperties: {id: {type: string}}\nrequired: [id, nmae]"),
        "Describe it under `properties`, or correct the name.",
    ),
    Rule(
        "AIG239",
        "warning",
        "A part of a JSON Schema that no value fits",
        "A member is required and forbidden, or a record needs another of its own kind without "
        "end. Values that have this part are always refused.",
        _shape(
            "type: object\nproperties:\n  first: {$ref: '#/$defs/Link'}\n$defs:\n  Link:\n"
            "    type: object\n    properties: {next: {$ref: '#/$defs/Link'}}\n    required: [next]"
        ),
        "Let the member be absent or null, or do not close the object.",
    ),
    Rule(
        "AIG240",
        "warning",
        "A value twice in `enum`",
        "The second says nothing; often another value was meant.",
        _shape("type: object\nproperties: {size: {enum: [S, M, M]}}"),
        "Leave one out.",
    ),
    Rule(
        "AIG241",
        "note",
        "A JSON Schema that needs another validator",
        "`unevaluatedProperties`, `$dynamicRef` and references to metaschemas depend on more than "
        "the place where they stand. They are judged by jsonschema-rs, an optional package.",
        _shape(
            "type: object\nanyOf:\n  - {properties: {a: {type: string}}}\n"
            "  - {properties: {b: {type: string}}}\nunevaluatedProperties: false"
        ),
        "Install `aigen[schema]` where the generated code runs, or say it with "
        "`additionalProperties`.",
    ),
)
