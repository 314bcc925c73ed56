"""Which modules and packages are in which package of an output."""

from __future__ import annotations

from collections.abc import Iterable


def packages(modules: Iterable[str]) -> dict[str, list[str]]:
    """The modules and packages directly in each package, by its dotted name; the root is empty."""
    found: dict[str, set[str]] = {"": set()}
    for module in modules:
        parts = module.split(".")
        for depth in range(len(parts)):
            found.setdefault(".".join(parts[:depth]), set()).add(parts[depth])
    return {package: sorted(names) for package, names in sorted(found.items())}
