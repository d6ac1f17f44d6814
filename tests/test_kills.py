"""A run through kills of its driver, workers and nodes by a seeded plan: each game once, and the same."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from sqlite3 import OperationalError

import pytest
from clusters import cluster_of_nodes
from playing import MARK, PACE, UNHURRIED, command_of, marked
from ray.cluster_utils import Cluster
from tournaments import HereExecutor, games_in, query, tournament

from arena.replay import verify
from arena.run import run
from arena.schedule import pools
from arena.store import open_history

KILLS = 20
BLOCKS = 667  # of three games each

DRIVER = """
import mmap, os, sys
from pathlib import Path
from arena.config import load_tournament
from arena.executors import make_executor
from arena.plugins import load_registry
from arena.run import run
from arena.schedule import pools

class Counted:
    '''Keeps the number of games in flight in a file.'''
    def __init__(self, executor, path):
        self.executor, self.flying = executor, 0
        self.stopping = executor.stopping
        with open(path, "r+b") as file:
            self.memory = mmap.mmap(file.fileno(), 8)
    def __enter__(self):
        self.executor.__enter__()
        return self
    def __exit__(self, *error):
        self.executor.__exit__(*error)
    def play(self, job, specs):
        for batch in self.executor.play(job, self.taken(specs)):
            self.count(-len(batch))
            yield batch
    def taken(self, specs):
        for spec in specs:
            self.count(1)
            yield spec
    def count(self, change):
        self.flying += change
        self.memory[:] = self.flying.to_bytes(8, "little")

file, database, counter, address = sys.argv[1:]
resolved = load_tournament(file, load_registry())
run(resolved, database, Counted(make_executor("ray", address=address), counter))
"""


class Arena:
    """A cluster of a head and two nodes of one core each, and a driver that plays on it."""

    def __init__(self, cluster: Cluster, folder: Path) -> None:
        self.cluster = cluster
        self.nodes = [cluster.add_node(num_cpus=1) for _ in range(2)]
        self.database, self.counter = folder / "arena.db", folder / "flying"
        self.counter.write_bytes(bytes(8))
        self.file = folder / "cup.toml"
        self.driver = self.drive()

    def drive(self) -> "subprocess.Popen[bytes]":
        arguments = [self.file, self.database, self.counter, self.cluster.address]
        return subprocess.Popen([sys.executable, "-c", DRIVER, *map(str, arguments)])

    def is_ahead(self, games: int) -> bool:
        """Whether more than these are stored. A driver whose own node was killed has stopped, and goes on."""
        if self.driver.poll() == 0:  # all is played
            return True
        if self.driver.poll() is not None:
            assert self.driver.returncode == 1
            self.driver = self.drive()
        return self.stored() > games

    def flying(self) -> int:
        return int.from_bytes(self.counter.read_bytes(), "little")

    def stored(self) -> int:
        try:
            return int(query(self.database, "select count(*) from games")[0][0])
        except OperationalError:  # no tables yet
            return 0

    def kill_driver(self) -> None:
        self.driver.kill()
        self.driver.wait()
        self.driver = self.drive()

    def kill_worker(self) -> None:
        while not (workers := self.workers()):
            time.sleep(0.02)
        with suppress(ProcessLookupError):  # it may have ended by itself
            os.kill(workers[0], signal.SIGKILL)

    def workers(self) -> list[int]:
        return [pid for pid in marked(os.environ[MARK]) if b"ray::_play" in command_of(pid)]

    def kill_node(self) -> None:
        self.cluster.remove_node(self.nodes.pop(0), allow_graceful=False)
        self.nodes.append(self.cluster.add_node(num_cpus=1))


def wait_until(condition: Callable[[], bool], patience: float = 120) -> None:
    end = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.slow
def test_kills_of_driver_workers_and_nodes_lose_nothing_and_repeat_nothing(
    tmp_path: Path, mark: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    resolved = tournament(tmp_path, blocks=BLOCKS, bots=["uniform", "turtle", UNHURRIED], records="none")
    games = sum(pool.games for pool in pools(resolved))
    plan = random.Random(5)
    monkeypatch.setenv(PACE, "0.02")
    with cluster_of_nodes() as cluster:
        arena = Arena(cluster, tmp_path)
        for number in range(KILLS):
            known = arena.stored()
            wait_until(partial(arena.is_ahead, known))
            time.sleep(plan.uniform(0, 0.5))
            what = plan.choice(["driver", "worker", "node"])
            with capsys.disabled():
                print(f"kill {number}: {what} at {arena.stored()} games, {arena.flying()} in flight")
            getattr(arena, f"kill_{what}")()
        wait_until(partial(arena.is_ahead, games - 1), patience=600)
        for _ in range(3):  # a driver whose node was killed at the last may need to be told that all is done
            if (code := arena.driver.wait(60)) != 1:
                break
            arena.driver = arena.drive()
        assert code == 0
    monkeypatch.delenv(PACE)
    run(resolved, tmp_path / "undisturbed.db", HereExecutor())
    assert len(games_in(arena.database)) == games > 2000
    assert games_in(arena.database) == games_in(tmp_path / "undisturbed.db")
    assert query(arena.database, "select count(*) from faults") == [(0,)]
    with open_history(arena.database) as history:
        assert verify(history, 20).problems == []
