"""Declared data: a tournament as its file says it, and the plain records that cross processes."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import comb
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import (
    ConfigDict,
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_validator,
)

from arena.errors import ConfigError, placed
from arena.plugins import BotIdentity, Registry
from arena.risk.edition import Edition
from arena.risk.map import FileModel
from arena.risk.result import Result
from arena.source import installation
from arena.validation import describe_error

Format: TypeAlias = Literal["balanced", "round-robin", "gauntlet", "mirrored"]
Records: TypeAlias = Literal["all", "faults", "none"]
FaultKind: TypeAlias = Literal["exception", "illegal", "timeout", "memory", "crash"]

SCHEDULE = 2
"""Raised whenever the same tournament comes to mean other games, so that the two are never mixed."""

MOST_LINEUPS = 10_000
"""A round robin of more is refused: it would hardly ever come round."""


class Limits(FileModel):
    """What a bot may use."""

    model_config = ConfigDict(strict=True)

    decision_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 5
    """Wall time for one decision."""
    start_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 60
    """Wall time for a process to start and to import the bots."""


def _one_or_more(what: str) -> WrapValidator:
    """Refuse in one line what is neither one nor a list: of a union pydantic tells each way to fail."""

    def check(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
        try:
            return handler(value)
        except ValidationError:
            raise ValueError(f"expected {what} or a list of them, got {value!r}") from None

    return WrapValidator(check)


class Tournament(FileModel):
    """A tournament file."""

    model_config = ConfigDict(strict=True)

    name: Annotated[str, Field(min_length=1)]
    edition: Annotated[str | Annotated[list[str], Field(min_length=1)], _one_or_more("an edition")]
    """An edition's id or path, or a list of them: one pool each."""
    players: Annotated[int | Annotated[list[int], Field(min_length=1)], _one_or_more("a number")]
    """Table size, or a list of them: one pool each."""
    bots: Annotated[list[str], Field(min_length=1)]
    """Ids, with options where wanted (`greedy:margin=2`), or paths of .py files or folders from here on."""
    format: Format = "balanced"
    challengers: list[str] = []
    """In a gauntlet: the bots that each play against the others."""
    blocks: Annotated[int, Field(ge=1)]
    """How many line-ups each pool plays at least; each has a seed and goes once round the seats."""
    seed: Annotated[int, Field(ge=0)] = 0
    records: Records = "all"
    """Which games' orders are kept."""
    copies: bool = False
    """Let bots sit at a table more than once where there are too few of them."""
    limits: Limits = Limits()

    @model_validator(mode="after")
    def _check(self) -> Self:
        for what, values in (
            ("edition", self.editions),
            ("players", self.table_sizes),
            ("bots", self.bots[2:] if self.format == "mirrored" else self.bots),
            ("challengers", self.challengers),
        ):
            twice = [value for i, value in enumerate(values) if value in values[:i]]
            if twice:
                raise ValueError(f"{what}: expected different ones, got {twice[0]!r} twice")
        if (self.format == "gauntlet") != bool(self.challengers):
            found = f"{len(self.challengers) or 'none'} with format {self.format}"
            raise ValueError(f"challengers: expected with format gauntlet, and only there, got {found}")
        if self.format == "mirrored" and len(self.bots) < 2:
            raise ValueError(
                f"bots: expected the two to compare first with format mirrored, got {len(self.bots)}"
            )
        return self

    @property
    def editions(self) -> list[str]:
        """The editions as a list."""
        return [self.edition] if isinstance(self.edition, str) else self.edition

    @property
    def table_sizes(self) -> list[int]:
        """The table sizes as a list."""
        return [self.players] if isinstance(self.players, int) else self.players


@dataclass(frozen=True)
class ResolvedTournament:
    """A tournament with its editions and bots found: all that its schedule depends on."""

    tournament: Tournament
    editions: tuple[Edition, ...]
    bots: tuple[BotIdentity, ...]
    """Challengers included."""

    @property
    def challengers(self) -> tuple[int, ...]:
        """Indices into `bots`."""
        names = entrants(self.tournament)
        return tuple(names.index(name) for name in self.tournament.challengers)

    @property
    def ends_early(self) -> bool:
        """Whether its blocks are only the most that are played: so it is where a sequential test decides."""
        return self.tournament.format == "mirrored" and len(self.bots) == 2

    @property
    def covered(self) -> dict[str, Any]:
        """What the fingerprint covers: whatever can change a game of a given pool, block and rotation."""
        return {
            "schedule": SCHEDULE,
            "format": self.tournament.format,
            "players": self.tournament.table_sizes,
            "seed": self.tournament.seed,
            "challengers": [self.bots[i].name for i in self.challengers],
            "editions": {edition.id: edition.fingerprint for edition in self.editions},
            "bots": [[bot.bot_id, bot.version, bot.options, bot.source_hash] for bot in self.bots],
        }

    @cached_property
    def fingerprint(self) -> str:
        """Hex digest of `covered`."""
        return fingerprint(self.covered)

    def job(self) -> "Job":
        """What every process that plays is told."""
        return Job(
            editions={edition.fingerprint: edition.model_dump_json() for edition in self.editions},
            bots=self.bots,
            records=self.tournament.records,
            decision_seconds=self.tournament.limits.decision_seconds,
            start_seconds=self.tournament.limits.start_seconds,
            installation=installation(),
        )


def fingerprint(covered: Mapping[str, Any]) -> str:
    """Hex digest of what a tournament covers (see `ResolvedTournament.covered`)."""
    return hashlib.blake2b(json.dumps(covered).encode(), digest_size=10).hexdigest()


def entrants(tournament: Tournament) -> list[str]:
    """The bots and the challengers that are not among them, as the file names them."""
    return [*tournament.bots, *(bot for bot in tournament.challengers if bot not in tournament.bots)]


Identify: TypeAlias = Callable[[list[str], Path, float], Iterator[BotIdentity]]
"""What finds bots by their texts, the folder that paths start from, and `Limits.start_seconds`."""


def load_tournament(
    text: str,
    registry: Registry,
    *,
    blocks: int | None = None,
    seed: int | None = None,
    identify: Identify | None = None,
) -> ResolvedTournament:
    """The tournament of that id or path, checked whole, with `blocks` and `seed` in place of the file's.

    Bots are found by `identify`, where it is None in this process. Raises ConfigError that names the file,
    the key, what was expected and what was found.
    """
    table, where, base = registry.tournament_file(text)
    changes = {"blocks": blocks, "seed": seed}
    table = {**table, **{key: value for key, value in changes.items() if value is not None}}
    return resolve_tournament(table, registry, where, base, identify)


def resolve_tournament(
    table: dict[str, Any],
    registry: Registry,
    where: str,
    base: Path = Path(),
    identify: Identify | None = None,
) -> ResolvedTournament:
    """The tournament of a table with the keys of a file, with its editions and bots found, checked whole.

    `where` stands before what is wrong, paths start from `base`, `identify` is as in `load_tournament`.
    Raises ArenaError.
    """
    try:
        tournament = Tournament.model_validate(table)
    except ValidationError as error:
        raise ConfigError(describe_error(error, where, Tournament)) from None
    with placed(f"{where}: edition"):
        editions = tuple(registry.edition(text, base) for text in tournament.editions)
    texts, bots = entrants(tournament), []
    found: Iterator[BotIdentity] = (registry.identify(text, base) for text in texts)
    if identify is not None:
        found = identify(texts, base, tournament.limits.start_seconds)
    for text in texts:
        with placed(f"{where}: {'bots' if text in tournament.bots else 'challengers'}"):
            bots.append(next(found))
    resolved = ResolvedTournament(tournament, editions, tuple(bots))
    _check_editions(resolved, where)
    _check_bots(resolved, where)
    return resolved


def _check_editions(resolved: ResolvedTournament, where: str) -> None:
    seen: dict[str, str] = {}
    ids = [edition.id for edition in resolved.editions]
    for edition in resolved.editions:
        if ids.count(edition.id) > 1:
            raise ConfigError(f"{where}: edition: expected different ids, got {edition.id} twice")
        if edition.fingerprint in seen:
            raise ConfigError(
                f"{where}: edition: expected different rules, got the same in"
                f" {seen[edition.fingerprint]} and {edition.id}"
            )
        seen[edition.fingerprint] = edition.id
        allowed = edition.setup.starting_troops
        for players in resolved.tournament.table_sizes:
            if players not in allowed:
                raise ConfigError(
                    f"{where}: players: edition {edition.id} is for {min(allowed)}–{max(allowed)} players,"
                    f" got {players}"
                )


def _check_bots(resolved: ResolvedTournament, where: str) -> None:
    tournament, bots, texts = resolved.tournament, resolved.bots, entrants(resolved.tournament)
    if tournament.format == "mirrored":  # any two can be compared, and stand among the others too
        bots, texts = bots[2:], texts[2:]
    for i, bot in enumerate(bots):
        if bot in bots[:i]:
            both = f"{texts[bots.index(bot)]} and {texts[i]}"
            raise ConfigError(f"{where}: bots: expected different ones, got {bot.name} twice: {both}")
    if tournament.format == "mirrored":
        return
    largest, is_gauntlet = max(tournament.table_sizes), tournament.format == "gauntlet"
    field = len(bots) - len(resolved.challengers)
    needed = 1 if tournament.copies else largest - is_gauntlet
    if field < needed:
        what = "bots besides the challengers" if is_gauntlet else "bots"
        hint = "" if tournament.copies else " (or copies = true)"
        raise ConfigError(
            f"{where}: bots: expected at least {needed} {what} for tables of {largest}{hint}, got {field}"
        )
    for players in tournament.table_sizes:
        lineups = comb(field, players)
        if tournament.format == "round-robin" and lineups > MOST_LINEUPS:
            raise ConfigError(
                f"{where}: format: expected a round-robin of at most {MOST_LINEUPS:,} line-ups,"
                f" got {lineups:,} of {players} players among {field} bots: balanced makes do with few"
            )


@dataclass(frozen=True, slots=True)
class Job:
    """What every game of a run shares, as plain data: goes once to each process that plays."""

    editions: dict[str, str]
    """Edition fingerprint to the resolved edition as JSON (a house edition's file is not on every node)."""
    bots: tuple[BotIdentity, ...]
    records: Records = "all"
    decision_seconds: float = Limits().decision_seconds
    start_seconds: float = Limits().start_seconds
    installation: str = ""
    """What `arena.source.installation` must give in each process; empty where any will do."""


def _reduce(record: Any) -> tuple[Any, ...]:
    """As what it is pickled: several times as fast as what frozen dataclasses do by themselves."""
    return type(record), tuple([getattr(record, name) for name in record.__slots__])


@dataclass(frozen=True, slots=True)
class Fault:
    """What a bot did wrong in a game."""

    seat: int
    kind: FaultKind
    round: int
    decision: int
    """Number of decisions made in the game before this one."""
    detail: str
    """One line, then where there is one the end of the traceback."""
    forfeit: bool
    """Whether this fault made the seat passive."""
    output: str = ""
    """The end of what the bot had printed in the game."""

    __reduce__ = _reduce

    @property
    def is_strike(self) -> bool:
        """Whether it counts among a bot's strikes in a game; the last of them is a forfeit too."""
        return self.kind in ("exception", "illegal")

    @property
    def outcome(self) -> str:
        """What came of it: forfeit, strike, or nothing, where the game was over."""
        return "forfeit" if self.forfeit else "strike" if self.is_strike else "nothing"


@dataclass(frozen=True, slots=True)
class GameSpec:
    """One game to play."""

    key: str
    edition: str
    """Fingerprint, a key of `Job.editions`."""
    block: int
    rotation: int
    seed: int
    lineup: tuple[int, ...]
    """By seat: index into `Job.bots`."""
    crashes: tuple[Fault, ...] = ()
    """Faults that ended the process on an earlier try: at that decision number the seat goes passive."""

    __reduce__ = _reduce

    @property
    def players(self) -> int:
        """Table size."""
        return len(self.lineup)


@dataclass(frozen=True, slots=True)
class GameResult:
    """A played game."""

    spec: GameSpec
    result: Result
    faults: tuple[Fault, ...]
    seat_seconds: tuple[float, ...]
    """By seat: wall time that its bot took."""
    seconds: float
    """Wall time of the whole game."""
    worker: str = ""
    """Where it was played."""
    record: bytes | None = field(default=None, repr=False)
    """Every order, packed (see `arena.risk.record`); None where records are not kept."""

    __reduce__ = _reduce

    @property
    def winner(self) -> int | None:
        """The winning seat, or None when unfinished."""
        return self.result.winner

    @property
    def finish(self) -> tuple[int | None, ...]:
        """By seat the order in which the players ended, 1 = won."""
        return self.result.finish

    @property
    def digest(self) -> str:
        """Hex digest of all orders and the final position."""
        return self.result.digest


@dataclass(frozen=True, slots=True)
class Void:
    """A game that could not be played through no fault of a bot's: to be played again, not rated."""

    spec: GameSpec
    reason: str
