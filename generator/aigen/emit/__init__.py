"""Rendering: the intermediate representation as the texts of files; nothing touches a disk."""

from aigen.emit.definition import define
from aigen.emit.render import RenderOptions, render

__all__ = ["RenderOptions", "define", "render"]
