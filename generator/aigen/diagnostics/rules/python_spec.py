"""Codes 51x: specs written in Python, which are read and never run."""

from aigen.diagnostics.rule import Rule

_IMPORT = "from aigen.declare import ai, answer, tool\n\n\n"
_MOOD = _IMPORT + "{above}def mood(review: str{more}) -> str:\n    return answer()\n"


def _spec(text: str, suffix: str = "py") -> dict[str, str]:
    return {f"specs/spec.{suffix}": text}


RULES: tuple[Rule, ...] = (
    Rule(
        "AIG510",
        "error",
        "A Python spec that is no Python",
        "The file cannot be parsed, so nothing in it is known.",
        _spec(_IMPORT + "def mood(review: str -> str: ...\n"),
        "Mend the file at the line shown.",
    ),
    Rule(
        "AIG511",
        "error",
        "A keyword of @ai or @tool that is no literal",
        "A build reads a spec and runs nothing, so a value that is computed cannot be known.",
        _spec(_MOOD.format(above="@ai(temperature=1 / 2)\n", more="")),
        "Write the value itself: a text, number, truth value, None, list or dict of them.",
    ),
    Rule(
        "AIG512",
        "error",
        "An input or answer whose type cannot be known",
        "An input and the answer have the type of their annotation, which is one of the format's "
        "table or a class of a module under `python_path`.",
        _spec(_MOOD.format(above="", more=", order: Order")),
        "Annotate it, import the class, or write its type under `fields` of `@ai`.",
    ),
    Rule(
        "AIG513",
        "error",
        "A function whose signature cannot be known",
        "A decorator may change it, `*args` and `**kwargs` have their names from the caller, and "
        "what stands in an `if` may not be defined.",
        _spec(_MOOD.format(above="", more=", *more: str")),
        "Name each input, and write the function at the top level with `@ai` alone.",
    ),
    Rule(
        "AIG514",
        "error",
        "A decorator or body that contradicts the other",
        "`return answer()`, `...` and `raise NotImplementedError` leave the work to a model; any "
        "other body is a tool's own.",
        _spec(_MOOD.format(above="@tool\n", more="")),
        "Write `@ai` and `return answer()`, or `@tool` and a body.",
    ),
    Rule(
        "AIG515",
        "error",
        "A tool or class of a spec that cannot be imported",
        "The generated module imports them from the spec, which therefore lies under "
        "`python_path`.",
        {"specs/spec.py": _IMPORT + "def double(x: int) -> int:\n    return 2 * x\n"},
        "Add the folder of the spec to `python_path` in `[tool.aigen]`.",
    ),
    Rule(
        "AIG516",
        "error",
        "What a stub cannot give",
        "Nothing can import a `.pyi`: its classes are generated, so another spec names the "
        "generated ones, and a tool's body would be nowhere.",
        _spec(_IMPORT + "def double(x: int) -> int:\n    return 2 * x\n", "pyi"),
        "Name the class by its generated module; write a tool's spec as a `.py`.",
    ),
    Rule(
        "AIG517",
        "error",
        "A tool that cannot be known",
        "`tools` holds functions of the file, imported ones, and names as texts.",
        _spec(_MOOD.format(above="@ai(tools=[lookup])\n", more="")),
        "Import the function, or write its name as a text.",
    ),
)
