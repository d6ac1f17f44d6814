"""A played game's orders: packed for the database, written as text, and played again without the bots."""

import json
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

from arena.errors import ConfigError, IllegalOrder, ReplayDiffers, counted
from arena.risk.game import Game
from arena.risk.notation import LEAVES, format_order, parse_order
from arena.risk.orders import Attack, Fortify, is_leaving
from arena.risk.rules import Rules

HEADER = "risk-arena record 1"
"""First line of a record as text; the number rises when older readers would misread it."""

LEVEL = 2
"""Of compression: a fifth more bytes than with the default, for a third of its time."""

_LINE = re.compile(r"(\d{1,9})\. r\d+ s(\d{1,9}): (.+)")


def pack(asks_defend: Sequence[int], history_json: str) -> bytes:
    """Orders as `Game.history_json` has them, and who chose their defence dice, as few bytes."""
    return zlib.compress(f"[{json.dumps(list(asks_defend))},{history_json}]".encode(), LEVEL)


def replay(rules: Rules, players: int, seed: int, packed: bytes) -> Iterator[Game]:
    """The game before the first order and after each one (one object that goes on).

    Raises ConfigError for bytes that are no record, and for an order that the rules refuse, with its number.
    """
    try:
        asks_defend, orders = json.loads(zlib.decompress(packed))
        game, numbered = Game(rules, players, seed, asks_defend), enumerate(orders)
    except (ValueError, TypeError, LookupError, RecursionError, zlib.error) as error:
        raise ConfigError(f"record: expected packed orders, got {error}") from None
    yield game
    for number, order in numbered:
        try:
            if is_leaving(order):
                game.leave(order[1])
            else:
                game.apply(_from_json(game.decision, order))
        except (IllegalOrder, TypeError, LookupError) as error:
            raise ConfigError(f"record: order {number}: {error}") from None
        yield game


def _from_json(decision: str | None, order: Any) -> Any:
    """An order as JSON holds it, made into what the decision expects."""
    if not isinstance(order, list):
        return order
    if decision == "attack":
        return Attack(*order)
    if decision == "fortify":
        return Fortify(*order)
    return tuple([tuple(item) if isinstance(item, list) else item for item in order])


class Battle(NamedTuple):
    """What the dice of an order came to."""

    rolls: int
    lost: int
    """Troops of the attacker."""
    killed: int
    """Troops of the defender."""
    captured: bool

    def __str__(self) -> str:
        captured = ", captured" if self.captured else ""
        return f"{counted(self.rolls, 'roll')}: lost {self.lost}, killed {self.killed}{captured}"


class Step(NamedTuple):
    """An order of a replayed game."""

    number: int
    round: int
    seat: int
    order: str
    """As text."""
    battle: Battle | None
    """None where no dice were rolled."""

    @property
    def line(self) -> str:
        """The order as a record has it."""
        return f"{self.number}. r{self.round} s{self.seat}: {self.order}"

    def __str__(self) -> str:
        return self.line if self.battle is None else f"{self.line} · {self.battle}"

    def to_json(self) -> dict[str, Any]:
        """As `arena replay --json` prints it; of a battle that is none each is null."""
        battle = dict.fromkeys(Battle._fields) if self.battle is None else self.battle._asdict()
        return {"number": self.number, "round": self.round, "seat": self.seat, "order": self.order, **battle}


def steps(games: Iterator[Game]) -> Iterator[Step]:
    """The orders of a replayed game, each as soon as the game is drawn that it led to."""
    game = next(games)
    asked, before = (game.round, game.seat, game.decision), _Board.of(game)
    for number, game in enumerate(games):
        round_, seat, decision = asked
        order = game.history[-1]
        if is_leaving(order):
            seat, text = order[1], LEAVES
        else:
            text = format_order(game.board, decision, order)
        assert seat is not None
        yield Step(number, round_, seat, text, before.battle(game))
        asked, before = (game.round, game.seat, game.decision), _Board.of(game)


class _Board(NamedTuple):
    """What a battle changes, as it was before."""

    rolls: int
    owners: list[int]
    troops: list[int]

    @classmethod
    def of(cls, game: Game) -> "_Board":
        return cls(game.rolls, game.owners.copy(), game.troops.copy())

    def battle(self, game: Game) -> Battle | None:
        """What the game's latest order rolled."""
        if game.rolls == self.rolls:
            return None
        src, dst = game.src, game.dst
        captured = game.owners[dst] != self.owners[dst]
        moved_in = game.troops[dst] if captured else 0  # at once where the capture ends the game
        lost = self.troops[src] - game.troops[src] - moved_in
        killed = self.troops[dst] - (0 if captured else game.troops[dst])
        return Battle(game.rolls - self.rolls, lost, killed, captured)


@dataclass(frozen=True, slots=True)
class TextRecord:
    """A record read from text."""

    edition: str
    """The edition's id."""
    fingerprint: str
    seed: int
    lineup: tuple[str, ...]
    """The bots by seat, as text."""
    asks_defend: tuple[int, ...]
    digest: str
    orders: tuple[tuple[int, str], ...]
    """Seat and text of each."""


def write_text(games: Iterator[Game], lineup: Sequence[str], digest: str) -> Iterator[str]:
    """A replayed game as lines of text, which `read_text` reads: a header, then its orders.

    `lineup` are the bots by seat, as text; `digest` is what the game must come to.
    """
    game = next(games)
    yield HEADER
    yield f"edition {game.rules.edition} {game.rules.fingerprint}"
    yield f"seed {game.seed}"
    yield from (f"seat {seat} {name}" for seat, name in enumerate(lineup))
    yield " ".join(["asks-defend", *map(str, game.asks_defend)])
    yield f"digest {digest}"
    yield ""
    yield from (step.line for step in steps(chain([game], games)))


def read_text(text: str, where: str) -> TextRecord:
    """The record in a text. Raises ConfigError that names the line."""
    head, _, body = text.partition("\n\n")
    first, *rest = head.splitlines() or [""]
    if first != HEADER:
        raise ConfigError(f"{where}: line 1: expected {HEADER!r}, got {first[:60]!r}")
    words = [line.split(" ") for line in rest]
    seats = [line[2:] for line in words if line[0] == "seat"]
    expected = ["edition", "seed", *["seat"] * len(seats), "asks-defend", "digest"]
    try:
        if [line[0] for line in words] != expected:
            raise ValueError
        (edition, fingerprint), (seed,), *_, asks_defend, (digest,) = [line[1:] for line in words]
        numbers = int(seed), tuple(map(int, asks_defend))
    except ValueError:
        raise ConfigError(f"{where}: header: expected edition, seed, seats, asks-defend and digest") from None
    orders = []
    for number, line in enumerate(body.splitlines()):
        match = _LINE.fullmatch(line)
        if match is None or int(match[1]) != number:
            raise ConfigError(
                f"{where}: order {number}: expected '{number}. rROUND sSEAT: ORDER', got {line!r}"
            )
        orders.append((int(match[2]), match[3]))
    lineup = tuple([" ".join(seat) for seat in seats])
    return TextRecord(edition, fingerprint, numbers[0], lineup, numbers[1], digest, tuple(orders))


def verify_text(record: TextRecord, rules: Rules, where: str) -> Game:
    """The game of a record, played again order by order to the digest that it names.

    Raises ReplayDiffers for the first order that the rules refuse or that is another seat's, with its number,
    and for another digest.
    """
    *_, game = replay_text(record, rules, where)
    return game


def replay_text(record: TextRecord, rules: Rules, where: str) -> Iterator[Game]:
    """The game before the first order and after each one (one object that goes on).

    Raises as `verify_text` does.
    """
    game = Game(rules, len(record.lineup), record.seed, record.asks_defend)
    yield game
    for number, (seat, text) in enumerate(record.orders):
        try:
            if text == LEAVES:
                game.leave(seat)
            else:
                decision, order = parse_order(game.board, text)
                if (seat, decision) != (game.seat, game.decision):
                    found = f"seat {seat}: {text}"
                    raise ConfigError(f"expected seat {game.seat} to {game.decision}, got {found}")
                game.apply(order)
        except (ConfigError, IllegalOrder) as error:
            raise ReplayDiffers(f"{where}: order {number}: {error}") from None
        yield game
    digest = game.result.digest if game.result is not None else "no end"
    if digest != record.digest:
        raise ReplayDiffers(f"{where}: expected digest {record.digest}, got {digest}")
