"""Two players, each among the same others on the same seeds: which is stronger."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from arena.stats.ratings import ELO_PER_NAT


class Difference(NamedTuple):
    """An estimate that is about normal, in Elo."""

    elo: float
    error: float
    """Its standard deviation."""

    @property
    def interval(self) -> tuple[float, float]:
        """Both ends of the 95 % interval."""
        half = float(ndtri(0.975)) * self.error
        return self.elo - half, self.elo + half

    def chance_above(self, elo: float) -> float:
        """How likely the true difference is more than `elo`, 0 to 1: one less the p-value of its test."""
        return float(ndtr((self.elo - elo) / self.error))


def paired_difference(wins: Sequence[tuple[bool, bool]]) -> Difference:
    """Elo of the first over the second from pairs of games (the first won its game, the second won its).

    The odds of winning against given others grow with 10^(Elo/400), so it is the log of the odds' ratio; its
    error is taken over pairs (delta method). One virtual win of either keeps it finite.
    """
    won = np.array([*wins, (True, False), (False, True), (False, False)], np.float64)
    share = won.mean(axis=0)
    first, second = np.log(share / (1 - share))
    # what a pair does to the log odds of each of the two, times the number of pairs
    influence = (won - share) / (share * (1 - share))
    scatter = (influence[:, 0] - influence[:, 1]).std(ddof=1)
    error = ELO_PER_NAT * scatter / len(won) ** 0.5
    return Difference(float(ELO_PER_NAT * (first - second)), float(error))
