"""Figures that no statistics can be made of are one clear line, whatever they are."""

from collections.abc import Callable
from math import inf, isfinite, nan
from typing import Any

import pytest

from arena import stats
from arena.errors import StatsError

LINEUPS, WINNERS = [("a", "b"), ("b", "a")] * 5, [0, 1] * 5

WRONG: dict[str, Callable[[Any], object]] = {
    "rate: lineups": lambda value: stats.rate(value, WINNERS),
    "rate: a lineup": lambda value: stats.rate([value] * 10, WINNERS),
    "rate: winners": lambda value: stats.rate(LINEUPS, value),
    "rate: a winner": lambda value: stats.rate(LINEUPS, [value] * 10),
    "rate: blocks": lambda value: stats.rate(LINEUPS, WINNERS, value),
    "rate: prior": lambda value: stats.rate(LINEUPS, WINNERS, prior=value),
    "rate: anchor": lambda value: stats.rate(LINEUPS, WINNERS, anchor=value),
    "rate: anchor's Elo": lambda value: stats.rate(LINEUPS, WINNERS, anchor=("a", value)),
    "win_matrix: samples": lambda value: stats.win_matrix(LINEUPS, WINNERS, samples=value),
    "los": lambda value: stats.rate(LINEUPS, WINNERS).los("a", value),
    "wilson: wins": lambda value: stats.wilson(value, 5),
    "wilson: games": lambda value: stats.wilson(0, value),
    "score": stats.score,
    "score: players": lambda value: stats.score(0, value),
    "difference": stats.difference,
    "BettingSprt: s0": lambda value: stats.BettingSprt(value, 0.6),
    "BettingSprt: alpha": lambda value: stats.BettingSprt(0.4, 0.6, alpha=value),
    "BettingSprt.update": lambda value: stats.BettingSprt(0.4, 0.6).update(value),
    "ConfidenceSequence": stats.ConfidenceSequence,
    "ConfidenceSequence.update": lambda value: stats.ConfidenceSequence().update(value),
    "llr: counts": lambda value: stats.llr(value, 0, 5),
    "llr: a count": lambda value: stats.llr([value, 1, 1], 0, 5),
    "llr: elo0": lambda value: stats.llr([1, 2, 3], value, 5),
    "llr: elo1": lambda value: stats.llr([1, 2, 3], 0, value, "normalized"),
    "planned_blocks": lambda value: stats.planned_blocks(0.4, value),
    "planned_pairs": lambda value: stats.planned_pairs(0, value, 4),
    "rating_games": lambda value: stats.rating_games(value, 4, 4),
}

NOTHING_WRONG = [("rate: blocks", None), ("rate: anchor", None), ("rate: a winner", None)]


@pytest.mark.parametrize(
    "value", ["1", None, nan, {"a": 1500}, [[]], object()], ids=lambda value: str(value)[:9]
)
@pytest.mark.parametrize("what", WRONG)
def test_what_is_no_figure_is_one_clear_line(what: str, value: Any) -> None:
    if (what, value) in NOTHING_WRONG or (what, value) == ("rate: a lineup", {"a": 1500}):
        return
    with pytest.raises(StatsError) as caught:
        WRONG[what](value)
    assert "expected " in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "what",
    [what for what in WRONG if not what.startswith(("rate: lineups", "rate: a lineup", "rate: winners"))],
)
def test_negative_and_infinite_figures_are_refused_or_have_an_answer(what: str) -> None:
    for value in (-1, -inf, inf, 10**400):
        if what in ("rate: blocks", "los", "rate: anchor"):
            continue
        try:
            found = WRONG[what](value)
        except StatsError:
            continue
        assert not isinstance(found, float) or isfinite(found), (what, value)


def test_games_may_come_one_by_one() -> None:
    blocks = [number // 2 for number in range(10)]
    assert stats.rate(iter(LINEUPS), iter(WINNERS), iter(blocks)) == stats.rate(LINEUPS, WINNERS, blocks)
    assert stats.win_matrix(iter(LINEUPS), iter(WINNERS)) == stats.win_matrix(LINEUPS, WINNERS)
    assert stats.llr(iter([1, 2, 3]), 0, 5) == stats.llr([1, 2, 3], 0, 5)


def test_of_no_games_there_is_nothing_to_tell() -> None:
    assert stats.rate([], []).elo == {}
    assert stats.win_matrix([], []).wins == []
    assert stats.wilson(0, 0) == (0, 1)
