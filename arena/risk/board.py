"""The board: territories, borders, continents and card symbols as flat tuples."""

from typing import Final

NEUTRAL: Final = -1
"""Owner of a territory whose troops defend and never act."""

UNCLAIMED: Final = -2
"""Owner of a territory that nobody has claimed yet."""

SYMBOLS: Final = ("infantry", "cavalry", "artillery")
"""The card symbols; a card's symbol is an index into this tuple."""


class Board:
    """A map made ready for play: every attribute is indexed by territory or continent number."""

    def __init__(
        self,
        names: tuple[str, ...],
        neighbours: tuple[tuple[int, ...], ...],
        symbols: tuple[int, ...],
        continents: tuple[str, ...],
        continent_of: tuple[int, ...],
        continent_bonus: tuple[int, ...],
    ) -> None:
        self.names = names
        """Territory ids, in the order of their numbers."""
        self.index: dict[str, int] = {name: t for t, name in enumerate(names)}
        """Territory id to number."""
        self.neighbours = neighbours
        """For each territory the numbers of those it touches, ascending."""
        self.symbols = symbols
        """For each territory the symbol of its card, an index into SYMBOLS."""
        self.continents = continents
        """Continent ids, in the order of their numbers."""
        self.continent_of = continent_of
        """For each territory the number of its continent."""
        self.continent_bonus = continent_bonus
        """For each continent the troops it pays."""
        self.members: tuple[tuple[int, ...], ...] = tuple(
            tuple(t for t in range(len(names)) if continent_of[t] == c) for c in range(len(continents))
        )
        """For each continent its territories, ascending."""

    def continents_held(self, owners: tuple[int, ...] | list[int], owner: int) -> list[int]:
        """Numbers of the continents that `owner` holds whole."""
        return [c for c, members in enumerate(self.members) if all(owners[t] == owner for t in members)]

    def connected(self, owners: tuple[int, ...] | list[int], territory: int) -> list[int]:
        """The territories of `territory`'s owner that hang together with it, itself included, ascending."""
        owner = owners[territory]
        seen = {territory}
        queue = [territory]
        while queue:
            for u in self.neighbours[queue.pop()]:
                if owners[u] == owner and u not in seen:
                    seen.add(u)
                    queue.append(u)
        return sorted(seen)

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
