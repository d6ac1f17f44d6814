"""The core by itself: games played again from their orders, without bots."""

from time import process_time

from arena.bench.play import Replay
from arena.risk.game import Game
from arena.risk.rules import Rules

LINEUP = "4 greedy"
"""Whose orders are given."""

ROUNDS, GAMES, UNIT_CALLS = 8, 12, 20_000


def measure(rules: Rules, replays: list[Replay]) -> dict[str, float]:
    """CPU seconds of the unit, `tuple` of a list of 42 ints, and of a decision alone and after a view.

    Of each game and of the unit the best of interleaved rounds; games are made before the clock starts.
    """
    replays = replays[:GAMES]
    units: list[float] = []
    orders: list[list[float]] = [[] for _ in replays]
    both: list[list[float]] = [[] for _ in replays]
    for _ in range(ROUNDS):
        units.append(_unit_seconds())
        for i, replay in enumerate(replays):
            orders[i].append(_order_seconds(Game(rules, replay.players, replay.seed), replay))
            both[i].append(_order_and_view_seconds(Game(rules, replay.players, replay.seed), replay))
    decisions = sum(len(replay.orders) for replay in replays)
    return {
        "unit_seconds": min(units),
        "order_seconds": sum(map(min, orders)) / decisions,
        "order_and_view_seconds": sum(map(min, both)) / decisions,
    }


def _order_seconds(game: Game, replay: Replay) -> float:
    apply, started = game.apply, process_time()
    for order in replay.orders:
        apply(order)
    return process_time() - started


def _order_and_view_seconds(game: Game, replay: Replay) -> float:
    apply, view, started = game.apply, game.view, process_time()
    for order in replay.orders:
        view()
        apply(order)
    return process_time() - started


def _unit_seconds() -> float:
    numbers, started = list(range(42)), process_time()
    for _ in range(UNIT_CALLS):
        tuple(numbers)
    return (process_time() - started) / UNIT_CALLS
