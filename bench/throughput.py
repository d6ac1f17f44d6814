"""Games a second of `quick` inline, in hosts and on Ray: best of interleaved rounds, start-up left out.

`make bench` prints the rates and the ratio of two workers to twice the inline rate, measured in one run.
"""

import argparse
import json
import os
from itertools import islice
from time import perf_counter

from arena.config import GameResult, load_tournament
from arena.executors import Executor, make_executor
from arena.plugins import load_registry
from arena.process import ensure_hash_seed
from arena.risk.compiled import describe_build
from arena.schedule import specs

WARM_UP = 80
"""Games before the clock starts: processes start, bots are imported, batches find their size."""


def rate(executor: Executor, games: int) -> float:
    """Games a second, from the end of the warm-up to the last result."""
    resolved = load_tournament("quick", load_registry(), blocks=(games + WARM_UP) // 4)
    with executor:
        for _ in executor.play(resolved.job(), islice(specs(resolved), WARM_UP)):
            pass
        started = perf_counter()
        batches = executor.play(resolved.job(), islice(specs(resolved), WARM_UP, WARM_UP + games))
        played = sum(isinstance(outcome, GameResult) for batch in batches for outcome in batch)
        return played / (perf_counter() - started)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=1200)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    ensure_hash_seed()
    ways = {"inline": (None,), "local": (1, 2), "ray": (1, 2)}
    best: dict[str, float] = {}
    for _ in range(options.rounds):
        for name, workers in ways.items():
            for count in workers:
                key = name if count is None else f"{name} {count}"
                found = rate(make_executor(name, count), options.games)
                best[key] = max(found, best.get(key, 0.0))
    ratios = {f"{key} / 2 inline": best[key] / (2 * best["inline"]) for key in ("local 2", "ray 2")}
    if options.json:
        print(
            json.dumps(
                {"build": describe_build(), "cores": os.cpu_count(), "games_per_second": best, **ratios}
            )
        )
        return
    print(f"{describe_build()} core, {os.cpu_count()} cores, {options.games} games, best of {options.rounds}")
    for key, found in best.items():
        print(f"{key:<18} {found:8.1f} games/s")
    for key, ratio in ratios.items():
        print(f"{key:<18} {ratio:8.2f}")


if __name__ == "__main__":
    main()
