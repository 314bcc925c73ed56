"""A spec of a stranger's words becomes the code of any words: they are in literals only."""

from __future__ import annotations

import ast
import json
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from aigen.diagnostics import Diagnostics
from aigen.emit.render import RenderOptions, render
from aigen.resolve import ResolveContext, resolve
from aigen.spec import read_file
from hypothesis import given, settings
from hypothesis import strategies as st

UNSEEN = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
"""What no editor shows, or shows as something else: no module holds any of it as it is."""

TEXT = st.lists(
    st.text(st.characters(codec="utf-8"), max_size=6)
    | st.sampled_from(
        [
            *("\\", '"', "'", '"""', "'''", "\\N{BULLET}", "\n", "\r\n", "\t", "\0", "\u202e"),
            *("{x}", "%(x)s", "#", "# type: ignore", '""")\nimport os\n(r"""', "Args:\n    x: y"),
            *("class", "None", "self", "list", "str", "Field", "date", "__class__", "model_dump"),
        ]
    ),
    max_size=5,
).map("".join)
WORDS = TEXT.map(lambda text: f"a{text}z")
"""Never empty, nor words of a type: there is a docstring, or a description, of any of them."""
NAMES = st.lists(TEXT.filter(lambda name: name[:1] != "$"), min_size=3, max_size=3, unique=True)


OTHERS = ["1", "2", "model_x"]
"""Names that Python has other ones for, as it has for most, and one that pydantic keeps."""


def spec(said: Iterator[str], names: list[str], levels: list[str]) -> dict[str, Any]:
    """Every place of a spec where a text may say anything."""
    described = {"description": next(said)}
    members = {
        names[0]: {"type": "str", "default": next(said), **described},
        names[1]: {"choice": dict.fromkeys(levels, next(said)), "examples": [levels[0]]},
        names[2]: {"type": "int", "required": False, "deprecated": next(said)},
    }
    shape = {
        "type": "object",
        "properties": {name: {"type": "string", "title": next(said)} for name in names},
        "required": names,
        "description": next(said),
    }
    function = {
        "formula": "found + level ~ asked + thing",
        **described,
        "instructions": next(said),
        "deprecated": next(said),
        "tags": [next(said)],
        "settings": {"stop": [next(said)]},
        "fields": {
            # A long default is not in the signature, whatever it says.
            "asked": {"type": "str", "default": next(said)[:5], "description": next(said)},
            "thing": {"type": "Thing", "description": next(said)},
            "level": {"choice": levels, "description": next(said)},
            "found": {"type": "list[Shape]", "description": next(said)},
        },
        "demos": [{"asked": next(said), "thing": {names[1]: levels[0]}, "level": levels[1]}],
        "tools": ["look"],
    }
    tool = {
        **described,
        "parameters": {
            "key": {"type": "str", "default": next(said)[:5], "description": next(said)}
        },
        "returns": {"type": "Thing", "description": next(said)},
        "annotations": {"title": next(said)},
        "snippet": next(said),
        "guidelines": [next(said)],
        "metadata": {"from": next(said)},
        "examples": [{"key": next(said)}],
    }
    types = {
        "Thing": {"record": members, "description": next(said)},
        "Shape": {"json_shape": shape},
        "Level": {"choice": levels, "description": next(said)},
        "Kind": {"choice": levels, "enum": True, "description": next(said)},
    }
    return {
        "aigen": 1,
        "description": next(said),
        "types": types,
        "functions": {"find": function},
        "tools": {"look": tool},
    }


def module(data: dict[str, Any]) -> str:
    """The module that a spec becomes, without an error."""
    found = Diagnostics()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        path = root / "shop.json"
        path.write_text(json.dumps(data), encoding="utf-8")
        file = read_file(path, root=root, shown="shop.json", module="shop", diagnostics=found)
        assert file is not None, [one.message for one in found]
        program = resolve([file], ResolveContext((root,), (), {}), found)
    assert not found.failed, [one.message for one in found]
    return render(program, RenderOptions())["shop.py"]


def code(text: str) -> str:
    """A module without what its literals say."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = ""
    return ast.dump(tree)


def repeated(words: list[str]) -> Iterator[str]:
    while True:
        yield from words


@settings(max_examples=40, deadline=None)
@given(words=st.lists(WORDS, min_size=7, max_size=7), names=NAMES, levels=NAMES)
def test_words_decide_no_code(words: list[str], names: list[str], levels: list[str]) -> None:
    text = module(spec(repeated(words), names, levels))
    compile(text, "shop.py", "exec")
    assert not UNSEEN.search(text)
    assert code(text) == code(module(spec(repeated(["plain words"]), names, levels)))


@settings(max_examples=40, deadline=None)
@given(names=NAMES, levels=NAMES)
def test_names_decide_names_alone(names: list[str], levels: list[str]) -> None:
    text = module(spec(repeated(["plain words"]), names, levels))
    assert not UNSEEN.search(text)
    own = loaded(module(spec(repeated(["plain words"]), OTHERS, OTHERS)))
    assert loaded(text) <= own | {f"_{name}" for name in own}  # makes way for a name of the spec
    quoted = {node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant)}
    assert {*names, *levels} <= {value for value in quoted if isinstance(value, str)} | bound(text)


def loaded(text: str) -> set[str]:
    """Every name that a module uses, imports, or calls with."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Name(id=name, ctx=ast.Load()) | ast.Attribute(attr=name):
                found.add(name)
            case ast.keyword(arg=str(name)) | ast.alias(name=name):
                found.add(name)
    return found


def bound(text: str) -> set[str]:
    """Every name that a class of a module binds."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
                found.add(name)
    return found
