"""Ratings: checked against closed forms, a slow likelihood written anew, and simulated games."""

import math
import random
from collections.abc import Sequence
from itertools import chain, product

import choix
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import approx_fprime, brentq
from scipy.special import logit
from scipy.stats import binomtest, norm, t

from arena import stats
from arena.errors import ArenaError, StatsError
from arena.stats import Ratings, rate, wilson
from arena.stats.exact import Record

ELO_PER_NAT = 400 / math.log(10)
TURN_EFFECTS = np.array([0.2, 0.1, -0.1, -0.2])

Games = tuple[list[tuple[str, ...]], list[int], list[int]]  # line-ups, winners, blocks


def simulate(
    rng: np.random.Generator,
    strengths: Sequence[float],
    blocks: int,
    *,
    deal: float = 0.0,
) -> Games:
    """Blocks of four-handed games: a random line-up in all rotations, winners by the Luce model.

    deal: standard deviation, in nats, of what a block does to each of its bots.
    """
    theta, seats = np.asarray(strengths), len(TURN_EFFECTS)
    bots = rng.random((blocks, len(theta))).argsort(axis=1)[:, :seats]
    luck = rng.normal(0, deal, bots.shape)
    lineups, winners = [], []
    for shift in range(seats):
        seated = np.roll(bots, shift, axis=1)
        utility = theta[seated] + np.roll(luck, shift, axis=1) + TURN_EFFECTS
        winners.append((utility + rng.gumbel(size=utility.shape)).argmax(axis=1))
        lineups.append(seated)
    names = [name(bot) for bot in range(len(theta))]
    return (
        [tuple(names[bot] for bot in row) for row in np.concatenate(lineups).tolist()],
        np.concatenate(winners).tolist(),
        np.tile(np.arange(blocks), seats).tolist(),
    )


def name(bot: int) -> str:
    return f"bot-{bot:02d}"


def log_likelihood(
    coefficients: NDArray[np.float64],
    bots: Sequence[str],
    lineups: Sequence[Sequence[str]],
    winners: Sequence[int],
) -> float:
    theta, gamma = dict(zip(bots, coefficients, strict=False)), coefficients[len(bots) :]
    result = 0.0
    for lineup, winner in zip(lineups, winners, strict=True):
        weights = [math.exp(theta[bot] + effect) for bot, effect in zip(lineup, gamma, strict=True)]
        result += math.log(weights[winner] / sum(weights))
    return result


def log_posterior(
    coefficients: NDArray[np.float64],
    bots: Sequence[str],
    lineups: Sequence[Sequence[str]],
    winners: Sequence[int],
    prior: float,
) -> float:
    result = log_likelihood(coefficients, bots, lineups, winners)
    for theta in coefficients[: len(bots)]:
        result -= prior / 2 * (math.log1p(math.exp(-theta)) + math.log1p(math.exp(theta)))
    gamma = coefficients[len(bots) :]
    return result - 0.01 / 2 * float(gamma @ gamma)


def coefficients_of(ratings: Ratings) -> NDArray[np.float64]:
    """Theta, gamma in nats; the level of theta, which Elo leaves open, is where the prior balances."""
    theta = np.array([ratings.elo[bot] for bot in sorted(ratings.elo)]) / ELO_PER_NAT
    level = brentq(lambda x: float(np.tanh((theta + x) / 2).sum()), -100, 100)
    return np.concatenate([theta + level, np.array(ratings.seats) / ELO_PER_NAT])


def coverage(strengths: Sequence[float], blocks: int, deal: float, repeats: int) -> tuple[float, float]:
    """Share of 95 % intervals that hold the Elo of very many games: of the bots of the mean, and of all."""
    rng = np.random.default_rng(11)
    truth = rate(*simulate(rng, strengths, 30_000, deal=deal)).elo
    of_the_mean: list[bool] = []
    others: list[bool] = []
    for _ in range(repeats):
        ratings = rate(*simulate(rng, strengths, blocks, deal=deal))
        shift = 1500 - float(np.mean([truth[bot] for bot in ratings.reference]))
        for bot, (low, high) in ratings.intervals.items():
            assert (low, high) != (None, None)
            hit = (low or -math.inf) <= truth[bot] + shift <= (high or math.inf)
            (of_the_mean if bot in ratings.reference else others).append(hit)
    return float(np.mean(of_the_mean)), float(np.mean(of_the_mean + others))


def assert_sound(ratings: Ratings) -> None:
    """Every number is finite or None, every bot is in one group."""
    assert_sound_numbers(ratings)
    for i in ratings.elo:
        for j in ratings.elo:
            los = ratings.los(i, j)
            assert los is None or 0 <= los <= 1


def assert_sound_numbers(ratings: Ratings) -> None:
    assert all(math.isfinite(elo) for elo in [*ratings.elo.values(), *ratings.seats])
    errors = [*ratings.error.values(), *ratings.seat_errors]
    ends = [end for interval in ratings.intervals.values() for end in interval if end is not None]
    assert all(math.isfinite(end) for end in ends)
    assert all(None in ratings.intervals[bot] and ratings.error[bot] in (None, 0) for bot in ratings.bounds)
    assert all(error is None or (math.isfinite(error) and error > 0) for error in errors)
    assert sorted(ratings.elo) == sorted(ratings.ranking) == sorted(chain(*ratings.groups))


def test_public_names_are_sorted_and_exist() -> None:
    assert stats.__all__ == sorted(stats.__all__)
    assert all(hasattr(stats, exported) for exported in stats.__all__)


# --- the estimate


@pytest.mark.parametrize("prior", [0, 1e-9, 1e-6])
def test_two_bots_without_a_prior_give_the_elo_formula(prior: float) -> None:
    lineups, winners = [("a", "b")] * 4 + [("b", "a")] * 4, [0, 0, 0, 1, 1, 1, 1, 0]  # a wins 75 %
    ratings = rate(lineups * 25, winners * 25, prior=prior)
    assert ratings.elo["a"] - ratings.elo["b"] == pytest.approx(190.8485, abs=1e-3)
    assert ratings.ranking == ["a", "b"]


def test_two_bots_error_is_the_binomial_one() -> None:
    games, share = 400, 0.75
    ratings = rate([("a", "b")] * games, [0, 0, 0, 1] * 100, prior=0, seat_effects=False)
    gap_error = (games * share * (1 - share)) ** -0.5
    factors = t.ppf(0.975, games - 2) * math.sqrt(games / (games - 2) * games / (games - 1))
    expected = ELO_PER_NAT / 2 * gap_error * factors
    assert ratings.error["a"] == pytest.approx(expected, rel=1e-4)
    assert ratings.error["b"] == pytest.approx(expected, rel=1e-4)


def test_gradient_of_the_posterior_vanishes_at_the_estimate() -> None:
    lineups, winners, _ = simulate(np.random.default_rng(1), [-1, -0.5, 0, 0.5, 1], 10)
    lineups.append((name(0), name(0), name(1), name(0)))
    outcomes = [*winners, 2]
    ratings = rate(lineups, outcomes, prior=2.0)
    arguments = (sorted(ratings.elo), lineups, outcomes, 2.0)
    gradient = approx_fprime(coefficients_of(ratings), log_posterior, 1e-6, *arguments)
    assert gradient == pytest.approx(np.zeros(9), abs=1e-4)


def test_strengths_and_seat_effects_are_recovered() -> None:
    strengths = [-1.0, -0.6, -0.2, 0.2, 0.6, 1.0]
    ratings = rate(*simulate(np.random.default_rng(2), strengths, 10_000))
    expected = [1500 + ELO_PER_NAT * strength for strength in strengths]
    assert [ratings.elo[name(bot)] for bot in range(6)] == pytest.approx(expected, abs=8)
    assert ratings.seats == pytest.approx(ELO_PER_NAT * TURN_EFFECTS, abs=6)
    assert ratings.ranking == [name(bot) for bot in reversed(range(6))]
    assert sum(ratings.elo.values()) / 6 == pytest.approx(1500)
    assert sum(ratings.seats) == pytest.approx(0, abs=1e-9)


def test_more_draws_in_the_prior_pull_together() -> None:
    lineups, winners = [("a", "b"), ("b", "a")] * 10, [0, 1, 0, 0] * 5
    gaps = [rate(lineups, winners, prior=prior).elo["a"] for prior in (0.1, 1, 10, 1000)]
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[-1] == pytest.approx(1500, abs=5)


def test_order_of_the_games_leaves_no_trace() -> None:
    games = list(zip(*simulate(np.random.default_rng(3), [-1, -0.5, 0, 0, 0, 0.5, 1], 60), strict=True))
    lineups, winners, blocks = zip(*games, strict=True)
    random.Random(3).shuffle(games)
    shuffled = zip(*games, strict=True)
    first, second = rate(lineups, winners, blocks), rate(*shuffled)
    assert first == second  # to the last bit
    assert first.los(name(1), name(2)) == second.los(name(1), name(2))
    assert rate(lineups, winners) == rate(*list(zip(*games, strict=True))[:2])


def test_without_seat_effects_seats_are_level() -> None:
    lineups, winners, blocks = simulate(np.random.default_rng(4), [-0.5, 0, 0, 0.5], 100)
    ratings = rate(lineups, winners, blocks, seat_effects=False)
    assert ratings.seats == [0.0] * 4
    assert ratings.seat_errors == [None] * 4
    assert None not in ratings.error.values()


def test_three_thousand_bots_at_tables_of_six() -> None:
    rng = np.random.default_rng(5)
    bots = [name(bot) for bot in range(3000)]
    lineups = [tuple(rng.choice(bots, 6, replace=False).tolist()) for _ in range(20)] * 2
    ratings = rate(lineups, [0, 1] * 20)  # 3000 ** 6 does not fit 64 bits
    assert_sound_numbers(ratings)
    assert ratings == rate(lineups[::-1], [1, 0] * 20)


@pytest.mark.parametrize("blocks", [30, 100])
def test_tables_of_four_agree_with_choix(blocks: int) -> None:
    lineups, winners, _ = simulate(np.random.default_rng(15), [-1, -0.4, 0, 0.1, 0.5, 0.9], blocks)
    number = {name(bot): bot for bot in range(6)}
    choices = [
        (number[lineup[winner]], tuple(number[bot] for bot in lineup if bot != lineup[winner]))
        for lineup, winner in zip(lineups, winners, strict=True)
    ]
    theta = choix.opt_top1(6, choices, alpha=1e-9)
    ratings = rate(lineups, winners, prior=1e-9, seat_effects=False)
    expected = 1500 + ELO_PER_NAT * (theta - theta.mean())
    assert [ratings.elo[name(bot)] for bot in range(6)] == pytest.approx(expected, abs=0.1)


def test_games_of_two_agree_with_choix() -> None:
    rng = np.random.default_rng(16)
    pairs = [tuple(rng.choice(8, 2, replace=False).tolist()) for _ in range(1000)]
    won = [rng.random() < 1 / (1 + math.exp((b - a) / 4)) for a, b in pairs]
    data = [(a, b) if is_first else (b, a) for (a, b), is_first in zip(pairs, won, strict=True)]
    theta = choix.opt_pairwise(8, data, alpha=1e-9)
    ratings = rate(
        [(name(a), name(b)) for a, b in pairs],
        [0 if is_first else 1 for is_first in won],
        prior=1e-9,
        seat_effects=False,
    )
    expected = 1500 + ELO_PER_NAT * (theta - theta.mean())
    assert [ratings.elo[name(bot)] for bot in range(8)] == pytest.approx(expected, abs=0.1)


# --- copies


def test_copies_share_the_wins_of_their_bot() -> None:
    # One "a" against three "b": a wins half, so its weight is that of three b.
    lineups = [tuple("abbb"), tuple("babb"), tuple("bbab"), tuple("bbba")]
    ratings = rate(lineups * 50, [0, 0, 2, 2] * 50, prior=1e-6, seat_effects=False)
    assert ratings.elo["a"] - ratings.elo["b"] == pytest.approx(ELO_PER_NAT * math.log(3), abs=1e-3)
    assert ratings.bounds == {}


def test_games_among_copies_alone_rate_seats_but_no_bot() -> None:
    ratings = rate([("a", "a")] * 400, [0, 0, 0, 1] * 100)
    assert ratings.elo == {"a": 1500.0}
    assert ratings.error == {"a": None}
    assert ratings.seats[0] - ratings.seats[1] == pytest.approx(400 * math.log10(3), abs=0.1)
    assert ratings.seat_errors[0] == pytest.approx(20, abs=1)
    assert ratings.bounds == {}


def test_a_copies_only_line_up_tells_nothing_about_its_bot() -> None:
    ratings = rate([("a", "b"), ("b", "a"), ("c", "c")] * 100, [0, 0, 1, 1, 1, 0] * 50)
    assert ratings.error["c"] is None
    assert ratings.error["a"] is not None
    assert ratings.los("a", "c") is None
    assert "c" not in ratings.bounds


# --- anchor


def test_named_anchor_shifts_the_scale_and_has_no_error_itself() -> None:
    games = simulate(np.random.default_rng(6), [-1, -0.5, 0, 0.5, 1], 100)
    free, fixed = rate(*games), rate(*games, anchor=(name(1), 1200.0))
    shift = 1200 - free.elo[name(1)]
    assert fixed.elo == pytest.approx({bot: elo + shift for bot, elo in free.elo.items()})
    assert fixed.error[name(1)] == 0.0
    assert rate(*games, anchor=name(1)).elo[name(1)] == 1500.0
    assert fixed.los(name(3), name(2)) == pytest.approx(free.los(name(3), name(2)))


def test_error_against_an_anchor_is_that_of_the_difference() -> None:
    games = simulate(np.random.default_rng(6), [-0.3, 0, 0, 0.3], 200)
    against = {bot: rate(*games, anchor=bot).error for bot in map(name, range(4))}
    assert against[name(0)][name(3)] == pytest.approx(against[name(3)][name(0)])
    mean = rate(*games).error[name(0)]
    other = against[name(3)][name(0)]
    assert mean is not None
    assert other is not None
    assert mean < other


def test_los_is_the_normal_tail_of_the_difference() -> None:
    games = simulate(np.random.default_rng(7), [-0.1, 0, 0, 0.1], 400)
    ratings = rate(*games, anchor=name(0))
    error, los = ratings.error[name(3)], ratings.los(name(3), name(0))
    assert error is not None
    assert los is not None
    gap = ratings.elo[name(3)] - ratings.elo[name(0)]
    parameters, blocks = 6, 400
    df = blocks - parameters - 1
    standard_error = error / (t.ppf(0.975, df) * math.sqrt(blocks / df))
    assert los == pytest.approx(norm.cdf(gap / standard_error))
    assert ratings.los(name(0), name(3)) == pytest.approx(1 - los)
    assert ratings.los(name(0), name(0)) is None


# --- errors


def test_sandwich_is_that_of_a_slow_likelihood() -> None:
    lineups, winners, blocks = simulate(np.random.default_rng(8), [-0.4, 0, 0.1, 0.3], 30, deal=1.0)
    ratings = rate(lineups, winners, blocks, anchor=name(0))
    bots = sorted(ratings.elo)
    beta = coefficients_of(ratings)

    def slope(x: NDArray[np.float64]) -> NDArray[np.float64]:
        return approx_fprime(x, log_posterior, 1e-5, bots, lineups, winners, 1.0)

    steps = 1e-2 * np.eye(len(beta))
    curvature = np.array([slope(beta - step) - slope(beta + step) for step in steps]) / 2e-2
    sums = np.zeros((30, 8))
    for lineup, winner, block in zip(lineups, winners, blocks, strict=True):
        sums[block] += approx_fprime(beta, log_likelihood, 1e-6, bots, [lineup], [winner])
    inverse = np.linalg.inv(curvature)
    covariance = inverse @ sums.T @ sums @ inverse * 30 / 29
    contrast = np.array([-1, 1, 0, 0, 0, 0, 0, 0])
    df = 30 - 4 - 4 + 1
    half = t.ppf(0.975, df) * math.sqrt(30 / df * (contrast @ covariance @ contrast))
    assert ratings.error[bots[1]] == pytest.approx(ELO_PER_NAT * half, rel=1e-3)


@pytest.mark.parametrize("deal", [0.0, 1.0])
def test_intervals_cover(deal: float) -> None:
    _, share = coverage([-0.7, -0.4, -0.1, 0.2, 0.4, 0.6], 60, deal, 100)
    assert 0.93 <= share <= 0.99


@pytest.mark.slow
@pytest.mark.parametrize("deal", [0.0, 1.0])
@pytest.mark.parametrize("blocks", [40, 300])
@pytest.mark.parametrize("bots", [4, 10])
def test_intervals_cover_in_many_pools(bots: int, blocks: int, deal: float) -> None:
    _, share = coverage(np.linspace(-0.8, 0.8, bots).tolist(), blocks, deal, 80)
    assert 0.93 <= share <= 0.99


@pytest.mark.slow
@pytest.mark.parametrize("deal", [0.0, 1.0])
@pytest.mark.parametrize("blocks", [40, 300])
@pytest.mark.parametrize("strengths", [[-5, -0.4, 0, 0.4, 0.5], [-3, -0.5, 0, 0.5, 3.5]])
def test_intervals_cover_beside_bots_that_hardly_ever_win_or_lose(
    strengths: list[float], blocks: int, deal: float
) -> None:
    of_the_mean, of_all = coverage(strengths, blocks, deal, 300)  # fewer scatter by more than 0.01
    assert 0.92 <= of_the_mean <= 0.99
    assert 0.93 <= of_all <= 0.995


def test_games_of_a_block_that_resemble_each_other_widen_the_errors() -> None:
    lineups, winners, blocks = simulate(np.random.default_rng(9), [0, 0, 0, 0, 0], 300, deal=2.0)
    clustered, single = rate(lineups, winners, blocks), rate(lineups, winners)
    assert clustered.elo == single.elo
    for bot, error in clustered.error.items():
        alone = single.error[bot]
        assert error is not None
        assert alone is not None
        assert error > 1.2 * alone


def test_blocks_may_have_any_sortable_ids() -> None:
    lineups, winners, blocks = simulate(np.random.default_rng(10), [0, 0, 0, 0.5], 40)
    numbered = rate(lineups, winners, blocks)
    assert rate(lineups, winners, [f"{block:02d}" for block in blocks]) == numbered
    assert rate(lineups, winners, [(block, "seed") for block in blocks]) == numbered


def test_too_few_blocks_give_no_errors() -> None:
    for blocks, is_known in ((1, False), (11, False), (12, True)):  # 6 coefficients are identified
        ratings = rate(*simulate(np.random.default_rng(12), [-0.3, 0, 0, 0.3], blocks))
        assert_sound(ratings)
        assert all((error is not None) is is_known for error in ratings.error.values())
        assert all((error is not None) is is_known for error in ratings.seat_errors)


def test_blocks_that_all_went_alike_give_no_errors() -> None:
    ratings = rate([("a", "b"), ("b", "a")] * 50, [0, 0] * 50, [i // 2 for i in range(100)])
    assert ratings.error == {"a": None, "b": None}
    assert ratings.los("a", "b") is None


def test_a_bot_that_always_starts_cannot_be_told_from_its_seat() -> None:
    ratings = rate([("a", "b")] * 100, [0, 0, 0, 1] * 25)
    assert ratings.error == {"a": None, "b": None}
    assert ratings.seat_errors == [None, None]
    assert ratings.los("a", "b") is None
    assert rate([("a", "b")] * 100, [0, 0, 0, 1] * 25, seat_effects=False).error["a"] is not None


# --- games that tell little


def test_unfinished_games_leave_no_trace() -> None:
    lineups, winners, blocks = simulate(np.random.default_rng(13), [-0.5, 0, 0, 0.5], 50)
    more = rate([*lineups, *lineups], [*winners, *[None] * 200], [*blocks, *range(1000, 1200)])
    assert more == rate(lineups, winners, blocks)


def test_winning_or_losing_everything_is_finite_and_flagged() -> None:
    lineups = [("a", "b", "c"), ("b", "c", "d"), ("c", "d", "a"), ("d", "a", "b")]
    ratings = rate(lineups * 20, [0, 0, 2, 1, 0, 1, 2, 1] * 10)
    assert ratings.bounds == {"a": ">", "d": "<"}
    assert ratings.ranking[0] == "a"
    assert ratings.ranking[-1] == "d"
    assert_sound(ratings)
    assert (ratings.error["a"], ratings.error["d"]) == (None, None)
    assert ratings.elo["b"] + ratings.elo["c"] == pytest.approx(3000)  # the others set the scale
    assert ratings.groups == [["a"], ["b", "c"], ["d"]]
    assert not ratings.connected
    assert ratings.los("a", "b") is None
    assert ratings.los("b", "c") is not None


@pytest.mark.parametrize("rare", [0, 1, 9])
@pytest.mark.parametrize("won", [True, False])
def test_few_wins_or_losses_of_one_probability_have_the_interval_of_clopper_and_pearson(
    rare: int, won: bool
) -> None:
    wins = rare if won else 200 - rare
    low, high = Record(rare, won, np.array([150.0, 50.0]), np.zeros(2)).ends()
    share = binomtest(wins, 200).proportion_ci(0.95, method="exact")
    assert (low, high) == pytest.approx((logit(share.low), logit(share.high)))


def test_few_wins_have_the_interval_that_reaches_further() -> None:
    winners = [0] * 3 + [1] * 197
    ratings = rate([("b", "a")] * 200, winners, seat_effects=False, anchor="a")
    share = binomtest(3, 200).proportion_ci(0.95, method="exact")
    low, high = ratings.intervals["b"]
    assert low == pytest.approx(1500 + ELO_PER_NAT * logit(share.low))
    assert low is not None
    assert high is not None
    assert high > 1500 + ELO_PER_NAT * logit(share.high)
    assert ratings.error["b"] == (high - low) / 2


def test_probability_of_few_wins_is_that_of_games_with_odds_of_their_own() -> None:
    chances = np.array([0.02, 0.1, 0.3, 0.3, 0.3, 0.9])
    record = Record(1, True, np.array([1.0, 1, 3, 1]), np.log(chances / (1 - chances))[[0, 1, 2, 5]])
    counts = np.zeros(7)
    for outcome in product((0, 1), repeat=6):
        counts[sum(outcome)] += np.prod(np.where(outcome, chances, 1 - chances))
    for count in range(6):
        assert record.at_most(count, 0) == pytest.approx(counts[: count + 1].sum())


def test_hopeless_bot_leaves_the_others_as_they_are() -> None:
    lineups, winners, blocks = simulate(np.random.default_rng(17), [-12, -0.3, 0, 0, 0.3], 200)
    ratings = rate(lineups, winners, blocks)
    assert ratings.bounds == {name(0): "<"}
    assert ratings.reference == [name(bot) for bot in range(1, 5)]
    assert sum(ratings.elo[bot] for bot in ratings.reference) / 4 == pytest.approx(1500)
    low, high = ratings.intervals[name(0)]
    assert low is None
    assert high is not None
    assert ratings.elo[name(0)] < high < 1100
    assert ratings.error[name(0)] is None
    errors = [ratings.error[bot] for bot in ratings.reference]
    assert all(error is not None and error < 35 for error in errors)


def test_games_with_a_champion_tell_nothing_about_how_weak_a_bot_is() -> None:
    lineups = [("b", "c", "d"), ("c", "d", "b"), ("d", "b", "c")] * 20
    winners = [0, 2, 1, 1, 0, 2] * 10  # b and c in turn
    champion = [("a", "b", "d"), ("b", "d", "a"), ("d", "a", "b")] * 20
    one, many = (
        rate(lineups + champion * n, winners + [0, 2, 1] * 20 * n, seat_effects=False, anchor="c")
        for n in (1, 9)
    )
    alone = rate(lineups, winners, seat_effects=False, anchor="c")
    assert one.bounds == many.bounds == {"a": ">", "d": "<"}
    assert one.intervals["d"][1] == pytest.approx(alone.intervals["d"][1], abs=5)
    assert many.intervals["d"][1] == pytest.approx(alone.intervals["d"][1], abs=5)
    assert rate([("a", "b", "d")] * 90, [0] * 90).intervals["d"] == (None, None)


def test_two_bots_of_which_one_always_wins_are_apart_at_least_so_far() -> None:
    ratings = rate([("a", "b")] * 100, [0] * 100, seat_effects=False)
    gap = 400 * math.log10((1 - 0.025**0.01) ** -1 - 1)
    (low, no_high), (no_low, high) = ratings.intervals["a"], ratings.intervals["b"]
    assert (low, high) == pytest.approx((1500 + gap / 2, 1500 - gap / 2))
    assert (no_low, no_high) == (None, None)


def test_groups_are_the_strongly_connected_components() -> None:
    lineups = [("a", "b"), ("b", "a"), ("c", "d"), ("d", "c")] * 30
    winners = [0, 0, 0, 0] * 20 + [0, 1, 0, 0] * 10
    apart = rate(lineups, winners)
    assert apart.groups == [["a", "b"], ["c", "d"]]
    assert apart.los("a", "c") is None
    one_way = rate([*lineups, ("c", "b")], [*winners, 0])
    assert one_way.groups == apart.groups
    joined = rate([*lineups, ("c", "b"), ("d", "a")], [*winners, 0, 1])
    assert joined.connected
    assert joined.los("a", "c") is not None


def test_errors_of_a_divided_pool_stay_within_a_group() -> None:
    lineups = [("a", "b"), ("b", "a"), ("c", "d"), ("d", "c")] * 50
    winners = [0, 1, 0, 1, 0, 0, 0, 0] * 25
    anchored = rate(lineups, winners, anchor="a")
    assert anchored.error["a"] == 0.0
    assert anchored.error["b"] is not None
    assert anchored.error["c"] is None
    free = rate(lineups, winners)
    assert not free.connected
    assert free.error["b"] == pytest.approx(anchored.error["b"] / 2)  # the mean of two bots


def test_equal_bots_are_ranked_by_name() -> None:
    ratings = rate([("c", "b", "a"), ("b", "a", "c"), ("a", "c", "b")] * 9, [0] * 27)
    assert ratings.ranking == ["a", "b", "c"]


@pytest.mark.parametrize("anchor", [None, "a"])
def test_nothing_but_unfinished_games(anchor: str | None) -> None:
    ratings = rate([("a", "b")] * 5, [None] * 5, anchor=anchor)
    assert ratings.elo == {"a": 1500.0, "b": 1500.0}
    assert ratings.error["b"] is None
    assert ratings.seats == [0.0, 0.0]
    assert ratings.groups == [["a"], ["b"]]
    assert ratings.bounds == {}


def test_no_games() -> None:
    ratings = rate([], [], [], anchor="a")
    assert (ratings.elo, ratings.error, ratings.bounds) == ({}, {}, {})
    assert (ratings.ranking, ratings.groups, ratings.seats, ratings.seat_errors) == ([], [], [], [])
    assert ratings.connected


def test_table_of_one() -> None:
    ratings = rate([("a",)] * 3, [0, 0, None])
    assert ratings.elo == {"a": 1500.0}
    assert ratings.seats == [0.0]
    assert_sound(ratings)


@st.composite
def tournaments(draw: st.DrawFn) -> tuple[list[list[str]], list[int | None], list[int] | None]:
    size = draw(st.integers(1, 4))
    games = draw(st.integers(0, 40))
    bots = st.sampled_from("abcdef"[: draw(st.integers(1, 6))])
    lineup = st.lists(bots, min_size=size, max_size=size)
    lineups = draw(st.lists(lineup, min_size=games, max_size=games))
    winner = st.none() | st.integers(0, size - 1)
    winners = draw(st.lists(winner, min_size=games, max_size=games))
    blocks = st.none() | st.lists(st.integers(0, 30), min_size=games, max_size=games)
    return lineups, winners, draw(blocks)


@given(tournaments(), st.sampled_from([0.0, 1e-9, 1.0, 1e6]), st.booleans())
@settings(deadline=None)
def test_any_tournament_gives_sound_ratings(
    tournament: tuple[list[list[str]], list[int | None], list[int] | None],
    prior: float,
    seat_effects: bool,
) -> None:
    assert_sound(rate(*tournament, prior=prior, seat_effects=seat_effects))


# --- refusals


def test_what_is_wrong_with_figures_is_one_kind_of_error() -> None:
    assert issubclass(StatsError, ArenaError)
    assert issubclass(StatsError, ValueError)
    with pytest.raises(ArenaError, match="expected 1 winners, one a line-up, got 2"):
        rate([("a", "b")], [0, 1])


def test_mixed_table_sizes_are_refused() -> None:
    with pytest.raises(StatsError, match="expected line-ups of one table size, got 3 and 4"):
        rate([("a", "b", "c", "d"), ("a", "b", "c")], [0, 0])


@pytest.mark.parametrize("winner", [2, -1])
def test_winner_outside_the_line_up_is_refused(winner: int) -> None:
    with pytest.raises(StatsError, match=f"expected a winner from 0 to 1 or None, got {winner}"):
        rate([("a", "b")], [winner])


def test_other_wrong_arguments_are_refused() -> None:
    lineups = [("a", "b"), ("b", "a")]
    with pytest.raises(StatsError, match="expected 2 winners, one a line-up, got 1"):
        rate(lineups, [0])
    with pytest.raises(StatsError, match="expected 2 blocks, one a line-up, got 3"):
        rate(lineups, [0, 1], [1, 2, 3])
    with pytest.raises(StatsError, match="expected an anchor among a, b, got 'c'"):
        rate(lineups, [0, 1], anchor="c")
    with pytest.raises(StatsError, match=r"prior: expected a number from 0 to 1e\+09, got -1"):
        rate(lineups, [0, 1], prior=-1)
    with pytest.raises(StatsError, match="at least one bot"):
        rate([(), ()], [None, None])


# --- Wilson


@pytest.mark.parametrize(("wins", "games"), [(0, 10), (1, 10), (5, 10), (10, 10), (431, 977)])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_wilson_is_that_of_scipy(wins: int, games: int, level: float) -> None:
    expected = binomtest(wins, games).proportion_ci(level, method="wilson")
    assert wilson(wins, games, level) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_wilson_known_values() -> None:
    assert wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)  # Newcombe 1998
    assert wilson(0, 20) == pytest.approx((0.0, 0.1611), abs=5e-5)
    assert wilson(29, 29) == pytest.approx((0.8830, 1.0), abs=5e-5)
    assert wilson(0, 0) == (0.0, 1.0)
