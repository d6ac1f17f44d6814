"""Standings: the ratings of each pool of a database, with the counts behind them."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from arena.errors import StoreError, hint
from arena.history import History
from arena.rows import BotTotal, PlayedPool, TurnTotal
from arena.stats import Ratings, rate, wilson
from arena.status import progress


@dataclass(frozen=True)
class Standings:
    """A pool, rated."""

    pool: PlayedPool
    ratings: Ratings
    bots: list[BotTotal]
    """Best first."""
    turns: list[TurnTotal]
    """The starter's first."""
    missing: int
    """Games of the schedule that are not played yet; none where it says only how many are played at most."""
    anchor: tuple[str, float] | None = None
    """The bot whose rating was given, and that rating."""
    of_comparison: bool = False
    """Whether games of two bots that fill the tables are in it."""

    @property
    def stalling(self) -> list[BotTotal]:
        """Bots whose games end unfinished more often than the pool's, beyond chance."""
        rate = self.pool.unfinished / self.pool.games
        return [bot for bot in self.bots if wilson(bot.unfinished, bot.games)[0] > rate]

    def los(self) -> dict[str, dict[str, float | None]]:
        """By bot and other bot, best first: how likely the one is better; None: the games do not tell."""
        rated = [bot.label for bot in self.bots if bot.label in self.ratings.elo]
        return {i: {j: None if i == j else self.ratings.los(i, j) for j in rated} for i in rated}

    def to_rows(self, *, los: bool = False) -> list[dict[str, Any]]:
        """The bots as `arena standings --csv` prints them, each with its pool."""
        los_of = self.los() if los else {}
        return [
            self.pool.place
            | self._bot(rank, bot)
            | {f"los {other}": p for other, p in los_of.get(bot.label, {}).items()}
            for rank, bot in enumerate(self.bots, 1)
        ]

    def to_json(self, *, los: bool = False) -> dict[str, Any]:
        """As `arena standings --json` prints it; null where the games do not tell."""
        pool, (q1, median, q3) = self.pool, self.pool.quartiles()
        return pool.place | {
            "games": pool.games,
            "missing": self.missing,
            "unfinished": pool.unfinished,
            "void": pool.voids,
            "connected": self.ratings.connected,
            "rounds": {"median": median, "q1": q1, "q3": q3, "censored": pool.censored},
            "seats": [self._turn(total) for total in self.turns],
            "bots": [self._bot(rank, total) for rank, total in enumerate(self.bots, 1)],
            "groups": self.ratings.groups,
            "reference": self.ratings.reference,
            **({"los": self.los()} if los else {}),
        }

    def _turn(self, total: TurnTotal) -> dict[str, Any]:
        low, high = wilson(total.wins, total.games)
        seats, errors = self.ratings.seats, self.ratings.seat_errors
        known = total.turn < len(seats)
        return {
            "turn": total.turn,
            "wins": total.wins,
            "games": total.games,
            "low": low,
            "high": high,
            "elo": seats[total.turn] if known else None,
            "error": errors[total.turn] if known else None,
        }

    def _bot(self, rank: int, total: BotTotal) -> dict[str, Any]:
        elo, error = self.ratings.elo.get(total.label), self.ratings.error.get(total.label)
        low, high = self.ratings.intervals.get(total.label, (None, None))
        unfinished_low, unfinished_high = wilson(total.unfinished, total.games)
        below = self.bots[rank].label if rank < len(self.bots) else None
        return {
            "bot": total.label,
            "version": total.identity.version,
            "rank": rank,
            "elo": elo,
            "error": error,
            "low": low,
            "high": high,
            "games": total.games,
            "wins": total.wins,
            "win_rate": total.wins / total.games,
            "unfinished": total.unfinished,
            "forfeits": total.forfeits,
            "los_next": self.ratings.los(total.label, below) if elo is not None and below else None,
            "unfinished_low": unfinished_low,
            "unfinished_high": unfinished_high,
            "stalling": total in self.stalling,
        }


def standings(
    history: History,
    tournament: str | None = None,
    *,
    merge: bool = False,
    edition: str | None = None,
    players: int | None = None,
    since: str | None = None,
    anchor: tuple[str, float] | None = None,
) -> list[Standings]:
    """The standings of the chosen pools that have games (see `History.pools`).

    `anchor` gives one bot its rating; else the mean is 1500. Raises StoreError for an anchor that did not
    play in one of the pools, and for a choice of what is not there.
    """
    pools = history.pools(tournament, merge=merge, edition=edition, players=players, since=since)
    begun = {row.name: row.created for row in history.tournaments()}
    missing: Counter[tuple[str | None, str, int]] = Counter()
    compared = set[tuple[str | None, str, int]]()
    for part in progress(history, tournament):
        place = None if merge else part.tournament, part.edition, part.players
        if since is not None and begun[part.tournament] < since:
            continue
        if part.is_most:
            compared.add(place)
        else:
            missing[place] += part.total - part.done
    places = [(pool.tournament, pool.edition, pool.players) for pool in pools]
    return [
        _rate(history, pool, missing[place], anchor, of_comparison=place in compared)
        for pool, place in zip(pools, places, strict=True)
    ]


def _rate(
    history: History,
    pool: PlayedPool,
    missing: int,
    anchor: tuple[str, float] | None,
    *,
    of_comparison: bool,
) -> Standings:
    totals = history.bot_totals(pool)
    labels = [total.label for total in totals]
    if anchor is not None and anchor[0] not in labels:
        place = f"{pool.tournament or 'all tournaments'}, {pool.edition_id}, {pool.players} players"
        found = hint(anchor[0], labels)
        raise StoreError(f"{place}: expected an anchor that played there, got {anchor[0]!r}: {found}")
    ratings = rate(*history.outcomes(pool), anchor=anchor)
    rank = {label: rank for rank, label in enumerate(ratings.ranking)}
    bots = sorted(totals, key=lambda total: (rank.get(total.label, len(rank)), total.label))
    return Standings(pool, ratings, bots, history.turn_totals(pool), missing, anchor, of_comparison)
