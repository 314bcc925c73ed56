"""The build hook of hatchling: `[tool.hatch.build.hooks.aigen]` builds before a wheel is packed.

So a wheel holds code that is as new as the specs in it, whether or not the output is in git.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.plugin import hookimpl

from aigen.building import build
from aigen.diagnostics import formats
from aigen.project import Project


class AigenBuildHook(BuildHookInterface):
    """Builds the project's output, and ends the packing where that fails."""

    PLUGIN_NAME = "aigen"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Builds; the output is packed also where git ignores it.

        Args:
            version: hatchling's name for how it packs, such as `standard` or `editable`.
            build_data: what is packed besides; the output is added to `artifacts`.

        Raises:
            SystemExit: the build failed; the findings are printed.
        """
        project = Project.load(Path(self.root))
        outcome = build(project, say=self.app.display_info)
        found = formats.as_text(list(project.diagnostics), lambda shown: [])
        if outcome.changes is None or project.diagnostics.failed:
            self.app.abort(f"aigen build failed\n{found}")
        if found:
            self.app.display_warning(found)
        if project.out is not None and project.out.is_relative_to(self.root):
            shown = project.out.relative_to(self.root).as_posix()
            build_data.setdefault("artifacts", []).append(f"/{shown}/")


@hookimpl
def hatch_register_build_hook() -> type[BuildHookInterface]:
    """What hatchling asks a plugin for."""
    return AigenBuildHook
