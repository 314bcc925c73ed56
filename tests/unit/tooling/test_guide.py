"""The examples of docs/tooling.md run."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

GUIDE = Path(__file__).parents[3] / "docs" / "tooling.md"


def test_the_guide(app: Callable[[str], Any], capsys: Any) -> None:
    first, second = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    made = app(first)
    assert made.check(made.search_trials) == ()
    assert made.search_trials("flu", limit=2) == ["flu-0", "flu-1"]
    assert made.box.search("illness") == [made.search_trials]
    assert "condition: the illness, in English" in capsys.readouterr().out
    docs = app(second)
    assert docs.get_docs(docs.temperature) == docs.docs
