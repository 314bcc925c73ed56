"""The tokens that a generated module's tools cost a request, offered in one way, as JSON.

`python tool_tokens.py module exposure`. Counted is what a request without tools has not: the
array of tools and the words in the prompt.
"""

import importlib
import json
import sys
from typing import Any

from aigen.runtime.layers import Settings
from aigen.runtime.tool import AITool
from aigen.runtime.tools.available import Available
from aigen.runtime.tools.calling import toolbox
from aigen.runtime.tools.named import with_own
from aigen.runtime.tools.offered import offered
from aigen.runtime.tools.tokens import tokens
from aigen.runtime.wire.conversation import target_of
from aigen.runtime.wire.messages import Request

MODULE, EXPOSURE = sys.argv[1], sys.argv[2]
sys.path.insert(0, ".")


def exposed(tool: Any) -> AITool[Any]:
    """The same tool with another exposure."""
    definition = dict(tool.definition)
    definition["options"] = {**definition.get("options", {}), "exposure": EXPOSURE}
    return type(tool)(json.dumps(definition), None, Any)


module = importlib.import_module(MODULE)
found = [getattr(module, name) for name in module.__all__]
tools = with_own(offered(exposed(tool) for tool in found if isinstance(tool, AITool)))
settings = Settings(model="gpt-4.1")
target = target_of(settings)
box = toolbox(Available(tools, None, settings), target, "native")
request = Request("chat", target, {"messages": [{"role": "system", "content": ""}]}, "schema")
body = box.offered_in(request).body
prompt = body["messages"][0]["content"].strip()
array = json.dumps(body["tools"], ensure_ascii=False)
print(
    json.dumps(
        {
            "tools": sum(isinstance(tool, AITool) for tool in found),
            "in_array": len(body["tools"]),
            "array": tokens(array, "json"),
            "prompt": tokens(prompt, "code"),
        }
    )
)
