"""The board: territories, borders, continents and card symbols as flat tuples."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any, Final

NEUTRAL: Final = -1
"""Owner of a territory whose troops defend and never act."""

UNCLAIMED: Final = -2
"""Owner of a territory that nobody has claimed yet."""

NOWHERE: Final = -3
"""No territory, and no owner."""

SYMBOLS: Final = ("infantry", "cavalry", "artillery")
"""The card symbols; a card's symbol is an index into this tuple."""


def plain(value: object) -> object:
    """A value as it can be pickled: a read-only mapping as the dict in it."""
    return dict(value) if isinstance(value, MappingProxyType) else value


@dataclass(frozen=True)
class Board:
    """A map made ready for play: every attribute is indexed by territory or continent number."""

    names: tuple[str, ...]
    """Territory ids, in the order of their numbers."""
    neighbours: tuple[tuple[int, ...], ...]
    """For each territory the numbers of those it touches, ascending."""
    symbols: tuple[int, ...]
    """For each territory the symbol of its card, an index into SYMBOLS."""
    continents: tuple[str, ...]
    """Continent ids, in the order of their numbers."""
    continent_of: tuple[int, ...]
    """For each territory the number of its continent."""
    continent_bonus: tuple[int, ...]
    """For each continent the troops it pays."""
    index: Mapping[str, int] = field(hash=False)
    """Territory id to number."""
    members: tuple[tuple[int, ...], ...]
    """For each continent its territories, ascending."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "index", MappingProxyType(dict(self.index)))

    def __reduce__(self) -> tuple[Any, ...]:
        return Board, tuple([plain(getattr(self, each.name)) for each in fields(self)])

    def continents_held(self, owners: list[int], owner: int) -> list[int]:
        """Numbers of the continents that `owner` holds whole."""
        held = []
        for c, members in enumerate(self.members):
            for t in members:
                if owners[t] != owner:
                    break
            else:
                held.append(c)
        return held

    def connected(self, owners: list[int], territory: int) -> list[int]:
        """The territories of `territory`'s owner that hang together with it, itself included, ascending."""
        return sorted(self._walk(owners, territory, NOWHERE))

    def is_connected(self, owners: list[int], src: int, dst: int) -> bool:
        """Whether `src` and `dst` hang together."""
        return dst in self._walk(owners, src, dst)

    def _walk(self, owners: list[int], src: int, dst: int) -> list[int]:
        """What hangs together with `src`, the nearest first, as far as `dst`."""
        neighbours, owner = self.neighbours, owners[src]
        left = owners.copy()  # of this owner's territories those not found yet
        left[src] = NOWHERE
        found = [src]
        for t in found:  # grows as it is walked
            for u in neighbours[t]:
                if left[u] == owner:
                    left[u] = NOWHERE
                    found.append(u)
                    if u == dst:
                        return found
        return found

    def path(self, owners: list[int], src: int, dst: int) -> list[int]:
        """The fewest territories of one owner that lead from `src` to `dst`, both included.

        Empty where none do; of several such ways the one found first.
        """
        came_from = {src: src}
        found = [src] if owners[src] == owners[dst] else []
        for t in found:  # grows as it is walked
            if t == dst:
                way = [dst]
                while way[-1] != src:
                    way.append(came_from[way[-1]])
                return way[::-1]
            for u in self.neighbours[t]:
                if owners[u] == owners[dst] and u not in came_from:
                    came_from[u] = t
                    found.append(u)
        return []

    def card(self, name: str) -> int:
        """The card of this id. Raises KeyError for another text."""
        if name in self.index:
            return self.index[name]
        prefix, _, number = name.rpartition("-")
        if prefix != "wild" or not number.isdecimal() or int(number) < 1:
            raise KeyError(name)
        return len(self.names) + int(number) - 1

    def card_name(self, card: int) -> str:
        """A card's id: its territory's, or `wild-1`, `wild-2`, … for the cards that follow."""
        n = len(self.names)
        return self.names[card] if card < n else f"wild-{card - n + 1}"
