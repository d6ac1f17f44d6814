"""What tests of the results database share: tournaments and games made by hand, and processes that write."""

import os
import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from typing import Any

import arena
from arena.config import Fault, GameResult, GameSpec, ResolvedTournament, Tournament
from arena.plugins import BotIdentity
from arena.risk.edition import Edition
from arena.risk.result import Result
from arena.schedule import specs
from arena.store import open_store

HASBRO = arena.load_edition("hasbro-us-2003")


def bot(
    bot_id: str, version: str = "1.0", options: str = "", source_hash: str = "5ca1ab1e", path: str = ""
) -> BotIdentity:
    """A bot that no test ever seats."""
    return BotIdentity(bot_id, version, options, source_hash, path)


BOTS = (bot("ant"), bot("bee"), bot("cat"), bot("dog", options="bark=2"))


def cup(
    name: str = "cup",
    bots: tuple[BotIdentity, ...] = BOTS,
    editions: tuple[Edition, ...] = (HASBRO,),
    **fields: Any,
) -> ResolvedTournament:
    """A tournament of these bots."""
    table = {"players": 3, "blocks": 4, "seed": 1, **fields}
    table |= {"edition": [edition.id for edition in editions], "bots": [bot.path or bot.name for bot in bots]}
    return ResolvedTournament(Tournament(name=name, **table), editions, bots)


def played(spec: GameSpec, *faults: Fault, unfinished: bool | None = None) -> GameResult:
    """An invented game that ended somehow, always the same for the same key; every fifth is unfinished."""
    rng = Random(spec.key)
    order: list[int | None] = list(range(1, spec.players + 1))
    rng.shuffle(order)
    if unfinished or (unfinished is None and rng.random() < 0.2):
        order = [None if finish == 1 else finish for finish in order]
    result = Result(
        winner=order.index(1) if 1 in order else None,
        finish=tuple(order),
        eliminated_round=tuple(None if finish in (None, 1) else rng.randrange(1, 9) for finish in order),
        territories=tuple(rng.randrange(43) for _ in order),
        troops=tuple(rng.randrange(99) for _ in order),
        starter=rng.randrange(spec.players),
        rounds=rng.randrange(9, 30),
        rolls=rng.randrange(500),
        decisions=rng.randrange(900, 1800),
        digest=rng.randbytes(10).hex(),
    )
    seconds = tuple(rng.random() for _ in order)
    return GameResult(spec, result, faults, seconds, sum(seconds), "host-1", rng.randbytes(40))


def cup_games(resolved: ResolvedTournament) -> list[GameResult]:
    """Every game of the tournament, invented."""
    return [played(spec) for spec in specs(resolved)]


@contextmanager
def no_file_larger_than(size: int) -> Iterator[None]:
    """As on a full disk: writing beyond so many bytes of a file fails."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def hold(path: Path, pipe: Connection) -> None:
    """In a process of its own: have the database open as a run, until killed."""
    with open_store(path):
        pipe.send(os.getpid())
        pipe.recv()


class Deadly(tuple[Fault, ...]):
    """Faults that kill the process that looks at them."""

    def __iter__(self) -> Iterator[Fault]:
        os.kill(os.getpid(), signal.SIGKILL)
        return super().__iter__()


def write_until_death(path: Path) -> None:
    """In a process of its own: write the games of `cup` in batches of four, and die within the third."""
    resolved = cup()
    games = cup_games(resolved)
    doomed = games[10]
    games[10] = GameResult(doomed.spec, doomed.result, Deadly(), doomed.seat_seconds, doomed.seconds)
    with open_store(path) as store:
        entry = store.enter(resolved)
        for first in range(0, len(games), 4):
            store.write(entry, games[first : first + 4])
