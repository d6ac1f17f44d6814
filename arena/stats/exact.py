"""Intervals for bots with hardly any wins, or hardly any losses.

There a standard error says little (of no wins at all, nothing). Instead each end is the strength at which the
record, or one still further off, has a probability of 2.5 %, the other bots held where they were fitted: what
Clopper & Pearson (1934) do for a binomial, here with a probability of its own for each line-up.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import log_expit, logsumexp

from arena.stats import luce

TAIL = 0.025
"""Probability beyond each end of a 95 % interval."""


@dataclass(frozen=True)
class Record:
    """The rarer of a bot's wins and losses, in its games with bots of which something is known."""

    rare: int
    """How many."""
    won: bool
    """Whether they are the wins."""
    games: luce.Floats
    """(L,): by line-up."""
    log_odds: luce.Floats
    """(L,): ln of P(rare) to P(not), at the fitted strength."""

    @classmethod
    def of(cls, tally: luce.Tally, beta: luce.Floats, bot: int, ignored: luce.Ints) -> "Record | None":
        """The record of a bot in games without `ignored` ones; None where there are no such games."""
        own = tally.lineups == bot
        counted = own.any(axis=0) & ~own.all(axis=0) & ~np.isin(tally.lineups, ignored).any(axis=0)
        games, wins = tally.wins.sum(axis=0)[counted], (tally.wins * own)[:, counted].sum()
        if not games.any():
            return None
        utilities, own = luce.utilities(tally, beta)[:, counted], own[:, counted]
        ahead = logsumexp(np.where(own, utilities, -np.inf), axis=0)
        ahead -= logsumexp(np.where(own, -np.inf, utilities), axis=0)
        losses = games.sum() - wins
        won = bool(wins <= losses)
        return cls(int(min(wins, losses)), won, games, ahead if won else -ahead)

    def at_most(self, count: int, shift: float) -> float:
        """P(at most so many rare ones) if the bot's theta were further by `shift` towards them.

        Of independent games with odds o it is prod(1 - p) times the sum of the elementary symmetric
        polynomials of the odds, which Newton's identities take from their power sums.
        """
        log_odds = self.log_odds + shift
        log_none = float(self.games @ log_expit(-log_odds))
        if log_none < -100:
            return 0.0
        powers = [float(self.games @ np.exp(n * log_odds)) for n in range(1, count + 1)]
        sums = [1.0]
        for n in range(1, count + 1):
            sums.append(sum((-1) ** i * sums[n - 1 - i] * powers[i] for i in range(n)) / n)
        return float(np.exp(log_none)) * sum(sums)

    def ends(self) -> tuple[float, float]:
        """The interval of theta as distances from the fitted one; infinite where nothing is rare."""
        far = self._where(self.rare, TAIL)
        near = self._where(self.rare - 1, 1 - TAIL) if self.rare else -np.inf
        return (near, far) if self.won else (-far, -near)

    def _where(self, count: int, probability: float) -> float:
        """The shift at which so many or fewer have this probability."""
        step = 1.0
        while self.at_most(count, -step) < probability or self.at_most(count, step) > probability:
            step *= 2
        return float(brentq(lambda shift: self.at_most(count, shift) - probability, -step, step))
