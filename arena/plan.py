"""How many games an answer takes, and how long they take here."""

from dataclasses import dataclass
from itertools import islice, takewhile
from math import ceil, inf
from time import perf_counter

from arena.compare import MOST_ELO
from arena.config import GameResult, ResolvedTournament, resolve_tournament
from arena.errors import ConfigError, StoreError
from arena.executors import Executor, make_executor
from arena.history import History
from arena.plugins import Registry
from arena.schedule import specs
from arena.stats import planned_blocks, rating_games, score, usual_blocks

MEASURED_SECONDS = 4.0
"""So long games are played to see how many there are a second."""

WARM_UP = 80
"""At most so many games are played before the clock starts: processes start, batches find their size."""

MEASURED_BOTS = ("continental", "greedy", "turtle", "uniform")


@dataclass(frozen=True, slots=True)
class Plan:
    """Games that tell differences of so many Elo, each about."""

    gate: int
    """Of a comparison with elo0 = 0 where one of its bounds is true; half-way about twice as many."""
    gate_most: int
    """After so many it is given up."""
    rating_each: int
    """Of each bot, for a rating with this 95 % interval on either side."""
    rating: int
    """Of all bots together."""


def make_plan(elo: float, players: int, bots: int) -> Plan:
    """The plan, with the usual chances of 5 % to be wrong. Raises ConfigError for numbers without sense."""
    if not 1 <= elo <= MOST_ELO:
        raise ConfigError(f"plan: elo: expected from 1 to {MOST_ELO:g}, got {elo:g}")
    if players < 2:
        raise ConfigError(f"plan: players: expected at least 2, got {players}")
    if bots < players:
        raise ConfigError(f"plan: bots: expected at least {players}, for one table, got {bots}")
    scores = score(0, players), score(elo, players)
    each = rating_games(elo, players, bots)
    return Plan(
        gate=ceil(2 * usual_blocks(*scores)),
        gate_most=2 * planned_blocks(*scores),
        rating_each=each,
        rating=ceil(each * bots / players),
    )


def stored_rate(history: History, edition: str, players: int, workers: int) -> float:
    """Games a second that so many workers play if games last as those in the database did.

    `edition` is a fingerprint. Raises StoreError where there are none.
    """
    seconds = history.mean_seconds(edition, players)
    if not seconds:
        raise StoreError(f"{history.path}: expected games of this edition with {players} players, got none")
    return workers / seconds


def measured_rate(
    executor: Executor, resolved: ResolvedTournament, games: int, seconds: float = inf
) -> float:
    """Games a second of the tournament's first `games`, none of them begun after so many seconds.

    `executor` is not yet open; its start and some games before do not count.
    """
    job = resolved.job()

    def play(number: int) -> int:
        started = perf_counter()
        begun = takewhile(lambda _: perf_counter() - started < seconds, islice(specs(resolved), number))
        return sum(
            isinstance(outcome, GameResult) for batch in executor.play(job, begun) for outcome in batch
        )

    with executor:
        play(min(WARM_UP, games))
        started = perf_counter()
        return play(games) / (perf_counter() - started)


def bundled_rate(registry: Registry, edition: str, players: int, workers: int) -> float:
    """Games a second of the bundled bots, played for MEASURED_SECONDS by so many workers of this machine."""
    table = {"name": "plan", "edition": edition, "players": players, "bots": list(MEASURED_BOTS)}
    table |= {"blocks": 10**6, "copies": True, "records": "none"}
    resolved = resolve_tournament(table, registry, "plan")
    return measured_rate(make_executor("local", workers), resolved, 10**6, MEASURED_SECONDS)
