"""Specs from what exists: MCP servers, tool lists, OpenAPI, JSON Schemas, Python modules.

What comes out judges values as what went in does. Where a spec's fields say the same as a JSON
Schema, they take its place; where they do not, it stays. Nothing that strangers wrote names a
callable or a file of the spec's own.
"""
