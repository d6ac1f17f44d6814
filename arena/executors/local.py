"""The local executor: hosts on this machine behind a pool of threads."""

from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from queue import SimpleQueue
from threading import Event
from typing import Self

from arena.config import GameSpec, Job
from arena.executors.batch import Batch, Batches, Outcome, Player


class LocalExecutor:
    """Plays `workers` games at a time, each worker's in a host of its own."""

    def __init__(self, workers: int) -> None:
        self.stopping = Event()
        self._workers = workers
        self._abort = Event()
        self._players = [Player(self._abort) for _ in range(workers)]
        self._idle: SimpleQueue[Player] = SimpleQueue()
        for player in self._players:
            self._idle.put(player)
        self._pool = ThreadPoolExecutor(workers)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._abort.set()
        self._pool.shutdown(cancel_futures=True)
        for player in self._players:
            player.close()

    def play(self, job: Job, specs: Iterable[GameSpec]) -> Iterator[list[Outcome]]:
        """See `Executor.play`."""
        batches = Batches(specs, self.stopping)
        flying: dict[Future[list[Outcome]], Batch] = {}
        try:
            while True:
                while len(flying) < 2 * self._workers and (batch := batches.take()):
                    flying[self._pool.submit(self._play, job, batch.specs)] = batch
                if not flying:
                    return
                for future in wait(flying, return_when=FIRST_COMPLETED).done:
                    outcomes = future.result()
                    batches.done(flying.pop(future), outcomes)
                    yield outcomes
        finally:
            for future in flying:
                future.cancel()

    def _play(self, job: Job, specs: list[GameSpec]) -> list[Outcome]:
        player = self._idle.get()
        try:
            return player.play(job, specs)
        finally:
            self._idle.put(player)
