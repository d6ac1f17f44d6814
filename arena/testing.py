"""The conformance kit: whether a bot can be trusted to play in a tournament.

    from arena.testing import check_bot

    def test_bot_conforms() -> None:
        check_bot("my-bot")

The bot plays at a table of every size of every edition, in processes of its own, so that it may hang or
crash. Then some of the games are played again: each in a fresh process, in another order by another number of
workers, and with strings that hash otherwise. They must not differ.
"""

import inspect
import re
import statistics
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from arena import match
from arena.asking import Pace, Reading, Trial
from arena.bot import Bot
from arena.config import Fault, GameResult, GameSpec, Job, Limits
from arena.errors import counted
from arena.executors.local import LocalExecutor
from arena.host import ChildDied, Host, ask, identify
from arena.plugins import BotIdentity, Registry, load_registry
from arena.position_tests import POSITIONS as FOLDER
from arena.position_tests import load_position_tests, run_position_tests
from arena.risk.edition import Edition

SPARRING = ("continental", "greedy", "uniform")
"""Bundled bots that take the other seats."""

MOST_FORFEITS = 3
"""After so many the rest of the games is left out: a bot that hangs costs its time limit in each."""

MOST_SHOWN = 3
"""So many of the faults in the games are told, the others counted."""

MOST_FRAMES = 3
"""So many of the calls that led to a fault are told: the last ones."""

FRAME = re.compile(r'^  File "(.+)", line (\d+),? in (.+)$', re.MULTILINE)
"""A call as tracebacks name it, and faulthandler."""

AGAIN = 24
"""So many games are played again in another order, and with other hashes."""

FRESH = 2
"""So many are played in processes of their own."""

METHODS = "loads in another process, its methods called as decisions are"
POSITIONS = "legal in hard positions"
TABLES = "legal at every table"
SAME_SEED = "the same game for the same seed"
NOTHING_CARRIED = "nothing is carried from game to game"
ANY_ORDER = "the same in another order and with other workers"
ANY_HASHES = "the same with other hashes of strings"

CHECKS = (METHODS, POSITIONS, TABLES, SAME_SEED, NOTHING_CARRIED, ANY_ORDER, ANY_HASHES)
"""What every report tells of, in this order."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at."""

    name: str
    passed: bool | None
    """None where it was left out, because an earlier check has failed or there is nothing to look at."""
    details: tuple[str, ...] = ()
    """Lines on what was seen, or what is wrong."""

    @property
    def verdict(self) -> str:
        """In a word or two."""
        return {True: "ok", False: "FAILED", None: "left out"}[self.passed]


@dataclass(frozen=True, slots=True)
class Times:
    """Wall time of a bot's decisions."""

    decisions: int
    median_ms: float
    p99_ms: float
    """99 % took no longer."""
    worst_ms: float

    def __str__(self) -> str:
        return (
            f"a decision takes {self.median_ms:.3f} ms (median), {self.p99_ms:.3f} ms (99 %),"
            f" {self.worst_ms:.3f} ms (worst of {self.decisions})"
        )

    @classmethod
    def of(cls, seconds: Sequence[float]) -> "Times | None":
        """None for no decisions."""
        if not seconds:
            return None
        ordered = sorted(seconds)
        p99 = ordered[len(ordered) * 99 // 100]
        return cls(len(ordered), 1000 * statistics.median(ordered), 1000 * p99, 1000 * ordered[-1])


@dataclass(slots=True)
class Report:
    """What the checks of a bot have found."""

    bot: str
    version: str
    checks: list[Check] = field(default_factory=list)
    games: int = 0
    strikes: int = 0
    forfeits: int = 0
    times: Times | None = None

    @property
    def passed(self) -> bool:
        """Whether no check has failed."""
        return all(check.passed is not False for check in self.checks)

    def to_json(self) -> dict[str, Any]:
        """What `arena check --json` prints of it."""
        return {**asdict(self), "passed": self.passed}

    def __str__(self) -> str:
        lines = [f"{self.bot} {self.version}: {'passed' if self.passed else 'failed'}"]
        for check in self.checks:
            lines.append(f"  {check.verdict:<9} {check.name}")
            lines += [f"            {line}" for line in check.details]
        if self.times is not None:
            lines.append(f"  {self.times}")
        return "\n".join(lines)


def check_bot(bot: str | Path | type[Bot], *, editions: Iterable[str] | None = None) -> Report:
    """Check a bot: its id, with options where wanted, a .py file or folder, or its class.

    `editions` are ids or .toml paths (default: all that are registered). Raises AssertionError with the
    report where a check fails, ArenaError where there is no such bot or edition.
    """
    registry = load_registry()
    text = _text_of(bot, registry) if isinstance(bot, type) else str(bot)
    report = examine(text, registry, editions)
    if not report.passed:
        raise AssertionError(str(report))
    return report


def _text_of(bot: type[Bot], registry: Registry) -> str:
    """The id that a class is registered under, or else its file."""
    ids = [entry.id for entry in registry.bots.values() if entry.factory is bot]
    return ids[0] if ids else inspect.getfile(bot)


def examine(text: str, registry: Registry, editions: Iterable[str] | None = None) -> Report:
    """The report on the bot that a text names, see `check_bot`. Raises ArenaError for what is not there."""
    found = [registry.edition(edition) for edition in (registry.editions if editions is None else editions)]
    (bot,) = identify([text], Path(), Limits().start_seconds)
    return _Examination(bot, registry, found).examine()


class _Examination:
    """The checks of one bot, one after the other."""

    def __init__(self, bot: BotIdentity, registry: Registry, editions: Sequence[Edition]) -> None:
        self.bot = bot
        partners = [name for name in SPARRING if name in registry.bots and name != bot.name]
        sparring = [registry.identify(name) for name in partners]
        self.registry = registry
        self.job = Job(
            {edition.fingerprint: edition.model_dump_json() for edition in editions}, (bot, *sparring), "none"
        )
        self.specs = [self._spec(number, *table) for number, table in enumerate(_tables(editions))]
        self.digests: dict[str, str] = {}
        self.checks: dict[str, Check] = {}
        self.report = Report(bot.name, bot.version)

    def examine(self) -> Report:
        """Play the games; the report tells of all `CHECKS`."""
        self._check_methods()
        self._check_positions()
        self._check_games()
        if len(self.digests) == len(self.specs):
            self._check_fresh()
            self._check_again()
        self.report.checks = [self.checks.get(name, Check(name, None)) for name in CHECKS]
        return self.report

    def _spec(self, number: int, edition: Edition, players: int) -> GameSpec:
        """A game in which the bot sits at every other place, in turn from the first or the second on.

        Its sparring partners take turns at the places between; without any it sits there too.
        """
        partners = len(self.job.bots) - 1
        lineup = tuple(
            0 if i % 2 == 0 or partners == 0 else 1 + i // 2 % partners
            for i in range(number, number + players)
        )
        key = f"{edition.id} for {players}"
        return GameSpec(key, edition.fingerprint, block=0, rotation=0, seed=number, lineup=lineup)

    def _check(self, name: str, problems: Iterable[str], seen: str = "") -> None:
        details = tuple(problems)
        self.checks[name] = Check(name, not details, details or tuple(filter(None, [seen])))

    def _check_methods(self) -> None:
        try:
            problems = ask(Reading(self.bot), Limits().start_seconds)
        except ChildDied as death:
            problems = [death.reason()]
        self._check(METHODS, problems)

    def _check_positions(self) -> None:
        tests = load_position_tests(FOLDER / "hard", self.registry)
        tests = [test for test in tests if test.edition in self.job.editions]
        if not tests:
            self.checks[POSITIONS] = Check(POSITIONS, None, ("none is of an edition that is checked",))
            return
        outcomes = run_position_tests(self.bot, tests)
        problems = [f"{o.test.name}: {o.problem} ({o.test.reason})" for o in outcomes if o.problem]
        self._check(POSITIONS, problems, f"{len(outcomes)} positions")

    def _check_games(self) -> None:
        report = self.report
        problems: list[str] = []
        with LocalExecutor(workers=2) as executor:
            for outcome in chain.from_iterable(executor.play(self.job, self.specs)):
                if not isinstance(outcome, GameResult):
                    problems.append(f"{outcome.spec.key}: {outcome.reason}")
                    continue
                faults = [fault for fault in outcome.faults if outcome.spec.lineup[fault.seat] == 0]
                report.games += 1
                report.forfeits += sum(fault.forfeit for fault in faults)
                report.strikes += sum(fault.is_strike for fault in faults)
                problems += [self._tell(outcome.spec, fault) for fault in faults]
                self.digests[outcome.spec.key] = outcome.digest
                if report.forfeits >= MOST_FORFEITS:
                    break
        games = f"{report.games} of {len(self.specs)} games"
        seen = f"{games}, {counted(report.strikes, 'strike')}, {counted(report.forfeits, 'forfeit')}"
        shown = problems[:MOST_SHOWN]
        more = [f"and {len(problems) - len(shown)} more"] if len(problems) > len(shown) else []
        self.checks[TABLES] = Check(TABLES, not problems, (*shown, *more, seen))

    def _tell(self, spec: GameSpec, fault: Fault) -> str:
        """A line on the fault: what tells how to play the game again, what came of it, and where."""
        table = ", ".join(self.job.bots[bot].name for bot in spec.lineup)
        game = f"{spec.key} ({table}), seed {spec.seed}, seat {fault.seat}, round {fault.round}"
        said, _, _ = fault.detail.partition("\n")
        told = f"{game}: {fault.outcome}: {fault.kind}: {said}"
        return ", at ".join(filter(None, [told, _place(fault)]))

    def _check_fresh(self) -> None:
        """Games in a process of their own, each twice."""
        games = _part(self.specs[::-1], FRESH)
        digests = [[self._play_alone(spec) for _ in range(2)] for spec in games]
        other = [spec.key for spec, (first, second) in zip(games, digests, strict=True) if first != second]
        self._check(SAME_SEED, _differing(other), f"{len(games)} games in two processes")
        if other:
            return
        alone = {spec.key: first for spec, (first, _) in zip(games, digests, strict=True)}
        carried = [key for key, digest in alone.items() if digest != self.digests[key]]
        self._check(NOTHING_CARRIED, _differing(carried), f"{len(games)} games alone and among others")

    def _play_alone(self, spec: GameSpec) -> str:
        with Host(self.job) as host:
            outcome = host.play(spec)
        return outcome.digest if isinstance(outcome, GameResult) else outcome.reason

    def _check_again(self) -> None:
        """A part of the games backwards in one process, and the same with other hashes."""
        games = tuple(_part(self.specs, AGAIN)[::-1])
        expected = {game: self.digests[game.key] for game in games}
        seconds: list[float] = []
        for hash_seed, name in enumerate((ANY_ORDER, ANY_HASHES)):
            try:
                pace: Pace = ask(Trial(self.job, games, bot=0), Limits().decision_seconds, hash_seed)
            except ChildDied as death:
                self._check(name, [death.reason()])
                return
            other = [game.key for game, digest in pace.digests.items() if digest != expected[game]]
            self._check(name, _differing(other), f"{len(games)} games")
            expected = pace.digests
            seconds += pace.seconds
        self.report.times = Times.of(seconds)


def _tables(editions: Sequence[Edition]) -> Iterator[tuple[Edition, int]]:
    """Every edition with each of its table sizes."""
    for edition in editions:
        for players in sorted(edition.setup.starting_troops):
            yield edition, players


def _part(specs: Sequence[GameSpec], most: int) -> Sequence[GameSpec]:
    """At most so many, from all over."""
    return specs[:: -(-len(specs) // most)]


def _differing(keys: Sequence[str]) -> list[str]:
    """A line on the games that differ, or none."""
    return [f"{len(keys)} games differ, the first: {keys[0]}"] if keys else []


def _place(fault: Fault) -> str:
    """The last calls in the bot that led to the fault, the latest last; empty where they are unknown."""
    frames = FRAME.findall(fault.detail)
    if fault.kind in ("timeout", "crash"):  # faulthandler's, latest call first
        frames.reverse()
    own = [i for i, (file, _, _) in enumerate(frames) if file == match.__file__]
    calls = frames[own[-1] + 1 :] if own else frames
    return " > ".join(f"{file}:{line} in {name}" for file, line, name in calls[-MOST_FRAMES:])
