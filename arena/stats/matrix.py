"""Who beats whom: the wins between every two bots of a pool, held against what their ratings foretell.

In a game with both, i is ahead of j if it wins. By the Luce model the games that one of two bots wins fall to
them by their strengths alone, whoever else sits at the table (Luce's choice axiom, 1959). So of these games
each bot should have its share; a bot that beats another more often than that, and loses elsewhere, is part of
a cycle, which no list of ratings can show.

Ratings can always explain the games of one company of bots, and how far a bot that never won (or lost) is
from others is not known: the virtual draws of the prior alone keep it finite. Neither speaks against ratings.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import permutations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from arena.stats import games, luce
from arena.stats.figures import number

SAMPLES = 199
"""Pools invented for the test; the least p-value is 1 in one more."""


@dataclass(frozen=True)
class WinMatrix:
    """Wins of each bot (row) in games that it or another (column) won, both at the table."""

    bots: list[str]
    """Best first; rows and columns below stand in this order."""
    wins: list[list[int]]
    """[i][j]: games that i won with j at the table."""
    expected: list[list[float]]
    """How many of the wins[i][j] + wins[j][i] should have been i's, by the ratings."""
    residuals: list[list[float | None]]
    """(wins - expected) in standard errors; None between bots without wins in both directions."""
    x2: float
    """Sum of the squared residuals over all pairs."""
    p_value: float | None
    """How often the ratings alone would bring about an x2 at least as large; None where ratings could explain
    whatever happened: without games, or where no bots meet in more than one company."""


@dataclass(frozen=True)
class _Pairs:
    """Sums over the games with both of two bots, (N, N) each."""

    wins: luce.Floats
    expected: luce.Floats
    variance: luce.Floats

    @cached_property
    def group(self) -> NDArray[np.signedinteger]:
        """(N,): the number of the group in which a chain of wins leads from each bot to every other."""
        _, group = connected_components(self.wins > 0, directed=True, connection="strong")
        return group

    @cached_property
    def comparable(self) -> NDArray[np.bool_]:
        """Whether the ratings of two bots are told by games, not by the prior alone."""
        result: NDArray[np.bool_] = (self.group[:, None] == self.group) & (self.variance > 0)
        return result

    def x2(self) -> float:
        """Sum over the pairs of the squared residual in standard errors."""
        upper = np.triu(self.comparable, 1)
        excess = (self.wins - self.expected)[upper]
        return float(np.sum(excess**2 / self.variance[upper]))


def win_matrix(
    lineups: Iterable[Sequence[str]],
    winners: Iterable[int | None],
    blocks: Iterable[Hashable] | None = None,
    *,
    samples: int = SAMPLES,
    seed: int = 0,
) -> WinMatrix:
    """The win matrix of one pool and the test whether ratings are enough; arguments as of `rate`.

    The residuals of a pool depend on each other, so that x2 has no chi-squared distribution: it is compared
    with those of `samples` pools drawn from the fitted model and fitted again (a parametric bootstrap,
    Davison & Hinkley 1997, 4.2). Games of one block resemble each other: residuals are divided by the square
    root of how much more they scatter over blocks than over games (the design effect of Rao & Scott 1981).
    Raises StatsError as `rate` does.
    """
    samples = int(number("samples", samples, 1, 1e9))
    bots, tally = games.count(lineups, winners, blocks)
    prior, everything = luce.Prior(len(bots), 1.0), slice(None)
    beta = luce.mode(tally, prior, everything)
    pairs = _pairs(tally, beta)
    effect = _design_effect(tally, beta, pairs)
    x2 = pairs.x2() / effect
    is_told = _degrees_of_freedom(tally, pairs.group) > 0
    rng, p = np.random.default_rng(seed), luce.probabilities(tally, beta).T
    played = tally.wins.sum(axis=0).astype(np.intp)
    exceeding = 0
    for _ in range(samples if is_told else 0):
        drawn = replace(tally, wins=rng.multinomial(played, p).T.astype(np.float64))
        exceeding += _pairs(drawn, luce.mode(drawn, prior, everything, start=beta)).x2() >= x2
    order = sorted(range(len(bots)), key=lambda i: (-round(float(beta[i]), 6), bots[i]))
    best = np.ix_(order, order)
    wins, expected, variance = pairs.wins[best], pairs.expected[best], pairs.variance[best]
    known = pairs.comparable[best]
    residuals = np.full(wins.shape, None)
    residuals[known] = (wins - expected)[known] / np.sqrt(variance[known] * effect)
    return WinMatrix(
        bots=[bots[i] for i in order],
        wins=wins.astype(int).tolist(),
        expected=expected.tolist(),
        residuals=residuals.tolist(),
        x2=x2,
        p_value=(1 + exceeding) / (1 + samples) if is_told else None,
    )


def _by_bot(tally: luce.Tally, values: luce.Floats) -> luce.Floats:
    """Sum of the values (k, L) of all seats of the bot that sits in each."""
    same = tally.lineups[:, None] == tally.lineups
    result: luce.Floats = np.einsum("stl,tl->sl", same, values)
    return result


def _first(tally: luce.Tally) -> NDArray[np.bool_]:
    """(k, L): whether a seat is the first one of its bot in the line-up."""
    seats = tally.lineups
    return np.array([np.all(seats[:s] != seats[s], axis=0) for s in range(len(seats))])


def _pairs(tally: luce.Tally, beta: luce.Floats) -> _Pairs:
    bots, first = tally.bots, _first(tally)
    strength = _by_bot(tally, luce.probabilities(tally, beta))
    won = _by_bot(tally, tally.wins)
    wins, expected, variance = (np.zeros(bots * bots) for _ in range(3))
    for s, t in permutations(range(len(first)), 2):
        both = first[s] & first[t]
        pair = (tally.lineups[s] * bots + tally.lineups[t])[both]
        decided = (won[s] + won[t])[both]
        share = (strength[s] / (strength[s] + strength[t]))[both]
        wins += np.bincount(pair, won[s][both], bots * bots)
        expected += np.bincount(pair, decided * share, bots * bots)
        variance += np.bincount(pair, decided * share * (1 - share), bots * bots)
    shape = (bots, bots)
    return _Pairs(wins.reshape(shape), expected.reshape(shape), variance.reshape(shape))


def _degrees_of_freedom(tally: luce.Tally, group: NDArray[np.signedinteger]) -> int:
    """How much more the games can tell than ratings can explain: 0 where ratings fit whatever happens.

    A game tells its winner from the others of its group at the table, its company. Each company of m bots has
    m - 1 free shares of wins, each group of m bots m - 1 ratings.
    """
    winner, lineup = tally.outcomes
    companies = {
        frozenset(seated[group[seated] == group[seated[turn]]].tolist())
        for turn, seated in zip(winner, tally.lineups.T[lineup], strict=True)
    }
    ratings = len(group) - len(set(group.tolist()))
    return sum(len(company) - 1 for company in companies) - ratings


def _design_effect(tally: luce.Tally, beta: luce.Floats, pairs: _Pairs) -> float:
    """Variance of the excess wins of all pairs over blocks, to that over independent games; 1 without any.

    None is left where the games of each block cancel out, but for rounding.
    """
    winner, lineup = tally.outcomes
    first, strength = _first(tally), _by_bot(tally, luce.probabilities(tally, beta))
    bot, own = tally.lineups[winner, lineup], strength[winner, lineup]
    rows, columns, values = [], [], []
    for t in range(len(first)):
        other = tally.lineups[t, lineup]
        met = np.flatnonzero(first[t, lineup] & (other != bot))
        low, high = np.minimum(bot, other)[met], np.maximum(bot, other)[met]
        lost = strength[t, lineup][met]
        excess = lost / (own[met] + lost)
        rows.append(met)
        columns.append(low * tally.bots + high)
        values.append(np.where(bot[met] == low, excess, -excess))
    place = (np.concatenate(rows), np.concatenate(columns))
    by_pair = csr_array((np.concatenate(values), place), shape=(len(winner), tally.bots**2))
    scatter, usual = float(by_pair.multiply(tally.together @ by_pair).sum()), float(pairs.variance.sum()) / 2
    return scatter / usual if scatter > 1e-9 * usual else 1.0
