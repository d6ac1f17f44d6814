"""Ratings of the bots of one pool, from nothing but who won.

All games are fitted at once: unlike Elo updated game by game, it cannot depend on their order.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components
from scipy.special import ndtr, ndtri

from arena.stats import luce

ELO_PER_NAT = 400 / float(np.log(10))
MEAN_ELO = 1500.0


@dataclass(frozen=True)
class Ratings:
    """Strengths of bots and effects of turn positions, in Elo.

    An error is the half-width of the 95 % interval of the difference to the anchor; a named anchor
    itself has 0. It is None, never 0 or NaN, where the games do not tell: too few blocks, effects
    that always came together. In a pool that is not `connected` it refers to those bots of the
    anchor that are in the bot's own group. For a bot that won or lost everything (see `bounds`) the
    games give no scatter: its error is that of the posterior's curvature, the others held, and wide.
    """

    elo: dict[str, float]
    error: dict[str, float | None]
    seats: list[float]  # by turn position, 0 is the starter; their mean is 0
    seat_errors: list[float | None]
    bounds: dict[str, Literal["<", ">"]]  # ">": won every game, the true Elo is above; "<": lost
    groups: list[list[str]]  # best first; bots of two groups cannot be compared (Ford 1957)
    _fit: luce.Fit | None = field(repr=False, compare=False)

    @property
    def ranking(self) -> list[str]:
        """All bots, best first, equal ones by name."""
        return _ranking(self.elo)

    @property
    def connected(self) -> bool:
        """Whether all bots can be compared: a chain of wins leads from each to every other."""
        return len(self.groups) <= 1

    def los(self, i: str, j: str) -> float | None:
        """Likelihood of superiority of bot i over j, 0 to 1; None where the games do not tell."""
        gap = self.elo[i] - self.elo[j]
        if self._fit is None or not any({i, j} <= set(group) for group in self.groups):
            return None
        contrast = np.zeros_like(self._fit.beta)
        contrast[[list(self.elo).index(i), list(self.elo).index(j)]] = 1, -1
        error = self._fit.standard_error(contrast)
        return None if error is None else float(ndtr(gap / (ELO_PER_NAT * error)))


def rate(
    lineups: Sequence[Sequence[str]],
    winners: Sequence[int | None],
    blocks: Sequence[Hashable] | None = None,
    *,
    prior: float = 1.0,
    seat_effects: bool = True,
    anchor: str | tuple[str, float] | None = None,
) -> Ratings:
    """Rate the bots of one pool: games of one edition and one table size.

    lineups: the bots of each game in turn order, starter first; a bot may have several seats.
    winners: index into the line-up, or None for an unfinished game, which leaves no trace here.
    blocks: what the game shares with others beside its bots (its seed): ids of one sortable type.
        The games of a block count as one observation of the error; None: each game is its own.
    prior: virtual drawn games of each bot against one fixed player. Without any (0) the rating of
        a bot that won or lost everything is an arbitrary large number.
    anchor: the bot of a given rating (1500 if only named); None: the mean of all bots is 1500.

    Raises ValueError for line-ups of several sizes, a winner outside its line-up, sequences of
    different lengths, a prior below 0 and an anchor that did not play.
    """
    _check(lineups, winners, blocks, prior)
    bots, codes = _encode(list(chain.from_iterable(lineups)))
    name, name_elo = _parse_anchor(anchor, bots)
    if not bots:
        return Ratings({}, {}, [], [], {}, [], None)
    finished = np.array([winner is not None for winner in winners])
    won = np.array([winner for winner in winners if winner is not None], np.intp)
    seated = np.ascontiguousarray(codes.reshape(len(lineups), -1)[finished].T)
    clusters = None if blocks is None else _encode(blocks)[1][finished]
    tally = luce.count_games(len(bots), seated, won, clusters)
    return _ratings(bots, tally, luce.fit(tally, prior, seat_effects), name, name_elo)


def wilson(wins: int, games: int, level: float = 0.95) -> tuple[float, float]:
    """Interval (low, high) of a proportion (Wilson 1927); of no games the empty claim (0, 1)."""
    if games == 0:
        return 0.0, 1.0
    z2 = float(ndtri((1 + level) / 2)) ** 2
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
        found = " and ".join(map(str, sizes))
        raise ValueError(f"expected line-ups of one table size, got {found}")
    if sizes == [0]:
        raise ValueError("expected line-ups of at least one bot, got empty ones")
    if len(winners) != len(lineups):
        raise ValueError(f"expected {len(lineups)} winners, one a line-up, got {len(winners)}")
    if blocks is not None and len(blocks) != len(lineups):
        raise ValueError(f"expected {len(lineups)} blocks, one a line-up, got {len(blocks)}")
    for winner in set(winners) - {None}:
        if winner not in range(sizes[0]):
            raise ValueError(f"expected a winner from 0 to {sizes[0] - 1} or None, got {winner!r}")
    if not 0 <= prior < np.inf:
        raise ValueError(f"expected a prior of 0 or more games, got {prior!r}")


def _encode(labels: Sequence[Any]) -> tuple[list[Any], luce.Ints]:
    """The distinct labels, sorted, and the place of each label among them."""
    distinct = sorted(set(labels))
    place = {label: index for index, label in enumerate(distinct)}
    return distinct, np.fromiter(map(place.__getitem__, labels), np.intp, len(labels))


def _parse_anchor(anchor: str | tuple[str, float] | None, bots: list[str]) -> tuple[str | None, float]:
    """Name of the anchor, None for the mean of the bots, and its Elo."""
    if anchor is None:
        return None, MEAN_ELO
    name, elo = (anchor, MEAN_ELO) if isinstance(anchor, str) else anchor
    if bots and name not in bots:
        raise ValueError(f"expected an anchor among {', '.join(bots)}, got {name!r}")
    return name, float(elo)


def _ratings(
    bots: list[str], tally: luce.Tally, fit: luce.Fit, anchor: str | None, anchor_elo: float
) -> Ratings:
    """Give names and Elo to beta."""
    theta, gamma = fit.beta[: len(bots)], fit.beta[len(bots) :]
    reference = np.array([anchor in (None, bot) for bot in bots], np.float64)
    from_anchor = theta - reference @ theta / reference.sum()
    elo = dict(zip(bots, (anchor_elo + ELO_PER_NAT * from_anchor).tolist(), strict=True))
    beats = _beats(tally)
    _, group = connected_components(beats, directed=True, connection="strong")
    bounds = _bounds(bots, beats)
    error = {
        bot: _bound_error(fit, i) if bot in bounds else _bot_error(fit, i, reference * (group == group[i]))
        for i, bot in enumerate(bots)
    }
    return Ratings(
        elo=elo,
        error=error if anchor is None else error | {anchor: 0.0},
        seats=(ELO_PER_NAT * (gamma - gamma.mean())).tolist(),
        seat_errors=[_seat_error(tally, fit, turn) for turn in range(len(gamma))],
        bounds=bounds,
        groups=_groups(elo, group.tolist()),
        _fit=fit,
    )


def _ranking(elo: dict[str, float]) -> list[str]:
    return sorted(elo, key=lambda bot: (-round(elo[bot], 6), bot))


def _groups(elo: dict[str, float], labels: list[int]) -> list[list[str]]:
    label = dict(zip(elo, labels, strict=True))
    result: dict[int, list[str]] = {}
    for bot in _ranking(elo):
        result.setdefault(label[bot], []).append(bot)
    return list(result.values())


def _bounds(bots: list[str], beats: NDArray[np.bool_]) -> dict[str, Literal["<", ">"]]:
    result: dict[str, Literal["<", ">"]] = {}
    for bot, row, column in zip(bots, beats, beats.T, strict=True):
        if row.any() != column.any():
            result[bot] = ">" if row.any() else "<"
    return result


def _beats(tally: luce.Tally) -> NDArray[np.bool_]:
    """[i, j]: bot i won a game in which another bot j sat."""
    winner, lineup = tally.outcomes
    result = np.zeros((tally.bots, tally.bots), np.bool_)
    result[tally.lineups[winner, lineup], tally.lineups[:, lineup]] = True
    np.fill_diagonal(result, False)
    return result


def _bot_error(fit: luce.Fit, bot: int, reference: luce.Floats) -> float | None:
    """Error of the bot against the mean of the bots marked 1 in `reference`."""
    if not reference.any():
        return None
    contrast = np.zeros_like(fit.beta)
    contrast[: len(reference)] = -reference / reference.sum()
    contrast[bot] += 1
    return _half_width(fit, contrast)


def _bound_error(fit: luce.Fit, bot: int) -> float | None:
    """Error of a bot that won or lost everything: by Laplace's approximation of the posterior."""
    curvature = float(fit.curvature[bot])
    if fit.covariance is None or curvature < 1e-9:
        return None
    return float(ELO_PER_NAT * ndtri(0.975) / curvature**0.5)


def _seat_error(tally: luce.Tally, fit: luce.Fit, turn: int) -> float | None:
    """Error of the turn position against the mean of all; None if it won all or no games."""
    wins = tally.wins.sum(axis=1)
    if wins[turn] in (0, wins.sum()):
        return None
    contrast = np.zeros_like(fit.beta)
    contrast[tally.bots :] = -1 / len(wins)
    contrast[tally.bots + turn] += 1
    return _half_width(fit, contrast)


def _half_width(fit: luce.Fit, contrast: luce.Floats) -> float | None:
    error = fit.standard_error(contrast)
    return None if error is None else ELO_PER_NAT * fit.multiplier * error
