"""A position as JSON: complete and readable, so that a person can write one and a game goes on from it.

`Game.to_position` gives everything; `load` needs only what a person would write (the keys with defaults are
optional), checks the structure and refuses with one line that names the place.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from arena.errors import ConfigError
from arena.risk import cards
from arena.risk.board import NEUTRAL, UNCLAIMED
from arena.risk.edition import Edition, describe_error
from arena.risk.game import Game
from arena.risk.map import FileModel
from arena.risk.rules import Rules
from arena.risk.state import DECK, Dice, stream_names
from arena.risk.stream import Stream


class Pending(FileModel):
    """What an occupy or defend decision is about."""

    src: str
    dst: str
    dice: int | None = Field(default=None, ge=1)
    """Attack dice: to be rolled in defend, that were rolled in occupy; null: the most allowed."""
    until: int | None = Field(default=None, ge=0)
    eliminated: bool | None = None
    """In occupy: whether the capture eliminated a seat; null: taken for granted where cards force a trade."""


class Position(FileModel):
    """A position; keys without a default must be there."""

    edition: str
    fingerprint: str | None = None
    """Of the edition's rules; null: whatever they are."""
    players: int
    seat: int | None
    decision: str | None
    round: int = Field(default=1, ge=0)
    """Without meaning during setup."""
    starter: int = 0
    territories: dict[str, tuple[int | str | None, int]]
    """Territory id to [owner's seat, "neutral" or null, troops]."""
    hands: list[list[str]] | None = None
    draw_pile: list[str] | None = None
    """The first is drawn next; null: every card that is elsewhere missing, shuffled by `seed`."""
    discards: list[str] = []
    held_over: list[str] = []
    """Cards that were in hands when the draw pile was last refilled."""
    sets_traded: int = Field(default=0, ge=0)
    captured: int = Field(default=0, ge=0)
    """Captures this turn: a card is due."""
    eliminated: list[int] = []
    passive: list[int] = []
    to_place: int | list[int] | None = None
    """In claim and place by seat, the neutral last; else what the turn's reinforce must place.

    Missing or 0 at the start of a turn: computed.
    """
    pending: Pending | None = None
    seed: int = 0
    streams: dict[str, tuple[int, int]] | None = None
    """Name to key and number of draws; null: made anew from `seed`."""
    placing_for: int | str | None = None
    """In claim and place: whose troop is put; null: the seat's own."""
    trades: int = Field(default=0, ge=0)
    """Sets traded this turn."""
    bonuses: int = Field(default=0, ge=0)
    """Own-territory bonuses taken this turn."""
    attacked: bool = False
    moves: int = Field(default=0, ge=0)
    """Fortifies made this turn."""
    asks_defend: list[int] = []
    exits: list[int] | None = None
    """Seats in the order in which they fell or went passive; null: the eliminated, then the passive."""
    eliminated_round: list[int | None] | None = None
    rolls: int = Field(default=0, ge=0)
    decisions: int = Field(default=0, ge=0)
    chain: str = Field(default="", pattern="^([0-9a-f]{2})*$")
    """The digest up to the turn's first order, in hex."""
    orders: list[Any] = []
    """This turn's orders."""


def read(source: Mapping[str, Any] | str | Path) -> tuple[Position, str]:
    """The position from a dict, JSON text or a file, and where it came from, for messages."""
    where = "position"
    if isinstance(source, Path) or (isinstance(source, str) and not source.lstrip().startswith("{")):
        where = str(source)
        try:
            source = Path(source).read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            raise ConfigError(f"{where}: cannot be read: {error}") from None
    try:
        table = json.loads(source) if isinstance(source, str) else source
        return Position.model_validate(table), where
    except json.JSONDecodeError as error:
        raise ConfigError(f"{where}: expected JSON: {error}") from None
    except ValidationError as error:
        raise ConfigError(describe_error(error, where)) from None


def load(
    source: Mapping[str, Any] | str | Path, find_edition: Callable[[str], Edition], dice: Dice | None = None
) -> Game:
    """The game that goes on from a position.

    `dice`, where given, rolls every roll with one `random()`. Raises ConfigError that names the place, what
    was expected and what was found.
    """
    position, where = read(source)
    rules = find_edition(position.edition).rules
    if position.fingerprint not in {None, rules.fingerprint}:
        raise ConfigError(
            f"{where}: edition: expected {position.edition} with rules {position.fingerprint},"
            f" got {rules.edition} with {rules.fingerprint}"
        )
    return _Loader(position, where, rules, dice).game


DECISIONS = ("claim", "place", "trade", "reinforce", "attack", "occupy", "defend", "fortify")


class _Loader:
    """Fills a game from a position, part by part, checking each."""

    def __init__(self, position: Position, where: str, rules: Rules, dice: Dice | None) -> None:
        self.position = position
        self.where = where
        self.game = game = Game(rules, position.players, position.seed, position.asks_defend, deal=False)
        self.setup = position.decision in {"claim", "place"}
        game.loaded_dice = dice
        self._load_board()
        self._load_counts()
        self._load_streams()
        self._load_cards()
        self._load_seats()
        self._load_to_place()
        self._load_pending()
        self._load_decision()

    def fail(self, place: str, message: str) -> ConfigError:
        return ConfigError(f"{self.where}: {place}: {message}")

    def _seat(self, place: str, seat: int | str | None) -> int:
        if not isinstance(seat, int) or not 0 <= seat < self.position.players:
            raise self.fail(place, f"expected a seat 0–{self.position.players - 1}, got {seat!r}")
        return seat

    def _territory(self, place: str, name: str) -> int:
        if name not in self.game.board.index:
            raise self.fail(place, f"expected a territory of the map, got {name!r}")
        return self.game.board.index[name]

    def _owner(self, place: str, owner: int | str | None) -> int:
        if owner == "neutral":
            return NEUTRAL
        return UNCLAIMED if owner is None else self._seat(place, owner)

    def _load_board(self) -> None:
        game, given, decision = self.game, self.position.territories, self.position.decision
        pending = self.position.pending
        captured = pending.dst if decision == "occupy" and pending is not None else None
        for name in given:
            self._territory(f"territories.{name}", name)
        for t, name in enumerate(game.board.names):
            place = f"territories.{name}"
            if name not in given:
                raise self.fail(place, "this territory is missing")
            game.owners[t] = owner = self._owner(place, given[name][0])
            game.troops[t] = troops = given[name][1]
            if owner == UNCLAIMED and decision != "claim":
                raise self.fail(place, "expected an owner: territories are unclaimed only while claiming")
            empty = name == captured or owner == UNCLAIMED
            if troops != 0 if empty else troops < 1:
                raise self.fail(
                    place, f"expected {'0 troops' if empty else 'at least 1 troop'}, got {troops}"
                )

    def _load_counts(self) -> None:
        game, position = self.game, self.position
        game.round = 0 if self.setup else position.round
        game.starter = self._seat("starter", position.starter)
        game.sets_traded = position.sets_traded
        game.captured = position.captured
        game.trades = position.trades
        game.bonuses = position.bonuses
        game.attacked = position.attacked
        game.moves = position.moves
        game.rolls = position.rolls
        game.decisions = position.decisions
        game.chain = bytes.fromhex(position.chain)
        game.history = list(position.orders)

    def _load_streams(self) -> None:
        streams = self.position.streams
        if streams is None:
            return
        names = stream_names(self.position.players)
        if sorted(streams) != sorted(names):
            raise self.fail("streams", f"expected {', '.join(names)}, got {', '.join(streams)}")
        for name, (key, draws) in streams.items():
            if draws < 0:
                raise self.fail(f"streams.{name}", f"expected a number of draws, got {draws}")
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
                    raise self.fail(place, f"expected a card, got {name!r}")
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
                raise self.fail("held_over", f"expected a card in a hand or discarded, got {name!r}")
        game.held_over = sorted({number[name] for name in position.held_over})

    def _load_seats(self) -> None:
        game, position = self.game, self.position
        out = list(dict.fromkeys(self._seat("eliminated", seat) for seat in position.eliminated))
        passive = list(dict.fromkeys(self._seat("passive", seat) for seat in position.passive))
        for seat in range(position.players):
            holds = seat in game.owners
            if holds and seat in out:
                raise self.fail("eliminated", f"seat {seat} holds territories")
            if not holds and not self.setup and seat not in out:
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
        seat = self.position.seat
        if self.setup:
            game.placing = self._placing(given)
            placing_for = self.position.placing_for
            game.placing_for = self._owner("placing_for", seat if placing_for is None else placing_for)
            if game.placing[game.slot()] < 1:
                raise self.fail("to_place", "expected a troop for the decision, got 0")
        elif isinstance(given, list) or (given is not None and given < 0):
            raise self.fail("to_place", f"expected a number of troops, got {given!r}")
        elif not given and self.position.decision in {"trade", "reinforce"} and game.captured == 0:
            game.to_place = game.reinforcement(self._seat("seat", seat))
        else:
            game.to_place = given or 0

    def _placing(self, given: int | list[int] | None) -> list[int]:
        game = self.game
        players, rules = game.players, game.rules
        neutral = rules.neutral_troops.get(players, 0)
        if given is None:
            start = [rules.starting_troops[players]] * players + [neutral]
            for owner, troops in zip(game.owners, game.troops, strict=True):
                if owner != UNCLAIMED:
                    start[owner] -= troops  # the neutral's -1 is the last
            return [max(0, troops) for troops in start]
        if isinstance(given, list) and len(given) == players and not neutral:
            given = [*given, 0]
        if not isinstance(given, list) or len(given) != players + 1 or min(given) < 0:
            raise self.fail("to_place", f"expected troops for each of {players} seats, the neutral last")
        return given

    def _load_pending(self) -> None:
        game, pending, decision = self.game, self.position.pending, self.position.decision
        if decision not in {"occupy", "defend"}:
            return
        if pending is None:
            raise self.fail("pending", f"expected src, dst and dice for the decision {decision}, got null")
        game.src = self._territory("pending.src", pending.src)
        game.dst = self._territory("pending.dst", pending.dst)
        if game.dst not in game.board.neighbours[game.src]:
            raise self.fail("pending", f"{pending.src} does not touch {pending.dst}")
        seat = self.position.seat
        attacker, defender = game.owners[game.src], game.owners[game.dst]
        if attacker < 0 or (attacker == seat) != (decision == "occupy"):
            raise self.fail("pending.src", f"expected a territory of the attacker, got {pending.src}")
        if defender != seat:
            raise self.fail("pending.dst", f"expected a territory of seat {seat}, got {pending.dst}")
        most = min(game.rules.attack_dice, game.troops[game.src] - 1)
        game.dice = most if pending.dice is None else pending.dice
        if not 1 <= game.dice <= most:
            raise self.fail("pending.dice", f"expected 1–{most}, got {game.dice}")
        game.until = pending.until
        game.attacked = True
        if decision == "occupy":
            game.captured = max(1, game.captured)
            forced = len(game.hands[game.owners[game.src]]) >= game.rules.forced_at_elimination
            game.inherited = forced if pending.eliminated is None else pending.eliminated
        else:
            game.asks_defend = tuple(sorted({*game.asks_defend, self._seat("seat", self.position.seat)}))

    def _load_decision(self) -> None:
        game, position = self.game, self.position
        if position.decision is None:
            if not game.close_if_over():
                game.close()
            return
        if position.decision not in DECISIONS:
            raise self.fail("decision", f"expected one of {', '.join(DECISIONS)}, got {position.decision!r}")
        game.seat = seat = self._seat("seat", position.seat)
        game.decision = position.decision
        if seat in game.exits:
            raise self.fail("seat", f"seat {seat} is eliminated or passive and decides nothing")
        if position.decision == "claim" and UNCLAIMED not in game.owners:
            raise self.fail("decision", "expected an unclaimed territory for the decision claim")
        if position.decision == "place" and game.placing_for not in game.owners:
            raise self.fail("placing_for", "expected the owner of a territory")
        if position.decision == "trade" and not cards.holds_set(game.rules, game.hands[seat]):
            raise self.fail(f"hands.{seat}", "expected a set for the decision trade")
        if position.decision == "reinforce" and game.to_place < 1:
            raise self.fail("to_place", "expected at least 1 troop for the decision reinforce, got 0")
        game.close_if_over()
