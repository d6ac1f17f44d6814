"""The regression gate: is a new version better or worse than the old one, judged while the games come in.

The two fill mirrored tables. In a block a table is played with copies of A in some seats and of B in the
others, and again on the same seed with A and B swapped; its score is the mean of its two games' (1: a copy of
A won, 0: of B, 1/2: nobody). Between two bots that play alike it is 1/2 on average, whatever the seats are
worth.
"""

from math import cosh, exp, inf, log, log1p, sqrt
from typing import Generic, Literal, TypeAlias, TypeVar

import numpy as np
from scipy.special import expit

from arena.stats.figures import number
from arena.stats.ratings import ELO_PER_NAT

T = TypeVar("T")

State: TypeAlias = Literal["pass", "fail", "continue"]

PRIOR_BLOCKS, PRIOR_MEAN, PRIOR_VARIANCE = 8, 0.5, 0.09
"""What is known of a block's score before the first one, and how many blocks that is worth."""

MOST_STAKE = 0.75
"""Share of the capital that a single block may cost."""


def score(elo: float, players: int = 2) -> float:
    """Expected score of a block when A is `elo` stronger than B, at a table of `players`.

    Of an odd number of seats one side has one more, in one of the two games each. At even tables it is the
    logistic curve of chess.
    """
    nats, more = number("elo", elo) / ELO_PER_NAT, _log_surplus(players)
    return float(expit(nats + more) + expit(nats - more)) / 2


def difference(score: float, players: int = 2) -> float:
    """The inverse of `score`: by how many Elo A is stronger, -inf and inf for 0 and 1."""
    number("score", score, 0, 1)
    if score < 0.5:
        return -difference(1 - score, players)
    if score == 1:
        return inf
    a = cosh(_log_surplus(players)) * (2 * score - 1)
    return ELO_PER_NAT * log((a + sqrt(a * a + 4 * score * (1 - score))) / (2 * (1 - score)))


def _log_surplus(players: int) -> float:
    """Log of the larger side's seats over the smaller's."""
    number("players", players, 2, 1000)
    return log((players + 1) // 2 / (players // 2))


def check_test(s0: float, s1: float, alpha: float, beta: float) -> None:
    """Raise StatsError for what is no test between two mean scores."""
    number("s0", s0, 0, 1, within=True)
    number("s1", s1, s0, 1, within=True)
    number("alpha", alpha, 0, 1, within=True)
    number("beta", beta, 0, 1, within=True)


class BettingSprt:
    """A sequential test by betting: each bound is an opponent whose bets lose on average where it holds.

    E+ is the capital of a bettor against "the mean score is s0 or less", E- of one against "it is s1 or
    more". The chance that E+ ever reaches 1/alpha where the first holds is at most alpha, that E- ever
    reaches 1/beta where the second holds at most beta, however often and whenever one looks (Waudby-Smith and
    Ramdas 2024, arXiv 2010.09686). Scores must come in an order that does not depend on them: by seed, never
    by which game is done first.

    s0, s1: mean scores of a block, 0 < s0 < s1 < 1. Raises StatsError for others.
    """

    def __init__(self, s0: float, s1: float, alpha: float = 0.05, beta: float = 0.05) -> None:
        check_test(s0, s1, alpha, beta)
        self.s0, self.s1 = s0, s1
        self.state: State = "continue"
        """Once it is another it stays."""
        self.ln_e_plus = 0.0
        self.ln_e_minus = 0.0
        self.ln_pass = log(1 / alpha)
        """Where ln_e_plus passes."""
        self.ln_fail = log(1 / beta)
        """Where ln_e_minus fails."""
        self._most = 0.0  # of ln_e_plus so far
        self._n = 0
        self._sum = self._squares = 0.0

    @property
    def p_value(self) -> float:
        """Of "the mean score is s0 or less": valid at any moment, and never rises."""
        return exp(-self._most)

    def update(self, y: float) -> State:
        """Take the next block's score, 0 … 1; the state after it."""
        number("score", y, 0, 1)
        stake = self._stake()
        self.ln_e_plus += log1p(min(stake, MOST_STAKE / self.s0) * (y - self.s0))
        self.ln_e_minus += log1p(-min(stake, MOST_STAKE / (1 - self.s1)) * (y - self.s1))
        self._most = max(self._most, self.ln_e_plus)
        self._n += 1
        self._sum += y
        self._squares += y * y
        if self.state == "continue":
            if self.ln_e_plus >= self.ln_pass:
                self.state = "pass"
            elif self.ln_e_minus >= self.ln_fail:
                self.state = "fail"
        return self.state

    def _stake(self) -> float:
        """What grows the capital fastest if the other bound is true, from the scores before this one."""
        n = PRIOR_BLOCKS + self._n
        mean = (PRIOR_BLOCKS * PRIOR_MEAN + self._sum) / n
        scatter = self._squares - 2 * mean * self._sum + self._n * mean * mean
        variance = (PRIOR_BLOCKS * PRIOR_VARIANCE + scatter) / n
        gap = self.s1 - self.s0
        return gap / (variance + gap * gap)


class ConfidenceSequence:
    """An interval for the mean score that is right at every moment at once, so also where a test stops.

    Hedged capital: for each candidate mean a bettor on both sides; it is given up for good when the capital
    reaches 1/alpha (Waudby-Smith and Ramdas 2024, section 4.4).
    """

    STEPS = 1000
    """The candidates are so far apart: 0.7 Elo around 0. The interval is rounded outward."""

    def __init__(self, alpha: float = 0.05) -> None:
        number("alpha", alpha, 0, 1, within=True)
        self.low, self.high = 0.0, 1.0
        self._ln_needed = log(2 / alpha)  # half of the capital is on each side
        self._candidates = np.linspace(0, 1, self.STEPS + 1)
        self._up, self._down = np.zeros((2, self.STEPS + 1))  # log capital of either side
        self._alive = np.ones(self.STEPS + 1, np.bool_)
        self._n = 0
        self._sum, self._scatter = 0.5, 0.25

    def update(self, y: float) -> None:
        """Take the next score, 0 … 1."""
        number("score", y, 0, 1)
        n, m = self._n + 1, self._candidates
        bet = sqrt(2 * self._ln_needed / (self._scatter * log(n + 1)))
        with np.errstate(divide="ignore"):
            self._up += np.log1p(np.minimum(bet, 0.5 / m) * (y - m))
            self._down += np.log1p(-np.minimum(bet, 0.5 / (1 - m)) * (y - m))
        self._n = n
        self._sum += y
        self._scatter += (y - self._sum / (n + 1)) ** 2
        self._alive &= np.maximum(self._up, self._down) < self._ln_needed
        left = np.flatnonzero(self._alive)
        if len(left):  # else, once in 1/alpha tests, all are given up: the last interval stays
            self.low, self.high = float(m[max(left[0] - 1, 0)]), float(m[min(left[-1] + 1, self.STEPS)])


class Prefix(Generic[T]):
    """Takes games in whatever order they come, and hands their blocks, of two each, on whole and in order.

    A test that took them as they come would see the quick games first, and those are not like the others.
    """

    def __init__(self) -> None:
        self._next = 0
        self._waiting: dict[int, dict[int, T]] = {}

    def add(self, block: int, rotation: int, game: T) -> list[list[T]]:
        """Take a game; the blocks that are next in order and now whole, each game by its rotation."""
        self._waiting.setdefault(block, {})[rotation] = game
        whole = []
        while len(games := self._waiting.get(self._next, {})) == 2:
            whole.append([games[rotation] for rotation in sorted(games)])
            del self._waiting[self._next]
            self._next += 1
        return whole
