"""What the tests of hosts and executors share: small jobs, and the processes that they leave."""

import os
import time
from pathlib import Path

from positions import variant

from arena.config import GameResult, GameSpec, Job
from arena.executors import Outcome
from arena.plugins import load_registry

BOTS = Path(__file__).parent / "bots"
ROUNDS = 4
MARK = "ARENA_TEST_MARK"
UNHURRIED = str(BOTS / "unhurried.py")
"""Waits before each game, so that a fast machine is not done before a test has ended its run."""
PACE = "ARENA_TEST_PACE"
"""Environment variable: how long it waits, in seconds."""


def job_of(*bots: str, decision_seconds: float = 5) -> Job:
    """A job of short games; a bot is an id or the name of a file of tests/bots, with options."""
    registry = load_registry()
    edition = variant(victory={"max_rounds": ROUNDS})
    identities = tuple(registry.identify(bot, BOTS) for bot in bots)
    return Job(
        {edition.fingerprint: edition.model_dump_json()}, identities, decision_seconds=decision_seconds
    )


def spec_of(job: Job, *lineup: int, seed: int = 0) -> GameSpec:
    """The game of these bots of the job."""
    edition = next(iter(job.editions))
    return GameSpec(f"{lineup} {seed}", edition, block=0, rotation=0, seed=seed, lineup=lineup)


def digests(outcomes: list[Outcome]) -> set[tuple[str, str]]:
    """(key, digest) of every game; each must have been played."""
    assert all(isinstance(outcome, GameResult) for outcome in outcomes), outcomes
    return {(o.spec.key, o.digest) for o in outcomes if isinstance(o, GameResult)}


def marked(mark: str) -> list[int]:
    """Ids of the live processes that have inherited MARK = `mark`, but for this one."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
            environment = (folder / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if f"{MARK}={mark}".encode() in environment and state != "Z" and int(folder.name) != os.getpid():
            found.append(int(folder.name))
    return found


def left_behind(mark: str, patience: float = 10) -> list[str]:
    """The command lines of the marked processes that are still there after a while."""
    end = time.monotonic() + patience
    while (pids := marked(mark)) and time.monotonic() < end:
        time.sleep(0.02)
    return [command_of(pid).decode() for pid in pids]


def good_games() -> tuple[Job, list[GameSpec]]:
    """A job and its games, one of whose bots needs a fixed hash seed."""
    job = job_of("uniform", "greedy", "set_walker.py")
    return job, [spec_of(job, 0, 1, 2, seed=seed) for seed in range(30)]


def bad_games(once: str) -> tuple[Job, list[GameSpec]]:
    """The same, and games with bots that crash, hang, and (`once`) take their Ray process along."""
    bad = ("segfault.py", "hang.py", f"orphan.py:once={once}")
    job = job_of("uniform", "greedy", "set_walker.py", *bad, decision_seconds=0.5)
    good = [spec_of(job, 0, 1, 2, seed=seed) for seed in range(30)]
    return job, [*good, spec_of(job, 0, 3, 2), spec_of(job, 4, 1, 2), spec_of(job, 5, 1, 2)]


def wait_for_hosts(mark: str, number: int) -> None:
    """Return when so many marked hosts run."""
    while len(hosts_of(mark)) < number:
        time.sleep(0.02)


def hosts_of(mark: str) -> set[int]:
    """The marked hosts."""
    return {pid for pid in marked(mark) if b"arena.hosted" in command_of(pid)}


def command_of(pid: int) -> bytes:
    """The command line of a process, empty when it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""
