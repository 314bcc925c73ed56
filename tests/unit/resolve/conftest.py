from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from aigen.diagnostics import Diagnostic, Diagnostics
from aigen.ir import Program
from aigen.resolve import ResolveContext, resolve
from aigen.rules import check
from aigen.spec import is_spec, read_file


@dataclass
class Resolved:
    program: Program
    found: list[Diagnostic]
    texts: Mapping[str, str]

    @property
    def codes(self) -> list[str]:
        return [one.code for one in self.found]

    def at(self, one: Diagnostic) -> str:
        """The text that a finding points at."""
        assert one.span is not None and one.span.line == one.span.end_line
        line = self.texts[one.span.path].split("\n")[one.span.line - 1]
        return line[one.span.column - 1 : one.span.end_column - 1]


@pytest.fixture
def resolved(tmp_path: Path) -> Callable[..., Resolved]:
    def run(
        specs: str | Mapping[str, str],
        *,
        trust: tuple[str, ...] = (),
        lint: bool = False,
        reverse: bool = False,
        **configured: object,
    ) -> Resolved:
        texts = {"spec.yaml": specs} if isinstance(specs, str) else dict(specs)
        texts = {name: _whole(name, text) for name, text in texts.items()}
        diagnostics = Diagnostics()
        files = []
        for name, text in texts.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            if not is_spec(path.read_bytes(), path.suffix):
                continue
            module = ".".join(Path(name).with_suffix("").parts)
            file = read_file(
                path,
                root=tmp_path,
                shown=name,
                module=module,
                diagnostics=diagnostics,
                python_path=(tmp_path,),
            )
            if file is not None:
                files.append(file)
        context = ResolveContext((tmp_path,), trust, configured)  # type: ignore[arg-type]
        program = resolve(files[::-1] if reverse else files, context, diagnostics)
        if lint:
            check(program, diagnostics, context.configured)
        return Resolved(program, list(diagnostics), texts)

    return run


def _whole(name: str, text: str) -> str:
    if name.endswith((".yaml", ".yml")) and not text.startswith("aigen:"):
        return f"aigen: 1\n{text}"
    return text
