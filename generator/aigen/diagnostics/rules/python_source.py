"""Codes 5xx: Python source that a spec names, which is read and never run."""

from aigen.diagnostics.rule import Rule

_SPEC = "aigen: 1\ntypes:\n  Order: {python: 'app.models:Order'}\n"


def _files(source: str, spec: str = _SPEC) -> dict[str, str]:
    return {"specs/spec.yaml": spec, "app/models.py": source}


RULES: tuple[Rule, ...] = (
    Rule(
        "AIG501",
        "error",
        "A class that does not exist",
        "A type's `python: pkg.mod:Class` names a class in a module under `python_path`. It is "
        "looked for in the source, so one that is made while the program runs is not found.",
        _files(
            "from pydantic import BaseModel\n\n\nclass Order(BaseModel):\n    id: str\n",
            "aigen: 1\ntypes:\n  Order: {python: 'app.models:Order.Line'}\n",
        ),
        "Correct the name, or add the module's folder to `python_path`.",
    ),
    Rule(
        "AIG502",
        "error",
        "Python source that cannot be read",
        "The module, or one that it imports from under `python_path`, is not UTF-8 text or has a "
        "syntax error.",
        _files("class Order(:\n"),
        "Mend the file at the line shown.",
    ),
    Rule(
        "AIG503",
        "error",
        "A class that is no type of values",
        "A type is a pydantic model, a dataclass, a TypedDict, a NamedTuple or an Enum, written as "
        "a class. Of a plain class nothing says which members a value has.",
        _files("class Order:\n    def __init__(self, id: str) -> None:\n        self.id = id\n"),
        "Make it a dataclass or a model, or write the type as a `record`.",
    ),
    Rule(
        "AIG504",
        "error",
        "A member that cannot be known without running code",
        "The annotation is made while the program runs, comes from a package outside "
        "`python_path`, or has no JSON form. aigen does not guess.",
        _files(
            "from dataclasses import dataclass\n\n\n@dataclass\nclass Order:\n    photo: bytes\n"
        ),
        "Write a type of the type table, or one of your own classes under `python_path`.",
    ),
    Rule(
        "AIG505",
        "warning",
        "A computed default",
        "The default is known only when the program runs. The member may be absent, and the schema "
        "that the model sees has no default.",
        _files(
            "import time\nfrom dataclasses import dataclass, field\n\n\n@dataclass\nclass Order:\n"
            "    placed: float = field(default_factory=time.time)\n"
        ),
        "Write a literal where the model should know the default.",
    ),
    Rule(
        "AIG506",
        "error",
        "A base class that cannot be known",
        "A class inherits from one outside `python_path`, whose members might be any.",
        _files("from shop_base import Base\n\n\nclass Order(Base):\n    id: str\n"),
        "Add the folder of the base class to `python_path`, or write the type as a `record`.",
    ),
    Rule(
        "AIG507",
        "error",
        "An enum value that is no text and no integer",
        "The levels of a choice are texts or integers that stand in the source.",
        _files("from enum import Enum\n\n\nclass Order(Enum):\n    SMALL = 0.5\n"),
        "Write the value as a literal text or integer, or `auto()`.",
    ),
    Rule(
        "AIG508",
        "warning",
        "A documented name that is no member",
        "A docstring describes a member that the class lacks; mostly it was renamed.",
        _files(
            'from dataclasses import dataclass\n\n\n@dataclass\nclass Order:\n    """An order.\n\n'
            '    Attributes:\n        nmae: of the customer\n    """\n\n    name: str\n'
        ),
        "Correct the name in the docstring.",
    ),
    Rule(
        "AIG509",
        "warning",
        "A TypedDict that pydantic cannot judge",
        "Before Python 3.12 a `typing.TypedDict` does not say which members are required, so "
        "pydantic refuses it when the first value is judged.",
        _files("from typing import TypedDict\n\n\nclass Order(TypedDict):\n    id: str\n"),
        "Import `TypedDict` from `typing_extensions`.",
    ),
)
