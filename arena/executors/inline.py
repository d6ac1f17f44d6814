"""The inline executor: games in this very process. A bot that hangs or crashes takes the run with it."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import redirect_stdout
from dataclasses import replace
from threading import Event
from typing import Self

from arena.config import GameSpec, Job
from arena.errors import ConfigError
from arena.executors.batch import Batches, Outcome, play_batch
from arena.match import Referee
from arena.process import is_hash_seed_fixed, worker_name


class InlineExecutor:
    """Plays one game after the other, here. Needs PYTHONHASHSEED=0, like every process that plays."""

    def __init__(self) -> None:
        self.stopping = Event()

    def __enter__(self) -> Self:
        if not is_hash_seed_fixed():
            raise ConfigError("executor inline: expected PYTHONHASHSEED=0 in the environment of this process")
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def play(self, job: Job, specs: Iterable[GameSpec]) -> Iterator[list[Outcome]]:
        """See `Executor.play`."""
        referee, batches, worker = Referee.for_job(job), Batches(specs, self.stopping), worker_name()

        def play(specs: list[GameSpec]) -> list[Outcome]:
            return [replace(referee.play(specs[0]), worker=worker)]

        while batch := batches.take():
            with redirect_stdout(sys.stderr):  # what bots print is not our output
                outcomes = play_batch(play, batch.specs)
            batches.done(batch, outcomes)
            yield outcomes
