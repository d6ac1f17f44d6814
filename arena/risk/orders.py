"""The orders that are more than a number: what a bot answers to attack and fortify."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias


class Attack(NamedTuple):
    """Attack `dst` from `src`: one roll, or with `until` a whole battle.

    `dice` None rolls the most allowed. With `until` the rolls go on while `src` holds more than
    max(until, 1) troops and `dst` is not captured, each with at most `dice` dice. It must be below the number
    of troops on `src`, or nothing would be rolled.
    """

    src: int
    dst: int
    dice: int | None = None
    until: int | None = None


class Fortify(NamedTuple):
    """Move `troops` from `src` to `dst`."""

    src: int
    dst: int
    troops: int


Order: TypeAlias = int | tuple[int, ...] | tuple[tuple[int, int], ...] | Attack | Fortify | None
"""Whatever a bot may answer: the decision says which form (see `arena.bot.Bot`)."""


def is_leaving(entry: object) -> bool:
    """Whether an entry of a game's history, as it was made or as JSON gave it back, is a seat's departure."""
    return isinstance(entry, tuple | list) and tuple(entry[:1]) == ("leave",)


@lru_cache(maxsize=4096)
def order_json(order: Any) -> str:
    """An order as JSON without spaces. Most are given again and again, in one game and in others."""
    if isinstance(order, tuple):
        return f"[{orders_json(order)}]"
    if isinstance(order, str):  # the word for a seat that leaves
        return f'"{order}"'
    return "null" if order is None else str(order)


def orders_json(orders: Iterable[Any]) -> str:
    """Orders as `order_json` writes them, between commas. Numbers are written faster than looked up."""
    return ",".join([str(order) if type(order) is int else order_json(order) for order in orders])
