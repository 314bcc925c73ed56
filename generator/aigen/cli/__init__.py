"""The aigen command: one module a command, no logic of their own."""
