from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from aigen.diagnostics import Diagnostics
from aigen.diagnostics.lint import Lint
from aigen.project import Project
from aigen.resolve import ResolveContext, resolve
from aigen.rules import check
from aigen.spec import read_file

F = "aigen: 1\nfunctions:\n  mood:\n    formula: mood ~ review\n"
KEY = "ghp_" + "a1B2" * 9


def codes(tmp_path: Path, text: str, configured: Mapping[str, str] | None = None) -> list[str]:
    path = tmp_path / "spec.yaml"
    path.write_text(text, encoding="utf-8")
    diagnostics = Diagnostics()
    spec = read_file(path, root=tmp_path, shown="spec.yaml", module="spec", diagnostics=diagnostics)
    assert spec is not None
    program = resolve([spec], ResolveContext(configured=dict(configured or {})), diagnostics)
    check(program, diagnostics, configured)
    assert not any(KEY in found.message for found in diagnostics)
    return [found.code for found in diagnostics]


@pytest.mark.parametrize(
    ("rest", "found"),
    [
        ("    fields: {mood: {choice: [a, b]}}\n", []),
        ("    fields: {mood: {choice: [a]}}\n", ["AIG802"]),
        ("    fields: {mood: {choice: [café, CAFE]}}\n", ["AIG805"]),
        ("    fields: {mood: {choice: ['a b', 'a  b']}}\n", ["AIG805"]),
        ("    fields: {mood: {list: {choice: [a]}}}\n", ["AIG802"]),
        ("    fields: {mood: {type: 'dict[str, Literal[\"a\"]]'}}\n", ["AIG802"]),
        ("    fields: {mood: {type: 'tuple[Literal[\"a\"], ...]'}}\n", ["AIG802"]),
        ("    fields: {mood: {type: 'Literal[\"a\"] | int'}}\n", []),
        ('    fields: {mood: {type: \'Literal["a", "A"] | int\'}}\n', ["AIG805"]),
        ("    fields: {mood: {type: 'list[Literal[\"a\"]] | None'}}\n", []),
        ("    fields: {mood: {record: {kind: {choice: [a]}}}}\n", []),
        ("    fields: {mood: {record: {kind: {choice: [a], default: a}}}}\n", ["AIG802"]),
        ("    fields: {mood: {record: {kind: {choice: [a], required: false}}}}\n", ["AIG802"]),
        ("    fields: {mood: Tone}\ntypes: {Tone: {choice: [a]}}\n", ["AIG802"]),
        ("tools: {look: {parameters: {}, returns: {choice: [a]}}}\n", ["AIG802"]),
        ("    fields: {mood: {choice: ['1', 1]}}\n", []),
        ("    description: Mood.\n", ["AIG803"]),
        ("    description: ''\n", ["AIG803"]),
        ("    description: The mood of the customer.\n", []),
        (f"    instructions: Use {KEY}.\n", ["AIG804"]),
        (f"    demos: [{{review: {KEY}}}]\n", ["AIG804"]),
        (f"    settings: {{extra_headers: {{a: {KEY}}}}}\n", ["AIG804"]),
        ("    description: Ask for risk-assessments of everything.\n", []),
        ("    settings: {model: o3-mini, top_p: 1}\n", ["AIG801"]),
        ("    settings: {model: gpt-4.1, temperature: 0}\n", []),
        ("    settings: {api: responses, seed: 1, stop: [x]}\n", ["AIG801", "AIG801"]),
        ("    settings: {api: chat, seed: 1}\n", []),
    ],
)
def test_lint(tmp_path: Path, rest: str, found: list[str]) -> None:
    assert codes(tmp_path, F + rest) == found


def test_the_configured_model_counts(tmp_path: Path) -> None:
    text = F + "    settings: {temperature: 0}\n"
    assert codes(tmp_path, text, {"model": "gpt-5"}) == ["AIG801"]
    assert codes(tmp_path, F, {"model": "gpt-5", "temperature": "0"}) == [], "it is no function's"
    assert codes(tmp_path, text.replace("{", "{model: gpt-4.1, "), {"model": "gpt-5"}) == []
    seeded = F + "    settings: {seed: 1}\n"
    assert codes(tmp_path, seeded, {"api": "responses"}) == ["AIG801"]
    assert codes(tmp_path, seeded.replace("{", "{api: chat, "), {"api": "responses"}) == []


def test_errors_hide_what_needs_the_whole_program(tmp_path: Path) -> None:
    """What could not be read may be what uses a type, or what makes a schema strict."""
    wrong = F + "    fields: {review: Ordr}\n"
    assert codes(tmp_path, wrong + "types:\n" + ORDER) == ["AIG201"]
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "spec.yaml").write_text(wrong)
    (tmp_path / "specs" / "open.yaml").write_text(F + "    fields: {mood: 'dict[str, int]'}\n")
    (tmp_path / "aigen.toml").write_text('dialects = ["openai-chat"]\n')
    project = Project.load(tmp_path)
    project.program(project.specs()[0])
    assert [found.code for found in project.diagnostics] == ["AIG201"]


def test_a_configured_server_counts(tmp_path: Path) -> None:
    text = F + "    settings: {temperature: 0, model: 'acme:large'}\n"
    assert codes(tmp_path, text) == []
    acme = {"base_url": "https://llm.example.com/v1", "models": {"l*": {"fixed_sampling": True}}}
    assert codes(tmp_path, text, {"providers": {"acme": acme}}) == ["AIG801"]
    assert codes(tmp_path, text.replace("acme:large", "acme:")) == []


def test_a_tag_of_a_record_is_no_choice(tmp_path: Path) -> None:
    text = (
        "aigen: 1\ntypes:\n"
        '  Cat: {record: {kind: {type: "Literal[\\"cat\\"]"}, lives: int}}\n'
        '  Dog: {record: {kind: {type: "Literal[\\"dog\\"]"}, loud: bool}}\n'
        "  Pet: Cat | Dog\n"
    )
    assert codes(tmp_path, text) == []


ORDER = "  Order: {record: {id: str}}\n"
OPEN = "{type: object, properties: {}, additionalProperties: {type: object, properties: {a: {}}}}"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("aigen: 1\ntypes:\n" + ORDER, []),
        (F + "types:\n" + ORDER, ["AIG806"]),
        (F + "    fields: {review: 'list[Order]'}\ntypes:\n" + ORDER, []),
        (F + "    fields: {review: Box}\ntypes:\n" + ORDER + "  Box: {record: {of: Order}}\n", []),
        (F + "types:\n" + ORDER + "  Box: {record: {of: Order}}\n", ["AIG806", "AIG806"]),
        (F + "types:\n  Tree: list[Tree]\n", ["AIG806"]),
        (F + f"    fields: {{review: Open}}\ntypes:\n  Open: {{json_shape: {OPEN}}}\n", []),
        (F + "types:\n" + ORDER + "tools:\n  look: {parameters: {of: Order}}\n", []),
        (F + "types:\n" + ORDER + "tools:\n  look: {parameters: {}, returns: Order}\n", []),
    ],
)
def test_a_type_is_used_or_a_warning(tmp_path: Path, text: str, found: list[str]) -> None:
    assert codes(tmp_path, text) == found


def test_a_type_that_another_spec_uses_is_used(tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    lent = "  Order: {record: {of: Box}}\n  Box: {record: {in: Lid}}\n  Lid: {record: {id: str}}\n"
    (tmp_path / "specs" / "base.yaml").write_text(F + "types:\n" + lent)
    use = (
        "aigen: 1\nfunctions:\n  find:\n    formula: order ~ words\n    fields: {order: base.Order}"
    )
    (tmp_path / "specs" / "use.yaml").write_text(use)
    project = Project.load(tmp_path)
    project.program(project.specs()[0])
    assert not len(project.diagnostics)


TWICE = (
    "aigen: 1\nfunctions:\n"
    "  mood:\n    formula: mood ~ review\n    description: How do they feel?\n"
    "  feel:\n    formula: feel ~ {input}\n    description: {words}\n    {more}\n"
)


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ({}, ["AIG807"]),
        ({"words": "how do they FEEL"}, ["AIG807"]),
        ({"words": "How do they not feel?"}, []),
        ({"input": "message"}, []),
        ({"more": "fields: {feel: bool}"}, []),
        ({"more": "fields: {review: 'words of a review'}"}, []),
        ({"more": "settings: {model: gpt-4.1}"}, []),
        ({"more": "instructions: Say how they do not feel."}, []),
        ({"more": "demos: [{review: Fine., feel: good}]"}, ["AIG807"]),
    ],
)
def test_functions_that_are_alike(tmp_path: Path, values: dict[str, str], found: list[str]) -> None:
    text = TWICE
    for name, usual in (("input", "review"), ("words", "How do they feel?"), ("more", "")):
        text = text.replace(f"{{{name}}}", values.get(name, usual))
    assert codes(tmp_path, text) == found


@pytest.mark.parametrize(
    ("rest", "found"),
    [
        ("answer ~ review", ["AIG808"]),
        ("x + value ~ review", ["AIG808"]),
        ("answer + mood ~ review", []),
        ("answer ~ review\n    description: The customer's mood.", []),
        ("answer ~ review\n    instructions: Give the customer's mood.", []),
        ("answer ~ review\n    fields: {answer: the customer's mood}", []),
        ("answer ~ review\n    prompt: [{user: 'How does {{ review }} sound?'}]", []),
    ],
)
def test_a_function_says_what_it_does(tmp_path: Path, rest: str, found: list[str]) -> None:
    assert codes(tmp_path, f"aigen: 1\nfunctions:\n  mood:\n    formula: {rest}\n") == found


LONG = "Say how they feel. " * 92
SAID = (
    f"{F[9:]}    fields: {{review: 'list[str]'}}\n    prompt: [{{user: '{{{{ review | length }}}}"
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"tools:\n  note:\n    description: {LONG}\n", ["AIG414"]),
        (f"tools:\n  note:\n    description: {LONG[:1700]}\n", []),
        (f"tools:\n  note:\n    description: {LONG}\n    exposure: deferred\n", []),
        (f"{F[9:]}    description: {LONG * 6}\n", ["AIG810"]),
        (f"{F[9:]}    fields: {{review: '{LONG * 6}'}}\n", ["AIG810"]),
        (f"{F[9:]}    prompt: [{{user: '{LONG * 6} {{{{ review }}}}'}}]\n", ["AIG810"]),
        (f"{F[9:]}    description: {LONG * 4}\n", []),
        (f"{F[9:]}    description: {LONG * 6}\n    instructions: Say it.\n", []),
        (f"{F[9:]}    instructions: {LONG * 6}\n", ["AIG810"]),
        (f"{SAID}{{% if review %}}{LONG * 6}{{% endif %}}'}}]\n", ["AIG810"]),
        (f"{SAID}{{% if review %}}a{{% else %}}{LONG * 6}{{% endif %}}'}}]\n", ["AIG810"]),
        (f"{SAID}{{% for one in review %}}{LONG * 6}{{% endfor %}}'}}]\n", ["AIG810"]),
        (f"{SAID}{{% for one in review %}}a{{% endfor %}}'}}]\n", []),
        (f"{F[9:]}    demos: [{{review: {LONG * 7}, mood: fine}}]\n", ["AIG811"]),
        (f"{F[9:]}    demos: [{{review: {LONG * 4}, mood: fine}}]\n", []),
    ],
)
def test_budgets(tmp_path: Path, text: str, found: list[str]) -> None:
    if "tools:" in text:
        text += "    parameters: {text: str}\n"
    assert codes(tmp_path, "aigen: 1\n" + text) == found


def test_a_budget_is_the_projects(tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "spec.yaml").write_text(F + f"    description: {LONG}\n")
    (tmp_path / "aigen.toml").write_text("lint = {instruction_tokens = 300}\n")
    project = Project.load(tmp_path)
    project.program(project.specs()[0])
    (found,) = project.diagnostics
    assert found.message == "the instruction of mood has about 401 tokens; it stays under 300"


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("tools: {note: {description: Takes a note., parameters: {}}}\n", "tool_tokens"),
        ("tools: {note: {parameters: {a: str}, examples: [{a: It broke.}]}}\n", "demo_tokens"),
        (f"{F[9:]}    description: How do they feel?\n", "instruction_tokens"),
        (f"{F[9:]}    demos: [{{review: It broke., mood: sad}}]\n", "demo_tokens"),
    ],
)
def test_what_has_a_budget_stays_under_it(tmp_path: Path, text: str, key: str) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "spec.yaml").write_text("aigen: 1\n" + text)

    def said(most: int) -> list[str]:
        (tmp_path / "aigen.toml").write_text(f"lint = {{{key} = {most}}}\n")
        project = Project.load(tmp_path)
        project.program(project.specs()[0])
        return [found.message for found in project.diagnostics]

    (message,) = said(1)
    (size,) = map(int, re.findall(r"about (\d+) tokens", message))
    assert size > 1 and len(said(size)) == 1 and said(size + 1) == []


def test_the_budgets_of_a_project_that_says_nothing() -> None:
    assert Lint() == Lint((), tool_tokens=400, instruction_tokens=2000, demo_tokens=4000)


@pytest.mark.parametrize(
    "rest",
    [
        f"    tests: [{{name: a, inputs: {{review: {KEY}}}}}]\n",
        f"    fields: {{review: {{type: str, default: {KEY}}}}}\n",
        f"    fields: {{review: {{type: str, examples: [{KEY}]}}}}\n",
        f"    fields: {{mood: {{choice: {{a: as {KEY}, b: not so}}}}}}\n",
        f"    prompt: [{{user: 'Use {KEY} for {{{{ review }}}}'}}]\n",
        f"tools: {{note: {{parameters: {{}}, guidelines: [Use {KEY}.]}}}}\n",
    ],
)
def test_a_secret_is_found_wherever_it_stands(tmp_path: Path, rest: str) -> None:
    assert codes(tmp_path, F + rest) == ["AIG804"]


@pytest.mark.parametrize(
    "key",
    [
        "sk-" + "a1B2" * 5,
        "github_pat_" + "a1B2" * 10,
        "AKIA" + "A1B2" * 4,
        "AIza" + "a1B2" * 8 + "a1B",
        "xoxb-" + "a1B2" * 5,
        "glpat-" + "a1B2" * 5,
        "-----BEGIN RSA PRIVATE KEY-----",
    ],
)
def test_keys_of_each_issuer_are_known(tmp_path: Path, key: str) -> None:
    assert codes(tmp_path, f"{F}    description: Say {key} aloud.\n") == ["AIG804"]
    assert codes(tmp_path, f"{F}    description: Say {key[:-4]} aloud.\n") == []


@pytest.mark.parametrize(
    ("kind", "found"),
    [
        ("{type: str, pattern: '^(?=.*[0-9])[a-z0-9]+$'}", ["AIG814"]),
        (r"{type: str, pattern: '^([a-z])\1$'}", ["AIG814"]),
        (r"{type: str, pattern: '^\(\?=[a-z]{2,3}$'}", []),
        (r"{type: str, pattern: '^(?:[a-z]+)+\\1$'}", []),
        ("{list: {type: str, pattern: '(?<!a)b'}}", ["AIG814"]),
        ("{record: {a: {type: str, pattern: '(?<!a)b'}}}", ["AIG814"]),
        ("{json_shape: {type: string, pattern: '(?<!a)b'}}", ["AIG814"]),
        (
            "{json_shape: {type: object, properties: {a: {type: string, pattern: '(?<!a)b'}}}}",
            ["AIG814"],
        ),
        ("{json_shape: {type: object, patternProperties: {'^(?!x_)': {}}}}", ["AIG814"]),
        ("{json_shape: {type: object, examples: [{pattern: '(?!x)'}]}}", []),
    ],
)
def test_patterns_that_backtrack(tmp_path: Path, kind: str, found: list[str]) -> None:
    assert codes(tmp_path, F + f"    fields: {{mood: {kind}}}\n") == found


def notes(folder: Path, rest: str, toml: str) -> list[str]:
    (folder / "specs").mkdir()
    (folder / "specs" / "spec.yaml").write_text("aigen: 1\n" + rest)
    (folder / "aigen.toml").write_text(toml)
    project = Project.load(folder)
    project.program(project.specs()[0])
    assert {one.code for one in project.diagnostics} <= {"AIG813"}
    return [one.message for one in project.diagnostics]


MAP = F[9:] + "    fields: {mood: 'dict[str, int]'}\n"
NOTE = "tools:\n  note: {description: Takes a note., parameters: {facts: 'dict[str, str]'}}\n"
OPENAI = 'dialects = ["openai-chat", "openai-responses", "gemini"]\n'


@pytest.mark.parametrize(
    ("rest", "toml", "names"),
    [
        (MAP, "", None),
        (MAP, 'dialects = ["gemini", "mcp"]', None),
        (MAP, OPENAI, "the reply of mood has no strict form for openai-chat and openai-responses"),
        (MAP, "settings = {model = 'gpt-4.1'}", "the reply of mood has no strict form for gpt-4.1"),
        (MAP, "settings = {model = 'gpt-4.1', adapter = 'xml'}", None),
        (MAP, "settings = {model = 'anthropic:claude-haiku-4-5'}", None),
        (MAP, "settings = {model = 'nobody:x'}", None),
        (F[9:], OPENAI, None),
        (NOTE, OPENAI, "the tool note has no strict form for openai-chat and openai-responses"),
        (NOTE, 'dialects = ["anthropic"]', "the tool note has no strict form for anthropic"),
        (NOTE.replace("{desc", "{strict: false, desc"), OPENAI, None),
        (NOTE.replace("{desc", "{exposure: code, desc"), OPENAI, None),
        (NOTE.replace("dict[str, str]", "list[str]"), OPENAI, None),
    ],
)
def test_what_no_provider_enforces(tmp_path: Path, rest: str, toml: str, names: str | None) -> None:
    found = notes(tmp_path, rest, toml)
    assert [message.partition(": ")[0] for message in found] == ([names] if names else [])
    assert all("facts" in message or "result" in message for message in found)


MANY = "".join(
    f"  t{at}: {{description: Does it., parameters: {{a: {{type: str, required: false}}}}}}\n"
    for at in range(22)
)


def test_tools_that_no_provider_enforces_together(tmp_path: Path) -> None:
    found = notes(tmp_path, f"tools:\n{MANY}", 'dialects = ["openai-chat", "anthropic"]\n')
    assert found == [
        "the request of all tools of spec has no strict form for anthropic:"
        f" t{at}: with it the request has 21 strict tools, and strict takes 20"
        for at in (20, 21)
    ]


LOOK = "tools:\n  look: {description: Looks it up., parameters: {of: str}}\n"
USES = F + "    tools: [look]\n    settings: "
PHOTO = F + "    fields: {review: image}\n    prompt:\n      - "
MANY_PHOTOS = PHOTO.replace("image", "'list[image]'")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (F + "    settings: {api: responses}\n    fields: {review: audio}\n", ["AIG815"]),
        (F + "    settings: {api: responses}\n    fields: {review: 'list[audio]'}\n", ["AIG815"]),
        (F + "    settings: {api: responses}\n    fields: {review: image}\n", []),
        (F + "    settings: {api: chat}\n    fields: {review: audio}\n", []),
        (F + "    settings: {adapter: prompt}\n", ["AIG815"]),
        (F + "    settings: {adapter: prompt}\n    prompt: [{user: '{{ review }}'}]\n", []),
        (USES + "{adapter: tool}\n" + LOOK, ["AIG815"]),
        (USES + "{adapter: json}\n" + LOOK, []),
        (F + "    settings: {adapter: tool}\n", []),
        (USES + "{tool_calling: native, model: o1-mini}\n" + LOOK, ["AIG815"]),
        (USES + "{tool_calling: auto, model: o1-mini}\n" + LOOK, []),
        (USES + "{tool_calling: native, model: gpt-4.1}\n" + LOOK, []),
        (USES + "{tool_calling: native, model: 'nobody:x'}\n" + LOOK, []),
        (PHOTO + "user: 'Look: {{ review }}'\n", []),
        (PHOTO + "system: 'Look: {{ review }}'\n", ["AIG815"]),
        (PHOTO + "user: 'Look: {{ review | tojson }}'\n", ["AIG815"]),
        (f"{MANY_PHOTOS}system: 'There are {{{{ review | length }}}}'\n", []),
        (PHOTO + "system: 'There is one.{% if review %}{% endif %}'\n", []),
        (PHOTO + "system: '{% if review %}Look: {{ review }}{% endif %}'\n", ["AIG815"]),
    ],
)
def test_what_cannot_be_sent(tmp_path: Path, text: str, found: list[str]) -> None:
    assert codes(tmp_path, text) == found


URL = "https://llm.example.net/v1"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (F + f"    settings: {{base_url: '{URL}'}}\n", ["AIG817"]),
        (F + f"    settings: {{base_url: '{URL}', model: 'groq:m'}}\n", ["AIG817"]),
        (F + "    settings: {base_url: 'http://127.0.0.1:8000/v1'}\n", []),
        (F + "    settings: {base_url: 'http://[::1]:8000/v1'}\n", []),
        (F + "    settings: {base_url: 'http://localhost/v1'}\n", []),
        (F + "    settings: {base_url: 'http://llm.localhost/v1'}\n", []),
        (F + "    settings: {base_url: 'http://localhost.example.net/v1'}\n", ["AIG817"]),
        (F + "    settings: {base_url: 'http://127.0.0.1@example.net/v1'}\n", ["AIG817"]),
        (F + "    settings: {model: 'groq:llama-3.3-70b-versatile'}\n", []),
    ],
)
def test_a_spec_that_says_where_a_key_goes(tmp_path: Path, text: str, found: list[str]) -> None:
    assert sorted(codes(tmp_path, text)) == found


def test_servers_of_the_project_are_no_strangers(tmp_path: Path) -> None:
    text = F + f"    settings: {{base_url: '{URL}/'}}\n"
    assert codes(tmp_path, text, {"base_url": URL}) == []
    assert codes(tmp_path, text, {"base_url": f"{URL}/"}) == []
    assert codes(tmp_path, text, {"providers": {"acme": {"base_url": URL}}}) == []  # type: ignore[dict-item]
    assert codes(tmp_path, text, {"base_url": "https://other.example.net"}) == ["AIG817"]


def test_each_server_is_said_once_a_module(tmp_path: Path) -> None:
    text = f"{F}  tone:\n    formula: tone ~ review\nsettings: {{base_url: '{URL}'}}\n"
    assert codes(tmp_path, text) == ["AIG817"]
    other = text.replace(
        "  tone:\n", "  tone:\n    settings: {base_url: 'https://b.example.net'}\n"
    )
    assert codes(tmp_path, other) == ["AIG817", "AIG817"]
