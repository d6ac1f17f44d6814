"""A position as JSON: complete and readable, so that a person can write one and a game goes on from it.

`Game.to_position` gives everything; `load` needs only what a person would write (the keys with defaults are
optional), checks the structure and refuses with one line that names the place.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, ValidationError

from arena.errors import ConfigError, placed, shown
from arena.files import parse_json, read_text
from arena.risk import cards
from arena.risk.board import NEUTRAL, UNCLAIMED
from arena.risk.edition import Edition
from arena.risk.game import Game
from arena.risk.map import FileModel
from arena.risk.rules import Rules
from arena.risk.state import DECK, Dice, stream_names
from arena.risk.stream import Stream
from arena.validation import describe_error

DECISIONS = ("claim", "place", "trade", "reinforce", "attack", "occupy", "defend", "fortify")
"""What a seat may be asked for."""

LARGEST = 10**9
"""No number of troops or of anything else that is counted may be larger: no game comes near it."""

Int = Annotated[int, Field(strict=True)]
Count = Annotated[int, Field(strict=True, ge=0, le=LARGEST)]
Flag = Annotated[bool, Field(strict=True)]
Key = Annotated[int, Field(strict=True, ge=0, lt=2**64)]
Draws = Annotated[int, Field(strict=True, ge=0, le=10**8)]
"""A stream is drawn up to there again: this many take seconds, and no game makes as many."""


def _counted(value: object) -> object:
    return int(value) if isinstance(value, bool) else value


class Pending(FileModel):
    """What an occupy or defend decision is about."""

    src: str
    dst: str
    dice: Count | None = None
    """Attack dice: to be rolled in defend, that were rolled in occupy; null: the most allowed."""
    until: Count | None = None
    eliminated: Flag | None = None
    """Only in occupy: whether the capture eliminated a seat; null: so it did where cards force a trade."""


class Position(FileModel):
    """A position; keys without a default must be there."""

    edition: str
    fingerprint: str | None = None
    """Of the edition's rules; null: whatever they are."""
    players: Int
    seat: Int | None
    decision: str | None
    """Null: the game is over."""
    round: Count = 1
    """Without meaning while there is a setup decision; 0 where the game ended before the first turn."""
    starter: Int = 0
    territories: dict[str, tuple[Any, Count]]
    """Territory id to [owner's seat, "neutral" or null, troops]."""
    hands: list[list[str]] | None = None
    draw_pile: list[str] | None = None
    """The first is drawn next; null: every card that is elsewhere missing, shuffled by `seed`."""
    discards: list[str] = []
    held_over: list[str] = []
    """Cards that were in hands when the draw pile was last refilled."""
    sets_traded: Annotated[int, Field(strict=True, ge=0, le=10**6)] = 0
    captured: Annotated[Count, BeforeValidator(_counted)] = 0
    """Captures this turn: a card is due. A bool is accepted."""
    eliminated: list[Int] = []
    passive: list[Int] = []
    to_place: Any = None
    """In claim and place by seat, the neutral last; else what the turn's reinforce must place.

    Missing or 0 at the start of a turn: computed.
    """
    pending: Pending | None = None
    seed: Int = 0
    streams: dict[str, tuple[Key, Draws]] | None = None
    """Name to key and number of draws; null: made anew from `seed`."""
    placing_for: Any = None
    """In claim and place: whose troop is put, the seat or "neutral"; null: the seat's own."""
    trades: Count = 0
    """Sets traded this turn."""
    bonuses: Count = 0
    """Own-territory bonuses taken this turn."""
    attacked: Flag = False
    moves: Count = 0
    """Fortifies made this turn."""
    asks_defend: list[Int] = []
    exits: list[Int] | None = None
    """Seats in the order in which they fell or went passive; null: the eliminated, then the passive."""
    eliminated_round: list[Count | None] | None = None
    rolls: Count = 0
    decisions: Count = 0
    chain: str = Field(default="", pattern="^([0-9a-f]{2})*$")
    """The digest up to the turn's first order, in hex."""
    orders: list[Any] = []
    """This turn's orders."""


def read(source: Mapping[str, Any] | str | Path) -> tuple[Position, str]:
    """The position from a dict, JSON text or a file, and where it came from, for messages."""
    where = "position"
    if isinstance(source, Path) or (isinstance(source, str) and _is_path(source)):
        where = str(source)
        source = read_text(Path(source))
    table = parse_json(source, where) if isinstance(source, str) else source
    try:
        return Position.model_validate(table), where
    except ValidationError as error:
        raise ConfigError(describe_error(error, where, Position)) from None


def _is_path(text: str) -> bool:
    return text.isprintable() and text.lstrip()[:1] not in ("{", "[", "")


def load(
    source: Mapping[str, Any] | str | Path, find_edition: Callable[[str], Edition], dice: Dice | None = None
) -> Game:
    """The game that goes on from a position.

    `dice`, where given, rolls every roll with one `random()`. Raises ConfigError that names the place, what
    was expected and what was found.
    """
    position, where = read(source)
    with placed(f"{where}: edition"):
        rules = find_edition(position.edition).rules
    if position.fingerprint not in {None, rules.fingerprint}:
        raise ConfigError(
            f"{where}: edition: expected {shown(position.edition)} with rules"
            f" {shown(position.fingerprint)}, got {rules.edition} with {rules.fingerprint}"
        )
    return _Loader(position, where, rules, dice).game


class _Loader:
    """Fills a game from a position, part by part, checking each."""

    def __init__(self, position: Position, where: str, rules: Rules, dice: Dice | None) -> None:
        self.position = position
        self.where = where
        with placed(where):
            self.game = game = Game(rules, position.players, position.seed, position.asks_defend, deal=False)
        self.setup = position.decision in {"claim", "place"}
        self.is_before_turns = self.setup or (position.decision is None and position.round == 0)
        game.loaded_dice = dice
        self._load_decision()
        self._load_board()
        self._load_counts()
        self._load_streams()
        self._load_cards()
        self._load_seats()
        self._load_to_place()
        self._load_pending()
        self._check_decision()

    def fail(self, place: str, message: str) -> ConfigError:
        return ConfigError(f"{self.where}: {place}: {message}")

    def _seat(self, place: str, seat: object) -> int:
        if type(seat) is not int or not 0 <= seat < self.position.players:
            raise self.fail(place, f"expected a seat 0–{self.position.players - 1}, got {shown(seat)}")
        return seat

    def _territory(self, place: str, name: str) -> int:
        if name not in self.game.board.index:
            raise self.fail(place, f"expected a territory of the map, got {shown(name)}")
        return self.game.board.index[name]

    def _owner(self, place: str, owner: object) -> int:
        if owner == "neutral":
            return NEUTRAL
        return UNCLAIMED if owner is None else self._seat(place, owner)

    def _troops(self, place: str, troops: object, most: int = LARGEST) -> int:
        if type(troops) is not int or not 0 <= troops <= most:
            raise self.fail(place, f"expected a number of troops 0–{most}, got {shown(troops)}")
        return troops

    def _load_decision(self) -> None:
        game, decision = self.game, self.position.decision
        if decision is not None and decision not in DECISIONS:
            raise self.fail("decision", f"expected one of {', '.join(DECISIONS)}, got {shown(decision)}")
        game.decision = decision
        game.seat = None if decision is None else self._seat("seat", self.position.seat)

    def _load_board(self) -> None:
        game, given, decision = self.game, self.position.territories, self.position.decision
        pending = self.position.pending
        captured = pending.dst if decision == "occupy" and pending is not None else None
        for name in given:
            self._territory("territories", name)
        for t, name in enumerate(game.board.names):
            place = f"territories.{name}"
            if name not in given:
                raise self.fail(place, "this territory is missing")
            game.owners[t] = owner = self._owner(place, given[name][0])
            game.troops[t] = troops = given[name][1]
            if owner == UNCLAIMED and not (self.is_before_turns and decision != "place"):
                raise self.fail(place, "expected an owner: territories are unclaimed only while claiming")
            empty = name == captured or owner == UNCLAIMED
            if troops != 0 if empty else troops < 1:
                raise self.fail(
                    place, f"expected {'0 troops' if empty else 'at least 1 troop'}, got {troops}"
                )

    def _load_counts(self) -> None:
        game, position = self.game, self.position
        if position.round == 0 and not self.is_before_turns:
            raise self.fail("round", f"expected 1 or more for the decision {position.decision}, got 0")
        game.round = 0 if self.setup else position.round
        game.starter = self._seat("starter", position.starter)
        game.sets_traded = position.sets_traded
        if position.captured > len(game.owners):
            raise self.fail("captured", f"expected 0–{len(game.owners)}, got {position.captured}")
        game.captured = position.captured
        game.trades = position.trades
        game.bonuses = position.bonuses
        game.attacked = position.attacked
        game.moves = position.moves
        game.rolls = position.rolls
        game.decisions = position.decisions
        game.chain = bytes.fromhex(position.chain)
        game.history = [self._order(f"orders.{i}", order) for i, order in enumerate(position.orders)]

    def _order(self, place: str, order: object, depth: int = 2) -> object:
        """An order as a game holds it: it was applied, so that only its form matters, for the digest."""
        if isinstance(order, list | tuple) and depth > 0:
            return tuple([self._order(place, part, depth - 1) for part in order])
        is_number = type(order) is int and abs(order) <= LARGEST
        if not is_number and order is not None and order != "leave":
            raise self.fail(place, f"expected an order, got {shown(order)}")
        return order

    def _load_streams(self) -> None:
        streams = self.position.streams
        if streams is None:
            return
        names = stream_names(self.position.players)
        for name in sorted(streams.keys() ^ set(names)):
            found = shown(name) if name in streams else f"no {name}"
            raise self.fail("streams", f"expected {', '.join(names)}, got {found}")
        for name, (key, draws) in streams.items():
            self.game.streams[names.index(name)] = Stream(key, draws)

    def _load_cards(self) -> None:
        game, position = self.game, self.position
        deck = range(len(game.owners) + game.rules.wilds)
        number = {game.board.card_name(card): card for card in deck}
        hands = position.hands if position.hands is not None else [[] for _ in range(position.players)]
        if len(hands) != position.players:
            raise self.fail("hands", f"expected {position.players} hands, got {len(hands)}")
        seen: set[int] = set()

        def parse(place: str, names: list[str]) -> list[int]:
            for name in names:
                if name not in number:
                    raise self.fail(place, f"expected a card, got {shown(name)}")
                if number[name] in seen:
                    raise self.fail(place, f"{name} stands twice")
                seen.add(number[name])
            return [number[name] for name in names]

        game.hands = [parse(f"hands.{seat}", hand) for seat, hand in enumerate(hands)]
        game.discards = parse("discards", position.discards)
        if position.draw_pile is None:
            game.draw_pile = [card for card in deck if card not in seen]
            game.streams[DECK].shuffle(game.draw_pile)
        else:
            game.draw_pile = parse("draw_pile", position.draw_pile)[::-1]
            if len(seen) < len(deck):
                lost = next(card for card in deck if card not in seen)
                raise self.fail("draw_pile", f"{game.board.card_name(lost)} is nowhere")
        for name in position.held_over:
            if name not in number or number[name] in game.draw_pile:
                raise self.fail("held_over", f"expected a card in a hand or discarded, got {shown(name)}")
        game.held_over = sorted({number[name] for name in position.held_over})

    def _load_seats(self) -> None:
        game, position = self.game, self.position
        out = list(dict.fromkeys(self._seat("eliminated", seat) for seat in position.eliminated))
        passive = list(dict.fromkeys(self._seat("passive", seat) for seat in position.passive))
        if out and self.is_before_turns:
            raise self.fail("eliminated", "expected no seat before the first turn")
        for seat in range(position.players):
            holds = seat in game.owners
            if holds and seat in out:
                raise self.fail("eliminated", f"seat {seat} holds territories")
            if not holds and not self.is_before_turns and seat not in out:
                out.append(seat)
        for seat in {*out, *passive}:
            if game.hands[seat]:
                raise self.fail(f"hands.{seat}", "expected no cards: this seat is eliminated or passive")
        exits = position.exits if position.exits is not None else list(dict.fromkeys([*out, *passive]))
        if sorted(exits) != sorted({*out, *passive}):
            raise self.fail("exits", "expected the eliminated and passive seats, each once")
        game.exits = exits
        rounds = position.eliminated_round or [position.round] * position.players
        if len(rounds) != position.players:
            raise self.fail("eliminated_round", f"expected one for each of {position.players} seats")
        for seat in out:
            known = rounds[seat]
            game.eliminated_round[seat] = position.round if known is None else known
        game.passive = [seat in passive for seat in range(position.players)]

    def _load_to_place(self) -> None:
        game, given = self.game, self.position.to_place
        if self.setup:
            game.placing = self._placing(given)
            self._load_placing_for()
            return
        game.to_place = 0 if given is None else self._troops("to_place", given)
        is_start = self.position.decision in {"trade", "reinforce"} and game.captured == 0
        if game.to_place == 0 and is_start and game.seat is not None:
            game.to_place = game.rules.income(game.owners, game.seat)

    def _load_placing_for(self) -> None:
        game, given, seat = self.game, self.position.placing_for, self.game.seat
        owner = self._owner("placing_for", seat if given is None else given)
        has_neutral = game.players in game.rules.neutral_troops
        if owner != seat and not (owner == NEUTRAL and has_neutral):
            neutral = " or neutral" if has_neutral else ""
            raise self.fail("placing_for", f"expected seat {seat}{neutral}, got {shown(given)}")
        game.placing_for = owner
        if game.placing[game.slot()] < 1:
            raise self.fail("to_place", "expected a troop for the decision, got 0")

    def _placing(self, given: object) -> list[int]:
        game = self.game
        players, rules = game.players, game.rules
        neutral = rules.neutral_troops.get(players, 0)
        start = [rules.starting_troops[players]] * players + [neutral]
        if given is None:
            for owner, troops in zip(game.owners, game.troops, strict=True):
                if owner != UNCLAIMED:
                    start[owner] -= troops  # the neutral's -1 is the last
            return [max(0, troops) for troops in start]
        if not isinstance(given, list | tuple) or len(given) not in {players + 1, players + bool(neutral)}:
            raise self.fail("to_place", f"expected troops for each of {players} seats, the neutral last")
        counts = [self._troops(f"to_place.{i}", n, start[i]) for i, n in enumerate(given)]
        return counts if len(counts) > players else [*counts, 0]

    def _load_pending(self) -> None:
        game, pending, decision = self.game, self.position.pending, self.position.decision
        if decision not in {"occupy", "defend"}:
            if pending is not None:
                raise self.fail("pending", "expected null: the decision is neither occupy nor defend")
            return
        if pending is None:
            raise self.fail("pending", f"expected src, dst and dice for the decision {decision}, got null")
        game.src = self._territory("pending.src", pending.src)
        game.dst = self._territory("pending.dst", pending.dst)
        if game.dst not in game.board.neighbours[game.src]:
            raise self.fail("pending", f"{pending.src} does not touch {pending.dst}")
        seat = game.seat
        attacker, defender = game.owners[game.src], game.owners[game.dst]
        if attacker < 0 or attacker in game.exits or (attacker == seat) != (decision == "occupy"):
            raise self.fail("pending.src", f"expected a territory of the attacker, got {pending.src}")
        if defender != seat:
            raise self.fail("pending.dst", f"expected a territory of seat {seat}, got {pending.dst}")
        most = min(game.rules.attack_dice, game.troops[game.src] - 1)
        if most < 1:
            raise self.fail("pending.src", f"expected at least 2 troops on {pending.src}, got 1")
        game.dice = most if pending.dice is None else pending.dice
        if not 1 <= game.dice <= most:
            raise self.fail("pending.dice", f"expected 1–{most}, got {game.dice}")
        game.until = pending.until
        game.attacked = True
        if decision == "occupy":
            game.captured = max(1, game.captured)
            forced = len(game.hands[game.owners[game.src]]) >= game.rules.forced_at_elimination
            game.inherited = forced if pending.eliminated is None else pending.eliminated
        elif pending.eliminated is not None:
            raise self.fail("pending.eliminated", "expected null: nobody is eliminated before the roll")
        else:
            game.asks_defend = tuple(sorted({*game.asks_defend, defender}))

    def _check_decision(self) -> None:
        game, seat, decision = self.game, self.game.seat, self.game.decision
        if seat is None:
            if not game.close_if_over():
                if game.round < game.last_round():
                    raise self.fail("decision", "expected one, got null: the game is not over")
                game.close()
            return
        if seat in game.exits:
            raise self.fail("seat", f"seat {seat} is eliminated or passive and decides nothing")
        if decision == "claim" and UNCLAIMED not in game.owners:
            raise self.fail("decision", "expected an unclaimed territory for the decision claim")
        if decision == "place" and game.placing_for not in game.owners:
            raise self.fail("placing_for", "expected the owner of a territory")
        if decision == "trade" and not cards.holds_set(game.rules, game.hands[seat]):
            raise self.fail(f"hands.{seat}", "expected a set for the decision trade")
        if decision == "reinforce" and game.to_place < 1:
            raise self.fail("to_place", "expected at least 1 troop for the decision reinforce, got 0")
        if decision in {"attack", "occupy", "defend", "fortify"} and game.to_place:
            raise self.fail("to_place", f"expected 0 for the decision {decision}, got {game.to_place}")
        if decision == "fortify" and game.rules.fortify_reach == "none":
            raise self.fail("decision", "expected another than fortify: this edition has none")
        game.close_if_over()
