"""A played game's orders: packed for the database, and played again without the bots."""

import json
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

from arena.errors import ConfigError, IllegalOrder
from arena.risk.board import Board
from arena.risk.game import Game
from arena.risk.orders import Attack, Fortify
from arena.risk.rules import Rules


def pack(asks_defend: Sequence[int], history: Sequence[Any]) -> bytes:
    """Orders as `Game.history` holds them, with the seats that chose their defence dice, as few bytes."""
    return zlib.compress(json.dumps([list(asks_defend), list(history)], separators=(",", ":")).encode())


def replay(rules: Rules, players: int, seed: int, packed: bytes) -> Iterator[Game]:
    """The game before the first order and after each one (one object that goes on).

    Raises ConfigError for bytes that are no record, and for an order that the rules refuse, with its number.
    """
    try:
        asks_defend, orders = json.loads(zlib.decompress(packed))
    except (ValueError, TypeError, zlib.error) as error:
        raise ConfigError(f"record: expected packed orders, got {error}") from None
    game = Game(rules, players, seed, asks_defend)
    yield game
    for number, order in enumerate(orders):
        try:
            if isinstance(order, list) and order[:1] == ["leave"]:
                game.leave(order[1])
            else:
                game.apply(parse_order(game.decision, order))
        except (IllegalOrder, TypeError) as error:
            raise ConfigError(f"record: order {number}: {error}") from None
        yield game


def parse_order(decision: str | None, order: Any) -> Any:
    """An order as JSON holds it, made into what the decision expects."""
    if not isinstance(order, list):
        return order
    if decision == "attack":
        return Attack(*order)
    if decision == "fortify":
        return Fortify(*order)
    return tuple([tuple(item) if isinstance(item, list) else item for item in order])


def order_text(board: Board, decision: str | None, order: Any) -> str:
    """An order as a person reads it."""
    names = board.names
    if order is None:
        return f"no {decision}"
    if decision in {"claim", "place"}:
        return f"{decision} {names[order]}"
    if decision == "trade":
        bonus = f", bonus on {names[order[3]]}" if len(order) == 4 else ""
        return f"trade {' '.join([board.card_name(card) for card in order[:3]])}{bonus}"
    if decision == "reinforce":
        return f"reinforce {', '.join([f'{names[t]} {troops}' for t, troops in order])}"
    if decision == "attack":
        dice = f" with {order.dice} dice" if order.dice is not None else ""
        until = f" until {order.until}" if order.until is not None else ""
        return f"attack {names[order.dst]} from {names[order.src]}{dice}{until}"
    if decision == "fortify":
        return f"fortify {names[order.dst]} from {names[order.src]} with {order.troops}"
    return f"{decision} {order}"
