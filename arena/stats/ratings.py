"""Ratings of the bots of one pool, from nothing but who won.

One fit of all games at once: unlike Elo updated game by game it cannot depend on their order.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Literal

import numpy as np
from scipy.sparse.csgraph import connected_components
from scipy.special import ndtr, ndtri

from arena.stats import luce

ELO_PER_NAT = 400 / float(np.log(10))
MEAN_ELO = 1500.0


@dataclass(frozen=True)
class Ratings:
    """Strengths and seat effects in Elo. An error is the half-width of a 95 % interval.

    An error is None, never 0 or NaN, where the games do not tell it: there are too few blocks, the
    bot won or lost everything (see `bounds`), or its effect cannot be told from another one's. Only a
    named anchor has ±0. Errors are those of the difference to the anchor; where the pool is not
    `connected`, to that part of it (bots of the mean, or the named bot) which is in the bot's own group.
    """

    elo: dict[str, float]
    error: dict[str, float | None]
    seats: list[float]  # by turn position, 0 is the starter; their mean is 0
    seat_errors: list[float | None]
    bounds: dict[str, Literal["<", ">"]]  # "<": lost every game, the true Elo is below; ">": won
    groups: list[list[str]]  # best first; bots of two groups cannot be compared (Ford 1957)
    _fit: luce.Fit | None = field(repr=False, compare=False)

    @property
    def ranking(self) -> list[str]:
        """All bots, best first; equal ones by name."""
        return sorted(self.elo, key=lambda bot: (-round(self.elo[bot], 6), bot))

    @property
    def connected(self) -> bool:
        """Whether every bot can be compared with every other: a chain of wins leads each way."""
        return len(self.groups) <= 1

    def los(self, i: str, j: str) -> float | None:
        """Likelihood that bot i is stronger than bot j, 0 to 1; None where the games do not tell."""
        gap = self.elo[i] - self.elo[j]
        if self._fit is None or not any(i in group and j in group for group in self.groups):
            return None
        contrast = np.zeros_like(self._fit.beta)
        bots = list(self.elo)
        contrast[bots.index(i)] += 1
        contrast[bots.index(j)] -= 1
        error = self._fit.standard_error(contrast)
        return None if error is None else float(ndtr(gap / ELO_PER_NAT / error))


def rate(
    lineups: Sequence[Sequence[str]],
    winners: Sequence[int | None],
    blocks: Sequence[Hashable] | None = None,
    *,
    prior: float = 1.0,
    seat_effects: bool = True,
    anchor: str | tuple[str, float] | None = None,
) -> Ratings:
    """Rate the bots of one pool: all games of one table size.

    lineups: the bots of each game in turn order, starter first; a bot may stand in several seats.
    winners: index into the line-up, or None for an unfinished game, which tells nothing here.
    blocks: what each game depends on beside its bots (its seed); games of one block may resemble each
        other and count as one observation of the errors. None: all games are independent.
    prior: virtual drawn games of each bot with an average player; must be above 0.
    anchor: the bot that has a given rating (1500 if only named); None: the mean of all bots is 1500.

    Raises ValueError for line-ups of several sizes, a winner outside of its line-up, sequences of
    different lengths, an unknown anchor.
    """
    _check(lineups, winners, blocks, prior)
    bots, codes = _encode(list(chain.from_iterable(lineups)))
    weights, anchor_elo = _parse_anchor(anchor, bots)
    if not bots:
        return Ratings({}, {}, [], [], {}, [], None)
    finished = np.array([winner is not None for winner in winners])
    won = np.array([-1 if winner is None else winner for winner in winners], np.intp)[finished]
    clusters = None if blocks is None else _encode(blocks)[1][finished]
    tally = luce.tally(len(bots), codes.reshape(len(lineups), -1)[finished], won, clusters)
    return _ratings(tally, luce.fit(tally, prior, seat_effects), bots, weights, anchor_elo)


def wilson(wins: int, games: int, level: float = 0.95) -> tuple[float, float]:
    """Interval (low, high) of a proportion (Wilson 1927); (0, 1) when there are no games."""
    z2 = float(ndtri((1 + level) / 2)) ** 2
    if games == 0:
        return 0.0, 1.0
    centre = (wins + z2 / 2) / (games + z2)
    half = (z2 * (wins * (games - wins) / games + z2 / 4)) ** 0.5 / (games + z2)
    return max(0.0, centre - half), min(1.0, centre + half)


def _check(
    lineups: Sequence[Sequence[str]],
    winners: Sequence[int | None],
    blocks: Sequence[Hashable] | None,
    prior: float,
) -> None:
    sizes = sorted(set(map(len, lineups)))
    if len(sizes) > 1:
        raise ValueError(f"expected line-ups of one table size, got {' and '.join(map(str, sizes))}")
    if sizes == [0]:
        raise ValueError("expected line-ups of at least one bot, got empty ones")
    if len(winners) != len(lineups):
        raise ValueError(f"expected {len(lineups)} winners, one a line-up, got {len(winners)}")
    if blocks is not None and len(blocks) != len(lineups):
        raise ValueError(f"expected {len(lineups)} blocks, one a line-up, got {len(blocks)}")
    for winner in set(winners) - {None}:
        if winner not in range(sizes[0]):
            raise ValueError(f"expected a winner from 0 to {sizes[0] - 1} or None, got {winner!r}")
    if not 0 < prior < np.inf:
        raise ValueError(f"expected a prior above 0, got {prior!r}")


def _encode(labels: Sequence[Any]) -> tuple[list[Any], luce.Ints]:
    """The distinct labels, sorted, and the place of each label among them."""
    distinct = sorted(set(labels))
    index = {label: code for code, label in enumerate(distinct)}
    return distinct, np.fromiter(map(index.__getitem__, labels), np.intp, len(labels))


def _parse_anchor(
    anchor: str | tuple[str, float] | None, bots: list[str]
) -> tuple[luce.Floats, float]:
    """Weights of the bots in the reference, and its Elo."""
    if anchor is None or not bots:
        return np.full(len(bots), 1 / max(len(bots), 1)), MEAN_ELO
    name, elo = (anchor, MEAN_ELO) if isinstance(anchor, str) else anchor
    if name not in bots:
        raise ValueError(f"expected an anchor among {', '.join(bots)}, got {name!r}")
    return np.array([float(bot == name) for bot in bots]), float(elo)


def _ratings(
    tally: luce.Tally, fit: luce.Fit, bots: list[str], weights: luce.Floats, anchor_elo: float
) -> Ratings:
    theta, gamma = fit.beta[: len(bots)], fit.beta[len(bots) :]
    ...
