"""Codes 6xx: what a provider cannot be told, and strict mode."""

from aigen.diagnostics.rule import Rule

RULES: tuple[Rule, ...] = (
    Rule(
        "AIG601",
        "error",
        "A strict tool whose schema has no strict form",
        "`strict: true` asks the provider to enforce the schema. Providers enforce a subset of "
        "JSON Schema: every object closed, every list typed, no `not`, no `if`.",
        {
            "pyproject.toml": '[tool.aigen]\ndialects = ["openai-chat"]\n',
            "specs/spec.yaml": "aigen: 1\ntools:\n  note:\n    description: Takes a note.\n"
            "    strict: true\n    parameters: {facts: 'dict[str, str]'}\n",
        },
        "Type every part (a list of records with a name and a value, for a map), or leave `strict` "
        "out: it is used wherever the schema allows it.",
    ),
    Rule(
        "AIG602",
        "error",
        "A tool's name too long to send",
        "Providers take 64 characters. A name that is not unique in a request is sent with its "
        "namespace before it.",
        "",
        "Shorten `name` or `namespace`.",
    ),
    Rule(
        "AIG603",
        "warning",
        "A tool's description too long to send",
        "OpenAI refuses descriptions of more than 1,024 characters, so every call would fail.",
        {
            "pyproject.toml": '[tool.aigen]\ndialects = ["openai-chat"]\n',
            "specs/spec.yaml": "aigen: 1\ntools:\n  note:\n    description: "
            + "Takes a note. " * 80
            + "\n    parameters: {text: str}\n",
        },
        "Say what the tool does in a few sentences; put rules under `guidelines`.",
    ),
    Rule(
        "AIG604",
        "warning",
        "A keyword that a provider ignores",
        "The provider takes the schema and does not tell the model this part of it. Arguments are "
        "checked against the whole schema all the same, and the model corrects them.",
        {
            "pyproject.toml": '[tool.aigen]\ndialects = ["gemini"]\n',
            "specs/spec.yaml": "aigen: 1\ntools:\n  note:\n    description: Takes a note.\n"
            "    parameters:\n      json_shape:\n        type: object\n"
            "        patternProperties: {'^x_': {type: string}}\n",
        },
        "Say it in the description as well.",
    ),
    Rule(
        "AIG605",
        "warning",
        "A schema nested deeper than a provider takes",
        "Gemini answers 400 to schemas in which records and lists stand too deep inside one "
        "another. It documents no limit; schemas of more than 5 have been refused. Where yours are "
        "taken, ignore this in `[tool.aigen.lint]`.",
        {
            "pyproject.toml": '[tool.aigen]\ndialects = ["gemini"]\n',
            "specs/spec.yaml": "aigen: 1\ntools:\n  note:\n    description: Takes a note.\n"
            "    parameters: {rows: 'list[list[list[list[list[str]]]]]'}\n",
        },
        "Make it flatter, or split it in two.",
    ),
    Rule(
        "AIG606",
        "warning",
        "A recursive schema that a provider refuses",
        "Gemini takes what contains itself only in members that may be left out (that they may be "
        "null does not suffice), and Anthropic lets code call no tool whose parameters contain "
        "themselves. Both answer 400.",
        {
            "pyproject.toml": '[tool.aigen]\ndialects = ["gemini"]\n',
            "specs/spec.yaml": "aigen: 1\ntypes:\n  Node: {record: {children: 'list[Node]'}}\n"
            "tools:\n  note:\n    description: Takes a note.\n    parameters: {top: Node}\n",
        },
        "Let the member be left out: `required: false`.",
    ),
)
