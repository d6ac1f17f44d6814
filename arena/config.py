"""Declared data: a tournament as its file says it, and the plain records that cross processes."""

from dataclasses import dataclass
from typing import Annotated, Literal, Self, TypeAlias

from pydantic import Field, model_validator

from arena.plugins import BotIdentity
from arena.risk.game import Result
from arena.risk.map import FileModel

Format: TypeAlias = Literal["balanced", "round-robin", "gauntlet"]
Records: TypeAlias = Literal["all", "faults", "none"]
FaultKind: TypeAlias = Literal["exception", "illegal", "timeout", "memory", "crash"]


class Limits(FileModel):
    """What a bot may use."""

    decision_seconds: Annotated[float, Field(gt=0)] = 5
    """Wall time for one decision."""


class Tournament(FileModel):
    """A tournament file."""

    name: Annotated[str, Field(min_length=1)]
    edition: str | Annotated[list[str], Field(min_length=1)]
    """An edition's id or path, or a list of them: one pool each."""
    players: int | Annotated[list[int], Field(min_length=1)]
    """Table size, or a list of them: one pool each."""
    bots: Annotated[list[str], Field(min_length=1)]
    """Bots: id, id with options (`greedy:margin=2`), or path to a .py file (relative to this file)."""
    format: Format = "balanced"
    challengers: list[str] = []
    """In a gauntlet: the bots that each play against the others."""
    blocks: Annotated[int, Field(ge=1)]
    """Line-ups a pool, each on its own seed in all its rotations."""
    seed: Annotated[int, Field(ge=0)] = 0
    records: Records = "all"
    """Which games' orders are kept."""
    copies: bool = False
    """Fewer bots than seats are filled up with further instances."""
    limits: Limits = Limits()

    @model_validator(mode="after")
    def _check(self) -> Self:
        for what, values in (
            ("edition", self.editions),
            ("players", self.table_sizes),
            ("bots", self.bots),
            ("challengers", self.challengers),
        ):
            twice = [value for i, value in enumerate(values) if value in values[:i]]
            if twice:
                raise ValueError(f"{what}: expected different ones, got {twice[0]!r} twice")
        if (self.format == "gauntlet") != bool(self.challengers):
            raise ValueError("challengers: expected with format gauntlet, and only there")
        return self

    @property
    def editions(self) -> list[str]:
        """The editions as a list."""
        return [self.edition] if isinstance(self.edition, str) else self.edition

    @property
    def table_sizes(self) -> list[int]:
        """The table sizes as a list."""
        return [self.players] if isinstance(self.players, int) else self.players


@dataclass(frozen=True, slots=True)
class Job:
    """What every game of a run shares, as plain data: goes once to each process that plays."""

    editions: dict[str, str]
    """Edition fingerprint to the resolved edition as JSON (a house edition's file is not on every node)."""
    bots: tuple[BotIdentity, ...]
    records: Records = "all"
    decision_seconds: float = 5.0


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
    record: bytes | None = None
    """Every order, packed (see `arena.risk.record`); None where records are not kept."""

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
