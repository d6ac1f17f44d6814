"""Executors: the same games everywhere, none lost, a bounded number in flight, and a clean end."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from itertools import count
from pathlib import Path

import pytest
import ray
from playing import (
    MARK,
    bad_games,
    digests,
    good_games,
    hosts_of,
    job_of,
    left_behind,
    spec_of,
    wait_for_hosts,
)

from arena.config import GameResult, GameSpec, Job, Void
from arena.errors import ConfigError, PluginError
from arena.executors import Executor, Outcome, make_executor
from arena.executors.batch import FIRST_SIZE

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def cluster() -> Iterator[Executor]:
    """Ray with two workers; nothing that it starts may be left."""
    mark = f"{os.getpid()} cluster"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(MARK, mark)
        with make_executor("ray", workers=2) as executor:
            yield executor
    assert left_behind(mark) == []


def play(executor: Executor, job: Job, specs: list[GameSpec]) -> list[Outcome]:
    return [outcome for batch in executor.play(job, specs) for outcome in batch]


def local(job: Job, specs: list[GameSpec]) -> list[Outcome]:
    with make_executor("local", workers=2) as executor:
        return play(executor, job, specs)


def run(script: str, *arguments: str, **env: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", script, *arguments],
        cwd=HERE,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


# --- the same games everywhere

PRINT_DIGESTS = """
import json, sys
import playing
from arena.executors import make_executor
name, options, games, *arguments = sys.argv[1:]
with make_executor(name, **json.loads(options)) as executor:
    batches = list(executor.play(*getattr(playing, games)(*arguments)))
print(json.dumps(sorted(playing.digests(sum(batches, [])))))
"""


def printed_digests(name: str, *games: str, **options: object) -> set[tuple[str, str]]:
    """What that executor played in a process of its own; it must print nothing else."""
    done = run(PRINT_DIGESTS, name, json.dumps(options), *games, PYTHONHASHSEED="0")
    assert (done.returncode, done.stderr) == (0, "")
    return {(key, digest) for key, digest in json.loads(done.stdout)}


def test_inline_local_and_ray_play_the_same_games(cluster: Executor, mark: str) -> None:
    job, specs = good_games()
    here = printed_digests("inline", "good_games")
    assert {key for key, _ in here} == {spec.key for spec in specs}
    assert digests(local(job, specs)) == here
    assert digests(play(cluster, job, specs)) == here


@pytest.mark.slow
def test_one_ray_worker_plays_the_same_games_and_ray_is_silent(tmp_path: Path, mark: str) -> None:
    once = tmp_path / "once"
    there = printed_digests("ray", "bad_games", str(once), workers=1)
    assert once.exists()
    assert there == digests(local(*bad_games(str(once))))


def test_bad_bots_are_named_and_no_game_is_lost_in_local_and_ray(
    cluster: Executor, tmp_path: Path, mark: str
) -> None:
    job, specs = bad_games(str(tmp_path / "once"))
    for outcomes in (local(job, specs), play(cluster, job, specs)):
        assert sorted(o.spec.key for o in outcomes) == sorted(spec.key for spec in specs)
        results = [outcome for outcome in outcomes if isinstance(outcome, GameResult)]
        faults = {(r.spec.lineup, f.seat, f.kind, f.round, f.forfeit) for r in results for f in r.faults}
        assert faults == {((0, 3, 2), 1, "crash", 2, True), ((4, 1, 2), 0, "timeout", 2, True)}
    assert (tmp_path / "once").exists()


def test_inline_refuses_string_hashes_by_chance() -> None:
    done = run(PRINT_DIGESTS, "inline", "{}", "good_games", PYTHONHASHSEED="random")
    assert "expected PYTHONHASHSEED=0" in done.stderr.splitlines()[-1]


def test_process_starts_anew_with_the_hash_seed_that_playing_needs() -> None:
    script = (
        "import sys; from arena import process; process.ensure_hash_seed(); print(hash('a'), sys.argv[1:])"
    )
    once, again = (run(script, "x y", PYTHONHASHSEED="random") for _ in range(2))
    assert once.stdout == again.stdout
    assert once.stdout.endswith("['x y']\n")


def test_ray_is_found_by_somebody_without_a_home() -> None:
    script = """if True:
        import os, pwd
        def nobody(uid):
            raise KeyError(uid)
        pwd.getpwuid = nobody
        del os.environ["HOME"]
        from arena.executors import make_executor
        print(type(make_executor("ray")).__name__)
    """
    done = run(script)
    assert (done.stdout, done.stderr) == ("RayExecutor\n", "")


# --- the stream


def test_specs_are_taken_only_as_workers_need_them(mark: str) -> None:
    job = job_of("uniform")
    taken: list[GameSpec] = []

    def endless() -> Iterator[GameSpec]:
        for seed in count():
            taken.append(spec_of(job, 0, 0, 0, seed=seed))
            yield taken[-1]

    with make_executor("local", workers=2) as executor:
        assert taken == []
        for outcomes in executor.play(job, endless()):
            assert {outcome.spec.key for outcome in outcomes} <= {spec.key for spec in taken}
            break
        assert len(taken) == 4 * FIRST_SIZE


def test_result_names_where_it_was_played(cluster: Executor, mark: str) -> None:
    job, specs = good_games()
    for outcomes in (local(job, specs), play(cluster, job, specs)):
        for outcome in outcomes:
            assert isinstance(outcome, GameResult)
            machine, _, process = outcome.worker.rpartition(":")
            assert machine == os.uname().nodename
            assert int(process) != os.getpid()


def test_executor_goes_on_to_another_job(mark: str) -> None:
    with make_executor("local", workers=1) as executor:
        for bot in ("uniform", "greedy"):
            job = job_of(bot)
            (result,) = play(executor, job, [spec_of(job, 0, 0, 0)])
            assert isinstance(result, GameResult)


def test_void_game_is_handed_over_with_its_reason(mark: str) -> None:
    job = job_of("uniform", "saboteur.py")
    outcomes = local(job, [spec_of(job, 0, 0, 1), spec_of(job, 0, 0, 0)])
    (void,) = (outcome for outcome in outcomes if isinstance(outcome, Void))
    assert void.spec.lineup == (0, 0, 1)
    assert len(outcomes) == 2


def test_job_that_cannot_be_played_is_a_plain_error(cluster: Executor, tmp_path: Path, mark: str) -> None:
    bot = tmp_path / "mine.py"
    bot.write_text((HERE / "bots" / "raises.py").read_text())
    job = job_of(str(bot))
    bot.write_text(bot.read_text() + "# changed\n")
    for start in (local, partial(play, cluster)):
        with pytest.raises(PluginError, match="mine") as caught:
            start(job, [spec_of(job, 0, 0, 0)])
        assert caught.type is PluginError  # not Ray's copy of it


def test_batch_that_takes_too_long_comes_back_early_and_no_game_is_lost(
    monkeypatch: pytest.MonkeyPatch, mark: str
) -> None:
    monkeypatch.setattr("arena.executors.batch.MOST_SECONDS", -1)
    job, specs = good_games()
    with make_executor("local", workers=2) as executor:
        batches = list(executor.play(job, specs))
    assert all(batches)
    keys = [key for outcomes in batches for key, _ in digests(outcomes)]
    assert sorted(keys) == sorted(spec.key for spec in specs)


# --- lost work


def test_game_that_takes_its_ray_worker_along_is_void_and_the_others_are_played(cluster: Executor) -> None:
    job = job_of("uniform", "orphan.py")
    specs = [spec_of(job, 0, 0, int(seed == 3), seed=seed) for seed in range(4)]
    outcomes = play(cluster, job, specs)
    (void,) = (outcome for outcome in outcomes if isinstance(outcome, Void))
    assert void.spec.seed == 3
    assert void.reason.startswith("its Ray task was lost: WorkerCrashedError")
    assert sorted(outcome.spec.seed for outcome in outcomes) == list(range(4))


# --- the end

WAIT_FOR_CTRL_C = """
import json, sys
from playing import job_of, spec_of
from arena.executors import make_executor
job = job_of("uniform", "hang_in_c.py", decision_seconds=1000)
specs = [spec_of(job, 0, 0, 0), *[spec_of(job, 0, 0, 1, seed=seed) for seed in range(100)]]
print("ready", flush=True)
try:
    with make_executor(sys.argv[1], **json.loads(sys.argv[2])) as executor:
        list(executor.play(job, specs))
except KeyboardInterrupt:
    print("interrupted")
"""


def start_and_wait_for_ctrl_c(name: str, **options: object) -> "subprocess.Popen[str]":
    """A process group of its own in which that executor plays games that never end."""
    return subprocess.Popen(
        [sys.executable, "-c", WAIT_FOR_CTRL_C, name, json.dumps(options)],
        cwd=HERE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@pytest.mark.parametrize("name", ["local", pytest.param("ray", marks=pytest.mark.slow)])
def test_ctrl_c_ends_everything(name: str, mark: str) -> None:
    with start_and_wait_for_ctrl_c(name, workers=2) as driver:
        wait_for_hosts(mark, 2)
        os.killpg(driver.pid, signal.SIGINT)  # a terminal sends it to the whole group
        assert driver.communicate() == ("ready\ninterrupted\n", "")


@pytest.mark.slow
def test_ctrl_c_ends_the_tasks_on_a_cluster_that_goes_on(cluster: Executor) -> None:
    mark, address = f"{os.getpid()} cluster", ray.get_runtime_context().gcs_address
    before = hosts_of(mark)
    with start_and_wait_for_ctrl_c("ray", address=address) as driver:
        while len(hosts_of(mark) - before) < 2:
            time.sleep(0.02)
        os.killpg(driver.pid, signal.SIGINT)
        assert driver.communicate() == ("ready\ninterrupted\n", "")
    assert driver.returncode == 0
    while hosts_of(mark) - before:
        time.sleep(0.02)
    job, specs = good_games()
    assert len(play(cluster, job, specs)) == len(specs)


def test_executor_that_is_left_in_the_middle_leaves_nothing(mark: str) -> None:
    job = job_of("uniform", "hang.py", decision_seconds=1000)
    specs = [spec_of(job, 0, 0, int(seed >= 20), seed=seed) for seed in range(100)]
    with make_executor("local", workers=2) as executor:
        assert next(executor.play(job, specs))
        wait_for_hosts(mark, 2)


@pytest.mark.slow
def test_running_cluster_is_joined_and_left_as_it_was(cluster: Executor) -> None:
    address = ray.get_runtime_context().gcs_address
    job, specs = good_games()
    assert printed_digests("ray", "good_games", address=address) == digests(local(job, specs))
    assert digests(play(cluster, job, specs)) == digests(local(job, specs))


@pytest.mark.parametrize(
    ("name", "workers", "address", "complaint"),
    [
        ("slurm", None, None, "executor: expected one of inline, local, ray, got 'slurm'"),
        ("local", 0, None, "workers: expected at least 1, got 0"),
        ("inline", 2, None, "workers: inline has its own number, got 2"),
        ("ray", 2, "node:6379", "workers: a cluster has its own number, got 2"),
        ("local", None, "node:6379", "address: expected with executor ray only, got it with local"),
    ],
)
def test_what_does_not_go_together_is_refused(
    name: str, workers: int | None, address: str | None, complaint: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        make_executor(name, workers, address)
    assert str(caught.value) == complaint


def test_process_that_is_on_a_cluster_opens_no_second_one(cluster: Executor) -> None:
    with pytest.raises(ConfigError, match="already"):
        make_executor("ray").__enter__()
    assert ray.is_initialized()


@pytest.mark.parametrize("address", ["auto", "local", "ray://127.0.0.1:10001", "127.0.0.1"])
def test_address_must_name_one_cluster(address: str) -> None:
    with pytest.raises(ConfigError) as caught:
        make_executor("ray", address=address)
    assert str(caught.value) == f"address: expected host:port of a running Ray cluster, got {address!r}"
