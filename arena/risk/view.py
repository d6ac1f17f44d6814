"""What the seat to decide may see: an immutable snapshot, with helpers that answer the usual questions."""

from random import Random
from typing import TYPE_CHECKING

from arena.risk.board import UNCLAIMED, Board
from arena.risk.cards import sets_in
from arena.risk.rules import Rules

if TYPE_CHECKING:
    from arena.risk.game import Game


class View:
    """The position as one seat sees it. Nothing in it leads back to the game, the deck or the dice."""

    def __init__(  # noqa: PLR0915 - a line for everything that is known
        self,
        rules: Rules,
        players: int,
        seat: int,
        decision: str,
        round: int,  # noqa: A002 - the glossary's name
        starter: int,
        owners: tuple[int, ...],
        troops: tuple[int, ...],
        hand: tuple[int, ...],
        hand_sizes: tuple[int, ...],
        discards: tuple[int, ...],
        held_over: tuple[int, ...],
        held_over_sizes: tuple[int, ...],
        draw_pile_size: int,
        sets_traded: int,
        next_set_value: int,
        to_place: int,
        placing: tuple[int, ...],
        placing_for: int,
        captured: int,
        trades: int,
        bonuses: int,
        attacked: bool,
        moves: int,
        forced: bool,
        bonus_due: bool,
        src: int,
        dst: int,
        dice: int,
        until: int | None,
        inherited: bool,
        least: int,
        most: int,
        exits: tuple[int, ...],
        eliminated_round: tuple[int | None, ...],
        eliminated: tuple[int, ...],
        passive: tuple[int, ...],
    ) -> None:
        self.rules = rules
        self.board: Board = rules.board
        self.players = players
        """Number of seats at the table."""
        self.seat = seat
        """The seat that decides, and whose view this is."""
        self.decision = decision
        self.round = round
        """0 during setup; then from 1, one turn of every player left."""
        self.starter = starter
        self.owners = owners
        """By territory: the owner's seat, -1 neutral, -2 nobody yet."""
        self.troops = troops
        """By territory: the troops on it."""
        self.hand = hand
        """Own cards; card i < n is territory i, the cards from n on are wild."""
        self.hand_sizes = hand_sizes
        """By seat: number of cards held."""
        self.discards = discards
        """Traded cards, which lie face up."""
        self.held_over = held_over
        """Cards that were in hands when the draw pile was last refilled, and so cannot be in it."""
        self.held_over_sizes = held_over_sizes
        """By seat: how many of the cards held are of these."""
        self.draw_pile_size = draw_pile_size
        self.sets_traded = sets_traded
        """Sets traded in this game so far, by anyone."""
        self.next_set_value = next_set_value
        """Troops for the next set."""
        self.to_place = to_place
        """Troops that wait to be placed; a reinforce order places exactly these."""
        self.placing = placing
        """In claim and place: starting troops left, by seat, the neutral's last."""
        self.placing_for = placing_for
        """In claim and place: for whom, the own seat or -1 for the neutral."""
        self.captured = captured
        """Captures this turn; with the first a card is due at the turn's end."""
        self.trades = trades
        """Sets traded this turn."""
        self.bonuses = bonuses
        """Own-territory bonuses taken this turn."""
        self.attacked = attacked
        """Whether there was an attack this turn."""
        self.moves = moves
        """Fortifies made this turn."""
        self.forced = forced
        """In trade and attack: whether None is refused."""
        self.bonus_due = bonus_due
        """Whether a set that names an own territory still earns its bonus this turn."""
        self.src = src
        """In occupy and defend: where the attack came from; else -1."""
        self.dst = dst
        """In occupy and defend: the territory attacked; else -1."""
        self.dice = dice
        """In occupy and defend: the attacker's dice; else -1."""
        self.until = until
        """In occupy and defend: the attack's `until`."""
        self.inherited = inherited
        """In occupy: whether the capture eliminated a seat."""
        self.least = least
        """In occupy and defend: the smallest legal answer."""
        self.most = most
        """In occupy and defend: the largest legal answer."""
        self.exits = exits
        """Seats that fell or went passive, in that order."""
        self.eliminated_round = eliminated_round
        """By seat: the round in which it fell, None while it stands."""
        self.eliminated = eliminated
        """Seats without a territory, in the order in which they fell."""
        self.passive = passive
        """Seats that no longer act but still defend."""
        self._own: tuple[int, ...] | None = None
        self._frontier: tuple[int, ...] | None = None

    def sample(self, rng: Random) -> "Game":
        """A game that goes on from here and could be the real one, as far as this seat can know.

        Own hand, hand sizes and all that is public are as they are; the cards that it cannot know are dealt
        anew, each deal as likely as another, and dice and deck come from `rng`, which is drawn from once.
        Defenders roll the most allowed; only the seat of a defend decision goes on choosing.
        """
        from arena.risk.sample import sample  # noqa: PLC0415 - a game needs the views to be there

        return sample(self, rng)

    def territories(self, owner: int) -> tuple[int, ...]:
        """The territories of `owner` (a seat, -1 neutral, -2 nobody), ascending."""
        return tuple([t for t, o in enumerate(self.owners) if o == owner])

    @property
    def own(self) -> tuple[int, ...]:
        """Own territories, ascending."""
        if self._own is None:
            self._own = self.territories(self.seat)
        return self._own

    @property
    def unclaimed(self) -> tuple[int, ...]:
        """Territories that nobody has claimed yet, ascending."""
        return self.territories(UNCLAIMED)

    @property
    def frontier(self) -> tuple[int, ...]:
        """Own territories that touch somebody else's, ascending."""
        if self._frontier is None:
            owners, neighbours, seat = self.owners, self.board.neighbours, self.seat
            self._frontier = tuple([t for t in self.own if any([owners[u] != seat for u in neighbours[t]])])
        return self._frontier

    def enemies(self, territory: int) -> list[int]:
        """Neighbours of `territory` that are not one's own."""
        owners, seat = self.owners, self.seat
        return [u for u in self.board.neighbours[territory] if owners[u] != seat]

    def threat(self, territory: int) -> int:
        """Troops of others on the neighbours of `territory`."""
        troops = self.troops
        return sum([troops[u] for u in self.enemies(territory)])

    def attacks(self) -> list[tuple[int, int]]:
        """Every (src, dst) that may be attacked now."""
        troops = self.troops
        return [(src, dst) for src in self.frontier if troops[src] > 1 for dst in self.enemies(src)]

    def fortify_targets(self, src: int) -> list[int]:
        """Own territories to which troops of `src` may be moved by a fortify, ascending."""
        owners, seat, reach = self.owners, self.seat, self.rules.fortify_reach
        if reach == "none":
            return []
        if reach == "anywhere":
            return [t for t in self.own if t != src]
        if reach == "adjacent":
            return [t for t in self.board.neighbours[src] if owners[t] == seat]
        return [t for t in self.connected(src) if t != src]

    def connected(self, territory: int) -> list[int]:
        """The territories of one owner that hang together with `territory`, itself included, ascending."""
        return self.board.connected(self.owners, territory)

    def sets(self) -> list[tuple[int, int, int]]:
        """Every set in the own hand."""
        return sets_in(self.rules, self.hand)

    def trade_order(self, cards: tuple[int, int, int]) -> tuple[int, ...]:
        """The order that trades `cards`, with a bonus territory where one must be chosen.

        The choice falls on the own territory with the most enemy troops about it.
        """
        named = [c for c in cards if c < len(self.owners) and self.owners[c] == self.seat]
        if not self.bonus_due or len(named) < 2 or self.rules.own_bonus_limit == "per-card":
            return cards
        return (*cards, max(named, key=self.threat))
