"""Whether a file is a spec, told from what it holds."""

from __future__ import annotations

import codecs
import re

from aigen.diagnostics import Diagnostics
from aigen.spec.nodes import Mapping, Node, Scalar

_BLOCK = re.compile(rb"^(?:aigen|\"aigen\"|'aigen')[ \t]*:", re.MULTILINE)
# The first key of a file whose lines are all indented, which YAML takes, or by tabs, which it
# does not; further in, `aigen` is a key of somebody else's.
_FIRST = re.compile(
    rb"(?:[ \t]*+(?:#[^\n]*+|---[^\n]*+|%[^\n]*+)?+\n)*+"
    rb"[ \t]++(?:aigen|\"aigen\"|'aigen')[ \t]*:"
)
_WIDE = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (b"\0\0\0", "utf-32-be"),
)
_MENTIONED = re.compile(rb"aigen[\"']?\s*:")
_JSON = re.compile(rb"""(?P<key>"aigen"\s*:)|"(?:[^"\\]|\\.)*"|[{}\[\]]""", re.DOTALL)
_FLOW = re.compile(
    rb"""(?P<key>(?<![\w-])(?:"aigen"|'aigen'|aigen)\s*:)"""
    rb"""|"(?:[^"\\]|\\.)*"|(?<=[\s,:{\[])'(?:[^']|'')*'|[{}\[\]]""",
    re.DOTALL,
)
_WORDS = {
    "functions": ("formula",),
    "types": ("record", "choice"),
    "tools": ("python", "execute"),
}
"""Top-level keys of a spec, and keys that an entry below has in hardly any other file."""

_SPOKEN = re.compile(rb"\b(?:formula|record|choice|python|execute)[\"']?[ \t]*:")
_CALLABLE = re.compile(r"[\w.]+:[\w.]+")
_DECLARES = re.compile(
    rb"^[ \t]*(?:from[ \t]+aigen(?:\.declare[ \t]+import|[ \t]+import\b[^\n]*\bdeclare)\b"
    rb"|import[ \t][^\n]*\baigen\.declare\b)",
    re.MULTILINE,
)
_PYTHON = (".py", ".pyi")


def is_spec(data: bytes, suffix: str) -> bool:
    """Whether a file is a spec: it has a top-level `aigen:` key, as far as a look can tell.

    One that lost the key but clearly is a spec is one too, so that reading it says what is missing;
    passed over, its module would go without a word. One in Python imports `aigen.declare`.

    Args:
        data: the file.
        suffix: `.yaml`, `.yml`, `.json`, `.py` or `.pyi`.
    """
    data = _plain(data)
    if suffix in _PYTHON:
        return _DECLARES.search(data) is not None and _imports_declare(data)
    return _says_format(data, suffix) or (
        _SPOKEN.search(data) is not None and _reads_as_spec(data, suffix)
    )


def _imports_declare(data: bytes) -> bool:
    """Whether the import is one, and no line of a text; what is no Python is read to say so."""
    import ast
    import warnings

    from aigen.spec.python_syntax import statements

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return True
    for node in statements(tree.body):
        if isinstance(node, ast.Import) and any(n.name == "aigen.declare" for n in node.names):
            return True
        if isinstance(node, ast.ImportFrom) and not node.level:
            names = {f"{node.module}.{each.name}" for each in node.names}
            if node.module == "aigen.declare" or "aigen.declare" in names:
                return True
    return False


def _plain(data: bytes) -> bytes:
    """As UTF-8 without a byte order mark, and with the line ends that reading gives it."""
    data = _narrow(data).removeprefix(codecs.BOM_UTF8)
    return data.replace(b"\r", b"\n") if b"\r" in data else data


def _narrow(data: bytes) -> bytes:
    """A file that was saved as UTF-16 or UTF-32, as UTF-8: reading it says how to save it."""
    known = [encoding for mark, encoding in _WIDE if data.startswith(mark)]
    if not known and b"\0" not in data[:4]:
        return data
    if not known:
        width = "utf-32-le" if data[1:4] == b"\0\0\0" else "utf-16-le"
        known = ["utf-16-be" if data[:1] == b"\0" else width]
    return data.decode(known[0], "ignore").encode("utf-8", "ignore")


def _says_format(data: bytes, suffix: str) -> bool:
    if suffix == ".json":
        return _has_key(data, _JSON)
    if _BLOCK.search(data) is not None or _FIRST.match(data) is not None:
        return True
    return data.lstrip().startswith(b"{") and _has_key(data, _FLOW)


def _has_key(data: bytes, tokens: re.Pattern[bytes]) -> bool:
    """Whether the outermost braces have the key; a JSON Schema of specs has it further in."""
    if _MENTIONED.search(data) is None:
        return False
    depth = 0
    for token in tokens.finditer(data):
        if token["key"]:
            if depth == 1:
                return True
        elif token[0] in (b"{", b"["):
            depth += 1
        elif token[0] in (b"}", b"]"):
            depth -= 1
    return False


def _reads_as_spec(data: bytes, suffix: str) -> bool:
    """Whether an entry of a top-level `functions`, `types` or `tools` has keys of a spec's."""
    # Hardly any file comes here, and looking at specs is all that most builds do.
    from aigen.spec.json_reader import read_json
    from aigen.spec.source import decode
    from aigen.spec.yaml_reader import read_yaml

    unsaid = Diagnostics()
    source = decode(data, "", unsaid)
    if source is None:
        return False
    root = (read_json if suffix == ".json" else read_yaml)(source, unsaid)
    return any(
        _is_word(word, value)
        for name, words in _WORDS.items()
        for entry in _values(_values(root).get(name)).values()
        for word, value in _values(entry).items()
        if word in words
    )


def _is_word(word: str, value: Node) -> bool:
    if word == "record":
        return isinstance(value, Mapping)
    if word == "choice":
        return not isinstance(value, Scalar)
    if not isinstance(value, Scalar):
        return False
    return "~" in value.text if word == "formula" else bool(_CALLABLE.fullmatch(value.text))


def _values(node: Node | None) -> dict[str, Node]:
    if not isinstance(node, Mapping):
        return {}
    return {name: entry.value for name, entry in node.entries.items()}
