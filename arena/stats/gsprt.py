"""The log-likelihood ratio and normalized Elo that testers of chess engines know, exact (Van den Bergh).

For information: a test that stops by them does not hold its error levels as `BettingSprt` does.
"""

from collections.abc import Iterable
from math import sqrt
from typing import Literal

import numpy as np
from scipy.optimize import brentq

from arena.errors import StatsError
from arena.stats.figures import expected, number
from arena.stats.luce import Floats
from arena.stats.ratings import ELO_PER_NAT
from arena.stats.sequential import score

NELO = 2 * ELO_PER_NAT
"""Normalized Elo of one standard deviation of a game."""

MOST = 1e15
"""Counts above are no numbers of games."""

EMPTY = 1e-3
"""Games put into an outcome that did not happen."""


def llr(
    counts: Iterable[float],
    elo0: float,
    elo1: float,
    model: Literal["logistic", "normalized"] = "logistic",
) -> float:
    """Log-likelihood ratio of "the difference is elo1" over "it is elo0", in nats.

    counts: games lost, drawn, won, or pairs of games by their points, 0, 1/2, … 2; the Elo are a player's
    over another's in games of two, or normalized Elo. Raises StatsError for other counts, and for bounds
    that no result could have.
    """
    shares, points, total = _distribution(counts)
    number("elo0", elo0)
    number("elo1", elo1)
    if model == "logistic":
        likeliest = [_tilt(shares, points - score(elo)) for elo in (elo0, elo1)]
    elif model == "normalized":
        likeliest = [_tilt_normalized(shares, points, _sigmas(elo, shares)) for elo in (elo0, elo1)]
    else:
        raise StatsError(f"expected model logistic or normalized, got {model!r}")
    return float(total * (shares @ np.log(likeliest[1] / likeliest[0])))


def nelo(counts: Iterable[float]) -> float:
    """Normalized Elo: the mean score's distance from 1/2, counted in standard deviations of a game.

    counts: as in `llr`; like there an outcome that did not happen counts as EMPTY games.
    """
    shares, points, _ = _distribution(counts)
    mean, sigma = _moments(shares, points)
    return (mean - 0.5) / (sigma * _root(shares)) * NELO


def _distribution(counts: Iterable[float]) -> tuple[Floats, Floats, float]:
    """Shares of the outcomes, their points from 0 to 1, and the number of games or pairs."""
    with expected("3 counts of games or 5 of pairs"):
        found = [number("counts", count, 0, MOST) for count in counts]
    if len(found) not in (3, 5):
        raise StatsError(f"expected 3 counts of games or 5 of pairs, got {len(found)}")
    filled = np.maximum(np.array(found), EMPTY)
    return filled / filled.sum(), np.linspace(0, 1, len(found)), float(filled.sum())


def _root(shares: Floats) -> float:
    """Standard deviations of a game in one of what is counted."""
    return sqrt(2) if len(shares) == 5 else 1.0


def _sigmas(elo: float, shares: Floats) -> float:
    return elo / NELO * _root(shares)


def _moments(shares: Floats, points: Floats) -> tuple[float, float]:
    mean = float(shares @ points)
    return mean, sqrt(float(shares @ (points - mean) ** 2))


def _tilt(shares: Floats, distance: Floats) -> Floats:
    """The likeliest distribution under which the mean distance is 0, given the observed shares."""
    low, high = float(distance.min()), float(distance.max())
    if low >= 0 or high <= 0:
        raise StatsError("expected bounds that a result can have, got larger ones")
    edge = 1e-12 * (1 / high - 1 / low)
    root = brentq(
        lambda theta: float((shares * distance / (1 + theta * distance)).sum()),
        -1 / high + edge,
        -1 / low - edge,
        xtol=1e-15,
    )
    return np.asarray(shares / (1 + root * distance), np.float64)


def _tilt_normalized(shares: Floats, points: Floats, sigmas: float) -> Floats:
    """The same, with a mean so many standard deviations above 1/2: linear in the last guess's moments."""
    guess = np.full(len(points), 1 / len(points))
    for _ in range(100):
        mean, sigma = _moments(guess, points)
        linear = points - 0.5 - sigmas * sigma * (1 + ((points - mean) / sigma) ** 2) / 2
        last, guess = guess, _tilt(shares, linear)
        if np.abs(guess - last).max() < 1e-12:
            break
    return guess
