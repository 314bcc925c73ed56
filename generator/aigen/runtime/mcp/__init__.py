"""The Model Context Protocol: tools of other servers called here, and ours served to others.

Only what is asked for is imported; the SDK (`mcp`, the extra `aigen[mcp]`) at the first use.
"""
