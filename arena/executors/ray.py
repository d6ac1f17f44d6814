"""The ray executor: batches as plain tasks of a Ray cluster, each of whose processes keeps a host."""

import platform
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from functools import lru_cache
from threading import Event
from time import monotonic
from typing import Self, TypeAlias

from arena.config import GameSpec, Job
from arena.errors import ArenaError, RunStopped, placed
from arena.executors.batch import Batch, Batches, Outcome, Player
from arena.executors.cluster import connected, ray
from arena.executors.parcel import Parcel, pack, unpack
from arena.match import describe

CPUS_SECONDS = 5.0
"""How often the cluster is asked for its cores: nodes come and go."""

CANCEL_SECONDS = 5.0
"""How long tasks may take to end that are cancelled."""

LOST = (
    ray.exceptions.NodeDiedError,
    ray.exceptions.ObjectLostError,
    ray.exceptions.OutOfMemoryError,
    ray.exceptions.TaskCancelledError,
    ray.exceptions.WorkerCrashedError,
)
"""What Ray raises for a task that was lost without a fault of its own."""

_player = Player()
"""Of a Ray process: stays from task to task."""


Shared: TypeAlias = "ray.ObjectRef[tuple[Job, Parcel]]"
"""What all tasks of a run need, fetched by each process once."""


@ray.remote(num_cpus=1, max_retries=0)
def _play(shared: list[Shared], specs: list[GameSpec]) -> list[Outcome]:
    with placed(f"node {platform.node()}"):
        return _player.play(_fetch(*shared), specs)


@lru_cache(maxsize=1)
def _fetch(shared: Shared) -> Job:
    return unpack(*ray.get(shared))


class RayExecutor:
    """Plays on the cluster at `address`, or on one of `workers` cores that lives while this is open."""

    def __init__(self, workers: int, address: str | None) -> None:
        self.stopping = Event()
        self._connection: AbstractContextManager[None] = connected(workers, address)
        self._is_joined = address is not None
        self._cores = 0
        self._cores_until = 0.0

    def __enter__(self) -> Self:
        self._connection.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.__exit__(None, None, None)

    def play(self, job: Job, specs: Iterable[GameSpec]) -> Iterator[list[Outcome]]:
        """See `Executor.play`."""
        batches = Batches(specs, self.stopping)
        flying: dict[ray.ObjectRef[list[Outcome]], Batch] = {}
        shared = [ray.put((job, pack(job)))]  # in a list, or Ray would fetch it for every task
        try:
            while True:
                while len(flying) < 2 * self._count_cores() and (batch := batches.take()):
                    flying[_play.remote(shared, batch.specs)] = batch
                if not flying:
                    return
                done, _ = ray.wait(list(flying), num_returns=1, timeout=1)
                for ref in done:
                    if outcomes := _collect(ref, flying.pop(ref), batches):
                        yield outcomes
        except ray.exceptions.RayTaskError as error:
            if isinstance(error.cause, ArenaError):
                raise error.cause from None
            raise
        except ray.exceptions.RayError as error:
            raise RunStopped(f"Ray failed: {describe(error)}") from error
        finally:
            if self._is_joined and ray.is_initialized():
                _cancel(list(flying))

    def _count_cores(self) -> int:
        if monotonic() > self._cores_until:
            self._cores = int(ray.cluster_resources().get("CPU", 0))  # type: ignore[no-untyped-call]
            self._cores_until = monotonic() + CPUS_SECONDS
        return max(self._cores, 1)


def _cancel(refs: "list[ray.ObjectRef[list[Outcome]]]") -> None:
    """Have the tasks end in order, and their hosts with them; a cluster of ours ends as a whole instead.

    Forced, they would take their processes down, on which now and then Ray aborts the driver.
    """
    for ref in refs:
        ray.cancel(ref)
    ray.wait(refs, num_returns=len(refs), timeout=CANCEL_SECONDS)


def _collect(ref: ray.ObjectRef[list[Outcome]], batch: Batch, batches: Batches) -> list[Outcome]:
    try:
        outcomes = ray.get(ref)
    except LOST as error:
        return batches.lost(batch, f"its Ray task was lost: {describe(error)}")
    batches.done(batch, outcomes)
    return outcomes
