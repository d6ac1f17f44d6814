"""The win matrix: counts and shares by hand, and a test that finds cycles and leaves other pools alone."""

from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from test_ratings import name, simulate

from arena.stats import rate, win_matrix


def test_wins_are_those_at_tables_of_both() -> None:
    lineups, winners, blocks = simulate(np.random.default_rng(1), [-0.5, 0, 0, 0.2, 0.4], 50)
    matrix = win_matrix(lineups, winners, blocks, samples=1)
    won = Counter(
        (lineup[winner], other)
        for lineup, winner in zip(lineups, winners, strict=True)
        for other in lineup
        if other != lineup[winner]
    )
    bots = matrix.bots
    assert bots == rate(lineups, winners, blocks).ranking
    assert matrix.wins == [[won[i, j] for j in bots] for i in bots]


def test_expected_wins_are_the_shares_by_strength_of_the_games_that_either_won() -> None:
    lineups, winners, _ = simulate(np.random.default_rng(2), [-0.5, 0, 0, 0.2, 0.4], 20)
    ratings, matrix = rate(lineups, winners), win_matrix(lineups, winners, samples=1)
    variance = np.zeros((5, 5))
    expected = np.zeros((5, 5))
    for lineup, winner in zip(lineups, winners, strict=True):
        for i, bot in enumerate(matrix.bots):
            for j, other in enumerate(matrix.bots):
                if i != j and {bot, other} <= set(lineup) and lineup[winner] in (bot, other):
                    gap = ratings.elo[bot] - ratings.elo[other]
                    gap += ratings.seats[lineup.index(bot)] - ratings.seats[lineup.index(other)]
                    share = 1 / (1 + 10 ** (-gap / 400))
                    expected[i, j] += share
                    variance[i, j] += share * (1 - share)
    assert np.array(matrix.expected) == pytest.approx(expected)
    z = [[matrix.residuals[i][j] for j in range(5)] for i in range(5)]
    raw: list[float] = []
    scaled: list[Any] = []
    for i, j in combinations(range(5), 2):
        assert z[i][j] == pytest.approx(-z[j][i])  # type: ignore[operator]
        raw.append((matrix.wins[i][j] - expected[i, j]) / variance[i, j] ** 0.5)
        scaled.append(z[i][j])
    assert np.array(scaled) / np.array(raw) == pytest.approx(np.full(10, scaled[0] / raw[0]))
    assert matrix.x2 == pytest.approx(sum((z[i][j] or 0) ** 2 for i, j in combinations(range(5), 2)))
    assert [z[i][i] for i in range(5)] == [None] * 5


def test_copies_count_as_one_bot() -> None:
    matrix = win_matrix([("a", "b", "b"), ("b", "a", "b"), ("b", "b", "a")] * 20, [0, 1, 0] * 20, samples=1)
    assert matrix.bots == ["a", "b"]
    assert matrix.wins == [[0, 40], [20, 0]]
    assert sum(matrix.expected[0]) + sum(matrix.expected[1]) == pytest.approx(60)


def test_a_cycle_is_found_where_ratings_see_equals() -> None:
    rng = np.random.default_rng(3)
    beats = {("rock", "scissors"), ("scissors", "paper"), ("paper", "rock")}
    lineups, winners = [], []
    for pair in [*beats] * 100:
        for lineup in (pair, pair[::-1]):
            lineups.append(lineup)
            winners.append(int((lineup in beats) == (rng.random() > 0.62)))
    matrix = win_matrix(lineups, winners, samples=99)
    assert matrix.p_value == 0.01
    place = {bot: i for i, bot in enumerate(matrix.bots)}
    for winner, loser in beats:
        z = matrix.residuals[place[winner]][place[loser]]
        assert z is not None
        assert z > 2
    elo = rate(lineups, winners).elo
    assert max(elo.values()) - min(elo.values()) < 60


def test_a_block_of_equal_games_is_no_cycle() -> None:
    """Everything six times over in one block: as many independent games as without."""
    lineups, winners, _ = simulate(np.random.default_rng(4), [-0.4, 0, 0, 0.1, 0.3], 10)
    blocks = list(range(40))
    once = win_matrix(lineups, winners, blocks, samples=1)
    repeated = win_matrix(lineups * 6, winners * 6, blocks * 6, samples=1)
    naive = win_matrix(lineups * 6, winners * 6, samples=1)
    assert repeated.x2 == pytest.approx(once.x2, rel=0.1)
    assert naive.x2 > 4 * once.x2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("strengths", "deal"),
    [
        ([-0.8, -0.4, 0, 0.2, 0.4, 0.6], 1.0),
        ([-3, -0.5, 0, 0.2, 0.5], 0.0),
        ([-30, -0.5, 0, 0.2, 0.5, 0.6], 1.0),
        ([-0.5, -0.2, 0, 0.2, 0.5, 30], 0.0),
    ],
)
def test_pools_that_ratings_explain_seldom_look_like_cycles(strengths: list[float], deal: float) -> None:
    rng = np.random.default_rng(5)
    games = [simulate(rng, strengths, 60, deal=deal) for _ in range(60)]
    p_values = [win_matrix(*pool, samples=39, seed=i).p_value for i, pool in enumerate(games)]
    assert None not in p_values
    assert sum(p is not None and p <= 0.05 for p in p_values) <= 8  # of 60 at 5 %, in 99 % of the cases


@pytest.mark.parametrize(
    "strengths",
    [
        [-30, -0.5, 0.3, 1],  # one company: its ratings explain any share of wins
        [-0.5, 0, 0.3, 1],
        [-0.5, 0, 1, 30],
        [-0.5, 0, 0.3, 0.5, 30],  # where the last one plays it wins, and without it there is one table
        [-90, -60, -30, 0, 30, 60],  # who wins is certain: nobody is in the company of another
    ],
)
@pytest.mark.parametrize("blocks", [10, 60])
def test_what_ratings_explain_whatever_happens_is_not_tested(strengths: list[float], blocks: int) -> None:
    rng = np.random.default_rng(8)
    for _ in range(25):
        assert win_matrix(*simulate(rng, strengths, blocks), samples=9).p_value is None


def test_only_what_lies_in_a_circle_is_tested_in_duels() -> None:
    """Duels of pairs in a row can be explained by gaps between ratings; one more closes the circle."""
    row = [("a", "b"), ("b", "c"), ("c", "d")]
    assert win_matrix(row * 20, [0] * 30 + [1] * 30, samples=9).p_value is None
    assert win_matrix([*row, ("d", "a")] * 20, [0] * 40 + [1] * 40, samples=9).p_value is not None


def test_how_often_a_bot_that_never_wins_should_have_won_is_not_asked() -> None:
    matrix = win_matrix(*simulate(np.random.default_rng(9), [-30, -0.4, 0, 0.2, 0.4, 0.6], 40), samples=9)
    assert matrix.bots[-1] == name(0)
    assert [row[-1] for row in matrix.residuals] == matrix.residuals[-1] == [None] * 6
    assert all(matrix.residuals[i][j] is not None for i in range(5) for j in range(5) if i != j)
    assert matrix.p_value is not None


def test_same_seed_same_test() -> None:
    games = simulate(np.random.default_rng(6), [-0.5, 0, 0, 0.5], 20)
    assert win_matrix(*games, samples=30, seed=1) == win_matrix(*games, samples=30, seed=1)
    order = np.random.default_rng(7).permutation(80)
    shuffled = ([part[i] for i in order] for part in games)
    assert win_matrix(*shuffled, samples=30, seed=1) == win_matrix(*games, samples=30, seed=1)


def test_blocks_whose_games_cancel_out_are_no_cycle() -> None:
    matrix = win_matrix([("a", "b"), ("b", "a")] * 3, [0, 0] * 3, [0, 0, 1, 1, 2, 2], samples=9)
    assert matrix.wins == [[0, 3], [3, 0]]
    assert matrix.x2 == pytest.approx(0)
    assert matrix.residuals[0][1] == pytest.approx(0)


def test_without_finished_games_nothing_is_known() -> None:
    matrix = win_matrix([("a", "b")] * 5, [None] * 5)
    assert (matrix.wins, matrix.residuals, matrix.p_value) == ([[0, 0], [0, 0]], [[None] * 2] * 2, None)
    assert win_matrix([], []).bots == []
    alone = win_matrix([(name(0), name(0))] * 5, [0] * 5, samples=3)
    assert (alone.wins, alone.x2) == ([[0]], 0)
