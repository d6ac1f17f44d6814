"""Standings: the ratings of each pool of a database, with the counts behind them."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from arena.history import BotTotal, History, PlayedPool, TurnTotal
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
    """Games of the schedule that are not played yet."""

    def to_json(self) -> dict[str, Any]:
        """As `arena standings --json` prints it; null where the games do not tell."""
        pool, (q1, median, q3) = self.pool, self.pool.quartiles
        return {
            "tournament": pool.tournament,
            "edition": pool.edition_id,
            "players": pool.players,
            "games": pool.games,
            "missing": self.missing,
            "unfinished": pool.unfinished,
            "void": pool.voids,
            "connected": self.ratings.connected,
            "rounds": {"median": median, "q1": q1, "q3": q3},
            "seats": [self._turn(total) for total in self.turns],
            "bots": [self._bot(rank, total) for rank, total in enumerate(self.bots, 1)],
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
        }


def standings(history: History, tournament: str | None = None, *, merge: bool = False) -> list[Standings]:
    """The standings of every pool that has games: of one tournament, or of all one by one.

    With `merge` equal pools of all tournaments count as one. Raises StoreError for an unknown tournament.
    """
    missing: Counter[tuple[str | None, str, int]] = Counter()
    for part in progress(history, tournament):
        missing[None if merge else part.tournament, part.edition, part.players] += part.total - part.done
    return [
        _rate(history, pool, missing[pool.tournament, pool.edition, pool.players])
        for pool in history.pools(tournament, merge=merge)
    ]


def _rate(history: History, pool: PlayedPool, missing: int) -> Standings:
    ratings = rate(*history.outcomes(pool))
    place = {label: rank for rank, label in enumerate(ratings.ranking)}
    bots = sorted(
        history.bot_totals(pool), key=lambda total: (place.get(total.label, len(place)), total.label)
    )
    return Standings(pool, ratings, bots, history.turn_totals(pool), missing)
