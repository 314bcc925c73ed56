"""A spec for the fixture `desk`, what its tool runs, and an order."""

SPEC = """
aigen: 1
description: Functions that take and give records.
types:
  Tone: {choice: {kind: warm and patient, brief: at most two sentences}}
  Line:
    record:
      sku: str
      quantity: {type: int, ge: 1, description: units ordered}
  Order:
    description: An order as the shop sees it.
    record:
      id: {type: str, pattern: '^A-[0-9]{4}$'}
      lines: list[Line]
      placed: date
      note: str | None
functions:
  answer:
    formula: text + copy ~ order + tone
    description: Answer the customer about an order.
    fields:
      order: {type: Order, description: what the customer bought}
      tone: {type: Tone, default: kind, description: how to speak}
      text: the answer
      copy: {type: Order, description: the order as read}
  class:
    formula: kind ~ message
    description: Sort a message.
tools:
  import:
    description: Take an order in.
    parameters:
      id: {type: str, description: the order's number}
      late: {type: bool, default: false, description: whether it came late}
    returns: {type: int, description: how much there is to type}
    python: clerk:take
"""
"""Records in and out, an input that may be left out, and two names that are Python's own."""

CLERK = """
def take(id, late):
    return len(id) + late
"""

ORDER = {
    "id": "A-1001",
    "lines": [{"sku": "lamp", "quantity": 2}],
    "placed": "2026-01-31",
    "note": None,
}
"""An order as JSON."""
