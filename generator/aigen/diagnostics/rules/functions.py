"""Codes 3xx: AI functions."""

from aigen.diagnostics.rule import Rule

_HEAD = "aigen: 1\nfunctions:\n  mood:\n    formula: mood ~ review\n"

RULES: tuple[Rule, ...] = (
    Rule(
        "AIG301",
        "error",
        "A field that is not in the formula",
        "The formula says what goes in and what comes out. A field beside it would never be read.",
        _HEAD + "    fields:\n      reviw: the customer's words\n",
        "Correct the name, or add it to the formula.",
    ),
    Rule(
        "AIG302",
        "error",
        "A . that stands for no columns",
        "`.` in a formula is every column of `data` that is not named; without `data`, or with "
        "columns whose names cannot be Python's, the inputs are not known.",
        "aigen: 1\nfunctions:\n  mood:\n    formula: mood ~ .\n",
        "Write `data:`, or name the inputs.",
    ),
    Rule(
        "AIG303",
        "error",
        "An input called result",
        "The one output of a function is called `result` in its interface, in logs and in demos.",
        "aigen: 1\nfunctions:\n  mood:\n    formula: mood ~ result\n",
        "Give the input another name.",
    ),
    Rule(
        "AIG304",
        "error",
        "An output called reasoning under cot",
        "`reasoning: cot` adds a text of that name before the answer.",
        "aigen: 1\nfunctions:\n  mood:\n    formula: reasoning ~ review\n"
        "    settings: {reasoning: cot}\n",
        "Give the output another name, or leave `cot` out.",
    ),
    Rule(
        "AIG305",
        "error",
        "An output with a default, or an input that may be absent",
        "The model always answers every output, with null where the type takes it. An input is "
        "optional by having a default.",
        _HEAD + "    fields:\n      mood: {type: bool, default: true}\n",
        "Write `T | None` for the output, a `default` for the input.",
    ),
    Rule(
        "AIG306",
        "error",
        "An unknown tool",
        "`tools` names tools and functions of this file, or `module.name` of another.",
        _HEAD + "    tools: [lookup]\n",
        "Correct the name, or declare the tool.",
    ),
    Rule(
        "AIG307",
        "error",
        "An unknown setting",
        "A misspelt setting would silently change nothing. Keys, clients and a caller's context "
        "belong to the program that calls, not to a spec.",
        "aigen: 1\nsettings: {temprature: 0}\n",
        "Correct the name.",
    ),
    Rule(
        "AIG308",
        "error",
        "A setting with a value of another kind",
        "Each setting takes values of one kind; another is refused by the call as well.",
        "aigen: 1\nsettings: {retries: often}\n",
        "Write a value that the setting takes.",
    ),
    Rule(
        "AIG309",
        "error",
        "log_content names no field",
        "A misspelt name would leave in the log what was meant to be kept out of it.",
        _HEAD + "    settings: {log_content: {reviw: false}}\n",
        "Name inputs, outputs or `*`.",
    ),
    Rule(
        "AIG310",
        "error",
        "A prompt that reads an unknown name",
        "A prompt's names are the function's inputs and `instruction`, with members that these "
        "have; a loop goes over a list.",
        _HEAD + '    prompt:\n      - user: "{{ review }} {{ reviewer }}"\n',
        "Name an input, and members of it.",
    ),
    Rule(
        "AIG311",
        "error",
        "A prompt that does not use an input",
        "The model would answer without having seen what the caller gave.",
        _HEAD + '    prompt:\n      - user: "How does the customer feel?"\n',
        "Write `{{ name }}` in a message, or take the input out of the formula.",
    ),
    Rule(
        "AIG312",
        "error",
        "A demo that does not fit the function",
        "A demo is a call and its answer: every required input, values that bind, no other names. "
        "Outputs may be left out.",
        _HEAD + "    fields:\n      mood: {choice: [happy, unhappy]}\n"
        "    demos:\n      - {review: Great!, mood: hapy}\n",
        "Correct the demo.",
    ),
    Rule(
        "AIG313",
        "error",
        "A test that does not fit the function",
        "A test's inputs bind as a call's do, and what it expects are values of outputs.",
        _HEAD + "    tests:\n      - {inputs: {review: Great!}, expect: {moood: good}}\n",
        "Correct the test.",
    ),
    Rule(
        "AIG314",
        "error",
        "A name for the model of one output",
        "A function with one output returns its value, so there is no model for `answer` to name.",
        _HEAD + "    answer: Mood\n",
        "Leave it out; a record written in place takes `name:`.",
    ),
    Rule(
        "AIG315",
        "error",
        "A $given parameter that cannot be one",
        "The call takes the levels as a parameter of that name, beside the inputs.",
        _HEAD + "    fields:\n      mood: {choice: {$given: review}}\n",
        "Write another identifier.",
    ),
    Rule(
        "AIG316",
        "error",
        "A check that is not on an output",
        "A check judges what the model answered, so that it can be asked again.",
        {
            "specs/spec.yaml": _HEAD + "    fields:\n      review: {check: app.checks:polite}\n",
            "app/checks.py": "def polite(text: str) -> bool:\n    return True\n",
        },
        "Move it to an output, or to the function, which is given inputs and outputs.",
    ),
    Rule(
        "AIG317",
        "error",
        "A name for the model or the log that is none",
        "`name` is one line, for the model reads it in one; `defined_in` is the dotted name of a "
        "module.",
        _HEAD + "    defined_in: shop/support\n",
        "Write a short name, or a dotted one.",
    ),
    Rule(
        "AIG318",
        "error",
        "A tool that stands twice, or is the function itself",
        "The model is offered each tool once, and a function that may call itself need not end.",
        _HEAD + "    tools: [mood]\n",
        "Leave it out.",
    ),
)
