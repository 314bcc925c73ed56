"""A package's tools and AI functions, served over the Model Context Protocol.

It needs the runtime and the SDK (`mcp`, the extra `aigen[mcp]`), and nothing of the compiler:

```python
import asyncio
from app import ai
from aigen.serving.listing import functions_in, served, why_not
from aigen.serving.server import server_of
from aigen.serving.transports import serve_stdio

tools = served(each for each in functions_in(ai) if why_not(each) is None)
asyncio.run(serve_stdio(server_of(tools, "desk", "1.0", {})))
```
"""
