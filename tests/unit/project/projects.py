from __future__ import annotations

from pathlib import Path

from aigen.building import Outcome, build
from aigen.project import Project

SPEC = """\
aigen: 1
functions:
  mood:
    formula: mood ~ review
    description: How does the customer feel?
    fields:
      mood: {choice: [happy, unhappy]}
"""


class Folder:
    """A project in a folder of its own."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.out = root / "ai"
        self.write("aigen.toml", 'specs = ["specs"]\nout = "ai"\n')
        self.write("specs/shop.yaml", SPEC)

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def load(self, *named: str, start: Path | None = None) -> Project:
        return Project.load(start or self.root, named=[Path(name) for name in named])

    def build(self, *named: str, write_files: bool = True) -> tuple[Outcome, list[str]]:
        project = self.load(*named)
        outcome = build(project, write_files=write_files)
        return outcome, [found.code for found in project.diagnostics]

    def files(self) -> dict[str, bytes]:
        return {
            path.relative_to(self.out).as_posix(): path.read_bytes()
            for path in sorted(self.out.rglob("*"))
            if path.is_file()
        }
