"""How many games an answer takes, said before any of them is played."""

from math import ceil, log

from scipy.special import ndtri

from arena.stats.figures import number
from arena.stats.ratings import ELO_PER_NAT
from arena.stats.sequential import PRIOR_VARIANCE, check_test

SPARE = 5
"""A sequential test is given so many times the blocks that it usually needs."""


def usual_blocks(s0: float, s1: float, alpha: float = 0.05, beta: float = 0.05) -> float:
    """Blocks that Wald's test between two mean scores takes on average where one of them is true.

    Half-way between them it takes about twice as many, beyond them fewer.
    """
    check_test(s0, s1, alpha, beta)
    a, b = log((1 - beta) / alpha), log((1 - alpha) / beta)
    information = max((1 - beta) * a - beta * b, (1 - alpha) * b - alpha * a)
    return information * 2 * PRIOR_VARIANCE / (s1 - s0) ** 2


def planned_blocks(s0: float, s1: float, alpha: float = 0.05, beta: float = 0.05) -> int:
    """Blocks after which a sequential test is given up."""
    return ceil(SPARE * usual_blocks(s0, s1, alpha, beta))


def planned_pairs(elo0: float, elo1: float, players: int, alpha: float = 0.05, beta: float = 0.05) -> int:
    """Pairs of games, at tables of equals, that tell elo0 from elo1 with these errors in a fixed number."""
    number("players", players, 2, 1000)
    number("elo1", elo1, number("elo0", elo0), within=True)
    share = 1 / players
    nats = (elo1 - elo0) / ELO_PER_NAT
    return ceil(float(ndtri(alpha) + ndtri(beta)) ** 2 * 2 / (share * (1 - share)) / nats**2)


def rating_games(elo: float, players: int, bots: int) -> int:
    """Games of each bot after which its rating, relative to the mean of all, is known to ± elo with 95 %.

    From the information of the winner-only Luce model in a balanced tournament of equals.
    """
    number("elo", elo, 0, within=True)
    number("players", players, 2, 1000)
    half_width = float(ndtri(0.975)) * ELO_PER_NAT * (bots - 1) / bots
    return ceil((half_width / elo * players) ** 2 / (players - 1))
