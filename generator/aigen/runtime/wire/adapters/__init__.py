"""How inputs and outputs are laid out for a model, one module an adapter.

An adapter's `lay_out` makes messages, and what the reply is held to, from a definition and bound
inputs; its `read` finds the outputs in a reply. What comes back is always judged here, for servers
accept a schema and ignore it. `ways` has them all.
"""
