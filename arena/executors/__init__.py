"""Executors: play a stream of games somewhere, and yield what comes of them as it comes.

inline   in this process; promises nothing about bots that hang or crash: for debugging
local    in hosts on this machine
ray      in hosts on a Ray cluster, started for the run or joined
"""

import os
from collections.abc import Iterable, Iterator
from re import fullmatch
from threading import Event
from typing import Protocol, Self

from arena.config import GameSpec, Job
from arena.errors import ConfigError
from arena.executors.batch import Outcome

__all__ = ["EXECUTORS", "Executor", "Outcome", "make_executor"]

EXECUTORS = ("inline", "local", "ray")
"""The names that `make_executor` knows."""


class Executor(Protocol):
    """A context manager that plays games while it is open; leaving it, however, leaves no process behind."""

    stopping: Event
    """Once it is set, by whomever, no more work is taken: `play` ends when what is in flight is back."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def play(self, job: Job, specs: Iterable[GameSpec]) -> Iterator[list[Outcome]]:
        """Play every spec once; yield finished batches in the order in which they come.

        `specs` is taken from only so far as workers need work, so it may be endless. Raises ArenaError where
        the job cannot be played, RunStopped where it is no use to go on.
        """
        ...


def make_executor(name: str, workers: int | None = None, address: str | None = None) -> Executor:
    """The executor of that name, not yet open.

    `workers` games are played at a time (default: one a usable core). `address` is that of a running Ray
    cluster, whose cores are the workers. Raises ConfigError for what does not go together.
    """
    if name not in EXECUTORS:
        raise ConfigError(f"executor: expected one of {', '.join(EXECUTORS)}, got {name!r}")
    if address is not None and name != "ray":
        raise ConfigError(f"address: expected with executor ray only, got it with {name}")
    if address is not None and not fullmatch(r"[^:/]+:\d+", address):  # "auto" might find another's cluster
        raise ConfigError(f"address: expected host:port of a running Ray cluster, got {address!r}")
    if workers is not None and (name == "inline" or address is not None):
        raise ConfigError(f"workers: {'a cluster' if address else name} has its own number, got {workers}")
    if workers is not None and workers < 1:
        raise ConfigError(f"workers: expected at least 1, got {workers}")
    workers = workers or len(os.sched_getaffinity(0))
    if name == "inline":
        from arena.executors.inline import InlineExecutor  # noqa: PLC0415 - one of three, and Ray is heavy

        return InlineExecutor()
    if name == "local":
        from arena.executors.local import LocalExecutor  # noqa: PLC0415

        return LocalExecutor(workers)
    from arena.executors.ray import RayExecutor  # noqa: PLC0415

    return RayExecutor(workers, address)
