"""The orders that are more than a number: what a bot answers to attack and fortify."""

from collections.abc import Iterable
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


MOST_TEXTS = 4096
"""So many orders are kept as text."""


class _Texts(dict[Any, str]):
    """Orders as JSON without spaces. Most are given again and again, in one game and in others."""

    def __missing__(self, order: Any) -> str:
        if isinstance(order, tuple):
            text = f"[{orders_json(order)}]"
        elif isinstance(order, str):  # the word for a seat that leaves
            text = f'"{order}"'
        else:  # what equals a number has its text: it may be looked up first
            text = "null" if order is None else int.__repr__(order)
        if len(self) == MOST_TEXTS:
            self.clear()
        self[order] = text
        return text


_texts = _Texts()


def orders_json(orders: Iterable[Any]) -> str:
    """Orders as JSON without spaces, between commas."""
    return ",".join([_texts[order] for order in orders])
