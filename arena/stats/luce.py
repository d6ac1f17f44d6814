"""The Luce model of winners: one strength per bot, one effect per turn position.

P(seat s wins | bots b_0 … b_{k-1}) = exp(θ[b_s] + γ[s]) / Σ_t exp(θ[b_t] + γ[t])

(Luce 1959; the first choice of Plackett 1975; for k = 2 it is Bradley & Terry 1952 and Elo). All
coefficients live in one vector, β = (θ_0 … θ_{N-1}, γ_0 … γ_{k-1}), in nats: N bots, k turn positions.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import csr_array, diags_array
from scipy.special import expit, log_expit, logsumexp, softmax, stdtrit

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

RIDGE = 1e-2  # on γ: keeps the effect of a position that always or never wins finite


@dataclass(frozen=True)
class Tally:
    """The finished games of one pool, counted: all that the estimates and their errors depend on."""

    bots: int
    lineups: Ints  # (L, k): the distinct line-ups, in lexicographic order
    wins: Floats  # (L, k): games that each turn position of a line-up won
    outcomes: Ints  # (C,): where `wins`, flattened, is not 0
    clusters: csr_array  # (clusters, C): how often each outcome came up in each cluster
    cluster_count: int


def tally(bots: int, lineups: Ints, winners: Ints, blocks: Ints | None) -> Tally:
    """Count games: line-ups (G, k), winners (G,), blocks (G,) or each game its own cluster."""
    seats = lineups.shape[1]
    first, kind = _distinct_rows(lineups, bots)
    outcome = kind * seats + winners
    wins = np.bincount(outcome, minlength=len(first) * seats).astype(np.float64)
    outcomes = np.flatnonzero(wins)
    if blocks is None:  # clusters with equal scores S: their number is enough for Σ S Sᵀ
        count, clusters = len(winners), csr_array(diags_array(np.sqrt(wins[outcomes])))
    else:
        labels, cluster = np.unique(blocks, return_inverse=True)
        column = (np.cumsum(wins > 0) - 1)[outcome]
        shape = (len(labels), len(outcomes))
        count = len(labels)
        clusters = csr_array((np.ones(len(column)), (cluster, column)), shape=shape)
    return Tally(bots, lineups[first], wins.reshape(-1, seats), outcomes, clusters, count)


def _distinct_rows(rows: Ints, base: int) -> tuple[Ints, Ints]:
    """Index of each distinct row's first copy, in lexicographic order, and each row's rank in it."""
    code, size = np.zeros(len(rows), np.intp), 1
    for column in rows.T:
        if size > np.iinfo(np.intp).max // base:  # ranks keep the order and leave room
            distinct, code = np.unique(code, return_inverse=True)
            size = len(distinct)
        code, size = code * base + column, size * base
    _, first, rank = np.unique(code, return_index=True, return_inverse=True)
    return first, rank


def probabilities(tally: Tally, beta: Floats) -> Floats:
    """P(win), (L, k), of every turn position of every line-up."""
    result: Floats = softmax(_utilities(tally, beta), axis=1)
    return result


def log_likelihood(tally: Tally, beta: Floats) -> float:
    """Σ over games of ln P(the seat that won)."""
    utilities = _utilities(tally, beta)
    log_p = utilities - logsumexp(utilities, axis=1, keepdims=True)
    return float(np.sum(tally.wins * log_p))


def gradient(tally: Tally, p: Floats) -> Floats:
    """Gradient (N + k,) of the log likelihood where the win probabilities are p: wins − expected wins."""
    excess = tally.wins - tally.wins.sum(axis=1, keepdims=True) * p
    by_bot = np.bincount(tally.lineups.ravel(), excess.ravel(), tally.bots)
    return np.concatenate([by_bot, excess.sum(axis=0)])


def information(tally: Tally, p: Floats) -> Floats:
    """Minus the Hessian (N + k, N + k) of the log likelihood where the win probabilities are p."""
    bots, seats, lineups = tally.bots, p.shape[1], tally.lineups
    expected = tally.wins.sum(axis=1, keepdims=True) * p
    by_pair, by_bot_and_turn = np.zeros(bots * bots), np.zeros((bots, seats))
    for s, t in np.ndindex(seats, seats):
        weights = expected[:, s] * (float(s == t) - p[:, t])
        by_pair += np.bincount(lineups[:, s] * bots + lineups[:, t], weights, bots * bots)
        by_bot_and_turn[:, t] += np.bincount(lineups[:, s], weights, bots)
    by_turns = np.diag(expected.sum(axis=0)) - expected.T @ p
    return np.block([[by_pair.reshape(bots, bots), by_bot_and_turn], [by_bot_and_turn.T, by_turns]])


def scores(tally: Tally, p: Floats) -> csr_array:
    """Gradient (C, N + k) of ln P of one game of each outcome, where the win probabilities are p."""
    seats = p.shape[1]
    lineup, winner = np.divmod(tally.outcomes, seats)
    excess = np.eye(seats)[winner] - p[lineup]
    turns = np.broadcast_to(tally.bots + np.arange(seats), excess.shape)
    columns = np.hstack([tally.lineups[lineup], turns])
    starts = np.arange(len(lineup) + 1) * 2 * seats
    entries = (np.hstack([excess, excess]).ravel(), columns.ravel(), starts)
    return csr_array(entries, shape=(len(lineup), tally.bots + seats))


def _utilities(tally: Tally, beta: Floats) -> Floats:
    return beta[tally.lineups] + beta[tally.bots :]


@dataclass(frozen=True)
class Prior:
    """`draws` drawn games of each bot with a player fixed at θ = 0, and RIDGE on γ, which centres γ."""

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


def mode(tally: Tally, prior: Prior, free: slice) -> Floats:
    """β of the highest posterior by Newton's method with step halving; 0 where β is not free."""
    beta = np.zeros(tally.bots + tally.lineups.shape[1])
    for _ in range(100):  # 5 to 10 are usual
        p = probabilities(tally, beta)
        slope = (gradient(tally, p) + prior.gradient(beta))[free]
        curvature = (information(tally, p) + prior.information(beta))[free, free]
        step = np.zeros_like(beta)
        step[free] = cho_solve(cho_factor(curvature), slope)
        gain = float(slope @ step[free])  # twice what the quadratic model promises
        if gain > 1e-3:  # below that whole steps converge, and the value is too coarse to compare
            value = log_likelihood(tally, beta) + prior.log_density(beta)
            while log_likelihood(tally, beta + step) + prior.log_density(beta + step) < value + gain / 4:
                step, gain = step / 2, gain / 2
        beta = beta + step
        if gain < 1e-12:  # the last step was a millionth of a standard error, the next is its square
            break
    return beta


@dataclass(frozen=True)
class Fit:
    """The mode of the posterior and what the games tell about its error."""

    beta: Floats
    covariance: Floats | None  # (N + k, N + k); None: too few clusters
    flat: Floats  # (N + k, D): orthonormal directions of β that leave the likelihood as it is
    multiplier: float  # half-width of the 95 % interval, in standard errors

    def standard_error(self, contrast: Floats) -> float | None:
        """Standard error in nats of contrast · β; None where the games do not determine it."""
        if self.covariance is None or np.any(np.abs(contrast @ self.flat) > 1e-6):
            return None
        variance = float(contrast @ self.covariance @ contrast)
        return variance**0.5 if variance > 1e-16 else None  # 0: the clusters show no scatter


def fit(tally: Tally, draws: float, seat_effects: bool) -> Fit:
    """Fit β, without seat effects only θ, with a cluster-robust covariance (Liang & Zeger 1986).

    With n clusters, score sums S and m identified coefficients it is H⁻¹ (Σ S Sᵀ) H⁻¹ · n/(n−1), and
    an interval takes Student's t of df = n − m − 1 times √(n/df). Fewer than 2m clusters: no covariance.
    """
    bots, n, size = tally.bots, tally.cluster_count, tally.bots + tally.lineups.shape[1]
    prior = Prior(bots, draws)
    free = slice(size if seat_effects else bots)
    beta = mode(tally, prior, free)
    flat = _flat_directions(tally, free)
    identified = len(beta[free]) - flat.shape[1]
    df = n - identified - 1
    if n < 2 * identified or df < 1:
        return Fit(beta, None, flat, np.inf)
    p = probabilities(tally, beta)
    curvature = (information(tally, p) + prior.information(beta))[free, free]
    sums = (tally.clusters @ scores(tally, p)).tocsc()
    bread, meat = cho_factor(curvature), (sums.T @ sums).toarray()[free, free]
    covariance = np.zeros((size, size))
    covariance[free, free] = cho_solve(bread, cho_solve(bread, meat).T) * n / (n - 1)
    return Fit(beta, covariance, flat, float(stdtrit(df, 0.975)) * (n / df) ** 0.5)


def _flat_directions(tally: Tally, free: slice) -> Floats:
    """They do not depend on β, so they are read off at 0, where no probability is small."""
    start = np.zeros(tally.bots + tally.lineups.shape[1])
    values, vectors = np.linalg.eigh(information(tally, probabilities(tally, start))[free, free])
    chosen = values <= 1e-10 * values[-1]
    result = np.zeros((len(start), int(chosen.sum())))
    result[free] = vectors[:, chosen]
    return result
