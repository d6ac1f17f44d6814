"""Ratings of the bots of one pool, from nothing but who won.

All games are fitted at once: unlike Elo updated game by game, it cannot depend on their order.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components
from scipy.special import ndtr, ndtri

from arena.errors import StatsError
from arena.stats import exact, games, luce
from arena.stats.figures import number

ELO_PER_NAT = 400 / float(np.log(10))
MEAN_ELO = 1500.0

MOST_ELO = MOST_PRIOR = 1e9
"""Larger ones lose the differences between bots."""

FEW = 10
"""Of a bot with fewer wins or fewer losses little is known: it has an interval of its own kind, and is left
out of the mean, as its error would be in all others'."""


@dataclass(frozen=True)
class Ratings:
    """Strengths of bots and effects of turn positions, in Elo.

    The scale is that of the anchor: of one bot, or of the mean of those that have won and lost at least FEW
    games each, if there are two (how far the others are from them is hard to tell). An error is the
    half-width of the 95 % interval of the difference to it; a named anchor itself has 0. It is None, never 0
    or NaN, where the games do not tell: too few blocks, effects that always came together. In a pool that is
    not `connected` it refers to those bots of the anchor that are in the bot's own group.

    Where wins or losses are few (less than FEW) the interval is not Elo ± error: one end is further off.
    Where there are none it has but one end, no error, and the Elo is no estimate: the prior alone keeps it
    finite, beyond the other bots (see `bounds`).
    """

    elo: dict[str, float]
    error: dict[str, float | None]
    seats: list[float]
    """By turn position, 0 is the starter; their mean is 0."""
    seat_errors: list[float | None]
    reference: list[str]
    """The bots whose mean is the anchor's Elo."""
    intervals: dict[str, tuple[float | None, float | None]]
    """Both ends of the 95 % interval; None: open, or not known."""
    bounds: dict[str, Literal["<", ">"]]
    """">": won every game, the true Elo is above; "<": lost every game."""
    groups: list[list[str]]
    """Best first; bots of two groups cannot be compared (Ford 1957)."""
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
        for bot in (i, j):
            if bot not in list(self.elo):
                raise StatsError(f"expected a bot that is rated, got {bot!r}")
        gap = self.elo[i] - self.elo[j]
        if self._fit is None or not any({i, j} <= set(group) for group in self.groups):
            return None
        contrast = np.zeros_like(self._fit.beta)
        contrast[[list(self.elo).index(i), list(self.elo).index(j)]] = 1, -1
        error = self._fit.standard_error(contrast)
        return None if error is None else float(ndtr(gap / (ELO_PER_NAT * error)))


def rate(
    lineups: Iterable[Sequence[str]],
    winners: Iterable[int | None],
    blocks: Iterable[Hashable] | None = None,
    *,
    prior: float = 1.0,
    seat_effects: bool = True,
    anchor: str | tuple[str, float] | None = None,
) -> Ratings:
    """Rate the bots of one pool: games of one edition and one table size.

    lineups: the bots of each game in turn order, starter first; a bot may have several seats.
    winners: index into the line-up, or None for an unfinished game, which leaves no trace here.
    blocks: what the game shares with others beside its bots (its seed).
        The games of a block count as one observation of the error; None: each game is its own.
    prior: virtual drawn games of each bot against one fixed player. Without any (0) the rating of
        a bot that won or lost everything is an arbitrary large number.
    anchor: the bot of a given rating (1500 if only named); None: the mean of all bots is 1500, without
        those that have won or lost hardly any game.

    Raises StatsError for line-ups of several sizes, a winner outside its line-up, sequences of
    different lengths, a prior below 0 and an anchor that did not play.
    """
    number("prior", prior, 0, MOST_PRIOR)
    bots, tally = games.count(lineups, winners, blocks)
    name, name_elo = _parse_anchor(anchor, bots)
    if not bots:
        return Ratings({}, {}, [], [], [], {}, {}, [], None)
    return _Scale(bots, tally, luce.fit(tally, prior, seat_effects), name, name_elo).ratings()


def wilson(wins: int, games: int, level: float = 0.95) -> tuple[float, float]:
    """Interval (low, high) of a proportion (Wilson 1927); of no games the empty claim (0, 1)."""
    number("games", games, 0)
    number("wins", wins, 0, games)
    number("level", level, 0, 1, within=True)
    if games == 0:
        return 0.0, 1.0
    z2 = float(ndtri((1 + level) / 2)) ** 2
    centre = (wins + z2 / 2) / (games + z2)
    half = (z2 * (wins * (games - wins) / games + z2 / 4)) ** 0.5 / (games + z2)
    return max(0.0, centre - half), min(1.0, centre + half)


def _parse_anchor(anchor: str | tuple[str, float] | None, bots: list[str]) -> tuple[str | None, float]:
    """Name of the anchor, None for the mean of the bots, and its Elo."""
    if anchor is None:
        return None, MEAN_ELO
    if not isinstance(anchor, str | tuple) or (isinstance(anchor, tuple) and len(anchor) != 2):
        raise StatsError(f"expected an anchor's name, or its name and Elo, got {anchor!r}")
    name, elo = (anchor, MEAN_ELO) if isinstance(anchor, str) else anchor
    if bots and name not in bots:
        raise StatsError(f"expected an anchor among {', '.join(bots)}, got {name!r}")
    return name, number("anchor", elo, -MOST_ELO, MOST_ELO)


@dataclass(frozen=True)
class _Scale:
    """A fitted pool in Elo: what its bots are compared with, and how sure that is."""

    bots: list[str]
    tally: luce.Tally
    fit: luce.Fit
    anchor: str | None
    anchor_elo: float

    @cached_property
    def theta(self) -> luce.Floats:
        """(N,): strengths in nats."""
        return self.fit.beta[: len(self.bots)]

    @cached_property
    def beats(self) -> NDArray[np.bool_]:
        """[i, j]: bot i won a game in which another bot j sat."""
        winner, lineup = self.tally.outcomes
        result = np.zeros((self.tally.bots, self.tally.bots), np.bool_)
        result[self.tally.lineups[winner, lineup], self.tally.lineups[:, lineup]] = True
        np.fill_diagonal(result, False)
        return result

    @cached_property
    def group(self) -> NDArray[np.signedinteger]:
        """(N,): the number of the group of bots that can be compared with each other."""
        _, group = connected_components(self.beats, directed=True, connection="strong")
        return group

    @cached_property
    def bounds(self) -> dict[str, Literal["<", ">"]]:
        """The bots that lost or won everything."""
        result: dict[str, Literal["<", ">"]] = {}
        for bot, row, column in zip(self.bots, self.beats, self.beats.T, strict=True):
            if row.any() != column.any():
                result[bot] = ">" if row.any() else "<"
        return result

    @cached_property
    def minority(self) -> luce.Floats:
        """(N,): wins or losses of each bot, whatever is less."""
        seats, losses = self.tally.lineups.ravel(), self.tally.wins.sum(axis=0) - self.tally.wins
        won, lost = (
            np.bincount(seats, counts.ravel(), self.tally.bots) for counts in (self.tally.wins, losses)
        )
        result: luce.Floats = np.minimum(won, lost)
        return result

    @cached_property
    def reference(self) -> luce.Floats:
        """Weights (N,) of the bots in what 1500, or the anchor's Elo, is the mean of."""
        if self.anchor is not None:
            chosen = np.array([bot == self.anchor for bot in self.bots])
        else:
            chosen = self.minority >= FEW
            if chosen.sum() < 2:
                chosen = np.ones(len(self.bots), np.bool_)
        result: luce.Floats = chosen / chosen.sum()
        return result

    @cached_property
    def elo(self) -> dict[str, float]:
        """By bot."""
        nats = (self.theta - self.theta @ self.reference).tolist()
        return {bot: self._elo(above) for bot, above in zip(self.bots, nats, strict=True)}

    def ratings(self) -> Ratings:
        """All of it by name."""
        gamma = self.fit.beta[len(self.bots) :]
        intervals = {bot: self._interval(i, bot) for i, bot in enumerate(self.bots)}
        return Ratings(
            elo=self.elo,
            error={
                bot: None if low is None or high is None else (high - low) / 2
                for bot, (low, high) in intervals.items()
            },
            seats=(ELO_PER_NAT * (gamma - gamma.mean())).tolist(),
            seat_errors=[self._seat_error(turn) for turn in range(len(gamma))],
            reference=[bot for bot, weight in zip(self.bots, self.reference, strict=True) if weight],
            intervals=intervals,
            bounds=self.bounds,
            groups=_groups(self.elo, self.group.tolist()),
            _fit=self.fit,
        )

    def _elo(self, nats: float) -> float:
        return self.anchor_elo + ELO_PER_NAT * nats

    def _interval(self, i: int, bot: str) -> tuple[float | None, float | None]:
        """The wider one of the usual interval and, where there are few wins or losses, the exact one."""
        if bot == self.anchor:
            return self.elo[bot], self.elo[bot]
        half = None if bot in self.bounds else self._error(i)
        found = [] if half is None else [(self.elo[bot] - half, self.elo[bot] + half)]
        if bot in self.bounds or (found and self.minority[i] < FEW):
            ends = self._exact_ends(i)
            found += [] if ends is None else [(self._elo(ends[0]), self._elo(ends[1]))]
        low = min((low for low, _ in found), default=-np.inf)
        high = max((high for _, high in found), default=np.inf)
        return (low if np.isfinite(low) else None), (high if np.isfinite(high) else None)

    def _error(self, i: int) -> float | None:
        """Error of the bot against the mean of those of the reference that are in its group."""
        reference = self.reference * (self.group == self.group[i])
        if not reference.any():
            return None
        contrast = np.zeros_like(self.fit.beta)
        contrast[: len(reference)] = -reference / reference.sum()
        contrast[i] += 1
        return self._half_width(contrast)

    def _seat_error(self, turn: int) -> float | None:
        """Error of the turn position against the mean of all; None if it won all or no games."""
        wins = self.tally.wins.sum(axis=1)
        if wins[turn] in (0, wins.sum()):
            return None
        contrast = np.zeros_like(self.fit.beta)
        contrast[len(self.bots) :] = -1 / len(wins)
        contrast[len(self.bots) + turn] += 1
        return self._half_width(contrast)

    def _half_width(self, contrast: luce.Floats) -> float | None:
        error = self.fit.standard_error(contrast)
        return None if error is None else ELO_PER_NAT * self.fit.multiplier * error

    def _exact_ends(self, i: int) -> tuple[float, float] | None:
        """The interval, in nats from the reference, of a bot with few wins or losses; infinite where open.

        None where the other bots of the reference cannot be compared themselves. Games with bots that won or
        lost everything, unless this one did so too, or they are the reference, tell nothing about it.
        """
        others = set(np.flatnonzero(self.reference).tolist()) - {i}
        if len({int(self.group[other]) for other in others}) != 1:
            return None
        own = self.bounds.get(self.bots[i])
        far = {j for j, bot in enumerate(self.bots) if self.bounds.get(bot) not in (None, own)}
        record = exact.Record.of(self.tally, self.fit.beta, i, np.array(sorted(far - others), np.intp))
        if record is None:
            return None
        at, own_share = float(self.theta[i] - self.theta @ self.reference), float(self.reference[i])
        low, high = record.ends()
        # the mean goes along by the bot's share
        return at + low * (1 - own_share), at + high * (1 - own_share)


def _ranking(elo: dict[str, float]) -> list[str]:
    return sorted(elo, key=lambda bot: (-round(elo[bot], 6), bot))


def _groups(elo: dict[str, float], labels: list[int]) -> list[list[str]]:
    label = dict(zip(elo, labels, strict=True))
    result: dict[int, list[str]] = {}
    for bot in _ranking(elo):
        result.setdefault(label[bot], []).append(bot)
    return list(result.values())
