"""Games of fixed line-ups in this process: how many a second, what happens in them, who takes the time."""

import pickle
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from time import process_time
from typing import Any

from arena.config import GameResult, ResolvedTournament, resolve_tournament
from arena.match import Referee
from arena.plugins import load_registry
from arena.risk import record
from arena.risk.orders import orders_json
from arena.risk.rules import Rules
from arena.schedule import specs
from arena.store import open_store

LINEUPS = {
    "4 greedy": ("greedy",),
    "4 continental": ("continental",),
    "quick": ("uniform", "turtle", "greedy", "continental"),
}
"""Name of a line-up of four to its bots; one bot takes every seat."""

EDITION = "hasbro-us-2003"


@dataclass(frozen=True)
class Replay:
    """A played game's orders, ready to be given again, and how many turns they made."""

    players: int
    seed: int
    orders: list[Any]
    turns: int


def tournament(lineup: str) -> ResolvedTournament:
    """An endless tournament of that line-up, in all its rotations."""
    table = {"name": "bench", "edition": EDITION, "players": 4, "bots": list(LINEUPS[lineup])}
    return resolve_tournament(table | {"blocks": 10**6, "copies": True}, load_registry(), "bench")


def play(resolved: ResolvedTournament, number: int) -> tuple[float, list[GameResult]]:
    """The CPU seconds that the first so many games take in this process, and the games."""
    referee = Referee.for_job(resolved.job())
    schedule = list(islice(specs(resolved), number))
    referee.play(schedule[0])  # what is imported or cached at first use
    played: list[GameResult] = []
    return timed(lambda: played.extend(referee.play(spec) for spec in schedule)), played


def timed(action: Callable[[], object]) -> float:
    """The CPU seconds that it takes."""
    started = process_time()
    action()
    return process_time() - started


def replay(rules: Rules, played: GameResult) -> Replay:
    """The game's orders, taken from its record."""
    assert played.record is not None
    turns, turn = 0, (0, 0)
    for game in record.replay(rules, played.spec.players, played.spec.seed, played.record):
        if game.result is None and not game.in_setup() and turn != (game.round, game.turn_seat()):
            turn = (game.round, game.turn_seat())
            turns += 1
    return Replay(played.spec.players, played.spec.seed, game.history, turns)


def rates(seconds: float, played: list[GameResult], replays: list[Replay]) -> dict[str, float]:
    """What happens in such games, and how fast."""
    results, number = [game.result for game in played], len(played)
    return {
        "games_per_second": number / seconds,
        "rolls_per_second": sum(result.rolls for result in results) / seconds,
        "decisions_per_second": sum(result.decisions for result in results) / seconds,
        "turns_per_game": sum(game.turns for game in replays) / number,
        "unfinished": sum(result.winner is None for result in results) / number,
    }


def shares(
    resolved: ResolvedTournament, seconds: float, played: list[GameResult], replays: list[Replay]
) -> dict[str, float]:
    """Who takes the time of the games, as parts of it, and what comes on top of that.

    `bots`: in the bots' methods, with the helpers of views. `record` and `digest`: the same work done once
    more by itself. `core`: all the rest. On top come `transport`, specs and results pickled and read again as
    on their way to a process that plays, and `store`, all of them written to a database.
    """
    bots = sum(sum(game.seat_seconds) for game in played) / sum(game.seconds for game in played) * seconds
    texts = [f"[{orders_json(game.orders)}]" for game in replays]
    packed = timed(lambda: [record.pack((), text) for text in texts])
    digest = timed(lambda: [_hash(game) for game in replays])
    sent = timed(lambda: [pickle.loads(pickle.dumps((game.spec, game))) for game in played])
    with tempfile.TemporaryDirectory() as folder, open_store(Path(folder) / "bench.db") as store:
        entry = store.enter(resolved)
        stored = timed(lambda: store.write(entry, played))
    parts = {"bots": bots, "core": seconds - bots - packed - digest, "record": packed, "digest": digest}
    return {name: part / seconds for name, part in {**parts, "transport": sent, "store": stored}.items()}


def _hash(game: Replay) -> bytes:
    """The game's orders hashed in as many pieces as it had turns."""
    chain, size = b"", -(-len(game.orders) // max(game.turns, 1))
    for start in range(0, len(game.orders), size):
        text = orders_json(game.orders[start : start + size])
        chain = blake2b(chain + f"[{text}]".encode(), digest_size=16).digest()
    return chain
