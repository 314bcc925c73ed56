"""Orders of the shop."""

from __future__ import annotations

from typing import TypedDict


class Line(TypedDict):
    sku: str
    quantity: int


class Order(TypedDict):
    id: str
    lines: list[Line]
    placed: str
    note: str | None


_ORDERS: dict[str, Order] = {
    "A-1001": {
        "id": "A-1001",
        "lines": [{"sku": "KETTLE-2", "quantity": 1}],
        "placed": "2026-09-28",
        "note": None,
    }
}


def lookup_order(
    order_id: str,  # the order's number, such as A-1001
) -> Order | None:  # the order, or null where there is none
    """Look up an order by its number."""
    return _ORDERS.get(order_id)
