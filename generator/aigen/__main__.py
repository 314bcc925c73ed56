"""The `aigen` command, and the one line it says where the compiler is not installed."""

from __future__ import annotations

import sys


def main() -> int:
    """Runs the command line; returns its exit code."""
    try:
        import click  # noqa: F401
    except ModuleNotFoundError:
        print('aigen: the command needs the compiler: pip install "aigen[build]"', file=sys.stderr)
        return 2
    from aigen.cli import run

    return run()


if __name__ == "__main__":
    sys.exit(main())
