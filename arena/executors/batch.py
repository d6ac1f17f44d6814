"""Batches: a stream of specs cut into work that is worth sending, and what becomes of work that is lost."""

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from threading import Event
from time import monotonic
from typing import TypeAlias

from arena.config import GameResult, GameSpec, Job, Void
from arena.errors import RunStopped
from arena.host import Host

Outcome: TypeAlias = GameResult | Void
"""What comes of a game."""

BATCH_SECONDS = 0.5
"""What a batch should take: long against its sending, short against a person's patience."""

MOST_SECONDS = 2.0
"""A batch that takes longer comes back with what is played."""

FIRST_SIZE, MOST_GAMES = 20, 500

MOST_LOSSES = 25
"""So many lost batches in a row stop the run."""


@dataclass(slots=True)
class Batch:
    """Games that are sent together."""

    specs: list[GameSpec]
    losses: int = 0
    """How often it, or a larger one with these games, was lost."""


class Batches:
    """Cuts `specs` into batches, and takes from it what is asked for, and nothing once `stopping` is set."""

    def __init__(self, specs: Iterable[GameSpec], stopping: Event) -> None:
        self._specs = iter(specs)
        self._stopping = stopping
        self._again: deque[Batch] = deque()
        self._size = FIRST_SIZE
        self._losses = 0  # in a row

    def take(self) -> Batch | None:
        """The next batch, or None when there is none for now."""
        if self._stopping.is_set():
            return None
        if self._again:
            return self._again.popleft()
        specs = list(islice(self._specs, self._size))
        return Batch(specs) if specs else None

    def done(self, batch: Batch, outcomes: list[Outcome]) -> None:
        """Learn the size from what came back, and offer again the games that there was no time for."""
        self._losses = 0
        seconds = [outcome.seconds for outcome in outcomes if isinstance(outcome, GameResult)]
        if seconds:
            mean = max(sum(seconds) / len(seconds), BATCH_SECONDS / MOST_GAMES)
            self._size = max(round(BATCH_SECONDS / mean), 1)
        left = batch.specs[len(outcomes) :]
        self._again.extend(Batch(left[i : i + self._size]) for i in range(0, len(left), self._size))

    def lost(self, batch: Batch, reason: str) -> list[Outcome]:
        """Offer again what did not come back: whole, then in halves; a game lost on its own again is void.

        Raises RunStopped when nothing but losses comes of second tries; the first ones may all have been on
        one machine that went away.
        """
        self._losses += bool(batch.losses)
        if self._losses == MOST_LOSSES:
            raise RunStopped(f"{MOST_LOSSES} batches in a row were lost; the last one: {reason}")
        if batch.losses and len(batch.specs) == 1:
            return [Void(batch.specs[0], reason)]
        half = (len(batch.specs) + 1) // 2 if batch.losses else len(batch.specs)
        parts = [part for part in (batch.specs[:half], batch.specs[half:]) if part]
        self._again.extend(Batch(part, batch.losses + 1) for part in parts)
        return []


def play_batch(play_some: Callable[[list[GameSpec]], list[Outcome]], specs: list[GameSpec]) -> list[Outcome]:
    """The outcomes of the first specs: as many as fit into MOST_SECONDS, at least one.

    `play_some` makes those of the first of what it is given, at least one.
    """
    end = monotonic() + MOST_SECONDS
    outcomes: list[Outcome] = []
    while len(outcomes) < len(specs):
        outcomes += play_some(specs[len(outcomes) :])
        if monotonic() > end:
            break
    return outcomes


class Player:
    """Plays batches in a host of its own, which it keeps while the job stays the same."""

    def __init__(self, stop: Event | None = None) -> None:
        self._stop = stop
        self._host: Host | None = None

    def play(self, job: Job, specs: list[GameSpec]) -> list[Outcome]:
        """Play as many of the specs as `play_batch` does."""
        if self._host is None or self._host.job != job:
            self.close()
            self._host = Host(job, self._stop)
        return play_batch(self._host.play_some, specs)

    def close(self) -> None:
        """Leave no process behind."""
        if self._host is not None:
            self._host.close()
            self._host = None
