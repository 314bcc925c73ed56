"""Reading replies of 0.3, 3 and 30 KB, clean, fenced and broken, beside the peers."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import tempfile
from pathlib import Path

import measure
import peers

CALLER = Path(__file__).parent / "callers" / "parsing.py"
SIZES = (300, 3_000, 30_000)
CANDIDATES = {
    "pydantic alone": ("aigen", "pydantic"),
    "aigen, in a call": ("aigen", "aigen_reading"),
    "aigen, parse": ("aigen", "aigen"),
    "baml": ("baml", "baml"),
    "json_repair + pydantic": ("json_repair", "json_repair"),
}
_LINE = {
    "sku": "KT-0042",
    "title": "A kettle, stainless",
    "quantity": 2,
    "price": 39.5,
    "gift": False,
    "note": None,
}

_AIGEN = """\
aigen: 1
functions:
  read_order:
    formula: lines + total ~ message
    description: Read the order.
    fields:
      message: the customer's own words
      lines:
        list:
          record:
            sku: str
            title: str
            quantity: int
            price: float
            gift: bool
            note: str | None
      total: float
"""

_BAML = """\
generator target {
  output_type "python/pydantic"
  output_dir ".."
  version "0.226.3"
  default_client_mode sync
}

client<llm> Local {
  provider openai-generic
  options {
    base_url "http://127.0.0.1:9"
    api_key "none"
    model "bench"
  }
}

class Line {
  sku string
  title string
  quantity int
  price float
  gift bool
  note string?
}

class Order {
  lines Line[]
  total float
}

function ReadOrder(message: string) -> Order {
  client Local
  prompt #"{{ message }} {{ ctx.output_format }}"#
}
"""


def compare(runs: int) -> str:
    """Every candidate in turn; medians of processor milliseconds a reply."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        packages = _packages(folder)
        texts = folder / "texts.json"
        texts.write_text(json.dumps(_texts()), encoding="utf-8")
        seen: dict[str, list[dict[str, float | None]]] = {name: [] for name in CANDIDATES}
        for _ in range(runs):
            for label, (environment, way) in CANDIDATES.items():
                seen[label].append(_measure(environment, way, packages[environment], texts))
    rows = []
    for key in _texts():
        base = _median(seen["pydantic alone"], "clean" + key[key.index(" ") :])
        for label, results in seen.items():
            value = _median(results, key)
            if value is None:
                rows.append([key, label, "cannot read it", ""])
            else:
                rows.append([key, label, f"{value:.3f}", f"{value / base:.1f}" if base else ""])
    return measure.table("Reading a reply", ["reply", "what", "ms", "x pydantic, clean"], rows)


def _texts() -> dict[str, str]:
    """The replies by kind and size."""
    found = {}
    for size in SIZES:
        lines = [_LINE] * max(1, size // len(json.dumps(_LINE)))
        clean = json.dumps({"lines": lines, "total": 79.0})
        found[f"clean {size / 1000:g} KB"] = clean
        found[f"fenced {size / 1000:g} KB"] = f"Here it is:\n```json\n{clean}\n```\nAll done."
        found[f"broken {size / 1000:g} KB"] = _broken(clean)
    return found


def _broken(clean: str) -> str:
    """Bare keys, trailing commas, Python's literals, a comment, a fence."""
    text = clean.replace('"sku"', "sku").replace("}", ",}").replace("false", "False")
    return f"Sure!\n```json\n{text.replace('[', '[ // the lines' + chr(10), 1)}\n```\n"


def _packages(folder: Path) -> dict[str, str]:
    for name, place, text in (
        ("aigen", "specs/desk.yaml", _AIGEN),
        ("baml", "baml_src/main.baml", _BAML),
    ):
        path = folder / name / place
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
    (folder / "aigen" / "pyproject.toml").write_text(
        '[tool.aigen]\nspecs = ["specs"]\nout = "src/app/ai"\n', encoding="utf-8"
    )
    measure.run([peers.script("aigen", "aigen"), "build"], folder / "aigen")
    cli = peers.script("baml", "baml-cli")
    measure.run([cli, "generate", "--from", "baml_src"], folder / "baml")
    return {
        "aigen": str(folder / "aigen" / "src"),
        "baml": str(folder / "baml"),
        "json_repair": "",
    }


def _measure(environment: str, way: str, package: str, texts: Path) -> dict[str, float | None]:
    result = subprocess.run(
        [peers.python(environment), CALLER, way, texts],
        env={**os.environ, "BENCH_PACKAGE": package, "BAML_LOG": "off"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    if result.returncode:
        raise RuntimeError(f"{way} failed:\n{result.stderr[-2000:]}")
    return json.loads(result.stdout.splitlines()[-1])


def _median(results: list[dict[str, float | None]], key: str) -> float | None:
    values = [result[key] for result in results]
    return None if None in values else statistics.median(value for value in values if value)
