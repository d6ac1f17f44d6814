"""What the results database tells, as plain records."""

import statistics
from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from arena.config import Fault, GameResult, Job
from arena.plugins import BotIdentity

LATER = 10**9
"""More rounds than any game has."""


@dataclass(frozen=True, slots=True)
class TournamentRow:
    """A tournament and how much of it has been played."""

    id: int
    name: str
    fingerprint: str
    created: str
    games: int


@dataclass(frozen=True, slots=True)
class PlayedPool:
    """What has been played of one edition and table size, in one tournament or in all together."""

    tournament: str | None
    """Name; None for all tournaments together."""
    edition: str
    """Fingerprint."""
    edition_id: str
    players: int
    games: int
    """Unfinished ones included, void ones not."""
    unfinished: int
    voids: int
    rounds: dict[int, int]
    """Number of rounds to number of games, ascending; an unfinished game would have lasted longer."""
    unfinished_rounds: dict[int, int]
    """The same of the unfinished games alone."""
    since: str | None = None
    """Only tournaments first run at this time (ISO 8601) or later."""

    @property
    def place(self) -> dict[str, Any]:
        """Which pool it is, as JSON and CSV tell it."""
        return {"tournament": self.tournament, "edition": self.edition_id, "players": self.players}

    def quartiles(self) -> tuple[float, float, float]:
        """First quartile, median and third quartile of the rounds; unfinished games count those they had."""
        return _quartiles(Counter(self.rounds))

    @property
    def censored(self) -> list[str]:
        """Those of q1, median and q3 that are the least they can be, as too many games were unfinished."""
        rounds = Counter(self.rounds) - Counter(self.unfinished_rounds) + Counter({LATER: self.unfinished})
        pairs = zip(("q1", "median", "q3"), self.quartiles(), _quartiles(rounds), strict=True)
        return [name for name, least, most in pairs if least != most]


def _quartiles(rounds: Counter[int]) -> tuple[float, float, float]:
    lengths = sorted(rounds.elements())
    q1, median, q3 = statistics.quantiles(lengths if len(lengths) > 1 else lengths * 2, method="inclusive")
    return q1, median, q3


class Outcomes(NamedTuple):
    """The games of a pool in the shape that `arena.stats.rate` takes: `rate(*outcomes)`."""

    lineups: list[tuple[str, ...]]
    """Labels of the bots in turn order."""
    winners: list[int | None]
    """Index into the line-up, None for an unfinished game."""
    blocks: list[int]
    """The seed: all games of a block share it, and so do blocks of two tournaments on one seed."""


class Ending(NamedTuple):
    """Who won a game of a schedule, and whose bots were stopped in it."""

    block: int
    rotation: int
    winner: int | None
    """The seat, None for an unfinished game."""
    forfeits: tuple[int, ...]
    """Seats."""


@dataclass(frozen=True, slots=True)
class BotTotal:
    """Raw counts of a bot in a pool; several seats in a game count once each."""

    label: str
    identity: BotIdentity
    games: int
    wins: int
    unfinished: int
    forfeits: int
    strikes: int


@dataclass(frozen=True, slots=True)
class TurnTotal:
    """Raw counts of a turn position in a pool; 0 is the starter."""

    turn: int
    games: int
    wins: int
    unfinished: int
    forfeits: int


class Seating(NamedTuple):
    """Where a game stands in its schedule, and who sat in it."""

    key: str
    edition: str
    """Fingerprint."""
    players: int
    block: int
    rotation: int
    seed: int
    bots: tuple[BotIdentity, ...]
    """By seat."""


@dataclass(frozen=True, slots=True)
class GameRow:
    """A game in a list."""

    key: str
    tournament: str
    fingerprint: str
    """Of the edition."""
    edition: str
    """Its id."""
    players: int
    block: int
    rotation: int
    seed: int
    starter: int
    status: str
    """finished or unfinished."""
    winner_seat: int | None
    winner: str | None
    """The winning bot's label."""
    rounds: int
    rolls: int
    decisions: int
    digest: str
    seconds: float
    worker: str


@dataclass(frozen=True, slots=True)
class FaultRow:
    """A fault in a list."""

    game: str
    tournament: str
    bot: str
    """Label."""
    version: str
    fault: Fault

    def to_json(self) -> dict[str, Any]:
        """As `arena faults --json` prints it."""
        place = {"game": self.game, "tournament": self.tournament, "bot": self.bot, "version": self.version}
        return place | asdict(self.fault)


@dataclass(frozen=True, slots=True)
class StoredGame:
    """A game as it was played, with all that is needed to play it again."""

    tournament: str
    edition_id: str
    job: Job
    """The game's edition, bots and time limit; `records` is the default."""
    result: GameResult
    """`spec.crashes` are the faults of bots that were stopped: those do not happen again by themselves."""
    labels: tuple[str, ...]
    """By seat: the bot as the standings call it."""
