"""A run: the schedule's missing games through an executor into the database."""

from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from arena.config import GameResult, GameSpec, ResolvedTournament, Void
from arena.errors import RunStopped
from arena.executors import Executor, Outcome
from arena.plugins import labels
from arena.schedule import pools, specs
from arena.store import Entry, Store, open_store

CHUNK = 500
"""So many keys are looked up in the database at once."""


@dataclass(slots=True)
class Progress:
    """How far a run is; the same object is reported again and again."""

    total: int
    """Games of the schedule."""
    done: int
    """Of these, stored."""
    warnings: tuple[str, ...] = ()
    """What a person should be told, a line each."""
    played: int = 0
    """Games stored by this run."""
    wins: Counter[str] = field(default_factory=Counter)
    """Wins in this run, by bot."""


def run(
    resolved: ResolvedTournament,
    path: str | Path,
    executor: Executor,
    report: Callable[[Progress], None] = lambda progress: None,
) -> Progress:
    """Play what is missing of the tournament in the database at `path`, which is made when there is none.

    `executor` is not yet open: it is left alone where nothing is missing. `report` is called at the start and
    after each batch. Raises RunStopped when two tries in a row of one line-up are void, and ArenaError for a
    database that cannot be used.
    """
    with open_store(path, resolved.tournament.name) as store:
        entry = store.enter(resolved)
        planned = pools(resolved)
        done = sum(
            store.count(entry.tournament, pool.edition.fingerprint, pool.players, pool.blocks)
            for pool in planned
        )
        progress = Progress(sum(pool.games for pool in planned), done, entry.warnings)
        report(progress)
        names = labels(dict(enumerate(resolved.bots)))
        if progress.done < progress.total:
            for batch in play_missing(resolved, store, entry, executor):
                for outcome in batch:
                    if isinstance(outcome, GameResult):
                        _count(names, progress, outcome)
                report(progress)
        return progress


def missing(resolved: ResolvedTournament, store: Store) -> Iterator[GameSpec]:
    """The games of the schedule that are not stored, lazily and in its order."""
    schedule = specs(resolved)
    while chunk := list(islice(schedule, CHUNK)):
        played = store.played(spec.key for spec in chunk)
        yield from (spec for spec in chunk if spec.key not in played)


def play_missing(
    resolved: ResolvedTournament, store: Store, entry: Entry, executor: Executor
) -> Generator[list[Outcome], None, None]:
    """Play the games of the schedule that are not stored; yields batches, each of them stored already.

    The executor is open from the first step until the end, which is also when the generator is closed. Games
    are begun in the order of the schedule; a void one is begun again before those that are still to come.
    Raises RunStopped when two tries in a row of one line-up are void, KeyboardInterrupt when the executor was
    told to stop and what was in flight is stored.
    """
    again: deque[GameSpec] = deque()
    rest = missing(resolved, store)
    voids: Counter[tuple[int, ...]] = Counter()  # in a row, by line-up
    with executor:
        while True:
            for batch in executor.play(resolved.job(), _first(again, rest)):
                store.write(entry, batch)
                for outcome in batch:
                    lineup = tuple(sorted(outcome.spec.lineup))
                    voids[lineup] = voids[lineup] + 1 if isinstance(outcome, Void) else 0
                    if isinstance(outcome, Void):
                        again.append(outcome.spec)
                        _check_voids(resolved, outcome, voids[lineup])
                yield batch
            if executor.stopping.is_set():
                raise KeyboardInterrupt
            if not again:
                return


def _first(again: deque[GameSpec], rest: Iterator[GameSpec]) -> Iterator[GameSpec]:
    """What is in `again`, at any moment, before the next of the rest."""
    while True:
        while again:
            yield again.popleft()
        spec = next(rest, None)
        if spec is None:
            return
        yield spec


def _check_voids(resolved: ResolvedTournament, void: Void, in_a_row: int) -> None:
    if in_a_row == 2:
        names = ", ".join(resolved.bots[bot].name for bot in void.spec.lineup)
        raise RunStopped(f"two games in a row of {names} could not be played; the last one: {void.reason}")


def _count(names: Mapping[int, str], progress: Progress, played: GameResult) -> None:
    progress.done += 1
    progress.played += 1
    if played.winner is not None:
        progress.wins[names[played.spec.lineup[played.winner]]] += 1
