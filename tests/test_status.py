"""A run seen and stopped from another shell, and how far the tournaments of a database are."""

import os
import platform
import subprocess
import sys
import time
from pathlib import Path

import pytest
from commands import ARENA, call, complaint_of, data_of
from playing import PACE, UNHURRIED
from storing import cup, cup_games
from tournaments import REGISTRY, HereExecutor, games_in, query, tournament, write_tournament

from arena.compare import Terms, resolve_comparison
from arena.errors import StoreError
from arena.lock import find_holder, locked, stop_holder
from arena.run import run
from arena.standings import standings
from arena.status import status
from arena.store import open_history, open_store


def test_a_run_is_seen_with_its_progress_while_it_writes(path: Path) -> None:
    resolved = cup(players=[3, 4])
    games = cup_games(resolved)
    with open_store(path, "cup") as store:
        entry = store.enter(resolved)
        store.write(entry, games[:5])
        with open_history(path) as history:
            now = status(history)
        assert now.run is not None
        assert (now.run.pid, now.run.host, now.run.tournament) == (os.getpid(), platform.node(), "cup")
        assert now.games_per_second == pytest.approx(5, rel=0.8)  # within the first seconds
        assert [(pool.players, pool.done, pool.total) for pool in now.pools] == [(3, 5, 12), (4, 0, 16)]
        shown = data_of("status", "--db", path)
        assert shown["run"]["tournament"] == "cup"
        assert [list(pool.values()) for pool in shown["pools"]] == [
            ["cup", "hasbro-us-2003", 3, 5, 12, False],
            ["cup", "hasbro-us-2003", 4, 0, 16, False],
        ]
        assert shown["standings"] == data_of("standings", "cup", "--db", path)
        text = call("status", "--db", path).stdout
        assert text.startswith(f"{path}: run: process {os.getpid()} on {platform.node()} since 2")
        assert "cup · hasbro-us-2003 · 3 players · 5 games · 7 missing · " in text
    with open_history(path) as history:
        assert status(history).run is None
    assert call("status", "--db", path).stdout.startswith(f"{path}: no run is on it\n")
    assert data_of("status", "--db", path)["standings"] == []
    assert len(data_of("status", "cup", "--db", path)["standings"]) == 1


def test_games_missing_are_those_of_the_schedule_as_it_was_last_run(tmp_path: Path, path: Path) -> None:
    run(tournament(tmp_path, blocks=4), path, HereExecutor())
    with open_history(path) as history:
        assert [table.missing for table in standings(history)] == [0]
    gauntlet = {"format": "gauntlet", "challengers": ["greedy"], "bots": ["uniform", "turtle", "continental"]}
    longer = tournament(tmp_path, name="g", players=[3, 4], blocks=6, **gauntlet)
    with open_store(path) as store:
        store.enter(longer)
        assert [pool.total for pool in status(store, "g").pools] == [18, 24]
        assert [pool.done for pool in status(store).pools] == [12, 0, 0]


def test_a_comparison_that_ended_early_misses_nothing(path: Path) -> None:
    arguments = ("--edition", "house-four-shores", "--executor", "local", "--workers", "1", "--db", path)
    assert call("compare", "continental", "uniform", *arguments).exit_code == 0
    (pool,) = data_of("status", "--db", path)["pools"]
    assert pool["is_most"]
    assert pool["done"] < pool["total"] == 2572
    assert f" {pool['done']}   at most 2572\n" in call("status", "--db", path).stdout
    assert data_of("standings", "--db", path)[0]["missing"] == 0
    assert " missing " not in call("standings", "--db", path).stdout


def test_a_comparison_in_a_field_plays_all_its_games(path: Path) -> None:
    terms = Terms(0, 100, players=3, field=("uniform", "turtle"), max_games=12)
    resolved = resolve_comparison("greedy", "continental", "house-four-shores", 0, terms, REGISTRY)
    with open_store(path) as store:
        store.enter(resolved)
        (pool,) = status(store).pools
    assert (pool.total, pool.is_most) == (12, False)


def test_a_run_is_stopped_from_another_shell_and_goes_on_later(
    tmp_path: Path, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PACE, "0.05")
    file = write_tournament(tmp_path, bots=["uniform", "turtle", "greedy", UNHURRIED], blocks=60)
    command = [ARENA, "run", str(file), "--db", str(path), "--executor", "local", "--workers", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as driver:
        while not (path.exists() and find_holder(path)):
            assert driver.poll() is None
            time.sleep(0.01)
        stopped = call("stop", "--db", path)
        assert driver.poll() == 130  # it was waited for
        assert driver.stderr is not None
        assert driver.stderr.read().endswith(
            "arena: interrupted: what is played is stored, run again to go on\n"
        )
    assert (stopped.exit_code, stopped.stdout) == (0, "")
    assert stopped.stderr.startswith(f"{path}: stopped the run of cup: process {driver.pid} on ")
    assert len(games_in(path)) < 180
    assert query(path, "pragma integrity_check") == [("ok",)]
    assert find_holder(path) is None


def test_stopping_where_nothing_runs_is_one_line(path: Path) -> None:
    for _ in range(2):
        assert complaint_of("stop", "--db", path) == f"{path}: expected a run on it, got none"
        run(tournament(path.parent), path, HereExecutor())


def test_a_run_on_another_machine_is_not_stopped_from_here(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_store(path, "cup"):
        monkeypatch.setattr(platform, "node", lambda: "elsewhere")
        with pytest.raises(StoreError, match=f"a run on this machine, got process {os.getpid()} on "):
            stop_holder(path)


def test_the_word_of_an_earlier_run_is_gone_with_it(path: Path) -> None:
    with open_store(path, "cup"):
        pass
    with locked(path):
        assert find_holder(path) is None
    assert find_holder(path) is None


def test_asking_for_the_holder_does_not_keep_a_run_from_starting(path: Path) -> None:
    path.with_name("arena.db.lock").touch()
    ask = """if True:
        import fcntl, sys, time
        file = open(sys.argv[1])
        fcntl.flock(file, fcntl.LOCK_SH)
        print(flush=True)
        time.sleep(0.2)
    """
    with subprocess.Popen([sys.executable, "-c", ask, f"{path}.lock"], stdout=subprocess.PIPE) as asking:
        assert asking.stdout is not None
        asking.stdout.readline()
        with open_store(path):
            pass
    assert asking.returncode == 0
