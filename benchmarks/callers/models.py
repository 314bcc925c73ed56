"""The answer as a pydantic model, for peers that take one."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class Item(BaseModel):
    """What the message is about."""

    model_config = ConfigDict(extra="forbid")

    sku: str = Field(description="article number")
    quantity: int = Field(ge=1)
    price: float
    gift: bool
    tags: list[str]
    note: str | None


class Sort(BaseModel):
    """Where it belongs."""

    model_config = ConfigDict(extra="forbid")

    item: Item
    queue: Literal["sales", "returns", "repairs"]
