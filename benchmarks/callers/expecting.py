"""Documents of JSON Schemas and what they are: `python expecting.py cases.json documents.json`.

What a set says of its own documents stands; what is made of a schema is judged by jsonschema-rs,
which is also asked about the set's own, to show how far the two agree.
"""

import json
import sys
from pathlib import Path
from typing import Any

import jsonschema_rs

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "conformance"))

from public_cases import example, variants

MOST = 200
"""Documents made of one schema."""


def documents_of(case: dict[str, Any]) -> tuple[list[tuple[Any, bool]], int]:
    """The documents of a case, each with whether it fits; and of how many the two say the same."""
    found = [(each, True) for each in case["valid"]] + [(each, False) for each in case["invalid"]]
    try:
        judge = jsonschema_rs.validator_for(case["schema"], validate_formats=True)
    except (ValueError, RecursionError):
        return found, 0
    same = sum(judge.is_valid(document) == fits for document, fits in found)
    if case["varied"]:
        made = [*variants(example(case["schema"]))][:MOST]
        found += [(document, judge.is_valid(document)) for document in made]
        same += len(made)
    return found, same


cases = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
found = [documents_of(case) for case in cases if not case["refused"]]
names = [case["name"] for case in cases if not case["refused"]]
Path(sys.argv[2]).write_text(
    json.dumps({name: documents for name, (documents, _) in zip(names, found, strict=True)})
)
print(sum(same for _, same in found))
