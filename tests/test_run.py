"""Runs: every game of the schedule once, whatever comes between, and the same games everywhere."""

import json
import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from commands import ARENA
from playing import BOTS, PACE, UNHURRIED, command_of, marked, wait_for_hosts
from tournaments import HereExecutor, games_in, query, tournament, write_tournament

from arena.cli.signals import STOPPING
from arena.config import GameSpec, Job, ResolvedTournament, Void
from arena.errors import ConfigError, PluginError, RunStopped
from arena.executors import Executor, Outcome
from arena.run import CHUNK, Progress, missing, play_missing, run
from arena.schedule import specs
from arena.store import open_store

INTERRUPTED = "arena: interrupted: what is played is stored, run again to go on\n"


class InterruptedExecutor(HereExecutor):
    """Is interrupted, as by Ctrl-C, after so many batches."""

    def __init__(self, batches: int) -> None:
        super().__init__()
        self.batches = batches

    def play(self, job: Job, specs: Iterable[GameSpec]) -> Iterator[list[Outcome]]:
        yield from islice(super().play(job, specs), self.batches)
        raise KeyboardInterrupt


class BackwardExecutor(HereExecutor):
    """Plays the last game first."""

    def play(self, job: Job, specs: Iterable[GameSpec]) -> Iterator[list[Outcome]]:
        return super().play(job, reversed(list(specs)))


class UnluckyExecutor(HereExecutor):
    """Cannot play some games, each for so many times."""

    def __init__(self, failures: dict[str, int], size: int = 5) -> None:
        super().__init__(size)
        self.failures = Counter(failures)

    def outcome(self, spec: GameSpec) -> Outcome:
        if self.failures[spec.key] > 0:
            self.failures[spec.key] -= 1
            return Void(spec, f"a fuse blew in block {spec.block}")
        return super().outcome(spec)


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> ResolvedTournament:
    return tournament(tmp_path_factory.mktemp("cup"))


@pytest.fixture(scope="module")
def undisturbed(cup: ResolvedTournament, tmp_path_factory: pytest.TempPathFactory) -> set[tuple[str, str]]:
    """(key, digest) of every game of the cup."""
    path = tmp_path_factory.mktemp("undisturbed") / "arena.db"
    run(cup, path, HereExecutor())
    return games_in(path)


def reports_of(
    resolved: ResolvedTournament, path: Path, executor: Executor
) -> list[tuple[int, int, int, int]]:
    """Every report of a run as (games played by it, done, total, wins)."""
    reports = []

    def report(progress: Progress) -> None:
        wins = progress.wins.total()
        reports.append((progress.played, progress.done, progress.total, wins))

    run(resolved, path, executor, report)
    return reports


# --- playing and going on


def test_run_plays_every_game_of_the_schedule_once_in_its_order(cup: ResolvedTournament, path: Path) -> None:
    progress = run(cup, path, executor := HereExecutor())
    assert executor.played == list(specs(cup))
    assert {key for key, _ in games_in(path)} == {spec.key for spec in specs(cup)}
    assert (progress.total, progress.done, progress.played) == (12, 12, 12)
    assert not executor.is_open


def test_progress_is_told_at_the_start_and_after_each_batch(cup: ResolvedTournament, path: Path) -> None:
    reports = reports_of(cup, path, HereExecutor(size=5))
    assert [report[:3] for report in reports] == [(0, 0, 12), (5, 5, 12), (10, 10, 12), (12, 12, 12)]
    (wins,) = query(path, "select count(*) from games where status = 'finished'")[0]
    assert reports[-1][3] == wins


def test_wins_are_counted_by_bot(cup: ResolvedTournament, path: Path) -> None:
    progress = run(cup, path, HereExecutor())
    sql = "select name, count(*) from seats join bots on bots.id = bot where finish = 1 group by name"
    assert progress.wins == dict(query(path, sql))


def test_run_again_plays_nothing_and_leaves_the_executor_alone(cup: ResolvedTournament, path: Path) -> None:
    run(cup, path, HereExecutor())
    before = games_in(path)
    assert reports_of(cup, path, executor := HereExecutor()) == [(0, 12, 12, 0)]
    assert executor.opened == 0
    assert games_in(path) == before


@pytest.mark.parametrize("batches", [0, 1, 2, 3])
def test_interrupted_run_goes_on_to_the_same_games(
    cup: ResolvedTournament, path: Path, undisturbed: set[tuple[str, str]], batches: int
) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(cup, path, executor := InterruptedExecutor(batches))
    assert not executor.is_open
    kept = games_in(path)
    assert len(kept) == min(5 * batches, 12)
    progress = run(cup, path, HereExecutor())
    assert (progress.played, progress.done) == (12 - len(kept), 12)
    assert games_in(path) == undisturbed
    assert kept <= undisturbed


def test_order_of_play_does_not_change_the_games(
    cup: ResolvedTournament, path: Path, undisturbed: set[tuple[str, str]]
) -> None:
    run(cup, path, BackwardExecutor())
    assert games_in(path) == undisturbed


def test_more_blocks_keep_the_earlier_games(
    tmp_path: Path, path: Path, undisturbed: set[tuple[str, str]]
) -> None:
    run(tournament(tmp_path, blocks=4), path, HereExecutor())
    longer = tournament(tmp_path, blocks=8)
    reports = reports_of(longer, path, executor := HereExecutor(size=12))
    assert [report[:3] for report in reports] == [(0, 12, 24), (12, 24, 24)]
    assert executor.played == list(specs(longer))[12:]
    assert undisturbed < games_in(path)


def test_fewer_blocks_than_are_played_need_nothing(tmp_path: Path, path: Path) -> None:
    run(tournament(tmp_path, blocks=8), path, HereExecutor())
    assert reports_of(tournament(tmp_path, blocks=4), path, HereExecutor()) == [(0, 12, 12, 0)]
    assert len(games_in(path)) == 24


def test_progress_of_fewer_blocks_counts_only_their_games(tmp_path: Path, path: Path) -> None:
    """The last games are stored first, and are no part of the shorter schedule."""
    longer = tournament(tmp_path, blocks=8)
    with pytest.raises(KeyboardInterrupt):
        run(longer, path, BackwardInterruptedExecutor(3))
    reports = reports_of(tournament(tmp_path, blocks=4), path, HereExecutor(size=12))
    assert [report[:3] for report in reports] == [(0, 3, 12), (9, 12, 12)]


class BackwardInterruptedExecutor(InterruptedExecutor, BackwardExecutor):
    pass


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        ({"seed": 8}, "seed: 7 -> 8"),
        ({"players": 4}, "players: [3] -> [4]"),
        ({"bots": ["uniform", "turtle", "greedy"]}, "bot continental: left out"),
        ({"edition": "classic-faq"}, "edition house-four-shores: left out; edition classic-faq: added"),
        ({"format": "round-robin"}, "format: balanced -> round-robin"),
    ],
)
def test_tournament_changed_under_its_name_is_refused_and_nothing_is_lost(
    cup: ResolvedTournament, path: Path, tmp_path: Path, change: dict[str, Any], difference: str
) -> None:
    run(cup, path, HereExecutor())
    before = games_in(path), query(path, "select * from tournaments")
    with pytest.raises(ConfigError) as caught:
        run(tournament(tmp_path, **change), path, executor := HereExecutor())
    assert str(caught.value) == (
        f"{path}: expected tournament cup as it was begun here, got it changed ({difference}):"
        " give it another name or another database"
    )
    assert executor.opened == 0
    assert (games_in(path), query(path, "select * from tournaments")) == before


def test_bot_changed_between_two_runs_is_a_change_of_the_tournament(tmp_path: Path, path: Path) -> None:
    (tmp_path / "mine.py").write_text("import arena\n\nclass Mine(arena.Bot): ...\n")
    bots = ["mine.py", "greedy", "turtle"]
    run(tournament(tmp_path, bots=bots), path, HereExecutor())
    (tmp_path / "mine.py").write_text("import arena\n\nclass Mine(arena.Bot):\n    pass\n")
    with pytest.raises(ConfigError, match=r"got it changed \(bot mine: source changed\)"):
        run(tournament(tmp_path, bots=bots), path, HereExecutor())
    assert len(games_in(path)) == 18


def test_changed_bot_under_another_name_of_the_tournament_is_a_warning(tmp_path: Path, path: Path) -> None:
    (tmp_path / "mine.py").write_text("import arena\n\nclass Mine(arena.Bot): ...\n")
    bots = ["mine.py", "greedy", "turtle"]
    assert run(tournament(tmp_path, bots=bots), path, HereExecutor()).warnings == ()
    (tmp_path / "mine.py").write_text("import arena\n\nclass Mine(arena.Bot):\n    pass\n")
    progress = run(tournament(tmp_path, name="second", bots=bots), path, HereExecutor())
    (warning,) = progress.warnings
    assert warning.startswith("bot mine 0 has changed since ")


def test_bot_that_changes_after_the_file_was_read_stops_the_run_before_any_game(
    tmp_path: Path, path: Path
) -> None:
    (tmp_path / "mine.py").write_text("import arena\n\nclass Mine(arena.Bot): ...\n")
    resolved = tournament(tmp_path, bots=["mine.py", "greedy", "turtle"])
    (tmp_path / "mine.py").write_text("import arena\n\nclass Mine(arena.Bot):\n    pass\n")
    with pytest.raises(PluginError, match="bot mine: its source has changed"):
        run(resolved, path, HereExecutor())
    assert games_in(path) == set()


def test_two_tournaments_of_one_database_do_not_mix(
    cup: ResolvedTournament, tmp_path: Path, path: Path
) -> None:
    run(cup, path, HereExecutor())
    other = tournament(tmp_path, name="other", seed=8)
    assert run(other, path, HereExecutor()).played == 12
    assert len(games_in(path)) == 24


def test_missing_games_are_found_lazily_in_the_schedules_order(tmp_path: Path, path: Path) -> None:
    endless = tournament(tmp_path, blocks=10**12)
    first = list(islice(specs(endless), CHUNK + 10))
    with pytest.raises(KeyboardInterrupt):
        run(endless, path, InterruptedExecutor(2))
    with open_store(path) as store:
        store.enter(endless)
        assert list(islice(missing(endless, store), CHUNK)) == first[10:]


# --- void games


def test_void_game_is_played_again_and_its_void_counted(
    cup: ResolvedTournament, path: Path, undisturbed: set[tuple[str, str]]
) -> None:
    unlucky = list(specs(cup))[4].key
    reports = reports_of(cup, path, UnluckyExecutor({unlucky: 1}))
    assert [report[:3] for report in reports] == [
        (0, 0, 12),
        (4, 4, 12),
        (9, 9, 12),
        (12, 12, 12),
    ]
    assert games_in(path) == undisturbed
    assert query(path, "select game, reason, count from voids") == [(unlucky, "a fuse blew in block 1", 1)]


def test_voids_of_different_line_ups_do_not_add_up(
    cup: ResolvedTournament, path: Path, undisturbed: set[tuple[str, str]]
) -> None:
    one_a_block = {spec.key: 1 for spec in specs(cup) if spec.rotation == 1}
    run(cup, path, UnluckyExecutor(one_a_block))
    assert games_in(path) == undisturbed
    assert query(path, "select sum(count) from voids") == [(4,)]


def test_game_that_is_void_twice_in_a_row_stops_the_run_with_the_reason_and_keeps_the_rest(
    cup: ResolvedTournament, path: Path, undisturbed: set[tuple[str, str]]
) -> None:
    last = list(specs(cup))[-1]
    names = ", ".join(cup.bots[bot].name for bot in last.lineup)
    with pytest.raises(RunStopped) as caught:
        run(cup, path, executor := UnluckyExecutor({last.key: 2}))
    assert str(caught.value) == (
        f"two games in a row of {names} could not be played; the last one: a fuse blew in block 3"
    )
    assert caught.value.exit_code == 1
    assert not executor.is_open
    assert undisturbed - games_in(path) == {game for game in undisturbed if game[0] == last.key}
    assert query(path, "select count from voids") == [(2,)]
    assert run(cup, path, HereExecutor()).played == 1
    assert games_in(path) == undisturbed


def test_two_void_games_in_a_row_of_one_line_up_stop_the_run(cup: ResolvedTournament, path: Path) -> None:
    block = {spec.key: 1 for spec in specs(cup) if spec.block == 2}
    with pytest.raises(RunStopped, match="two games in a row of"):
        run(cup, path, UnluckyExecutor(block))
    assert len(games_in(path)) == 7  # both batches, without what was void


def test_void_games_of_one_line_up_with_a_played_one_between_do_not_stop_the_run(
    cup: ResolvedTournament, path: Path, undisturbed: set[tuple[str, str]]
) -> None:
    first_and_last = {spec.key: 1 for spec in specs(cup) if spec.block == 2 and spec.rotation != 1}
    run(cup, path, UnluckyExecutor(first_and_last))
    assert games_in(path) == undisturbed


def test_game_is_played_again_with_the_crashes_that_were_charged(cup: ResolvedTournament, path: Path) -> None:
    class Remembering(UnluckyExecutor):
        def outcome(self, spec: GameSpec) -> Outcome:
            outcome = super().outcome(spec)
            if isinstance(outcome, Void):
                return replace(outcome, spec=replace(spec, seed=spec.seed + 1))
            return outcome

    first = next(specs(cup))
    run(cup, path, executor := Remembering({first.key: 1}))
    assert executor.played[4] == replace(first, seed=first.seed + 1)  # right after the batch it was void in


def test_games_stop_and_the_executor_is_closed_when_nobody_wants_more(
    cup: ResolvedTournament, path: Path, undisturbed: set[tuple[str, str]]
) -> None:
    with open_store(path) as store:
        batches = play_missing(cup, store, store.enter(cup), executor := HereExecutor())
        assert executor.opened == 0
        assert len(next(batches)) == 5
        batches.close()
        assert not executor.is_open
    assert len(games_in(path)) == len(executor.played) == 5
    assert games_in(path) < undisturbed


# --- balance


@pytest.mark.parametrize("format_", ["balanced", "round-robin"])
def test_every_bot_has_every_seat_and_every_turn_position_equally_often(
    tmp_path: Path, path: Path, format_: str
) -> None:
    bots = ["uniform", "turtle", "greedy", "greedy:margin=4", "continental"]
    run(tournament(tmp_path, bots=bots, format=format_, blocks=3, records="none"), path, HereExecutor())
    games = len(games_in(path))
    for column in ("seat", "turn"):
        counts = query(path, f"select bot, {column}, count(*) from seats group by bot, {column}")
        assert len(counts) == 5 * 3
        assert {count for _, _, count in counts} == {games // 5}
    assert query(path, "select count(distinct starter) from games") == [(3,)]


# --- the same games everywhere


def arena(*arguments: str | Path) -> "subprocess.CompletedProcess[str]":
    """A command in a process of its own; it must succeed."""
    done = subprocess.run([ARENA, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done


def quick(path: Path, *options: str) -> set[tuple[str, str]]:
    """The games of the first blocks of `quick`, played by the command."""
    done = arena("run", "quick", "--blocks", "4", "--db", path, *options)
    assert done.stderr.count("\n") == 2  # the schedule, and where the games are
    return games_in(path)


@pytest.fixture(scope="module")
def quick_inline(tmp_path_factory: pytest.TempPathFactory) -> set[tuple[str, str]]:
    return quick(tmp_path_factory.mktemp("inline") / "arena.db", "--executor", "inline")


@pytest.mark.parametrize("workers", ["1", "2"])
def test_same_seed_is_the_same_game_inline_and_in_local_processes(
    tmp_path: Path, quick_inline: set[tuple[str, str]], workers: str
) -> None:
    assert len(quick_inline) == 16
    games = quick(tmp_path / "arena.db", "--executor", "local", "--workers", workers)
    assert games == quick_inline


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["1", "2"])
def test_same_seed_is_the_same_game_on_ray(
    tmp_path: Path, quick_inline: set[tuple[str, str]], workers: str
) -> None:
    assert quick(tmp_path / "arena.db", "--executor", "ray", "--workers", workers) == quick_inline


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_run_ended_from_outside_goes_on_to_the_same_games(tmp_path: Path, end: signal.Signals) -> None:
    changes: dict[str, Any] = {"bots": ["uniform", "turtle", "greedy", UNHURRIED], "blocks": 60}
    path, file = tmp_path / "arena.db", write_tournament(tmp_path, **changes)
    command = [ARENA, "run", str(file), "--db", str(path), "--executor", "local", "--workers", "1"]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, PACE: "0.05"},
    ) as driver:
        while not (path.exists() and has_games(path)):
            assert driver.poll() is None
            time.sleep(0.01)
        os.killpg(driver.pid, end)
        out = driver.communicate()
    if end != signal.SIGKILL:
        assert (driver.returncode, out[0]) == (130, "")
        assert out[1].endswith(STOPPING + INTERRUPTED)
    kept = games_in(path)
    assert 0 < len(kept) < 180
    resolved = tournament(tmp_path, **changes)
    run(resolved, path, HereExecutor())
    other = tmp_path / "undisturbed.db"
    run(resolved, other, HereExecutor())
    assert kept < games_in(path) == games_in(other)


def test_second_interrupt_does_not_wait_for_what_is_in_flight(tmp_path: Path, mark: str) -> None:
    bot = str(BOTS / "hang_in_c.py")
    limits = {"decision_seconds": 1000}
    file = write_tournament(tmp_path, bots=["greedy", "turtle", bot], blocks=3, limits=limits)
    path = tmp_path / "arena.db"
    command = [ARENA, "run", str(file), "--db", str(path), "--executor", "local"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as driver:
        while not path.exists():
            time.sleep(0.01)
        wait_for_hosts(mark, 1)
        for end in (signal.SIGINT, signal.SIGTERM):
            with pytest.raises(subprocess.TimeoutExpired):
                driver.wait(0.5)
            driver.send_signal(end)
        out, err = driver.communicate()
    assert (driver.returncode, out) == (130, "")
    assert err.endswith(STOPPING + INTERRUPTED)
    assert err.count("arena: ") == 2
    assert query(path, "pragma integrity_check") == [("ok",)]


def test_signal_that_the_caller_wants_ignored_stays_ignored(tmp_path: Path) -> None:
    file, path = write_tournament(tmp_path), tmp_path / "arena.db"
    command = f"trap '' HUP; exec {ARENA} run {file} --db {path} --executor local"
    with subprocess.Popen(command, shell=True, stdout=subprocess.DEVNULL) as driver:
        while not path.exists():
            time.sleep(0.01)
        driver.send_signal(signal.SIGHUP)
    assert driver.returncode == 0
    assert len(games_in(path)) == 12


@pytest.mark.slow
def test_run_on_ray_is_ended_cleanly_while_ray_starts(tmp_path: Path, mark: str) -> None:
    command = [ARENA, "run", "quick", "--db", str(tmp_path / "arena.db"), "--workers", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as driver:
        while not any(b"gcs_server" in command_of(pid) for pid in marked(mark)):
            time.sleep(0.01)
        driver.send_signal(signal.SIGTERM)
        out, err = driver.communicate()
    assert (driver.returncode, out) == (130, "")
    assert err.endswith(STOPPING + INTERRUPTED)
    assert err.count("arena: ") == 2
    assert games_in(tmp_path / "arena.db") == set()


@pytest.mark.slow
def test_run_on_ray_imports_nothing_from_the_current_folder(tmp_path: Path, mark: str) -> None:
    for name in ("arena", "bots", "json", "ray", "random"):
        (tmp_path / f"{name}.py").write_text("raise ImportError('not this one')")
    command = [ARENA, "run", "quick", "--blocks", "4", "--workers", "1"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert len(games_in(tmp_path / "results" / "arena.db")) == 16


@pytest.mark.slow
def test_run_on_ray_that_loses_workers_prints_nothing_but_its_data(tmp_path: Path, mark: str) -> None:
    once = tmp_path / "once"
    bot = f"{Path(__file__).parent}/bots/orphan.py:once={once}"
    file = write_tournament(tmp_path, edition="hasbro-us-2003", bots=["greedy", "turtle", bot], blocks=6)
    command = [ARENA, "run", str(file), "--db", str(tmp_path / "arena.db"), "--workers", "2", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert once.exists()
    assert [table["games"] for table in json.loads(done.stdout)] == [18]
    assert "raylet" not in done.stderr


def has_games(path: Path) -> bool:
    tables = query(path, "select name from sqlite_master where name = 'games'")
    return bool(tables and query(path, "select key from games limit 1"))


def test_instances_of_one_bot_fill_a_table_each_with_its_own_options(tmp_path: Path) -> None:
    bots = ["greedy", "greedy:margin=5"]
    resolved = tournament(tmp_path, bots=bots, players=5, copies=True, blocks=1, records="none")
    run(resolved, tmp_path / "arena.db", HereExecutor())
    rows = query(
        tmp_path / "arena.db",
        "select game, options, count(*) from seats join bots on bots.id = bot group by game, options",
    )
    seats = {(game, options): count for game, options, count in rows}
    games = {game for game, _ in seats}
    assert len(games) == len(list(specs(resolved))) > 0
    for game in games:
        assert {seats[game, ""], seats[game, "margin=5"]} == {2, 3}


def test_instances_of_one_bot_at_a_table_keep_their_options_and_state_apart(tmp_path: Path) -> None:
    (tmp_path / "counter.py").write_text(
        "import arena\n"
        "class Counter(arena.Bot):\n"
        "    def __init__(self, limit=1): self.limit, self.asked = limit, 0\n"
        "    def reinforce(self, view):\n"
        "        self.asked += 1\n"
        "        assert self.asked <= self.limit\n"
        "        return super().reinforce(view)\n"
    )
    bots = ["counter.py:limit=2", "counter.py:limit=3"]
    resolved = tournament(tmp_path, bots=bots, players=4, copies=True, blocks=1)
    run(resolved, tmp_path / "arena.db", HereExecutor())
    rows = query(
        tmp_path / "arena.db",
        "select distinct options, first from bots join seats on bots.id = bot join"
        " (select game, seat, min(round) as first from faults group by game, seat) using (game, seat)",
    )
    assert sorted(rows) == [("limit=2", 3), ("limit=3", 4)]
