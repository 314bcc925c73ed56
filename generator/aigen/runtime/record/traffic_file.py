"""Files of recorded traffic: YAML, or JSON Lines where the name does not end in `.yaml`."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from aigen.runtime.errors import ConfigurationError
from aigen.runtime.values.broken_json import fault_of

FORMAT: Final = 1
_HEAD: Final = "aigen_recording"


class Exchange(NamedTuple):
    """One request and what came back: a body, or the error that was final.

    `provider` is who served it, by the name that a model's prefix has; what is sent depends on it.
    """

    request: Mapping[str, Any]
    reply: Any = None
    error: Mapping[str, Any] | None = None
    provider: str | None = None

    def as_data(self) -> dict[str, Any]:
        """As it stands in a file."""
        came = {"reply": self.reply} if self.error is None else {"error": self.error}
        served = {} if self.provider is None else {"provider": self.provider}
        return {**served, "request": self.request, **came}


def read(path: Path, mode: str) -> list[Exchange]:
    """The exchanges in a file.

    Raises:
        ConfigurationError: there is none, or it holds something else.
    """
    try:
        text = path.read_bytes().decode("utf-8", "surrogatepass")
    except FileNotFoundError:
        raise ConfigurationError(
            f"there is no recording {path}, and mode {mode} makes none: use mode once or all",
            code="recording",
        ) from None
    except (OSError, UnicodeDecodeError) as problem:
        raise _unreadable(path, problem) from problem
    head, found = _of_yaml(path, text) if _is_yaml(path) else _of_lines(path, text)
    if head != FORMAT:
        raise _unreadable(path, f"it does not begin with {_HEAD}: {FORMAT}")
    return [_exchange(path, number, one) for number, one in enumerate(found, 1)]


def write(path: Path, exchanges: Sequence[Exchange]) -> None:
    """Replaces a file whole; missing folders are made."""
    data = [exchange.as_data() for exchange in exchanges]
    if _is_yaml(path):
        text = _yaml().dump(
            {_HEAD: FORMAT, "exchanges": data},
            Dumper=_dumper(),
            allow_unicode=True,
            sort_keys=False,
            width=100,
        )
    else:
        lines = [json.dumps(one, ensure_ascii=False) for one in ({_HEAD: FORMAT}, *data)]
        text = "\n".join(lines) + "\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        new.write_bytes(text.encode("utf-8", "surrogatepass"))
        new.replace(path)
    finally:
        with contextlib.suppress(OSError):
            new.unlink()


def _is_yaml(path: Path) -> bool:
    return path.suffix in (".yaml", ".yml")


def _of_lines(path: Path, text: str) -> tuple[Any, list[Any]]:
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                found.append(json.loads(line))
            except (ValueError, RecursionError) as problem:
                raise _unreadable(
                    path, f"line {number} is no JSON: {fault_of(problem)}"
                ) from problem
    head = found[0].get(_HEAD) if found and isinstance(found[0], Mapping) else None
    return head, found[1:]


def _of_yaml(path: Path, text: str) -> tuple[Any, list[Any]]:
    yaml = _yaml()
    try:
        try:
            data = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        except yaml.YAMLError:
            # libyaml, which is fast, takes no half of a surrogate pair; a reply may hold one.
            data = yaml.load(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError) as problem:
        raise _unreadable(path, problem) from problem
    if not isinstance(data, Mapping):
        return None, []
    found = data.get("exchanges")
    return data.get(_HEAD), found if isinstance(found, list) else [found]


def _exchange(path: Path, number: int, data: Any) -> Exchange:
    request = data.get("request") if isinstance(data, Mapping) else None
    if not isinstance(request, Mapping) or not isinstance(request.get("body"), Mapping):
        raise _unreadable(path, f"exchange {number} has no request with a body")
    reply, error = data.get("reply"), data.get("error")
    if not isinstance(reply if error is None else error, Mapping):
        raise _unreadable(path, f"exchange {number} has no reply and no error")
    provider = data.get("provider")
    if not isinstance(provider, str | None):
        raise _unreadable(path, f"the provider of exchange {number} is no text")
    return Exchange(request, reply, error, provider)


def _unreadable(path: Path, why: Any) -> ConfigurationError:
    return ConfigurationError(
        f"the recording {path} cannot be read: {why}; delete it to record anew", code="recording"
    )


def _yaml() -> Any:
    # A program that only calls models needs no YAML.
    try:
        return importlib.import_module("yaml")
    except ImportError:
        raise ConfigurationError(
            "a recording in YAML needs pyyaml: pip install pyyaml, or name the file .jsonl",
            code="recording",
        ) from None


def _dumper() -> Any:
    """Writes texts of several lines as lines, so that a change shows in a review as one."""
    yaml = _yaml()

    class Dumper(yaml.SafeDumper):  # type: ignore[misc, name-defined]
        def ignore_aliases(self, data: Any) -> bool:
            return True

    def text(dumper: Any, value: str) -> Any:
        # YAML readers take these for line ends, and make each of them a plain one.
        odd = any(mark in value for mark in "\r\x85\u2028\u2029")
        style = '"' if odd else "|" if "\n" in value else None
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)

    Dumper.add_representer(str, text)
    return Dumper
