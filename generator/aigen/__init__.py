"""aigen: typed AI functions and tools, generated from specs.

Generated modules import `aigen.runtime`; the compiler behind the `aigen` command needs the extra
`aigen[build]`. Importing this package imports neither.
"""

__version__ = "0.1.0"
