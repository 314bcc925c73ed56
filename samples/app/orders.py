"""Orders of the shop."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date


@dataclass
class Line:
    """A line of an order."""

    sku: str
    quantity: int  # units ordered


@dataclass
class Order:
    """An order as the shop keeps it."""

    id: str
    lines: list[Line]
    placed: date
    note: str | None = None


_ORDERS = {"A-1001": Order("A-1001", [Line("KETTLE-2", 1)], date(2026, 9, 28))}


def lookup_order(
    order_id: str,  # the order's number, such as A-1001
) -> Order | None:  # the order, or null where there is none
    """Look up an order by its number."""
    return _ORDERS.get(order_id)


def find_order(order: str) -> Order | None:
    """Look up an order."""
    return _ORDERS.get(order)
