"""What goes on in a database: how far its tournaments are, and the run that is on it now."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from arena.history import History
from arena.lock import Holder, find_holder
from arena.schedule import pools


@dataclass(frozen=True, slots=True)
class PoolProgress:
    """How much of a pool of a tournament is played."""

    tournament: str
    edition: str
    """Fingerprint."""
    edition_id: str
    players: int
    done: int
    """Games stored, of those that the schedule has."""
    total: int
    is_most: bool
    """Whether that is only the most that is played: a comparison ends with its verdict."""


@dataclass(frozen=True, slots=True)
class Status:
    """What goes on in a database."""

    run: Holder | None
    games_per_second: float | None
    """Of that run, since it began."""
    pools: list[PoolProgress]

    def to_json(self) -> dict[str, Any]:
        """As `arena status --json` prints it."""
        return {
            "run": self.run
            and {
                "pid": self.run.pid,
                "host": self.run.host,
                "since": self.run.since,
                "tournament": self.run.tournament,
                "games_per_second": self.games_per_second,
            },
            "pools": [
                {
                    "tournament": pool.tournament,
                    "edition": pool.edition_id,
                    "players": pool.players,
                    "done": pool.done,
                    "total": pool.total,
                    "is_most": pool.is_most,
                }
                for pool in self.pools
            ],
        }


def status(history: History, tournament: str | None = None) -> Status:
    """The run on the database, and the progress of a tournament, or of all. Raises StoreError."""
    run, rate = find_holder(history.path), None
    if run is not None:
        seconds = (datetime.now(UTC) - datetime.fromisoformat(run.since)).total_seconds()
        rate = (history.count_games() - run.games) / max(seconds, 1)
    return Status(run, rate, progress(history, tournament))


def progress(history: History, tournament: str | None = None) -> list[PoolProgress]:
    """How far each pool of a tournament is, or of all. Raises StoreError for an unknown one."""
    found = []
    for row in history.tournaments(tournament):
        resolved = history.resolved(row)
        for pool in pools(resolved):
            fingerprint = pool.edition.fingerprint
            done = history.count(row.id, fingerprint, pool.players, pool.blocks)
            found.append(
                PoolProgress(
                    row.name,
                    fingerprint,
                    pool.edition.id,
                    pool.players,
                    done,
                    pool.games,
                    is_most=resolved.ends_early,
                )
            )
    return found
