"""The same functions for every generator: one record of six members and one choice each."""

from __future__ import annotations

import json
from pathlib import Path

FUNCTIONS_PER_SPEC = 5


def write_aigen(folder: Path, specs: int) -> None:
    """`specs` spec files of five functions each, and the configuration."""
    (folder / "specs").mkdir(parents=True)
    (folder / "pyproject.toml").write_text(
        '[tool.aigen]\nspecs = ["specs"]\nout = "src/app/ai"\n', encoding="utf-8"
    )
    for number in range(specs):
        functions = "".join(
            _AIGEN_FUNCTION.format(n=number * FUNCTIONS_PER_SPEC + offset)
            for offset in range(FUNCTIONS_PER_SPEC)
        )
        text = f"aigen: 1\ndescription: Desk {number}.\nfunctions:\n{functions}"
        (folder / "specs" / f"desk_{number:04}.yaml").write_text(text, encoding="utf-8")


def change(folder: Path, number: int) -> None:
    """Changes the words of one spec, so that its output changes."""
    path = folder / "specs" / f"desk_{number:04}.yaml"
    text = path.read_text(encoding="utf-8")
    changed = text.replace("say where", "say soon where")
    path.write_text(changed if changed != text else text.replace("say soon", "say"))


def write_baml(folder: Path, specs: int, *, pooled: bool = False) -> None:
    """The same as BAML: one file a spec. `pooled` turns its connection pooling on."""
    source = folder / "baml_src"
    source.mkdir(parents=True)
    (source / "main.baml").write_text(
        _BAML_HEAD.replace("@POOLED@", str(pooled).lower()), encoding="utf-8"
    )
    for number in range(specs):
        text = "".join(
            _BAML_FUNCTION.replace("@N@", str(number * FUNCTIONS_PER_SPEC + offset))
            for offset in range(FUNCTIONS_PER_SPEC)
        )
        (source / f"desk_{number:04}.baml").write_text(text, encoding="utf-8")


def write_json_schema(path: Path, specs: int) -> None:
    """The same models as one JSON Schema, for generators of models alone."""
    definitions = {}
    for number in range(specs * FUNCTIONS_PER_SPEC):
        members = {
            "sku": {"type": "string", "description": "article number"},
            "quantity": {"type": "integer", "minimum": 1},
            "price": {"type": "number"},
            "gift": {"type": "boolean"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        }
        definitions[f"Sort{number}Answer"] = {
            "type": "object",
            "properties": {
                "item": {
                    "type": "object",
                    "title": f"Sort{number}Item",
                    "properties": members,
                    "required": list(members),
                    "additionalProperties": False,
                },
                "queue": {"enum": ["sales", "returns", "repairs"], "type": "string"},
            },
            "required": ["item", "queue"],
            "additionalProperties": False,
        }
    path.parent.mkdir(parents=True, exist_ok=True)
    members = {name: {"$ref": f"#/$defs/{name}"} for name in definitions}
    schema = {"type": "object", "properties": members, "$defs": definitions}
    path.write_text(json.dumps(schema), encoding="utf-8")


_AIGEN_FUNCTION = """\
  sort_{n}:
    formula: item + queue ~ message
    description: Read request {n} and say where it belongs.
    fields:
      message: the customer's own words
      item:
        record:
          sku: {{type: str, description: article number}}
          quantity: {{type: int, ge: 1}}
          price: float
          gift: bool
          tags: list[str]
          note: str | None
      queue: {{choice: [sales, returns, repairs]}}
"""

_BAML_HEAD = """\
generator target {
  output_type "python/pydantic"
  output_dir ".."
  version "0.226.3"
  default_client_mode sync
}

client<llm> Local {
  provider openai-generic
  options {
    base_url env.BENCH_URL
    api_key "none"
    model "bench"
    http {
      enable_connection_pooling @POOLED@
    }
  }
}
"""

_BAML_FUNCTION = """\
class Sort@N@Item {
  sku string @description("article number")
  quantity int @assert(positive, {{ this >= 1 }})
  price float
  gift bool
  tags string[]
  note string?
}

class Sort@N@ {
  item Sort@N@Item
  queue "sales" | "returns" | "repairs"
}

function Sort_@N@(message: string) -> Sort@N@ {
  client Local
  prompt #"
    Read request @N@ and say where it belongs.
    {{ ctx.output_format }}
    {{ _.role("user") }}
    {{ message }}
  "#
}
"""
