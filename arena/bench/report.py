"""All figures of `arena bench`, measured one after the other."""

import os
import platform
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from arena import stats
from arena.bench import builds, processes
from arena.risk.compiled import describe_build

BOTS, SEATS = 8, 4
"""Of the made-up games whose ratings are fitted."""


@dataclass(frozen=True)
class Size:
    """How much is measured."""

    games: int
    """Of each line-up, in one process."""
    executor_games: int
    """Of `quick`, on each executor."""
    rounds: int
    """Of all of that; the best counts."""
    memory_games: tuple[int, int] | None = None
    """After how many games of a run memory is looked at; None: not at all."""


BRIEF = Size(games=30, executor_games=400, rounds=2)
FULL = Size(games=100, executor_games=10_000, rounds=3, memory_games=(10_000, 100_000))


def report(size: Size, tell: Callable[[str], None] = lambda what: None) -> dict[str, Any]:
    """The figures as JSON-ready data, see docs/performance.md; `tell` hears what is being measured."""
    build = describe_build()
    tell("games in one process")
    measured = builds.measure(
        ("pure", "compiled") if build == "compiled" else (build,), size.games, size.rounds
    )
    tell("executors")
    executors = processes.executor_rates(size.executor_games, size.rounds)
    tell("start-up and ratings")
    start = processes.start_seconds(5)
    figures = {
        "build": build,
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "load": os.getloadavg()[0],
        "builds": measured,
        "compiled_over_pure": _compiled_over_pure(measured),
        "executors": executors,
        "ray_2_over_inline": executors["ray 2"] / executors["inline"],
        "start_seconds": start,
        "help_over_python": start["help"] / start["python"],
        "fit_seconds": {str(number): fit_seconds(number) for number in (100_000, 1_000_000)},
        "memory_mib": None,
    }
    if size.memory_games is not None:
        tell("memory")
        figures["memory_mib"] = processes.memory(*size.memory_games)
    return figures


def _compiled_over_pure(measured: dict[str, dict[str, Any]]) -> dict[str, float] | None:
    if len(measured) == 1:
        return None
    pure, compiled = measured["pure"]["lineups"], measured["compiled"]["lineups"]
    return {name: compiled[name]["games_per_second"] / pure[name]["games_per_second"] for name in pure}


def fit_seconds(games: int) -> float:
    """Wall seconds of the ratings of so many made-up games of 8 equal bots at tables of four."""
    rng = np.random.default_rng(7)
    names = [f"bot-{bot}" for bot in range(BOTS)]
    order = rng.permuted(np.tile(np.arange(BOTS), (games, 1)), axis=1)[:, :SEATS]
    lineups = [tuple(names[bot] for bot in row) for row in order.tolist()]
    winners = rng.integers(SEATS, size=games).tolist()
    started = perf_counter()
    stats.rate(lineups, winners)
    return perf_counter() - started
