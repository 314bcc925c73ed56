"""Many rows of a function, with the sample model: by `imap`, `aimap`, `map` or `add_to`."""

import asyncio
import os
import sys

sys.path.insert(0, os.environ["BENCH_PACKAGE"])

from app.ai import desk_0000

WAY, COUNT = sys.argv[1], int(sys.argv[2])
sort = desk_0000.sort_0.with_options(model="sample", progress=False)
(INPUT,) = (field["name"] for field in sort.interface["inputs"])


def rows():
    """A row at a time, each of its own."""
    return ({INPUT: f"The kettle came without its lid, order {n}."} for n in range(COUNT))


async def awaited() -> int:
    """Counts the answers of `aimap`."""
    return sum([1 async for _ in sort.aimap(rows())])


def added() -> int:
    """Counts the rows of the table that `add_to` gives."""
    import polars

    return len(sort.add_to(polars.DataFrame({INPUT: [row[INPUT] for row in rows()]})))


match WAY:
    case "imap":
        found = sum(1 for _ in sort.imap(rows()))
    case "aimap":
        found = asyncio.run(awaited())
    case "map":
        found = len(sort.map([row[INPUT] for row in rows()]))
    case "add_to":
        found = added()
if found != COUNT:
    raise AssertionError(f"{found} answers to {COUNT} rows")
