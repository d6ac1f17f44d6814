"""A comparison of two versions of a bot: a mirrored tournament that ends as soon as its games tell."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from arena.config import GameResult, Identify, ResolvedTournament, resolve_tournament
from arena.errors import ConfigError, StatsError
from arena.executors import Executor
from arena.plugins import BotIdentity, Registry
from arena.rows import Ending
from arena.run import play_missing
from arena.schedule import pools
from arena.stats import (
    BettingSprt,
    ConfidenceSequence,
    Prefix,
    State,
    difference,
    llr,
    nelo,
    paired_difference,
    planned_blocks,
    planned_pairs,
    score,
)
from arena.store import open_store

Verdict: TypeAlias = Literal["pass", "fail", "inconclusive", "invalid"]

PRESETS = {"gain": (0.0, 30.0), "non-regression": (-30.0, 0.0), "big": (0.0, 100.0)}
"""elo0 and elo1 by name."""

MOST_ELO, LEAST_GAP = 1000.0, 1.0
"""How far from 0 a bound may be, and how near to the other."""

MOST_FORFEITS = 0.01
"""Share of games with a forfeit of one of the two above which a comparison is invalid."""


@dataclass(frozen=True)
class Terms:
    """What is asked of a comparison. Raises ConfigError for what makes no sense."""

    elo0: float
    """It passes when NEW is shown to be more than this stronger than OLD."""
    elo1: float
    """It fails when NEW is shown to be less than this stronger than OLD."""
    alpha: float = 0.05
    """The chance of a wrong pass, at most."""
    beta: float = 0.05
    """The chance of a wrong fail, at most."""
    players: int = 4
    field: tuple[str, ...] = ()
    """The others that each of the two meets, in place of one another: then the number of games is fixed."""
    max_games: int | None = None
    """None: what such a question is likely to need."""

    def __post_init__(self) -> None:
        if not -MOST_ELO <= self.elo0 <= self.elo1 - LEAST_GAP <= MOST_ELO - LEAST_GAP:
            raise ConfigError(
                f"compare: expected elo0 at least {LEAST_GAP:g} below elo1, both within ±{MOST_ELO:g},"
                f" got {self.elo0:g} and {self.elo1:g}"
            )
        for name, level in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < level <= 0.5:
                raise ConfigError(f"compare: {name}: expected above 0, at most 0.5, got {level:g}")
        if self.players < 2:
            raise ConfigError(f"compare: players: expected at least 2, got {self.players}")
        if self.max_games is not None and self.max_games < 2:
            raise ConfigError(f"compare: max-games: expected at least 2, got {self.max_games}")

    @cached_property
    def scores(self) -> tuple[float, float]:
        """The mean scores of a block of mixed tables that belong to elo0 and elo1."""
        return score(self.elo0, self.players), score(self.elo1, self.players)

    @cached_property
    def blocks(self) -> int:
        """The most blocks of two games that are played."""
        if self.max_games is not None:
            return self.max_games // 2
        if self.field:
            return planned_pairs(self.elo0, self.elo1, self.players, self.alpha, self.beta)
        return planned_blocks(*self.scores, self.alpha, self.beta)

    @property
    def most_games(self) -> int:
        """The most games that are played: two a block."""
        return 2 * self.blocks


def resolve_comparison(
    new: str,
    old: str,
    edition: str,
    seed: int,
    terms: Terms,
    registry: Registry,
    identify: Identify | None = None,
) -> ResolvedTournament:
    """The mirrored tournament between the two, named by what its games depend on.

    `identify` is as in `load_tournament`. Raises ArenaError.
    """
    table = {
        "name": "compare",
        "edition": edition,
        "players": terms.players,
        "bots": [new, old, *terms.field],
        "format": "mirrored",
        "blocks": terms.blocks,
        "seed": seed,
    }
    resolved = resolve_tournament(table, registry, "compare", identify=identify)
    first, second = resolved.bots[:2]
    name = f"compare {first.name} {second.name} {resolved.fingerprint[:10]}"
    return replace(resolved, tournament=resolved.tournament.model_copy(update={"name": name}))


def are_identical(one: BotIdentity, other: BotIdentity) -> bool:
    """Whether they run the same source with the same options: a file's bot whatever it is called."""
    is_one_bot = one.bot_id == other.bot_id or bool(one.path and other.path)
    return is_one_bot and (one.source_hash, one.options) == (other.source_hash, other.options)


class Played(NamedTuple):
    """A game of a comparison."""

    winner: int | None
    """0: NEW, 1: OLD, above: another bot, None: unfinished."""
    stopped: frozenset[int] = frozenset()
    """Those of the two, 0 and 1, of which a seat went passive by its fault."""


class Estimate(NamedTuple):
    """Elo of NEW over OLD with both ends of its 95 % interval; None where the games do not tell."""

    elo: float | None
    low: float | None
    high: float | None


class Judge(ABC):
    """Takes the blocks of a comparison in order until there is a verdict, and nothing after that."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.verdict: Verdict | None = None
        self.blocks = self.games = self.unfinished = self.forfeits = 0
        self.stopped: Counter[int] = Counter()
        """Games with a forfeit of NEW, 0, and of OLD, 1; some may be games of both."""

    @property
    def is_decided(self) -> bool:
        """Whether there is a verdict."""
        return self.verdict is not None

    def take(self, block: Sequence[Played]) -> None:
        """Take a block: its two games, in the first of which NEW has the seats that OLD has in the second."""
        if self.is_decided:
            return
        self.blocks += 1
        self.games += len(block)
        self.unfinished += sum(game.winner is None for game in block)
        self.forfeits += sum(bool(game.stopped) for game in block)
        self.stopped.update(bot for game in block for bot in game.stopped)
        state = self.weigh(block)
        is_last = self.blocks == self.terms.blocks
        is_over = is_last or state != "continue"
        if self.forfeits > MOST_FORFEITS * (self.games if is_over else self.terms.most_games):
            self.verdict = "invalid"  # before the end only when no further games could mend it
        elif state != "continue":
            self.verdict = state
        elif is_last:
            self.verdict = "inconclusive"

    @abstractmethod
    def weigh(self, block: Sequence[Played]) -> State:
        """What the blocks so far tell, this one included."""

    @abstractmethod
    def estimate(self) -> Estimate:
        """How much stronger NEW is than OLD."""

    @abstractmethod
    def evidence(self) -> dict[str, float | None]:
        """What the verdict rests on, and what is for information."""

    def shares(self) -> tuple[float, float] | None:
        """How much of the evidence for a pass and for a fail is there, 0 to 1 each; None where it only counts
        at the end.
        """
        return None

    def to_json(self) -> dict[str, Any]:
        """As `arena compare --json` prints it; numbers are null where the games do not tell."""
        terms = self.terms
        return {
            "verdict": self.verdict,
            "blocks": self.blocks,
            "games": self.games,
            **self.estimate()._asdict(),
            "elo0": terms.elo0,
            "elo1": terms.elo1,
            **self.evidence(),
            "unfinished": self.unfinished,
            "forfeits": self.forfeits,
            "forfeits_new": self.stopped[0],
            "forfeits_old": self.stopped[1],
            "alpha": terms.alpha,
            "beta": terms.beta,
            "players": terms.players,
            "max_games": terms.most_games,
        }


class TableJudge(Judge):
    """Judges tables that the two fill, by a sequential test."""

    def __init__(self, terms: Terms) -> None:
        super().__init__(terms)
        self.sprt = BettingSprt(*terms.scores, terms.alpha, terms.beta)
        self._interval = ConfidenceSequence()
        self._counts = [0] * 5  # blocks by score: 0, 1/4, … 1

    def weigh(self, block: Sequence[Played]) -> State:
        """See `Judge.weigh`."""
        quarters = sum({0: 2, None: 1, 1: 0}[game.winner] for game in block)
        self._counts[quarters] += 1
        self._interval.update(quarters / 4)
        return self.sprt.update(quarters / 4)

    def shares(self) -> tuple[float, float]:
        """See `Judge.shares`."""
        plus, minus = self.sprt.ln_e_plus / self.sprt.ln_pass, self.sprt.ln_e_minus / self.sprt.ln_fail
        return min(max(plus, 0.0), 1.0), min(max(minus, 0.0), 1.0)

    def estimate(self) -> Estimate:
        """See `Judge.estimate`: a confidence sequence, right whenever one looks."""
        points = sum(quarters * count for quarters, count in enumerate(self._counts))
        mean = points / (4 * self.blocks) if self.blocks else 0.5
        low, elo, high = (self._elo(y) for y in (self._interval.low, mean, self._interval.high))
        return Estimate(elo if self.blocks else None, low, high)

    def evidence(self) -> dict[str, float | None]:
        """See `Judge.evidence`."""
        return {
            "ln_e_plus": self.sprt.ln_e_plus,
            "ln_e_minus": self.sprt.ln_e_minus,
            "p_value": self.sprt.p_value,
            "llr": self._llr("logistic"),
            "llr_normalized": self._llr("normalized"),
            "nelo": nelo(self._counts) if self.blocks else None,
        }

    def _llr(self, model: Literal["logistic", "normalized"]) -> float | None:
        bounds = [self.terms.elo0, self.terms.elo1]
        if model == "logistic":  # an odd table's scores as chess would have them
            bounds = [difference(score(elo, self.terms.players)) for elo in bounds]
        try:
            return llr(self._counts, bounds[0], bounds[1], model) if self.blocks else None
        except StatsError:
            return None

    def _elo(self, mean: float) -> float | None:
        elo = difference(mean, self.terms.players)
        return elo if isfinite(elo) else None


class FieldJudge(Judge):
    """Judges games of each of the two among the same others, once all of them are played."""

    def __init__(self, terms: Terms) -> None:
        super().__init__(terms)
        self._wins: list[tuple[bool, bool]] = []

    def weigh(self, block: Sequence[Played]) -> State:
        """See `Judge.weigh`."""
        first, second = block
        self._wins.append((first.winner == 0, second.winner == 1))
        if self.blocks < self.terms.blocks:
            return "continue"
        found = paired_difference(self._wins)
        if found.chance_above(self.terms.elo0) >= 1 - self.terms.alpha:
            return "pass"
        return "fail" if found.chance_above(self.terms.elo1) <= self.terms.beta else "continue"

    def estimate(self) -> Estimate:
        """See `Judge.estimate`: an interval for the number of games that was fixed before."""
        if not self.blocks:
            return Estimate(None, None, None)
        found = paired_difference(self._wins)
        return Estimate(found.elo, *found.interval)

    def evidence(self) -> dict[str, float | None]:
        """See `Judge.evidence`."""
        none = dict.fromkeys(("ln_e_plus", "ln_e_minus", "p_value", "llr", "llr_normalized", "nelo"))
        if not self.blocks:
            return none
        return none | {"p_value": 1 - paired_difference(self._wins).chance_above(self.terms.elo0)}


def compare(
    resolved: ResolvedTournament,
    terms: Terms,
    path: str | Path,
    executor: Executor,
    report: Callable[[Judge], None] = lambda judge: None,
) -> Judge:
    """Play the comparison, or go on with it, in the database at `path` until there is a verdict.

    Games may be done in any order; they are judged by block, and the verdict is the same whatever was stored
    before and by how many workers. `executor` is not yet open: it is left alone where nothing is missing.
    `report` is called at the start and after each batch. Raises what `run` does.
    """
    judge = FieldJudge(terms) if terms.field else TableJudge(terms)
    (pool,) = pools(resolved)
    prefix: Prefix[Played] = Prefix()

    def take(ending: Ending) -> None:
        lineup = pool.design.lineups(ending.block)[ending.rotation]
        winner = None if ending.winner is None else lineup[ending.winner]
        played = Played(winner, frozenset({0, 1} & {lineup[seat] for seat in ending.forfeits}))
        for block in prefix.add(ending.block, ending.rotation, played):
            judge.take(block)

    with open_store(path, resolved.tournament.name) as store:
        entry = store.enter(resolved)
        for ending in store.endings(entry.tournament, pool.edition.fingerprint, pool.players):
            take(ending)
        report(judge)
        with closing(play_missing(resolved, store, entry, executor)) as batches:
            while not judge.is_decided:
                for outcome in next(batches):
                    if isinstance(outcome, GameResult):
                        spec = outcome.spec
                        stopped = tuple(fault.seat for fault in outcome.faults if fault.forfeit)
                        take(Ending(spec.block, spec.rotation, outcome.winner, stopped))
                report(judge)
    return judge
