from __future__ import annotations

import pytest
from aigen.ir import Default, List, Ref, Text

HEAD = (
    "tools:\n  send:\n    description: Send the reply.\n"
    "    parameters: {text: str, count: {type: int, default: 1}}\n"
)


def of(made):
    return made.program.modules["spec"].tools[0]


def test_a_declared_tool(resolved) -> None:
    made = resolved(
        HEAD + "    returns: {type: 'list[Line]', description: what was sent}\n"
        "    risk: change\n    approve: always\n    namespace: mail.out\n"
        "    annotations: {readOnlyHint: false, title: Send}\n"
        "    examples: [{text: a, count: 2.0}]\n    inject: [count]\n    timeout: 5\n"
        "types: {Line: {record: {a: int}}}\n"
    )
    assert made.codes == ["AIG408"]
    tool = of(made)
    assert [one.name for one in tool.parameters] == ["text"]
    assert tool.returns is not None and tool.returns.type == List(Ref("spec", "Line"))
    assert tool.options["risk"] == 2
    assert tool.options["annotations"] == {"read_only": False, "title": "Send"}


def test_what_the_context_gives_is_no_argument(resolved) -> None:
    assert of(resolved(HEAD)).parameters[1].default == Default(1)
    assert [one.name for one in of(resolved(HEAD + "    inject: [count]\n")).parameters] == ["text"]


@pytest.mark.parametrize(
    ("rest", "code"),
    [
        ("    name: 'a b'\n", "AIG401"),
        ("    name: ''\n", "AIG401"),
        ("    namespace: 9a\n", "AIG405"),
        ("    namespace: mail.search\n", "AIG405"),
        ("    risk: 5\n", "AIG405"),
        ("    risk: true\n", "AIG405"),
        ("    approve: allways\n", "AIG405"),
        ("    approve: 'os:system'\n", "AIG218"),
        ("    available: 'os:system'\n", "AIG218"),
        ("    python: 'os:system'\n", "AIG218"),
        ("    strict: maybe\n", "AIG405"),
        ("    timeout: 0\n", "AIG405"),
        ("    output_tokens: 0\n", "AIG405"),
        ("    annotations: {read_only: 1}\n", "AIG405"),
        ("    annotations: {read_only: true, readOnlyHint: true}\n", "AIG406"),
        ("    annotations: {read_only: true, destructive: true}\n", "AIG406"),
        ("    inject: [user]\n", "AIG407"),
        ("    examples: [{text: a, cuont: 1}]\n", "AIG408"),
        ("    examples: [{count: 1}]\n", "AIG408"),
        ("    examples: [a]\n", "AIG405"),
        ("    docs: {arguments: {txt: {description: a}}}\n", "AIG409"),
        ("    docs: {args: {}}\n", "AIG120"),
    ],
)
def test_a_fault_is_one_finding(resolved, rest: str, code: str) -> None:
    assert resolved(HEAD + rest).codes == [code]


def test_docs_are_laid_over(resolved) -> None:
    made = resolved(
        "tools: {send: {parameters: {text: str}, returns: int, docs: {description: Send it., "
        "arguments: {text: {description: the reply}}, return: {description: how many}}}}"
    )
    assert made.found == []
    tool = of(made)
    assert tool.description == "Send it."
    assert tool.parameters[0].description == "the reply"
    assert tool.returns is not None and tool.returns.description == "how many"


def test_parameters_as_a_schema_or_a_call(resolved) -> None:
    made = resolved("tools: {a: {parameters: {json_shape: {type: object, properties: {b: {}}}}}}")
    assert of(made).shape == '{"type":"object","properties":{"b":{}}}'
    made = resolved("tools: {a: {parameters: {$call: 'app:shape'}}}", trust=("app",))
    assert made.found == []
    assert of(made).parameters_call == "app:shape"


def test_words_of_members_are_texts(resolved) -> None:
    made = resolved("tools: {a: {parameters: {city: Name of the city}}}")
    assert of(made).parameters[0].type == Text()
    assert of(made).parameters[0].description == "Name of the city"


SOURCE = """\
import functools

def send(text: str, count: int = 1) -> None: ...
def anything(**kwargs: object) -> None: ...
@functools.cache
def decorated(*args: object) -> None: ...
"""


@pytest.mark.parametrize(
    ("function", "parameters", "hint"),
    [
        ("send", "{text: str, count: int}", None),
        ("send", "{txt: str}", "did you mean text?"),
        ("send", "{zzz: str}", "it takes text, count"),
        ("anything", "{zzz: str}", None),
        ("decorated", "{zzz: str}", None),
    ],
)
def test_parameters_are_those_of_the_function(
    resolved, function: str, parameters: str, hint: str | None
) -> None:
    spec = f"tools: {{t: {{description: D., python: 'mail:{function}', parameters: {parameters}}}}}"
    made = resolved({"spec.yaml": spec, "mail.py": SOURCE})
    assert [(one.code, one.hint) for one in made.found] == ([("AIG410", hint)] if hint else [])


def test_an_example_that_is_none_is_left_out(resolved) -> None:
    made = resolved("tools: {t: {examples: [text, {a: x}], parameters: {a: str}}}", lint=True)
    assert made.codes == ["AIG405"]
    assert of(made).options["examples"] == [{"a": "x"}]
