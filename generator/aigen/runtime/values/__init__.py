"""Values of a call: canonical JSON, whether they fit a shape, and how they are bound to one."""
