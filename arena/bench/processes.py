"""Games in other processes: what executors reach, how memory grows, how long a command takes to start."""

import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from time import perf_counter

from arena.bench.play import tournament
from arena.config import resolve_tournament
from arena.executors import make_executor
from arena.plan import measured_rate
from arena.plugins import load_registry
from arena.run import Progress, run

WAYS = (("inline", None), ("local", 1), ("local", 2), ("ray", 1), ("ray", 2))
"""Executors, each with its number of workers."""

PASS = ("-P", "-c", "pass")
HELP = ("-P", "-c", "from arena.cli import main; main(['--help'])")

SHORT = """
id = "bench-short"
name = "Short games"
summary = "A small map and one round: games that fill memory soon"
extends = "house-four-shores"

[victory]
max_rounds = 1
"""
"""The edition whose games `memory` plays."""


def executor_rates(games: int, rounds: int) -> dict[str, float]:
    """Way to its games a second of `quick`: the best of interleaved rounds, without the start."""
    resolved, best = tournament("quick"), dict[str, float]()
    for _ in range(rounds):
        for name, workers in WAYS:
            way = name if workers is None else f"{name} {workers}"
            rate = measured_rate(make_executor(name, workers), resolved, games)
            best[way] = max(rate, best.get(way, 0.0))
    return best


def start_seconds(rounds: int) -> dict[str, float]:
    """Wall seconds of a Python that does nothing and of `arena --help`, each the best of the rounds."""
    best: dict[str, float] = {}
    for _ in range(rounds):
        for name, arguments in (("python", PASS), ("help", HELP)):
            started = perf_counter()
            subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
            best[name] = min(best.get(name, float("inf")), perf_counter() - started)
    return best


def memory(first: int, last: int) -> dict[str, dict[str, float]]:
    """MiB that the driver and the largest of its workers hold after so many short games of a run on Ray."""
    held: dict[str, dict[str, float]] = {}

    def look(progress: Progress) -> None:
        for games in (first, last):
            if progress.played >= games and str(games) not in held:
                workers = [_resident(pid) for pid in _descendants(os.getpid()) if _is_worker(pid)]
                held[str(games)] = {"driver": _resident(os.getpid()), "worker": max(workers, default=0.0)}

    with tempfile.TemporaryDirectory() as folder:
        (edition := Path(folder) / "short.toml").write_text(SHORT, encoding="utf-8")
        table = {"name": "memory", "edition": str(edition), "players": 4, "bots": ["uniform"], "copies": True}
        resolved = resolve_tournament(table | {"blocks": -(-last // 4)}, load_registry(), "bench")
        run(resolved, Path(folder) / "bench.db", make_executor("ray", 2), look)
    return held


def _resident(pid: int) -> float:
    """MiB of memory that the process holds; 0 for one that is gone."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="utf-8").split()[1])
    except (OSError, IndexError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def _descendants(pid: int) -> list[int]:
    """The processes that this one started, and those that they did."""
    found = [pid]
    for parent in found:  # grows as it is walked
        for children in Path(f"/proc/{parent}/task").glob("*/children"):
            with suppress(OSError):
                found += map(int, children.read_text(encoding="utf-8").split())
    return found[1:]


def _is_worker(pid: int) -> bool:
    """Whether it is a Ray process that plays batches, or its host."""
    with suppress(OSError):
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
        return b"arena.hosted" in command or command.startswith(b"ray::")
    return False
