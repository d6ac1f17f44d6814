"""Batches: sized by time, taken as needed, and what becomes of lost ones."""

from collections.abc import Iterator
from itertools import count
from threading import Event

import pytest

from arena.config import GameResult, GameSpec, Void
from arena.errors import RunStopped
from arena.executors.batch import FIRST_SIZE, MOST_GAMES, MOST_LOSSES, Batch, Batches, play_batch
from arena.risk.result import Result

RESULT = Result(None, (), (), (), (), 0, 0, 0, 0, "")


def specs_of(number: int) -> list[GameSpec]:
    return [GameSpec(str(i), "", 0, 0, i, (0, 0, 0)) for i in range(number)]


def results_of(specs: list[GameSpec], seconds: float) -> list[GameResult | Void]:
    return [GameResult(spec, RESULT, (), (), seconds) for spec in specs]


def take(batches: Batches) -> Batch:
    batch = batches.take()
    assert batch is not None
    return batch


@pytest.mark.parametrize(
    ("seconds", "size"), [(0.005, 100), (0.1, 5), (3.0, 1), (0.0001, MOST_GAMES), (0.0, MOST_GAMES)]
)
def test_batch_holds_half_a_second_of_games(seconds: float, size: int) -> None:
    batches = Batches(specs_of(1000), Event())
    first = take(batches)
    assert len(first.specs) == FIRST_SIZE
    batches.done(first, results_of(first.specs, seconds))
    assert len(take(batches).specs) == size


def test_void_games_say_nothing_about_the_size() -> None:
    batches = Batches(specs_of(100), Event())
    first = take(batches)
    batches.done(first, [Void(spec, "") for spec in first.specs])
    assert len(take(batches).specs) == FIRST_SIZE


def test_games_that_there_was_no_time_for_come_again_in_batches_of_the_new_size() -> None:
    batches = Batches(specs_of(FIRST_SIZE), Event())
    first = take(batches)
    batches.done(first, results_of(first.specs[:2], 0.05))
    assert [take(batches).specs, take(batches).specs] == [first.specs[2:12], first.specs[12:]]
    assert batches.take() is None


def test_endless_specs_are_taken_only_as_asked_for() -> None:
    taken = []

    def endless() -> Iterator[GameSpec]:
        for i in count():
            taken.append(i)
            yield from specs_of(1)

    batches = Batches(endless(), Event())
    assert taken == []
    take(batches)
    assert len(taken) == FIRST_SIZE


def test_lost_batch_comes_again_whole_then_in_halves_then_its_single_games_are_void() -> None:
    batches = Batches(specs_of(4), Event())
    sizes, voids = [], []
    while batch := batches.take():
        sizes.append(len(batch.specs))
        voids += batches.lost(batch, "gone")
    assert sizes == [4, 4, 2, 2, 1, 1, 1, 1]
    assert voids == [Void(spec, "gone") for spec in specs_of(4)]


def test_single_lost_game_is_tried_twice() -> None:
    batches = Batches(specs_of(1), Event())
    assert batches.lost(take(batches), "gone") == []
    assert batches.lost(take(batches), "gone") == [Void(spec, "gone") for spec in specs_of(1)]
    assert batches.take() is None


def test_nothing_but_losses_stops_the_run() -> None:
    batches = Batches(specs_of(10_000), Event())
    for batch in [take(batches) for _ in range(2 * MOST_LOSSES)]:  # all that one large machine had
        batches.lost(batch, "a node")
    for _ in range(MOST_LOSSES - 1):
        batches.lost(take(batches), "no more nodes")
    with pytest.raises(RunStopped, match="25 batches in a row were lost; the last one: no more nodes"):
        batches.lost(take(batches), "no more nodes")


def test_once_stopping_nothing_is_taken_and_nothing_comes_again() -> None:
    stopping = Event()
    batches = Batches(specs_of(100), stopping)
    first, second = take(batches), take(batches)
    stopping.set()
    batches.done(first, results_of(first.specs[:1], 0.05))
    assert batches.lost(second, "gone") == []
    assert batches.take() is None


@pytest.mark.parametrize(("most_seconds", "played"), [(60, 20), (-1, 3)])
def test_games_are_played_some_at_a_time_until_there_is_no_time_left(
    most_seconds: float, played: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.executors.batch.MOST_SECONDS", most_seconds)
    specs = specs_of(20)
    outcomes = play_batch(lambda rest: results_of(rest[:3], 0.01), specs)
    assert [outcome.spec for outcome in outcomes] == specs[:played]
