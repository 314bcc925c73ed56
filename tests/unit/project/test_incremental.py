"""A build of what is stale leaves what a build from nothing makes, and says the same."""

from __future__ import annotations

import os
import random
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from aigen import parts
from aigen.building import Outcome, build
from aigen.configuration import Configuration
from aigen.diagnostics import Diagnostic, Diagnostics, all_rules
from aigen.discovery import SpecPath
from aigen.emit.write import Changes
from aigen.parts import Part
from projects import SPEC, Folder

_STRICT = """\
tools:
  note: {description: Takes a note., strict: true, parameters: {facts: "dict[str, str]"}}
"""
"""A tool that no dialect can say."""

NAMES = ("a", "b", "shop/inner", "shop", "plain")


def _spec(chance: random.Random, name: str) -> str:
    """A spec that takes types and tools from those before it, and now and then from none."""
    before = NAMES if chance.random() < 0.05 else NAMES[: NAMES.index(name)]
    other = chance.choice([each.replace("/", ".") + "." for each in before] or [""])
    note = chance.choice(["", "  # aigen: ignore[AIG806]"])
    lines = [
        "aigen: 1",
        f"description: Number {chance.randrange(3)}.",
        "types:",
        f"  T: {{record: {{x: int, u: {chance.choice(['U', 'str', f'{other}U'])}}}}}{note}",
        f"  U: {{record: {{y: {chance.choice(['str', 'int'])}}}}}",
        f"  L: {{choice: [low, {chance.choice(['high', 'none'])}]}}{note}",
    ]
    if chance.random() < 0.8:
        lines += [
            "functions:",
            "  judge:",
            "    formula: out ~ given",
            f"    description: Judge it {chance.randrange(2)} times.",
            "    fields:",
            f"      given: {chance.choice(['str', 'T', 'L', f'{other}T', f'list[{other}U]'])}",
            f"      out: {chance.choice(['str', 'U', f'{other}T', f'list[{other}U]'])}",
            f"    tools: [{chance.choice(['look', f'{other}look'])}]",
        ]
    tools = _STRICT if chance.random() < 0.02 else "tools:\n"
    return "\n".join([*lines, f"{tools}  look:", "    python: app.desk:look"]) + "\n"


def _app(chance: random.Random) -> dict[str, str]:
    """Python modules of the project's own: a tool's, and the one that its class is from."""
    member = chance.choice(["size: int", "size: str", "weight: float = 1.0"])
    words = chance.choice(["Looks it up.", "Finds it."])
    return {
        "app/__init__.py": "",
        "app/kinds.py": "from dataclasses import dataclass\n\n\n@dataclass\nclass Base:\n"
        f"    {member}\n",
        "app/desk.py": "from dataclasses import dataclass\n\nfrom app.kinds import Base\n\n\n"
        "@dataclass\nclass Thing(Base):\n    name: str = 'x'\n\n\n"
        f'def look(thing: Thing) -> str:\n    """{words}"""\n    return thing.name\n',
    }


def _python_specs(chance: random.Random) -> dict[str, str]:
    imported = "from specs.py_tools import fetch\n" if chance.random() < 0.5 else ""
    tools = "tools=[fetch], " if imported else ""
    return {
        "specs/py_tools.py": "from aigen.declare import tool\n\n\n@tool\n"
        "def fetch(key: str) -> str:\n"
        f'    """Fetches {chance.randrange(3)}."""\n    return key\n',
        "specs/py_main.py": f"from aigen.declare import ai\n{imported}\n\n"
        f"@ai({tools.removesuffix(', ')})\ndef ask(question: str) -> str:\n"
        f'    """Answers {chance.randrange(3)}."""\n    ...\n',
    }


def _change(chance: random.Random, folder: Folder) -> str:
    """Does one thing to a project."""
    names = sorted((folder.root / "specs").rglob("*.yaml"))
    often = ["spec"] * 5 + ["app", "app", "python", "python", "output", "touch"]
    action = chance.choice([*often, "remove"])
    match action:
        case "spec":
            missing = [each for each in NAMES if not (folder.root / f"specs/{each}.yaml").exists()]
            name = chance.choice(missing or NAMES)
            folder.write(f"specs/{name}.yaml", _spec(chance, name))
        case "app":
            name, text = chance.choice(sorted(_app(chance).items()))
            folder.write(name, text)
        case "python":
            name, text = chance.choice(sorted(_python_specs(chance).items()))
            folder.write(name, text)
        case "remove" if len(names) > 2:
            chance.choice(names).unlink()
        case "output" if folder.out.is_dir():
            chance.choice(sorted(path for path in folder.out.rglob("*") if path.is_file())).unlink()
        case "touch":
            path = chance.choice(names)
            os.utime(path, (chance.randrange(10**9),) * 2)
    return action


def _build(folder: Folder) -> tuple[bool, list[Diagnostic]]:
    project = folder.load()
    outcome = build(project)
    return outcome.changes is not None, list(project.diagnostics)


def _checked(folder: Folder) -> list[Diagnostic]:
    """What is found of all specs read together."""
    project = folder.load()
    project.program(project.specs()[0])
    return list(project.diagnostics)


@pytest.mark.parametrize("seed", range(8))
def test_a_build_of_what_is_stale_is_a_build_from_nothing(
    folder: Folder, other: Callable[[], Folder], seed: int
) -> None:
    chance = random.Random(seed)
    folder.write("aigen.toml", 'specs = ["specs"]\nout = "ai"\ndialects = ["mcp", "openai-chat"]\n')
    for name, text in {**_app(chance), **_python_specs(chance)}.items():
        folder.write(name, text)
    for name in NAMES:
        folder.write(f"specs/{name}.yaml", _spec(chance, name))
    clean = other()
    done, good = [], 0
    for _ in range(14):
        done.append(_change(chance, folder))
        built, said = _build(folder)
        shutil.rmtree(clean.root)
        shutil.copytree(folder.root, clean.root, ignore=shutil.ignore_patterns("ai", ".aigen"))
        assert (built, said) == _build(clean), done
        assert said == _checked(clean), done
        if built:
            good += 1
            assert folder.files() == clean.files(), done
            assert _build(folder) == (True, said), done
    assert good > 3


def _specs(folder: Folder) -> None:
    folder.write("specs/base.yaml", "aigen: 1\ntypes: {B: {record: {b: str}}}\n")
    folder.write("specs/middle.yaml", "aigen: 1\ntypes: {M: {record: {b: base.B}}}\n")
    folder.write("specs/user.yaml", SPEC + "      review: middle.M\n")
    folder.write("specs/alone.yaml", SPEC)


def test_a_changed_spec_builds_itself_and_its_dependents(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    _specs(folder)
    folder.build()
    read: list[str] = []
    real = Part._read_all

    def noted(part: Part, *args: object) -> None:
        real(part, *args)  # type: ignore[arg-type]
        read.extend(part._read)

    monkeypatch.setattr(Part, "_read_all", noted)
    folder.write("specs/base.yaml", "aigen: 1\ntypes: {B: {record: {b: int}}}\n")
    outcome, codes = folder.build()
    assert codes == []
    assert outcome.reasons == {
        "specs/base.yaml": "specs/base.yaml has changed",
        "specs/middle.yaml": "specs/middle.yaml needs base",
        "specs/user.yaml": "specs/user.yaml needs middle",
    }
    assert sorted(read) == ["base", "middle", "user"]
    assert outcome.changes is not None
    assert {"base.py", "schemas/middle.json", "schemas/user.json"} <= set(outcome.changes.changed)
    folder.write("specs/alone.yaml", SPEC.replace("customer", "guest"))
    read.clear()
    outcome, _ = folder.build()
    assert outcome.changes is not None
    assert (sorted(outcome.changes.changed), read) == (
        ["alone.py", "schemas/alone.json"],
        ["alone"],
    )


def test_a_type_that_others_begin_to_answer_with_gets_its_partial(folder: Folder) -> None:
    _specs(folder)
    folder.build()
    assert b"BPartial" not in folder.files()["base.py"]
    folder.write("specs/alone.yaml", SPEC.replace("{choice: [happy, unhappy]}", "middle.M"))
    outcome, _ = folder.build()
    assert (
        outcome.reasons["specs/base.yaml"] == "other functions answer with types of specs/base.yaml"
    )
    assert b"BPartial" in folder.files()["base.py"]
    folder.write("specs/alone.yaml", SPEC)
    folder.build()
    assert b"BPartial" not in folder.files()["base.py"]


def test_a_class_that_a_tools_module_imports_is_watched(folder: Folder) -> None:
    for name, text in _app(random.Random(1)).items():
        os.utime(folder.write(name, text), (1, 1))
    folder.write("specs/desk.yaml", "aigen: 1\ntools: {look: {python: 'app.desk:look'}}\n")
    assert folder.build()[1] == []
    path = folder.write(
        "app/kinds.py",
        "from dataclasses import dataclass\n\n\n@dataclass\nclass Base:\n    colour: str\n",
    )
    outcome, codes = folder.build()
    assert (outcome.reasons, codes) == ({"specs/desk.yaml": f"{path} has changed"}, [])
    assert b"colour" in folder.files()["schemas/desk.json"]


def test_a_package_that_comes_before_a_module(folder: Folder) -> None:
    source = 'def look(id: str) -> str:\n    """Looks up."""\n    return id\n'
    os.utime(folder.write("app.py", source), (1, 1))
    folder.write("specs/desk.yaml", "aigen: 1\ntools: {look: {python: 'app:look'}}\n")
    assert folder.build()[1] == []
    path = folder.write("app/__init__.py", source.replace("Looks up", "Finds"))
    assert folder.build()[0].reason == f"{path} has changed"
    assert b"Finds." in folder.files()["desk.py"]


def test_only_what_is_missing_of_an_output_is_made_again(folder: Folder) -> None:
    _specs(folder)
    folder.build()
    expected = folder.files()
    (folder.out / "schemas/alone.json").unlink()
    outcome, _ = folder.build()
    assert outcome.reasons == {
        "specs/alone.yaml": "schemas/alone.json is not as it was written",
    }
    assert outcome.changes is not None and list(outcome.changes.changed) == ["schemas/alone.json"]
    (folder.out / "py.typed").unlink()
    outcome, _ = folder.build()
    assert (outcome.reason, outcome.reasons) == ("py.typed is not as it was written", {})
    assert folder.files() == expected


def test_a_switch_of_branches_there_and_back(folder: Folder) -> None:
    """Version control brings specs and output of the other branch, and gives both new times."""
    _specs(folder)
    folder.build()
    kept = folder.root.parent / "kept"
    shutil.copytree(folder.root, kept, ignore=shutil.ignore_patterns(".aigen"))
    folder.write("specs/base.yaml", "aigen: 1\ntypes: {B: {record: {b: int}}}\n")
    (folder.root / "specs/alone.yaml").unlink()
    folder.build()
    other = folder.files()
    for part in ("specs", "ai"):
        shutil.rmtree(folder.root / part)
        shutil.copytree(kept / part, folder.root / part, copy_function=shutil.copyfile)
    expected = folder.files()
    outcome, codes = folder.build()
    assert codes == [] and outcome.changes is not None and outcome.changes.none
    assert folder.files() == expected != other


def test_a_moved_project_and_turned_clocks(folder: Folder) -> None:
    _specs(folder)
    folder.build()
    expected = folder.files()
    moved = folder.root.rename(folder.root.with_name("moved"))
    again = Folder.__new__(Folder)
    again.root, again.out = moved, moved / "ai"
    for number, path in enumerate(sorted(moved.rglob("*"))):
        os.utime(path, (number, number))
    outcome, codes = again.build()
    assert codes == [] and outcome.changes is not None and outcome.changes.none
    assert again.files() == expected
    for path in moved.rglob("*"):
        os.utime(path, (4 * 10**9, 4 * 10**9))
    assert again.build()[0].reason is None


def test_a_record_of_another_project_is_not_believed(
    folder: Folder, other: Callable[[], Folder]
) -> None:
    _specs(folder)
    folder.build()
    stranger = other()
    stranger.write("specs/shop.yaml", SPEC.replace("customer", "guest"))
    stranger.build()
    (theirs,) = (stranger.root / ".aigen").glob("*.json")
    (ours,) = (folder.root / ".aigen").glob("*.json")
    expected = folder.files()
    ours.write_bytes(theirs.read_bytes())
    assert folder.build()[1] == []
    assert folder.files() == expected


def test_errors_of_a_changed_spec_are_said_as_of_a_build_from_nothing(folder: Folder) -> None:
    _specs(folder)
    folder.build()
    before = folder.files()
    folder.write("specs/alone.yaml", SPEC + "      review: M\n")
    project = folder.load()
    assert build(project).changes is None
    (found,) = project.diagnostics
    assert found.code == "AIG201" and "did you mean middle.M?" in (found.hint or "")
    assert folder.files() == before


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The specs that a build reads."""
    found: list[str] = []

    def told(configuration: Configuration, spec: SpecPath, findings: Diagnostics) -> Any:
        found.append(spec.module)
        return plain(configuration, spec, findings)

    plain = parts.read
    monkeypatch.setattr(parts, "read", told)
    return found


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        (SPEC + "      review: Mm\n", "AIG201"),
        (SPEC + "      review: [\n", "AIG105"),
        ("aigen: 2\n", "AIG114"),
        (SPEC + _STRICT, "AIG601"),
    ],
)
def test_a_faulty_spec_alone_is_read_again(
    folder: Folder, read: list[str], wrong: str, code: str
) -> None:
    _specs(folder)
    folder.write("aigen.toml", 'specs = ["specs"]\nout = "ai"\ndialects = ["openai-chat"]\n')
    folder.write("specs/unused.yaml", SPEC + "types: {Spare: {record: {s: str}}}\n")
    assert folder.build()[1] == ["AIG806"]
    for _ in range(2):
        read.clear()
        folder.write("specs/alone.yaml", wrong)
        assert folder.build()[1] == [code, *(["AIG806"] if code == "AIG601" else [])]
        assert set(read) == {"alone"}
    folder.write("specs/alone.yaml", SPEC)
    read.clear()
    assert folder.build()[1] == ["AIG806"]
    assert not read


_FAULTS = (
    SPEC + "      review: Mm\n",
    SPEC + "      review: base.Mm\n",
    SPEC + "      review: [\n",
    "aigen: 2\n",
    SPEC + _STRICT,
    "aigen: 1\ntypes: {B: {record: {b: alone.C}}}\nfunctions: {B: {formula: a ~ b}}\n",
)


@pytest.mark.parametrize("wrong", _FAULTS)
def test_what_is_found_beside_a_faulty_spec_is_kept(
    folder: Folder, read: list[str], wrong: str
) -> None:
    """Also where no build has succeeded yet, as in a fresh clone."""
    _specs(folder)
    folder.write("aigen.toml", 'specs = ["specs"]\nout = "ai"\ndialects = ["openai-chat"]\n')
    folder.write("specs/unused.yaml", SPEC + "types: {Spare: {record: {s: str}}}\n")
    folder.write("specs/bad.yaml", wrong)
    said = _build(folder)
    assert not said[0] and said[1] == _checked(folder)
    read.clear()
    assert _build(folder) == said
    assert set(read) <= {"bad", "base", "alone"}, "the faulty one, and what it needs"
    folder.write("specs/bad.yaml", SPEC)
    assert folder.build()[1] == ["AIG806"]
    read.clear()
    assert folder.build() == (Outcome(Changes({}, (), 17), 7), ["AIG806"])
    assert not read


def test_a_need_that_no_word_of_the_spec_shows(folder: Folder) -> None:
    _specs(folder)
    for words in ("", "# saved"):
        folder.write("specs/alone.yaml", SPEC + f'      review: "b\\u0061se.B"\n{words}')
        assert _build(folder) == (True, [])


@pytest.mark.parametrize(
    "code", ["AIG603", "AIG604", "AIG605", "AIG606", "AIG813", "AIG414", "AIG816"]
)
def test_lint_beside_a_faulty_spec_is_as_of_a_build_from_nothing(folder: Folder, code: str) -> None:
    example = all_rules()[code].example
    said = example if isinstance(example, Mapping) else {"specs/spec.yaml": example}
    for name, text in said.items():
        folder.write(name, text)
    (folder.root / "aigen.toml").unlink()
    own = said.get("pyproject.toml", "[tool.aigen]\n")
    folder.write("pyproject.toml", own.replace("[tool.aigen]\n", '[tool.aigen]\nout = "ai"\n'))
    built, found = _build(folder)
    assert built and code in {one.code for one in found}
    folder.write("specs/bad.yaml", "aigen: 1\ntypes: {A: Ghost}\n")
    for _ in range(2):
        assert _build(folder) == (False, _checked(folder))


STUB = """\
from aigen.declare import ai
from pydantic import BaseModel


class Order(BaseModel):
    id: str


@ai
def ask(order: Order) -> str:
    \"\"\"Asks for it.\"\"\"
    ...
"""
FETCH = """\
from aigen.declare import tool
from specs.base import Order


@tool
def fetch(order: Order) -> str:
    \"\"\"Fetches it.\"\"\"
    return ""
"""
ASK = """\
from aigen.declare import ai, answer
from specs.inner import fetch


@ai(tools=[fetch])
def ask(words: str) -> str:
    \"\"\"Asks.\"\"\"
    return answer()
"""


def test_specs_that_are_modules_of_python(folder: Folder, other: Callable[[], Folder]) -> None:
    """A stub stands for its module, also where a spec needs it by another module alone."""
    clean = other()
    texts = {
        "base.pyi": STUB,
        "inner.py": FETCH,
        "ask.py": ASK,
        "use.yaml": "aigen: 1\ntools: {look: {python: 'specs.inner:fetch'}}\n",
    }
    steps = [(name, f"{text}\n# saved\n") for name, text in texts.items()]
    for name, text in [*texts.items(), *steps, ("base.pyi", STUB.replace("id: str", "id: int"))]:
        os.utime(folder.write(f"specs/{name}", text), (1, 1))
        found = _build(folder)
        shutil.rmtree(clean.root)
        shutil.copytree(folder.root, clean.root, ignore=shutil.ignore_patterns("ai", ".aigen"))
        assert found == _build(clean)
        assert folder.files() == clean.files(), name


def test_what_good_specs_read_is_watched_beside_faulty_ones(folder: Folder) -> None:
    app = folder.write("app.py", 'def look(id: str) -> str:\n    """Looks up."""\n    return id\n')
    os.utime(app, (1, 1))
    folder.write("specs/desk.yaml", "aigen: 1\ntools: {look: {python: 'app:look'}}\n")
    folder.write("specs/bad.yaml", SPEC + "      review: {$file: words.md}\n")
    for _ in range(2):
        outcome, codes = folder.build()
        assert outcome.changes is None and codes
        assert app in outcome.reads


def test_nothing_is_kept_of_what_needs_a_faulty_spec(folder: Folder) -> None:
    _specs(folder)
    folder.write("specs/base.yaml", "aigen: 1\ntypes: {C: {record: {b: str}}}\n")
    assert folder.build()[1] == ["AIG201"]
    for name in ("B", "C", "B"):
        folder.write("specs/base.yaml", f"aigen: 1\ntypes: {{{name}: {{record: {{b: str}}}}}}\n")
        assert folder.build()[1] == ([] if name == "B" else ["AIG201"])


def test_what_is_read_of_installed_packages_is_watched(
    folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site-packages"
    monkeypatch.setattr(sys, "path", [*sys.path, str(site)])

    def install(words: str, member: str) -> None:
        for name, text in {
            "__init__.py": "from parcels.desk import look\n",
            "kinds.py": "from dataclasses import dataclass\n\n\n@dataclass\nclass Parcel:\n"
            f"    {member}\n",
            "desk.py": "from parcels.kinds import Parcel\n\n\ndef look(parcel: Parcel) -> str:\n"
            f'    """{words}"""\n    return ""\n',
        }.items():
            path = site / "parcels" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            os.utime(path, (1, 1))

    install("Looks it up.", "size: int")
    folder.write("aigen.toml", 'specs = ["specs"]\nout = "ai"\ntrust = ["parcels"]\n')
    folder.write("specs/desk.yaml", "aigen: 1\ntools: {look: {python: 'parcels:look'}}\n")
    assert folder.build()[1] == []
    assert folder.build()[0].reason is None
    for words, member, changed in (
        ("Looks it up.", "colour: str", "kinds.py"),
        ("Finds it.", "colour: str", "desk.py"),
    ):
        install(words, member)
        outcome, codes = folder.build()
        reason = f"{site / 'parcels' / changed} has changed"
        assert (outcome.reasons, codes) == ({"specs/desk.yaml": reason}, [])
        assert member.partition(":")[0].encode() in folder.files()["schemas/desk.json"]
        assert words.encode() in folder.files()["schemas/desk.json"]
    assert {site / "parcels" / name for name in ("kinds.py", "desk.py")} <= outcome.reads
