"""Functions in a notebook: a real kernel, whose cells run on a loop of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from servers import Server, completion, whole

CELLS = [
    "import sys\nsys.path[:0] = {paths!r}\nimport aigen.runtime\nfrom shop_ai import support\n"
    "aigen.runtime.configure(model='m', base_url={url!r}, api_key='k', transport={transport!r})",
    "support.mood('It broke.')",
    "await support.mood.aio('It broke.')",
    "import asyncio\nawait asyncio.gather(*(support.mood.aio(f'{{n}}') for n in range(8)))",
    "list(support.mood.map([f'Fine, {{n}}.' for n in range(8)]))",
    "list(await support.mood.amap([f'Fine, {{n}}.' for n in range(8)]))",
    "[mood async for mood in support.mood.aimap({{'review': f'{{n}}'}} for n in range(3))]",
    "with support.mood.stream('It broke.') as stream:\n    found = stream.result()\nfound",
    "async with support.mood.astream('It broke.') as stream:\n"
    "    found = await stream.result()\nfound",
    "support.mood('It broke.')",
]
ONE = "'unhappy'"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("transport", ["auto", "aiohttp", "direct"])
def test_every_form_of_a_call(
    built: Path, serve: Callable[..., Server], transport: str, tmp_path: Path
) -> None:
    client = pytest.importorskip("nbclient")
    format = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")

    def answering(seen: Any) -> Any:
        text = '{"result": "unhappy"}'
        return whole(text) if seen.body.get("stream") else completion(text)

    server = serve(answering)
    given = {"paths": [str(built)], "url": server.url, "transport": transport}
    cells = [format.v4.new_code_cell(cell.format(**given)) for cell in CELLS]
    notebook = format.v4.new_notebook(cells=cells)
    resources = {"metadata": {"path": str(tmp_path)}}
    client.NotebookClient(notebook, timeout=120, resources=resources).execute()
    values = [output["data"]["text/plain"] for cell in cells for output in values_of(cell)]
    eight, three = (f"[{', '.join([ONE] * count)}]" for count in (8, 3))
    flat = [" ".join(value.split()) for value in values]
    assert flat == [ONE, ONE, eight, eight, eight, three, ONE, ONE, ONE]
    assert not [output for cell in cells for output in cell.outputs if "data" not in output]


def values_of(cell: Any) -> list[Any]:
    return [output for output in cell.outputs if output["output_type"] == "execute_result"]
