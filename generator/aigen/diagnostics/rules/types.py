"""Codes 2xx: types, defaults and names."""

from aigen.diagnostics.rule import Rule

_HEAD = "aigen: 1\n"
_ONE = _HEAD + "functions:\n  mood:\n    formula: mood ~ review\n    fields:\n"


def _types(text: str) -> str:
    return f"{_HEAD}types:\n{text}"


RULES: tuple[Rule, ...] = (
    Rule(
        "AIG201",
        "error",
        "An unknown type",
        "A name in a type is a word of the type table, a name under `types`, or `module.Name` of "
        "another spec file. A misspelt type would otherwise be read as something else.",
        _ONE + "      mood: list[Tonne]\n",
        "Correct the name, or declare the type under `types`.",
    ),
    Rule(
        "AIG202",
        "error",
        "A type with wrong arguments",
        "`list`, `set` and `Optional` take one type, `dict` takes `str` and one more, and plain "
        "types such as `int` take none.",
        _ONE + "      mood: dict[int, str]\n",
        "Write `list[T]`, `dict[str, T]`, `tuple[A, B]` or `tuple[T, ...]`.",
    ),
    Rule(
        "AIG203",
        "error",
        "A default that does not fit its type",
        "A default is bound when code is generated, by the same rules as a call's inputs, so one "
        "that a call would refuse is refused here.",
        _HEAD + "types:\n  Tone: {choice: [kind, brief]}\nfunctions:\n  answer:\n"
        "    formula: reply ~ tone\n    fields:\n      tone: {type: Tone, default: knd}\n",
        "Write a value of the type.",
    ),
    Rule(
        "AIG204",
        "error",
        "A number that JSON does not have",
        "Infinity and NaN have no JSON form, so they can be neither sent nor compared.",
        _ONE + "      review: {type: float, default: .inf}\n",
        "Write a finite number, or null.",
    ),
    Rule(
        "AIG205",
        "error",
        "An example that does not fit its type",
        "Examples are shown to the model; a wrong one teaches it to answer wrongly.",
        _ONE + "      mood: {type: int, examples: [many]}\n",
        "Write values of the type.",
    ),
    Rule(
        "AIG206",
        "error",
        "A constraint on a type that has none",
        "`ge gt le lt` apply to numbers and `Decimal`, `multiple_of` to numbers, `min_length "
        "max_length` to texts and containers, `pattern` to texts. Elsewhere they would silently "
        "check nothing.",
        _ONE + "      mood: {type: bool, ge: 1}\n",
        "Leave it out, or write it on the type inside: `{list: {type: str, pattern: …}}`.",
    ),
    Rule(
        "AIG207",
        "error",
        "A constraint that no value can meet",
        "Bounds that exclude one another, or a multiple of zero, leave the model no right answer.",
        _ONE + "      mood: {type: int, ge: 5, le: 1}\n",
        "Correct the bounds.",
    ),
    Rule(
        "AIG208",
        "error",
        "A pattern that is no regular expression",
        "Patterns are compiled when code is generated, by Python's `re` and else by pydantic's own "
        "engine. One that neither takes could never be checked.",
        _ONE + "      mood: {type: str, pattern: '[a-'}\n",
        "Correct the pattern; single quotes keep its backslashes.",
    ),
    Rule(
        "AIG209",
        "error",
        "A type named like a word of the type table",
        "`date`, `list` or `text` would then mean two things, and the reader of a spec could not "
        "tell which.",
        _types("  date: {record: {day: int}}\n"),
        "Give the type another name, such as `Date`.",
    ),
    Rule(
        "AIG210",
        "error",
        "Two declarations with one Python name",
        "Functions, tools, types, answers, partial answers and inputs of tools are names of one "
        "module. Names are compared as they come out in Python, after Unicode's NFKC.",
        _HEAD + "types:\n  Mood: {record: {a: str}}\nfunctions:\n  mood:\n"
        "    formula: tone + cause ~ review\n",
        "Rename one; `answer:` names an answer, `name:` a record written in place.",
    ),
    Rule(
        "AIG211",
        "error",
        "Spec files that need one another",
        "Each spec file becomes one module, and Python modules that import one another cannot be "
        "imported. Types may be recursive inside one file.",
        {
            "specs/a.yaml": _types("  A: {record: {b: b.B | None}}\n"),
            "specs/b.yaml": _types("  B: {record: {a: a.A | None}}\n"),
        },
        "Move the types they share into one file.",
    ),
    Rule(
        "AIG212",
        "error",
        "A choice with wrong levels",
        "The levels of a choice are different from one another, there is at least one, and those "
        "of an Enum class are all texts or all integers.",
        _ONE + "      mood: {choice: [happy, sad, happy]}\n",
        "Write each level once.",
    ),
    Rule(
        "AIG213",
        "error",
        "A choice given at run time, where no call gives it",
        "`$given` names a parameter of a function's call; a named type or a tool has no call to "
        "take it from.",
        _types("  Category: {choice: {$given: categories}}\n"),
        "Write the choice in the function's `fields`.",
    ),
    Rule(
        "AIG214",
        "warning",
        "default: null where null does not fit",
        "Null is no value of the type, so the default only says that the member may be absent.",
        _types("  Order: {record: {note: {type: str, default: null}}}\n"),
        "Write `required: false`; or `optional: true`, where null is meant.",
    ),
    Rule(
        "AIG215",
        "error",
        "A media type that is no input",
        "A model cannot answer with an image, and a record that holds one could not be logged or "
        "compared.",
        _ONE + "      mood: image\n",
        "Make it an input of the function.",
    ),
    Rule(
        "AIG216",
        "error",
        "A type that has no end",
        "A record that requires itself, or a name that stands for itself, has no finite value.",
        _types("  Node: {record: {next: Node}}\n"),
        "Hold it in a list, or let it be null or absent.",
    ),
    Rule(
        "AIG218",
        "error",
        "A callable that is not trusted, or not there",
        "Specs may come from strangers, so the code they name must lie under `python_path` or be "
        "listed in `trust`. Files are looked at, never imported.",
        _HEAD + "functions:\n  mood:\n    formula: mood ~ review\n    check: os:system\n",
        "Correct the name, or add its module to `trust` in `[tool.aigen]`.",
    ),
    Rule(
        "AIG219",
        "error",
        "A text that names no callable",
        "A callable is written `pkg.mod:func`, always with a colon, so that it can be told from a "
        "word and from a module.",
        _HEAD + "tools:\n  send:\n    risk: app.rules.risk_of\n",
        "Write `pkg.mod:func`.",
    ),
    Rule(
        "AIG220",
        "error",
        "A column whose type is not known",
        "The table does not say which levels a categorical column has, and its rows are not read.",
        "",
        "Write a `choice` for the column's name under `fields`.",
    ),
    Rule(
        "AIG221",
        "error",
        "A name where nothing takes it",
        "`name:` names a record or choice that is written in place. Other types have a name "
        "already, or none.",
        _ONE + "      mood: {type: int, name: Mood}\n",
        "Leave it out.",
    ),
    Rule(
        "AIG222",
        "error",
        "A key that belongs to a field",
        "A type under `types`, and an item of a list, is neither left out nor filled in; the field "
        "that holds it is.",
        _types("  Count: {type: int, default: 3}\n"),
        "Move the key to the field.",
    ),
    Rule(
        "AIG223",
        "error",
        "Two spec files for one module",
        "Names of files become names of modules, compared without case, since some systems do not "
        "tell `Shop.py` from `shop.py`.",
        {
            "specs/shop.yaml": _ONE + "      mood: bool\n",
            "specs/Shop.yml": _ONE + "      mood: bool\n",
        },
        "Rename one of the files.",
    ),
    Rule(
        "AIG224",
        "error",
        "A name that stands for too many types",
        "A name of a type that is no record and no enum is followed to what it stands for. Where "
        "each names another one twice, that doubles with every name; nobody can read or check it.",
        _types(
            "".join(f"  T{at}: tuple[T{at + 1}, T{at + 1}]\n" for at in range(11)) + "  T11: int\n"
        ),
        "Make one of the types on the way a record, which is not followed.",
    ),
)
