"""The `aigen` command, and the one line it says where the compiler is not installed."""

from __future__ import annotations

import gc
import sys


def main() -> int:
    """Runs the command line; returns its exit code."""
    try:
        try:
            import click  # noqa: F401
        except ModuleNotFoundError:
            needed = 'the command needs the compiler: pip install "aigen[build]"'
            print(f"aigen: {needed}", file=sys.stderr)
            return 2
        from aigen.cli import run

        code = run()
        gc.freeze()  # the process ends: nothing need be looked through once more
        return code
    except KeyboardInterrupt:  # while modules were being imported
        print("aigen: stopped", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
