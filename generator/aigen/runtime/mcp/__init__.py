"""The Model Context Protocol: tools that other servers have, called here.

The SDK (`mcp`, the extra `aigen[mcp]`) is imported at the first call.
"""
