"""Where the templates are."""

from __future__ import annotations

from pathlib import Path


def folder() -> Path:
    """The folder of templates: the checkout's for an editable install, else the package's own."""
    package = Path(__file__).resolve().parents[1]
    checkout = package.parents[1] / "templates"
    return checkout if (checkout / "module.py.jinja").is_file() else package / "templates"
