"""OpenAPI 3.0 and 3.1 documents: each operation a tool that is an HTTP request."""

from aigen.importers.openapi.importing import Wish, import_openapi

__all__ = ["Wish", "import_openapi"]
