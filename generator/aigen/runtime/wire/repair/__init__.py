"""Repairs of replies that are not clean JSON of their schema; 3-runtime, *Reading a reply*.

`candidates` finds JSON in a text, `loose` (with `strings`) parses it tolerantly, `fit` (with
`nodes` and `words`) makes what it says what the schema takes, and `mend` chooses among the ways.
"""
