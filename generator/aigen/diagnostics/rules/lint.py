"""Codes 8xx: lint, what is allowed and probably not meant."""

from aigen.diagnostics.rule import Rule

_HEAD = "aigen: 1\nfunctions:\n  mood:\n    formula: mood ~ review\n"

RULES: tuple[Rule, ...] = (
    Rule(
        "AIG801",
        "warning",
        "A sampling setting that the model refuses",
        "Models with fixed sampling refuse `temperature` and `top_p`, and the responses API "
        "refuses `seed` and `stop`; a call leaves them out and warns.",
        _HEAD + "    settings: {model: gpt-5, temperature: 0}\n",
        "Leave the setting out, or choose another model.",
    ),
    Rule(
        "AIG802",
        "warning",
        "A choice with one level",
        "The model has nothing to choose: every answer is the same.",
        _HEAD + "    fields:\n      mood: {choice: [happy]}\n",
        "Add levels, or leave the field out.",
    ),
    Rule(
        "AIG803",
        "warning",
        "A vague description",
        "Words that only repeat the name tell the model nothing that it did not read already.",
        _HEAD + "    fields:\n      mood: {type: bool, description: mood}\n",
        "Say what the value means, or leave the description out.",
    ),
    Rule(
        "AIG804",
        "warning",
        "Text that looks like a secret",
        "Specs are committed and sent to the model, and so would be the key.",
        _HEAD + "    description: Use sk-proj-4f9Xa1b2C3d4E5f6G7h8I9j0K1l2 for this.\n",
        "Remove it and revoke the key; keys belong in environment variables.",
    ),
    Rule(
        "AIG805",
        "warning",
        "Levels that a reader cannot tell apart",
        "Levels that differ only in case, white space or accents are read as one another in the "
        "model's answer.",
        _HEAD + "    fields:\n      mood: {choice: [happy, Happy]}\n",
        "Write levels that differ in their words.",
    ),
    Rule(
        "AIG806",
        "warning",
        "A type that nothing uses",
        "No function and no tool takes or gives it, so no model ever sees it: it is left over, or "
        "a name that uses it is misspelt.",
        _HEAD + "types:\n  Order: {record: {id: str}}\n",
        "Remove it, or move it to a spec that has types alone.",
    ),
    Rule(
        "AIG807",
        "warning",
        "Two functions that ask for the same",
        "They have the same words, inputs and outputs, so that the model does the same for both, "
        "and a change of one is forgotten in the other.",
        _HEAD
        + "    description: How does the customer feel?\n"
        + "  feeling:\n    formula: feeling ~ review\n"
        + "    description: how does a customer feel\n",
        "Keep one of them, or say in the descriptions how they differ.",
    ),
    Rule(
        "AIG808",
        "warning",
        "A function that does not say what it does",
        "It has no description, and its output is called what any output could be called, so the "
        "model is asked for nothing in particular.",
        _HEAD.replace("mood ~", "answer ~"),
        "Describe the function, or give the output a name that says what it is.",
    ),
    Rule(
        "AIG810",
        "warning",
        "An instruction over its budget",
        "Every call sends and pays for all of it, and models follow long instructions less well.",
        {
            "pyproject.toml": "[tool.aigen.lint]\ninstruction_tokens = 20\n",
            "specs/spec.yaml": _HEAD + "    description: " + "How do they feel? " * 8 + "\n",
        },
        "Shorten it, or raise `instruction_tokens` in `[tool.aigen.lint]`.",
    ),
    Rule(
        "AIG811",
        "warning",
        "Demos over their budget",
        "Every call sends and pays for all demos.",
        {
            "pyproject.toml": "[tool.aigen.lint]\ndemo_tokens = 20\n",
            "specs/spec.yaml": _HEAD
            + "    demos:\n"
            + "      - {review: It works as it should., mood: happy}\n"
            + "      - {review: It broke on the first day., mood: unhappy}\n",
        },
        "Keep the demos that teach most, or raise `demo_tokens` in `[tool.aigen.lint]`.",
    ),
    Rule(
        "AIG812",
        "warning",
        "A demo with what looks like personal data",
        "Demos are committed and sent with every call. Card and account numbers count where their "
        "check digits are right; addresses at example.com and numbers that are published for "
        "examples never do.",
        _HEAD + "    demos: [{review: Write to jane.doe@gmail.com, mood: happy}]\n",
        "Make the data up: name@example.com, +1 202 555 0123.",
    ),
    Rule(
        "AIG813",
        "note",
        "A schema that a provider is not asked to enforce",
        "A dialect of `[tool.aigen] dialects`, or the model, enforces a subset of JSON Schema, and "
        "this reply or tool is not in it. It is sent all the same, what comes back is judged by "
        "the whole schema, and the model corrects it.",
        {
            "pyproject.toml": '[tool.aigen]\ndialects = ["openai-chat"]\n',
            "specs/spec.yaml": _HEAD + "    fields: {mood: 'dict[str, float]'}\n",
        },
        "Type every part: a list of records with a name and a value, for a map. Or set "
        "`strict: false` on the tool.",
    ),
    Rule(
        "AIG814",
        "warning",
        "A pattern that needs an engine that backtracks",
        "Patterns are judged in time linear in the text, save those with look-around or "
        "back-references: Python's `re` takes them, and on some texts its time doubles with each "
        "character. A reply is such a text that nobody here wrote.",
        _HEAD + "    fields:\n      review: {type: str, pattern: '^(?!no)[a-z]+$'}\n",
        "Write the pattern without them, or judge the value in a `check`.",
    ),
    Rule(
        "AIG815",
        "warning",
        "A function that cannot be sent",
        "The configured API, adapter or prompt does not take what the function would send, so "
        "that every such call raises `ConfigurationError`.",
        _HEAD + "    settings: {api: responses}\n    fields: {review: audio}\n",
        "Choose another `api` or `adapter`, or write media in a user message of the prompt.",
    ),
    Rule(
        "AIG816",
        "warning",
        "An ignore comment that ignores nothing",
        "`# aigen: ignore[AIG803]` ignores that rule of lint on its line. One that names no rule, "
        "or finds nothing there, would hide what comes later.",
        _HEAD + "    description: How the customer feels. # aigen: ignore[AIG803]\n",
        "Remove the comment, or mend its code.",
    ),
    Rule(
        "AIG817",
        "warning",
        "A spec that says where requests and a key go",
        "`base_url` in a spec sends what the function is given, and the key in the environment, to "
        "whatever server the spec names; a spec may come from a stranger. A server of this "
        "machine, and one that the project's configuration names, are fine.",
        _HEAD + "    settings: {base_url: https://llm.example.com/v1}\n",
        "Name the server under `[tool.aigen.providers]`, with the variable that holds its key, and "
        "set `model: <its name>:<model>`; or ignore the rule where you wrote the spec.",
    ),
)
