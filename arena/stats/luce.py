"""The Luce model of winners: one strength per bot, one effect per turn position.

    P(turn s wins | bots b) = exp(theta[b_s] + gamma[s]) / sum_t exp(theta[b_t] + gamma[t])

(Luce 1959, the first choice of Plackett 1975; for k = 2 it is Bradley & Terry 1952 and Elo.) The
coefficients, in nats, stand in one vector beta = (theta, gamma) of N bots and k turn positions.
Arrays that belong to line-ups have turn positions as rows: sums over them then run fast.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import pinvh, solve
from scipy.sparse import csr_array, diags_array
from scipy.special import expit, log_expit, logsumexp, softmax, stdtrit

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

RIDGE = 1e-2
"""On gamma: keeps the effect of a position that always or never wins finite."""


@dataclass(frozen=True)
class Tally:
    """The finished games of one pool, counted: all that the fit and its errors depend on."""

    bots: int
    """Their number, N."""
    lineups: Ints
    """(k, L): the distinct line-ups as columns, sorted."""
    wins: Floats
    """(k, L): games that each turn position of a line-up won."""
    outcomes: tuple[Ints, Ints]
    """Turns (C,) and line-ups (C,) where `wins` is not 0."""
    together: csr_array
    """(C, C): of two outcomes, how often the one came up in a cluster times how often the other, summed."""
    clusters: int
    """Their number, n."""


def count_games(bots: int, kinds: Ints, kind: Ints, winners: Ints, blocks: Ints | None) -> Tally:
    """Tally G games, the same whatever their order.

    kinds: (k, L) different line-ups. kind, winners, blocks: (G,) the index of a game's line-up, the turn that
    won it, and its cluster's number; without blocks each game is its own.
    """
    order = np.lexsort(kinds[::-1])
    cell = winners * len(order) + np.argsort(order)[kind]
    wins = np.bincount(cell, minlength=kinds.size).astype(np.float64)
    occupied = np.flatnonzero(wins)
    if blocks is None:
        count, together = len(winners), csr_array(diags_array(wins[occupied]))
    else:
        sizes = np.bincount(blocks)
        count, shape = int(np.count_nonzero(sizes)), (len(occupied), len(sizes))
        outcome = (np.cumsum(wins > 0) - 1)[cell]
        outcome_by_cluster = csr_array((np.ones(len(cell)), (outcome, blocks)), shape=shape)
        together = csr_array(outcome_by_cluster @ outcome_by_cluster.T)
        together.sort_indices()  # sums over it run in one order, whatever that of the clusters
    wins = wins.reshape(kinds.shape)
    return Tally(bots, kinds[:, order], wins, np.divmod(occupied, len(order)), together, count)


def probabilities(tally: Tally, beta: Floats) -> Floats:
    """P(win), (k, L), of every turn position of every line-up."""
    result: Floats = softmax(utilities(tally, beta), axis=0)
    return result


def log_likelihood(tally: Tally, beta: Floats) -> float:
    """Sum over the games of ln P(the winner)."""
    u = utilities(tally, beta)
    return float(np.sum(tally.wins * (u - logsumexp(u, axis=0))))


def gradient(tally: Tally, p: Floats) -> Floats:
    """Gradient (N + k,) of the log likelihood at win probabilities p: wins less expected wins."""
    excess = tally.wins - tally.wins.sum(axis=0) * p
    by_bot = np.bincount(tally.lineups.ravel(), excess.ravel(), tally.bots)
    return np.concatenate([by_bot, excess.sum(axis=1)])


def information(tally: Tally, p: Floats) -> Floats:
    """Minus the Hessian (N + k, N + k) of the log likelihood at win probabilities p.

    A game adds the covariance of its winner's indicators: the sum over its pairs of seats s, t of
    p_s p_t d d', d the difference of their indicators. Written so, nothing cancels.
    """
    bots, games = tally.bots, tally.wins.sum(axis=0)
    by_bots, by_turns = np.zeros(bots * bots), np.zeros((len(p), len(p)))
    by_both = np.zeros((bots, len(p)))
    for s, t in combinations(range(len(p)), 2):  # a pair at a time: no array longer than L
        one, other = tally.lineups[[s, t]]
        weights = games * p[s] * p[t]
        by_bots += np.bincount(one * bots + other, weights, bots * bots)
        by_turns[s, t] = weights.sum()
        swing = np.bincount(one, weights, bots) - np.bincount(other, weights, bots)
        by_both[:, [s, t]] += np.outer(swing, [1, -1])
    bot_block, turn_block = _laplacian(by_bots.reshape(bots, bots)), _laplacian(by_turns)
    return np.block([[bot_block, by_both], [by_both.T, turn_block]])


def _laplacian(weights: Floats) -> Floats:
    """Of the graph with these edges: the sum over i, j of weights[i, j] d d', d = e_i - e_j."""
    both_ways = weights + weights.T
    return np.diag(both_ways.sum(axis=1)) - both_ways


def scores(tally: Tally, p: Floats) -> csr_array:
    """Gradient (C, N + k) of ln P of one game of each outcome at win probabilities p."""
    winner, lineup = tally.outcomes
    excess = np.eye(len(p))[winner] - p.T[lineup]
    turns = np.broadcast_to(tally.bots + np.arange(len(p)), excess.shape)
    columns = np.hstack([tally.lineups.T[lineup], turns]).ravel()
    starts = np.arange(len(lineup) + 1) * 2 * len(p)
    shape = (len(lineup), tally.bots + len(p))
    return csr_array((np.hstack([excess, excess]).ravel(), columns, starts), shape=shape)


def utilities(tally: Tally, beta: Floats) -> Floats:
    """Theta + gamma, (k, L), of every turn position of every line-up."""
    return beta[tally.lineups] + beta[tally.bots :, None]


@dataclass(frozen=True)
class Prior:
    """Drawn games of each bot with a player of theta = 0; a ridge on gamma, which centres it."""

    bots: int
    draws: float

    def log_density(self, beta: Floats) -> float:
        """Up to a constant."""
        theta, gamma = beta[: self.bots], beta[self.bots :]
        drawn = float(np.sum(log_expit(theta) + log_expit(-theta)))
        return self.draws / 2 * drawn - RIDGE / 2 * float(gamma @ gamma)

    def gradient(self, beta: Floats) -> Floats:
        """Gradient (N + k,) of the log density."""
        theta, gamma = beta[: self.bots], beta[self.bots :]
        return np.concatenate([-self.draws / 2 * np.tanh(theta / 2), -RIDGE * gamma])

    def information(self, beta: Floats) -> Floats:
        """Minus the Hessian (N + k, N + k) of the log density."""
        theta, gamma = beta[: self.bots], beta[self.bots :]
        drawn = self.draws * expit(theta) * expit(-theta)
        return np.diag(np.concatenate([drawn, np.full(len(gamma), RIDGE)]))


def mode(tally: Tally, prior: Prior, free: slice, start: Floats | None = None) -> Floats:
    """Beta of the highest posterior, 0 where not free: Newton's method with step halving."""

    def value(beta: Floats) -> float:
        return log_likelihood(tally, beta) + prior.log_density(beta)

    beta = np.zeros(tally.bots + len(tally.lineups)) if start is None else start
    for _ in range(100):  # 5 to 10 are usual
        p = probabilities(tally, beta)
        slope = (gradient(tally, p) + prior.gradient(beta))[free]
        curvature = (information(tally, p) + prior.information(beta))[free, free]
        step = np.zeros_like(beta)
        speck = 1e-13 * (1 + curvature.max()) * np.eye(len(curvature))  # regular without a prior
        step[free] = solve(curvature + speck, slope, assume_a="pos")
        gain = float(slope @ step[free])  # squared length of the step in standard errors
        if gain > 1e-3:  # closer in, whole steps converge and the value is too coarse to compare
            floor = value(beta)
            while value(beta + step) < floor + gain / 4:
                step, gain = step / 2, gain / 2
        beta = beta + step
        if gain < 1e-12:  # and the next step would be about its square
            break
    return beta


@dataclass(frozen=True)
class Fit:
    """The mode of the posterior and what the games tell about its error."""

    beta: Floats
    covariance: Floats | None
    """(N + k, N + k); None: too few clusters."""
    flat: Floats
    """(N + k, D): orthonormal directions of beta that no game depends on."""
    multiplier: float
    """Half-width of the 95 % interval in standard errors."""

    def standard_error(self, contrast: Floats) -> float | None:
        """Standard error of contrast @ beta in nats; None where the games do not determine it."""
        if self.covariance is None or np.any(np.abs(contrast @ self.flat) > 1e-6):
            return None
        variance = float(contrast @ self.covariance @ contrast)
        return variance**0.5 if variance > 1e-16 else None  # 0: clusters without any scatter


def fit(tally: Tally, draws: float, seat_effects: bool) -> Fit:
    """Fit beta, or theta alone, with a cluster-robust covariance (Liang & Zeger 1986).

    For n clusters, m identified coefficients, score sums S of the clusters and the curvature H of
    the log posterior it is inv(H) sum(S S') inv(H) n/(n - 1); an interval takes Student's t of
    df = n - m - 1, times sqrt(n/df). With fewer than 2m clusters there is none.
    """
    bots, n, size = tally.bots, tally.clusters, tally.bots + len(tally.lineups)
    free = slice(size if seat_effects else bots)
    prior = Prior(bots, draws)
    beta, flat = mode(tally, prior, free), _flat(tally, free)
    identified = len(beta[free]) - flat.shape[1]
    df = n - identified - 1
    p = probabilities(tally, beta)
    bread = information(tally, p) + prior.information(beta)
    if n < 2 * identified or df < 1:
        return Fit(beta, None, flat, np.inf)
    inverse = pinvh(bread[free, free], rtol=1e-11)
    each = scores(tally, p)
    spread = (each.T @ (tally.together @ each)).toarray()[free, free]
    covariance = np.zeros((size, size))
    covariance[free, free] = inverse @ spread @ inverse * n / (n - 1)
    multiplier = float(stdtrit(df, 0.975)) * (n / df) ** 0.5
    return Fit(beta, covariance, flat, multiplier)


def _flat(tally: Tally, free: slice) -> Floats:
    """Null space of the information; it is the same for every beta, and clearest at 0."""
    start = np.zeros(tally.bots + len(tally.lineups))
    values, vectors = np.linalg.eigh(information(tally, probabilities(tally, start))[free, free])
    null = vectors[:, values <= 1e-10 * values[-1]]
    result = np.zeros((len(start), null.shape[1]))
    result[free] = null
    return result
