"""A word to who makes a plain call on an event loop's own thread."""

from __future__ import annotations

import asyncio
import sys
import warnings
from pathlib import Path
from typing import Final

_PACKAGE: Final = str(Path(__file__).parents[2])


def warn_on_a_loop() -> None:
    """Warns, once a place, that everything else on the running event loop waits for this request.

    A notebook runs its cells on the loop of its kernel, where nothing else is.
    """
    # The public function raises where there is none, and this is asked before each request.
    if asyncio._get_running_loop() is None or _in_a_notebook():
        return
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(
        "a plain call inside a running event loop holds up everything else on it: await the "
        "function's .aio(…), or call it in asyncio.to_thread",
        RuntimeWarning,
        stacklevel=level,
    )


def _in_a_notebook() -> bool:
    """Whether this process is a kernel, and no program that only imports ipykernel."""
    kernels = sys.modules.get("ipykernel.kernelapp")
    return kernels is not None and bool(kernels.IPKernelApp.initialized())
