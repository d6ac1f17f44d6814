"""What the seat to decide may see: an immutable snapshot, with helpers that answer the usual questions.

The examples of the helpers are of one position. Seat 0 is asked to attack; it holds siam (37) with 4 troops,
indonesia (38) with 1, new-guinea (39) with 2, western-australia (40) with 5 and alaska (0) with 1. Seat 1
holds eastern-australia (41), venezuela (9), peru (10), brazil (11) and argentina (12) with 3 each, seat 2 the
rest with 2 each.
"""

from collections.abc import Collection
from heapq import heappop, heappush
from random import Random
from typing import TYPE_CHECKING, Final, NoReturn

from arena.risk.board import UNCLAIMED, Board
from arena.risk.cards import next_value, sets_in
from arena.risk.land import Land

if TYPE_CHECKING:
    from arena.risk.game import Game
    from arena.risk.state import State


class Table:
    """What all may see beside the board: it changes with trades, draws and exits, not with every battle."""

    __slots__ = (
        "discards",
        "draw_pile_size",
        "eliminated",
        "eliminated_round",
        "exits",
        "hand_sizes",
        "held_over",
        "held_over_sizes",
        "next_set_value",
        "passive",
        "placing",
        "sets_traded",
    )

    def __init__(self, state: "State") -> None:
        self.hand_sizes = tuple([len(hand) for hand in state.hands])
        self.discards = tuple(state.discards)
        self.held_over = tuple(state.held_over)
        self.held_over_sizes = state.held_over_sizes()
        self.draw_pile_size = len(state.draw_pile)
        self.sets_traded = state.sets_traded
        self.next_set_value = next_value(state.rules, state.sets_traded)
        self.placing = tuple(state.placing)
        self.exits = tuple(state.exits)
        self.eliminated_round = tuple(state.eliminated_round)
        self.eliminated = tuple([s for s in state.exits if state.eliminated_round[s] is not None])
        self.passive = tuple([s for s in range(state.players) if state.passive[s]])


class View:
    """The position as one seat sees it. Nothing in it leads back to the game, the deck or the dice."""

    __slots__ = (
        "_land",
        "attacked",
        "board",
        "bonus_due",
        "bonuses",
        "captured",
        "decision",
        "dice",
        "discards",
        "draw_pile_size",
        "dst",
        "eliminated",
        "eliminated_round",
        "exits",
        "forced",
        "hand",
        "hand_sizes",
        "held_over",
        "held_over_sizes",
        "inherited",
        "least",
        "most",
        "moves",
        "next_set_value",
        "owners",
        "passive",
        "placing",
        "placing_for",
        "players",
        "round",
        "rules",
        "seat",
        "sets_traded",
        "src",
        "starter",
        "to_place",
        "trades",
        "troops",
        "until",
    )

    def __init__(  # noqa: PLR0915 - a line for everything that is known
        self, state: "State", land: Land, table: Table, troops: tuple[int, ...], decision: str
    ) -> None:
        seat = land.seat
        is_setup = state.in_setup()
        is_battle = decision in {"occupy", "defend"}
        least, most = state.least_and_most() if is_battle else (-1, -1)
        self._land: Final = land
        self.rules: Final = state.rules
        self.board: Final[Board] = state.board
        self.players: Final = state.players
        """Number of seats at the table."""
        self.seat: Final = seat
        """The seat that decides, and whose view this is."""
        self.decision: Final = decision
        self.round: Final = state.round
        """0 during setup; then from 1, one turn of every player left."""
        self.starter: Final = state.starter
        self.owners: Final = land.owners
        """By territory: the owner's seat, -1 neutral, -2 nobody yet."""
        self.troops: Final = troops
        """By territory: the troops on it."""
        self.hand: Final = tuple(state.hands[seat])
        """Own cards; card i < n is territory i, the cards from n on are wild."""
        self.hand_sizes: Final = table.hand_sizes
        """By seat: number of cards held."""
        self.discards: Final = table.discards
        """Traded cards, which lie face up."""
        self.held_over: Final = table.held_over
        """Cards that were in hands when the draw pile was last refilled, and so cannot be in it."""
        self.held_over_sizes: Final = table.held_over_sizes
        """By seat: how many of the cards held are of these."""
        self.draw_pile_size: Final = table.draw_pile_size
        self.sets_traded: Final = table.sets_traded
        """Sets traded in this game so far, by anyone."""
        self.next_set_value: Final = table.next_set_value
        """Troops for the next set."""
        self.to_place: Final[int] = state.placing[state.slot()] if is_setup else state.to_place
        """Troops that wait to be placed; a reinforce order places exactly these."""
        self.placing: Final = table.placing
        """In claim and place: starting troops left, by seat, the neutral's last."""
        self.placing_for: Final[int] = state.placing_for if is_setup else seat
        """In claim and place: for whom, the own seat or -1 for the neutral."""
        self.captured: Final = state.captured
        """Captures this turn; with the first a card is due at the turn's end."""
        self.trades: Final = state.trades
        """Sets traded this turn."""
        self.bonuses: Final = state.bonuses
        """Own-territory bonuses taken this turn."""
        self.attacked: Final = state.attacked
        """Whether there was an attack this turn."""
        self.moves: Final = state.moves
        """Fortifies made this turn."""
        self.forced: Final[bool] = state.must_trade() if decision == "trade" else state.must_attack()
        """In trade and attack: whether None is refused."""
        self.bonus_due: Final = state.bonus_due()
        """Whether a set that names an own territory still earns its bonus this turn."""
        self.src: Final[int] = state.src if is_battle else -1
        """In occupy and defend: where the attack came from; else -1."""
        self.dst: Final[int] = state.dst if is_battle else -1
        """In occupy and defend: the territory attacked; else -1."""
        self.dice: Final[int] = state.dice if is_battle else -1
        """In occupy and defend: the attacker's dice; else -1."""
        self.until: Final[int | None] = state.until if is_battle else None
        """In occupy and defend: the attack's `until`."""
        self.inherited: Final[bool] = decision == "occupy" and state.inherited
        """In occupy: whether the capture eliminated a seat."""
        self.least: Final[int] = least
        """In occupy and defend: the smallest legal answer."""
        self.most: Final[int] = most
        """In occupy and defend: the largest legal answer."""
        self.exits: Final = table.exits
        """Seats that fell or went passive, in that order."""
        self.eliminated_round: Final = table.eliminated_round
        """By seat: the round in which it fell, None while it stands."""
        self.eliminated: Final = table.eliminated
        """Seats without a territory, in the order in which they fell."""
        self.passive: Final = table.passive
        """Seats that no longer act but still defend."""

    def __repr__(self) -> str:
        return (
            f"<View {self.rules.edition}, {self.players} players: round {self.round},"
            f" seat {self.seat} to {self.decision}>"
        )

    def __copy__(self) -> "View":
        return self  # nothing about it ever changes

    def __deepcopy__(self, memo: object) -> "View":
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError("a view is not pickled: take from it what is needed")

    def sample(self, rng: Random) -> "Game":
        """A game that goes on from here and could be the real one, as far as this seat can know.

        Own hand, hand sizes and all that is public are as they are; the cards that it cannot know are dealt
        anew, each deal as likely as another, and dice and deck come from `rng`, which is drawn from once.
        Defenders roll the most allowed; only the seat of a defend decision goes on choosing.

        >>> view.sample(Random(7)).decision
        'attack'
        """
        from arena.risk.sample import sample  # noqa: PLC0415 - a game needs the views to be there

        return sample(self, rng)

    # --- whose the territories are

    def territories(self, owner: int) -> tuple[int, ...]:
        """The territories of `owner` (a seat, -1 neutral, -2 nobody), ascending.

        >>> view.territories(1)
        (9, 10, 11, 12, 41)
        """
        return self._land.territories(owner)

    @property
    def own(self) -> tuple[int, ...]:
        """Own territories, ascending.

        >>> view.own
        (0, 37, 38, 39, 40)
        """
        return self._land.own()

    @property
    def unclaimed(self) -> tuple[int, ...]:
        """Territories that nobody has claimed yet, ascending.

        >>> view.unclaimed
        ()
        """
        return self._land.territories(UNCLAIMED)

    def continents_held(self, owner: int) -> tuple[int, ...]:
        """The continents that `owner` holds whole, ascending.

        >>> [view.board.continents[c] for c in view.continents_held(1)]
        ['south-america']
        """
        return tuple(self.board.continents_held(list(self.owners), owner))

    def continents_nearly_held(self, owner: int) -> tuple[tuple[int, int], ...]:
        """(continent, territory) where `owner` holds the continent but for that one territory.

        >>> view.continents_nearly_held(0)
        ((5, 41),)
        """
        owners, nearly = self.owners, []
        for c, members in enumerate(self.board.members):
            missing = [t for t in members if owners[t] != owner]
            if len(missing) == 1:
                nearly.append((c, missing[0]))
        return tuple(nearly)

    # --- borders and ways

    @property
    def frontier(self) -> tuple[int, ...]:
        """Own territories that touch somebody else's, ascending.

        >>> view.frontier
        (0, 37, 39, 40)
        """
        return self._land.frontier()

    @property
    def interior(self) -> tuple[int, ...]:
        """Own territories that touch only own ones, ascending.

        >>> view.interior
        (38,)
        """
        return self._land.interior()

    @property
    def targets(self) -> tuple[int, ...]:
        """Territories of others that touch an own one, ascending.

        >>> view.targets
        (1, 3, 30, 33, 36, 41)
        """
        return self._land.targets()

    def enemies(self, territory: int) -> list[int]:
        """Neighbours of `territory` that are not one's own, ascending.

        >>> view.enemies(40)
        [41]
        """
        return self._land.enemies(territory)

    def connected(self, territory: int) -> tuple[int, ...]:
        """The territories of one owner that hang together with `territory`, itself included, ascending.

        >>> view.connected(40)
        (37, 38, 39, 40)
        """
        return self._land.connected(territory)

    def path(self, src: int, dst: int) -> list[int]:
        """The shortest way from `src` to `dst` through land of one owner, both included; empty for none.

        >>> view.path(37, 40), view.path(0, 40)
        ([37, 38, 40], [])
        """
        return self.board.path(list(self.owners), src, dst)

    def march(self, src: int, targets: Collection[int], most: int) -> tuple[int, ...]:
        """What one stack takes on its way from `src` through land of others and all `targets`, in order.

        A territory costs the troops on it and the one to leave there. The way goes to the nearest target,
        on to the one nearest from there, and so on; it ends where the next would cost more than is left of
        `most`.

        >>> view.march(40, [1, 2], 9), view.march(0, [1, 5], 20), view.march(0, [1, 5], 5)
        ((), (1, 2, 5), (1,))
        """
        way: list[int] = []
        left = set(targets) - {src}
        while left:
            leg = self._leg(way[-1] if way else src, left, way, most)
            if not leg:
                break
            most -= sum([self.troops[t] + 1 for t in leg])
            left.difference_update(leg)
            way += leg
        return tuple(way)

    def _leg(self, src: int, targets: set[int], taken: list[int], most: int) -> list[int]:
        """The cheapest way from `src` to any of `targets` (Dijkstra), `src` left out."""
        queue = [(0, src, src)]
        came_from: dict[int, int] = {}
        while queue:
            cost, t, before = heappop(queue)
            if t in came_from:
                continue
            came_from[t] = before
            if t in targets:
                leg = [t]
                while came_from[leg[-1]] != src:
                    leg.append(came_from[leg[-1]])
                return leg[::-1]
            for u in self.board.neighbours[t]:
                spent = cost + self.troops[u] + 1
                if spent <= most and self.owners[u] != self.seat and u not in taken and u not in came_from:
                    heappush(queue, (spent, u, t))
        return []

    # --- troops

    @property
    def troops_by_seat(self) -> tuple[int, ...]:
        """The troops that each seat has on the board.

        >>> view.troops_by_seat
        (13, 15, 64)
        """
        count = [0] * self.players
        for owner, troops in zip(self.owners, self.troops, strict=True):
            if owner >= 0:
                count[owner] += troops
        return tuple(count)

    def income(self, owner: int) -> int:
        """Troops that `owner` would get for its territories and continents if its turn began now.

        >>> [view.income(seat) for seat in range(3)]
        [3, 5, 18]
        """
        return self.rules.income(list(self.owners), owner)

    def threat(self, territory: int) -> int:
        """Troops of others on the neighbours of `territory`.

        >>> view.threat(40)
        3
        """
        owners, troops, seat, threat = self.owners, self.troops, self.seat, 0
        for u in self.board.neighbours[territory]:
            if owners[u] != seat:
                threat += troops[u]
        return threat

    # --- orders to choose from

    def attacks(self) -> list[tuple[int, int]]:
        """Every (src, dst) that may be attacked now.

        >>> view.attacks()
        [(37, 33), (37, 36), (39, 41), (40, 41)]
        """
        owners, troops, seat, neighbours = self.owners, self.troops, self.seat, self.board.neighbours
        return [
            (src, dst)
            for src in self._land.own()
            if troops[src] > 1
            for dst in neighbours[src]
            if owners[dst] != seat
        ]

    def fortify_targets(self, src: int) -> list[int]:
        """Own territories to which troops of `src` may be moved by a fortify, ascending.

        >>> view.fortify_targets(40)
        [37, 38, 39]
        """
        owners, seat, reach = self.owners, self.seat, self.rules.fortify_reach
        if reach == "none":
            return []
        if reach == "anywhere":
            return [t for t in self.own if t != src]
        if reach == "adjacent":
            return [t for t in self.board.neighbours[src] if owners[t] == seat]
        return [t for t in self.connected(src) if t != src]

    def sets(self) -> list[tuple[int, int, int]]:
        """Every set in the own hand.

        >>> [[view.board.card_name(card) for card in cards] for cards in view.sets()]
        [['alaska', 'alberta', 'wild-1']]
        """
        return sets_in(self.rules, self.hand)

    def trade_order(self, cards: tuple[int, int, int]) -> tuple[int, ...]:
        """The order that trades `cards`, with a bonus territory where one must be chosen.

        The choice falls on the own territory with the most enemy troops about it.

        >>> view.trade_order(view.sets()[0])
        (0, 3, 42)
        """
        named = [c for c in cards if c < len(self.owners) and self.owners[c] == self.seat]
        if not self.bonus_due or len(named) < 2 or self.rules.own_bonus_limit == "per-card":
            return cards
        return (*cards, max(named, key=self.threat))
