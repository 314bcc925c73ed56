"""The strict form of a schema, for those who compile; the runtime has it too, for its requests."""

from aigen.runtime.wire.plain import to_plain
from aigen.runtime.wire.strict import Decode, Strict, from_strict, to_strict

__all__ = ["Decode", "Strict", "from_strict", "to_plain", "to_strict"]
