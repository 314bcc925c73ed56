"""Functions the support desk calls."""

from typing import Literal

from app.orders import lookup_order  # a tool: its source is read, not imported

from aigen.declare import ai, answer


@ai(temperature=0, demos=[{"review": "Great!", "result": "happy"}])
def mood(review: str) -> Literal["happy", "unhappy", "mixed"]:
    """How does the customer feel about what they bought?"""
    return answer()


@ai(tools=[lookup_order])
def reply(
    message: str,  # the customer's own words
    tone: Literal["kind", "brief"] = "kind",
) -> str:
    """Answer the customer."""
    return answer()
