"""The sequential test: its check values, its error levels however the results arrive, its interval."""

from collections.abc import Iterable
from math import exp, inf, log
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import StatsError
from arena.stats import BettingSprt, ConfidenceSequence, Prefix, difference, score


def fed(sprt: BettingSprt, scores: Iterable[float]) -> BettingSprt:
    for y in scores:
        sprt.update(y)
    return sprt


# --- scores


@pytest.mark.parametrize("players", [2, 4, 6])
def test_score_at_even_tables_is_the_logistic_curve(players: int) -> None:
    for elo in (-400.0, -30.0, 0.0, 50.0, 400.0):
        assert score(elo, players) == pytest.approx(1 / (1 + 10 ** (-elo / 400)), abs=1e-12)
    assert score(400) == pytest.approx(10 / 11, abs=1e-12)


@pytest.mark.parametrize(("players", "m"), [(3, 1), (5, 2)])
def test_score_at_odd_tables_is_the_mean_of_the_two_games(players: int, m: int) -> None:
    for elo in (-200.0, 0.0, 35.0):
        e = 10 ** (elo / 400)
        games = ((m + 1) * e / ((m + 1) * e + m), m * e / (m * e + m + 1))
        assert score(elo, players) == pytest.approx(sum(games) / 2, abs=1e-12)


@given(st.floats(-2000, 2000), st.integers(2, 6))
def test_difference_is_the_inverse_of_score(elo: float, players: int) -> None:
    assert difference(score(elo, players), players) == pytest.approx(elo, abs=1e-3)
    assert difference(1 - score(elo, players), players) == pytest.approx(-elo, abs=1e-3)


def test_difference_has_no_end_where_one_side_won_everything() -> None:
    assert (difference(0, 3), difference(0.5, 3), difference(1, 3)) == (-inf, 0, inf)


def test_table_of_one_is_refused() -> None:
    with pytest.raises(StatsError, match="players: expected a number from 2 to 1000, got 1"):
        score(0, 1)


# --- the test


def test_first_capitals_are_the_published_ones() -> None:
    sprt = BettingSprt(0.5, score(50))
    capitals = []
    for y in (1, 0.5, 0.5, 0.75, 1):
        assert sprt.update(y) == sprt.state == "continue"
        capitals.append((sprt.ln_e_plus, sprt.ln_e_minus))
    expected = [
        (0.318961679, -0.388610083),
        (0.318961679, -0.342008690),
        (0.318961679, -0.291009686),
        (0.500556354, -0.444401933),
        (0.852738885, -0.893551244),
    ]
    assert np.array(capitals) == pytest.approx(np.array(expected), abs=1e-9)


def test_winning_passes_and_losing_fails_and_the_state_stays() -> None:
    assert fed(BettingSprt(0.5, 0.57), [1] * 40).state == "pass"
    failed = fed(BettingSprt(0.5, 0.57), [0] * 40)
    assert failed.state == "fail"
    assert fed(failed, [1] * 400).state == "fail"


def test_state_changes_when_the_capital_is_one_over_the_level() -> None:
    sprt = BettingSprt(0.5, 0.57, alpha=0.01, beta=0.2)
    while sprt.update(1) == "continue":
        assert sprt.ln_e_plus < log(100)
    assert sprt.ln_e_plus >= log(100)
    sprt = BettingSprt(0.5, 0.57, alpha=0.01, beta=0.2)
    while sprt.update(0) == "continue":
        assert sprt.ln_e_minus < log(5)
    assert sprt.ln_e_minus >= log(5)


def test_p_value_is_one_over_the_greatest_capital() -> None:
    sprt = BettingSprt(0.5, 0.57)
    assert sprt.p_value == 1
    fed(sprt, [0, 1, 1, 1])
    greatest = sprt.ln_e_plus
    assert sprt.p_value == pytest.approx(exp(-greatest))
    fed(sprt, [0, 0])
    assert sprt.p_value == pytest.approx(exp(-greatest))


@given(st.lists(st.floats(0, 1), max_size=60), st.floats(0.01, 0.98), st.floats(0.001, 0.9))
def test_nobody_can_be_ruined(scores: list[float], s0: float, gap: float) -> None:
    sprt = fed(BettingSprt(s0, min(s0 + gap, 0.995)), scores)
    assert np.isfinite([sprt.ln_e_plus, sprt.ln_e_minus]).all()
    assert 0 <= sprt.p_value <= 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0.6, 0.5), "s1: expected a number between 0.6 and 1, got 0.5"),
        ((0.5, 0.5), r"s[01]: expected a number between 0"),
        ((0.0, 0.5), r"s[01]: expected a number between 0"),
        ((0.5, 1.0), r"s[01]: expected a number between 0"),
        ((0.5, 0.6, 0.0), "alpha: expected a number between 0 and 1, got 0.0"),
        ((0.5, 0.6, 0.05, 1.0), "beta: expected a number between 0 and 1, got 1.0"),
    ],
)
def test_wrong_bounds_and_levels_are_refused(arguments: tuple[float, ...], message: str) -> None:
    with pytest.raises(StatsError, match=message):
        BettingSprt(*arguments)


@pytest.mark.parametrize("y", [-0.1, 1.1, float("nan")])
def test_score_out_of_range_is_refused(y: float) -> None:
    with pytest.raises(StatsError, match="score: expected a number from 0 to 1"):
        BettingSprt(0.5, 0.6).update(y)


# --- the order


def test_blocks_come_out_whole_and_in_order() -> None:
    prefix: Prefix[str] = Prefix()
    assert prefix.add(1, 0, "1a") == []
    assert prefix.add(0, 1, "0b") == []
    assert prefix.add(1, 1, "1b") == []
    assert prefix.add(0, 0, "0a") == [["0a", "0b"], ["1a", "1b"]]


@given(st.permutations([(block, rotation) for block in range(6) for rotation in range(2)]))
def test_whatever_order_the_games_come_in_the_blocks_are_the_same(order: list[tuple[int, int]]) -> None:
    prefix: Prefix[tuple[int, int]] = Prefix()
    blocks = [block for game in order for block in prefix.add(*game, game)]
    assert blocks == [[(block, rotation) for rotation in range(2)] for block in range(6)]


# --- the interval


def test_interval_narrows_and_holds_the_mean() -> None:
    rng, interval, widths = Random(3), ConfidenceSequence(), []
    for _ in range(500):
        interval.update(rng.choice([0, 0.5, 0.5, 1]))
        widths.append(interval.high - interval.low)
    assert widths == sorted(widths, reverse=True)
    assert interval.low < 0.5 < interval.high
    assert widths[-1] < 0.12


def test_interval_of_nothing_is_everything() -> None:
    interval = ConfidenceSequence()
    assert (interval.low, interval.high) == (0, 1)


def test_interval_moves_to_the_side_that_wins_everything() -> None:
    interval = ConfidenceSequence()
    for _ in range(50):
        interval.update(1)
    assert (interval.low > 0.75, interval.high) == (True, 1)


@pytest.mark.slow
@pytest.mark.parametrize("mean", [0.5, 0.57])
def test_interval_holds_the_mean_at_every_moment_at_once(mean: float) -> None:
    """Of 200 runs at most the level, and 2 standard deviations, may ever lose it."""
    rng, lost = np.random.default_rng(11), 0
    for _ in range(200):
        interval = ConfidenceSequence()
        for y in rng.binomial(2, mean, 250) / 2:
            interval.update(y)
            if not interval.low <= mean <= interval.high:
                lost += 1
                break
    assert lost / 200 <= 0.05 + 2 * (0.05 * 0.95 / 200) ** 0.5
