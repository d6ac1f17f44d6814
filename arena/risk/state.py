"""The state of a game: everything that its rules look at, and what a seat may see of it."""

from collections.abc import Iterable
from copy import deepcopy
from operator import index
from typing import Any, Final, Protocol

from arena.errors import ConfigError, IllegalOrder, shown
from arena.risk.board import NEUTRAL, UNCLAIMED
from arena.risk.dice import loss_tables
from arena.risk.land import Land
from arena.risk.result import Result
from arena.risk.rules import Rules
from arena.risk.stream import Stream, derive_seed
from arena.risk.view import Table, View

SETUP: Final = 0
DECK: Final = 1
DICE: Final = 2
"""Places in `State.streams`: seat 0's dice, then those of the other seats."""

LARGEST_SEED: Final = 2**128 - 1
"""Seeds are hashed and stored as text, which Python refuses to make of huge numbers."""


class Dice(Protocol):
    """What a game rolls with: one number from [0, 1) is one roll."""

    def random(self) -> float:
        """The next number in [0, 1)."""


def stream_names(players: int) -> list[str]:
    """The streams of a game, in the order of `State.streams`."""
    return ["setup", "deck", *[f"dice-{seat}" for seat in range(players)]]


class State:
    """What a game is at one moment; `Game` changes it."""

    __slots__ = (
        "_lands",
        "_losses",
        "_owners",
        "_table",
        "_troops",
        "asks_defend",
        "attacked",
        "board",
        "bonuses",
        "captured",
        "chain",
        "closed_turns",
        "decision",
        "decisions",
        "dice",
        "discards",
        "draw_pile",
        "dst",
        "eliminated_round",
        "exits",
        "hands",
        "held_over",
        "history",
        "inherited",
        "loaded_dice",
        "moves",
        "owners",
        "passive",
        "placing",
        "placing_for",
        "players",
        "result",
        "rolls",
        "round",
        "rules",
        "seat",
        "seed",
        "sets_traded",
        "src",
        "starter",
        "streams",
        "to_place",
        "trades",
        "troops",
        "turn_start",
        "until",
    )

    def __init__(  # noqa: PLR0915 - a line for everything that can change
        self, rules: Rules, players: int, seed: int = 0, asks_defend: Iterable[int] = ()
    ) -> None:
        players, seed = int(index(players)), int(index(seed))  # also uncompiled: no float, and True is 1
        allowed = rules.starting_troops
        if players not in allowed:
            raise ConfigError(
                f"edition {rules.edition}: expected {min(allowed)}–{max(allowed)} players,"
                f" got {shown(players)}"
            )
        if not -LARGEST_SEED <= seed <= LARGEST_SEED:
            raise ConfigError(f"seed: expected an int of at most 128 bits, got {shown(seed)}")
        n = len(rules.board.names)
        self.rules = rules
        self.board = rules.board
        self.players = players
        self.seed = seed
        asked_seats: list[Any] = list(asks_defend)  # not yet what the annotation says
        for asked in asked_seats:
            if type(asked) is not int or not 0 <= asked < players:
                raise ConfigError(f"asks_defend: expected seats 0–{players - 1}, got {shown(asked)}")
        self.asks_defend: tuple[int, ...] = tuple(sorted(set(asked_seats)))

        self.owners: list[int] = [UNCLAIMED] * n
        self.troops: list[int] = [0] * n
        self.hands: list[list[int]] = [[] for _ in range(players)]
        self.draw_pile: list[int] = []  # the last is drawn next
        self.discards: list[int] = []
        self.held_over: list[int] = []  # what hands held when the draw pile was last refilled, ascending
        self.sets_traded = 0
        self.exits: list[int] = []  # seats in the order in which they fell or went passive
        self.passive: list[bool] = [False] * players
        self.eliminated_round: list[int | None] = [None] * players

        self.seat: int | None = 0
        self.decision: str | None = "claim"
        self.round = 0
        self.starter = 0
        self.placing: list[int] = [0] * (players + 1)  # setup: troops left by seat, the neutral's last
        self.placing_for = 0
        # The turn
        self.to_place = 0
        self.captured = 0
        self.trades = 0
        self.bonuses = 0
        self.attacked = False
        self.moves = 0  # fortifies made
        # The battle: from the attack order until its end or the occupation
        self.src = -1
        self.dst = -1
        self.dice = 0
        self.until: int | None = None
        self.inherited = False  # the capture eliminated a seat

        self.rolls = 0
        self.decisions = 0
        self.history: list[Any] = []  # every order since this object was made, as JSON would hold it
        self.turn_start = 0  # where this turn's orders begin in it
        self.closed_turns: list[str] = []  # the JSON of what is before that, turn by turn, without brackets
        self.chain = b""
        self.result: Result | None = None
        self._owners: tuple[int, ...] | None = None  # snapshots for the views, until something changes
        self._lands: list[Land | None] = []
        self._troops: tuple[int, ...] | None = None
        self._table: Table | None = None
        self._losses = loss_tables(rules.attack_dice, rules.defence_dice, rules.ties_to_attacker)

        self.streams = [Stream(derive_seed(seed, name)) for name in stream_names(players)]
        self.loaded_dice: Dice | None = None  # rolls every roll in place of the streams

    def view(self) -> View:
        """What the seat to decide may see. Raises IllegalOrder when the game is over."""
        seat = self.seat
        decision = self.decision
        if seat is None or decision is None:
            raise IllegalOrder("view: the game is over")
        if self._owners is None:
            self._owners = tuple(self.owners)
            self._lands = [None] * self.players
        if self._troops is None:
            self._troops = tuple(self.troops)
        land = self._lands[seat]
        if land is None:
            land = self._lands[seat] = Land(self.board, self._owners, seat)
        if self._table is None:
            self._table = Table(self)
        return View(self, land, self._table, self._troops, decision)

    def copy_to(self, new: "State") -> None:
        """Make `new`, of the same rules, seed and seats, a state of its own that goes on from here."""
        new.owners = self.owners.copy()
        new.troops = self.troops.copy()
        new.hands = [hand.copy() for hand in self.hands]
        new.draw_pile = self.draw_pile.copy()
        new.discards = self.discards.copy()
        new.held_over = self.held_over.copy()
        new.sets_traded = self.sets_traded
        new.exits = self.exits.copy()
        new.passive = self.passive.copy()
        new.eliminated_round = self.eliminated_round.copy()
        new.seat = self.seat
        new.decision = self.decision
        new.round = self.round
        new.starter = self.starter
        new.placing = self.placing.copy()
        new.placing_for = self.placing_for
        new.to_place = self.to_place
        new.captured = self.captured
        new.trades = self.trades
        new.bonuses = self.bonuses
        new.attacked = self.attacked
        new.moves = self.moves
        new.src = self.src
        new.dst = self.dst
        new.dice = self.dice
        new.until = self.until
        new.inherited = self.inherited
        new.rolls = self.rolls
        new.decisions = self.decisions
        new.history = self.history[self.turn_start :]
        new.chain = self.chain
        new.result = self.result
        new.streams = [stream.copy() for stream in self.streams]
        new.loaded_dice = deepcopy(self.loaded_dice)

    def held_over_sizes(self) -> tuple[int, ...]:
        """By seat: how many cards of the hand are from before the draw pile was last refilled."""
        held_over = self.held_over
        if not held_over:
            return (0,) * self.players
        return tuple([sum([card in held_over for card in hand]) for hand in self.hands])

    def in_setup(self) -> bool:
        """Whether territories are still being claimed or starting troops placed."""
        return self.decision in {"claim", "place"}

    def slot(self) -> int:
        """Index into `placing` of whose troop is put: a seat, or the number of players for the neutral."""
        return self.players if self.placing_for == NEUTRAL else self.placing_for

    def turn_seat(self) -> int:
        """The seat whose turn it is: also while another is asked to defend."""
        seat = self.owners[self.src] if self.decision == "defend" else self.seat
        assert seat is not None
        return seat

    def must_trade(self) -> bool:
        """Captures come only after the trades of the turn's start, so a later trade is a forced one."""
        if self.captured > 0:
            return True
        return self.trades == 0 and len(self.hands[self.turn_seat()]) >= self.rules.forced_at

    def bonus_due(self) -> bool:
        """Whether a set that names an own territory earns its bonus now."""
        rules = self.rules
        return rules.own_bonus > 0 and (rules.own_bonus_limit != "per-turn" or self.bonuses == 0)

    def own_named(self, order: tuple[Any, ...]) -> list[int]:
        """The cards of a set that name a territory of the seat whose turn it is."""
        seat = self.turn_seat()
        return [c for c in order[:3] if c < len(self.owners) and self.owners[c] == seat]

    def can_attack(self) -> bool:
        """Whether the seat to decide can attack anything."""
        seat, owners, neighbours = self.seat, self.owners, self.board.neighbours
        return any(
            owners[t] == seat and troops > 1 and any(owners[u] != seat for u in neighbours[t])
            for t, troops in enumerate(self.troops)
        )

    def must_attack(self) -> bool:
        """Whether the turn's first attack is forced and possible."""
        return (
            self.rules.must_attack and self.decision == "attack" and not self.attacked and self.can_attack()
        )

    def least_and_most(self) -> tuple[int, int]:
        """In occupy and defend: the smallest and the largest legal answer."""
        if self.decision == "occupy":
            return self.dice, self.troops[self.src] - 1
        return 1, min(self.rules.defence_dice, self.troops[self.dst])

    def active(self) -> list[int]:
        """Seats that still act, ascending."""
        return [seat for seat in range(self.players) if seat not in self.exits]

    def last_round(self) -> int:
        """The round after which the game ends undecided."""
        return self.rules.scored_rounds or self.rules.max_rounds

    def turn_position(self, seat: int) -> int:
        """0 for the starter, then clockwise."""
        return (seat - self.starter) % self.players

    def holdings(self) -> tuple[list[int], list[int]]:
        """Territories and troops by seat."""
        territories = [0] * self.players
        troops = [0] * self.players
        for owner, count in zip(self.owners, self.troops, strict=True):
            if owner >= 0:
                territories[owner] += 1
                troops[owner] += count
        return territories, troops
