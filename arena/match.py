"""One match: a GameSpec in, a GameResult out. Seats the bots, asks them, and deals with their faults.

A bot has STRIKES strikes a game: for a faulty answer the decision's default is played, and with the last one
the seat goes passive. What leaves no bot to ask (no memory, a dead process) needs no second time.
"""

from bdb import BdbQuit
from collections.abc import Callable, Sequence
from functools import partial
from operator import methodcaller, setitem
from random import Random
from time import perf_counter
from traceback import TracebackException
from typing import NamedTuple, Protocol, TypeVar

from arena.bot import Bot, Briefing, default_order
from arena.config import Fault, FaultKind, GameResult, GameSpec, Job, Records
from arena.errors import ConfigError, IllegalOrder, OutputLost, class_name, shown
from arena.plugins import Registry, load_registry
from arena.risk import record
from arena.risk.compiled import describe_build
from arena.risk.edition import Edition
from arena.risk.game import Game
from arena.risk.result import Result
from arena.risk.rules import Rules
from arena.risk.stream import derive_seed
from arena.seal import seal
from arena.source import installation

STRIKES = 3
"""So many faulty orders of a seat in one game make it passive."""

DETAIL_LENGTH = 2000
"""Characters kept of a fault's traceback: its end."""

NOBODY = -1
"""In place of a seat: no bot is being called."""

T = TypeVar("T")


class _Cause(NamedTuple):
    """Why a seat is charged."""

    kind: FaultKind
    detail: str
    output: str = ""


class Watch(Protocol):
    """Looks after the process around each call into a bot."""

    def before(self, seat: int, decision: int) -> None:
        """Called with the seat and the number of the decision before its bot is."""

    def after(self, seat: int, decision: int) -> None:
        """Called likewise after that."""

    def printed(self, seat: int) -> str:
        """The end of what the seat's bot has printed in this game."""


class Referee:
    """Plays games between these bots under these rules."""

    def __init__(
        self, rules: dict[str, Rules], factories: Sequence[Callable[[], Bot]], records: Records = "all"
    ) -> None:
        self.rules = rules
        self.factories = factories
        self.records = records
        self._last: _Match | None = None  # a bot that it did not dismiss lives until the result is sent

    @classmethod
    def for_job(cls, job: Job) -> "Referee":
        """A referee for a run's job. Raises ArenaError where what is installed here, or a bot, is another."""
        if describe_build() == "stale":
            raise ConfigError(
                "arena/risk: compiled files run that were made from other sources: build them anew"
            )
        if job.installation not in ("", installation()):
            raise ConfigError(f"expected {job.installation}, found {installation()}")
        registry = load_registry()
        rules = {key: Edition.model_validate_json(text).rules for key, text in job.editions.items()}
        return cls(rules, [registry.factory(identity) for identity in job.bots], job.records)

    def play(self, spec: GameSpec, watch: Watch | None = None) -> GameResult:
        """Play the game to its end."""
        started = perf_counter()
        match = self._last = _Match(
            self.rules[spec.edition], [self.factories[bot] for bot in spec.lineup], spec, watch
        )
        result = match.play()
        keep = self.records == "all" or (self.records == "faults" and match.faults)
        return GameResult(
            spec=spec,
            result=result,
            faults=tuple(match.faults),
            seat_seconds=tuple(match.seat_seconds),
            seconds=perf_counter() - started,
            record=record.pack(match.game.asks_defend, match.game.history_json()) if keep else None,
        )


class _Match:
    """One game in play."""

    def __init__(
        self, rules: Rules, factories: list[Callable[[], Bot]], spec: GameSpec, watch: Watch | None
    ) -> None:
        self.watch = watch
        self.faults: list[Fault] = []
        self.strikes = [0] * spec.players
        self.seat_seconds = [0.0] * spec.players
        self.crashes = {fault.seat: fault for fault in spec.crashes}  # the last one of a seat is the earliest
        self.absent: dict[int, _Cause] = {}  # seats whose bot could not sit down, or whose process has died
        self.asks_defend: list[int] = []
        self.bots = [self._sit_down(seat, rules, factories[seat], spec) for seat in range(spec.players)]
        self.game = Game(rules, spec.players, spec.seed, self.asks_defend)

    def _sit_down(self, seat: int, rules: Rules, factory: Callable[[], Bot], spec: GameSpec) -> Bot:
        briefing = brief(rules, spec.players, spec.seed, seat)
        if seat in self.crashes and self.crashes[seat].decision == 0:  # here, or at the first decision
            self.absent[seat] = _crash(self.crashes[seat])
            return Bot()
        bot, fault = self._watched(seat, 0, lambda: self._call(seat, self._start, factory, briefing))
        if isinstance(bot, Bot):
            return bot
        assert fault is not None
        self.absent[seat] = fault
        return Bot()

    def _start(self, factory: Callable[[], Bot], briefing: Briefing) -> Bot:
        bot = start(factory, briefing)
        if type(bot).defend is not Bot.defend:
            self.asks_defend.append(briefing.seat)
        return bot

    def play(self) -> Result:
        game = self.game
        for absent, cause in self.absent.items():
            self._forfeit(absent, cause)
        while game.result is None:
            seat = game.seat
            assert seat is not None
            crash = self.crashes.get(seat)
            if crash is not None and crash.decision <= game.decisions:
                self.absent[seat] = _crash(crash)
                self._forfeit(seat, self.absent[seat])
            else:
                self._ask(seat)
        for seat in range(len(self.bots)):
            self._dismiss(seat)
        return game.result

    def _dismiss(self, seat: int) -> None:
        """Let go of the seat's bot, whose finalizers then run; one whose process has died stays as it is."""
        crash = self.crashes.get(seat)
        if crash is None:
            self._watched(seat, self.game.decisions, partial(setitem, self.bots, seat, Bot()))
        elif crash.decision == self.game.decisions and seat not in self.absent:
            self._note(seat, _crash(crash), forfeit=False)  # it died here, and the game was over

    def _ask(self, seat: int) -> None:
        """Put the decision to the seat's bot and apply its order, or what replaces it."""
        game, watch, ask = self.game, self.watch, query(self.game)
        number = game.decisions
        if watch is not None:  # not by `_watched`, which costs more: this is done for every decision
            watch.before(seat, number)
        fault = self._apply(seat, ask)
        if watch is not None:
            watch.after(seat, number)
        if fault is None:
            return
        self.strikes[seat] += 1
        if self.strikes[seat] == STRIKES or fault.kind == "memory":
            self._forfeit(seat, fault)
        else:
            self._note(seat, fault, forfeit=False)
            game.apply(default_order(game.view()))

    def _watched(self, seat: int, decision: int, act: Callable[[], T]) -> T:
        """Let the watch know while code of the seat's bot runs: to answer, to be read, to be thrown away."""
        if self.watch is None:
            return act()
        self.watch.before(seat, decision)
        outcome = act()
        self.watch.after(seat, decision)
        return outcome

    def _apply(self, seat: int, ask: Callable[[Bot], object]) -> _Cause | None:
        order, fault = self._call(seat, ask, self.bots[seat])
        if fault is None:
            try:
                self.game.apply(order)
            except IllegalOrder as error:
                fault = _Cause("illegal", str(error))
        return fault

    def _call(
        self, seat: int, call: Callable[..., object], *arguments: object
    ) -> tuple[object, _Cause | None]:
        """What the bot answers, or None and the fault that it raised."""
        answer, fault = None, None
        started = perf_counter()
        try:
            answer = call(*arguments)
        except BaseException as error:  # whatever a bot raises is its fault, SystemExit too
            if self.watch is None:
                let_through(error)
            fault = _cause(error)
        self.seat_seconds[seat] += perf_counter() - started
        return answer, fault

    def _forfeit(self, seat: int, cause: _Cause) -> None:
        self._note(seat, cause, forfeit=True)
        if self.game.result is None or self.game.result.winner == seat:
            self.game.leave(seat)

    def _note(self, seat: int, cause: _Cause, *, forfeit: bool) -> None:
        game, (kind, detail, output) = self.game, cause
        if self.watch is not None:
            output = output or self.watch.printed(seat)
        self.faults.append(Fault(seat, kind, game.round, game.decisions, detail, forfeit, output))


def brief(rules: Rules, players: int, seed: int, seat: int) -> Briefing:
    """What the seat's bot is told in the game of that seed."""
    return Briefing(seat, players, rules, Random(derive_seed(seed, f"bot-{seat}")))


def start(factory: Callable[[], Bot], briefing: Briefing) -> Bot:
    """A fresh bot that has sat down. Raises TypeError for what is no bot, and whatever the bot raises."""
    bot = factory()
    if not isinstance(bot, Bot):
        raise TypeError(f"expected a Bot, got {shown(bot)}")
    bot.briefing = briefing
    bot.start(briefing)
    return bot


def let_through(error: BaseException) -> None:
    """Raise an error of a bot that is called in a person's own process where it is not the bot's doing.

    KeyboardInterrupt for Ctrl-C and for leaving the debugger at a breakpoint of the bot, OutputLost for an
    output that has gone.
    """
    if isinstance(error, BdbQuit):
        raise KeyboardInterrupt from None
    if isinstance(error, KeyboardInterrupt | OutputLost):
        raise error


def query(game: Game) -> Callable[[Bot], object]:
    """What the game asks now: called with a bot it gives the bot's answer, and raises whatever the bot does.

    The bot gets a view that it cannot change.
    """
    view = seal(game.view())
    return methodcaller(view.decision, view)


def _crash(fault: Fault) -> _Cause:
    return _Cause(fault.kind, fault.detail, fault.output)


def _cause(error: BaseException) -> _Cause:
    """A line that names the exception, then the end of its traceback."""
    kind: FaultKind = "memory" if isinstance(error, MemoryError) else "exception"
    try:
        text = "".join(TracebackException.from_exception(error).format())
    except BaseException:  # to look at the error runs code of its own
        text = ""
    return _Cause(kind, f"{describe(error)[:DETAIL_LENGTH]}\n{text[-DETAIL_LENGTH:]}")


def describe(error: BaseException) -> str:
    """One line for what a bot, or a library, raised: the exception's name, the first line of what it says."""
    name = class_name(error)
    try:
        said = str(TracebackException.from_exception(error))
    except BaseException:  # to look at the error runs code of its own
        return name
    return f"{name}: {said}".partition("\n")[0].removesuffix(": ")


def play(edition: Edition | str, bots: Sequence[str | type[Bot] | Bot], seed: int = 0) -> GameResult:
    """Play one game in this process.

    `bots` by seat: a registered id (with options), a `Bot` subclass or an instance. A bot's faults do not
    raise: they are in the result's `faults`. Raises ArenaError for an unknown bot or edition.
    """
    if isinstance(bots, str):
        raise ConfigError(f"bots: expected a list, got {shown(bots)}")
    for bot in bots:
        if not isinstance(bot, str | Bot) and not (isinstance(bot, type) and issubclass(bot, Bot)):
            raise ConfigError(f"bots: expected ids, Bot subclasses or instances, got {shown(bot)}")
    if type(seed) is not int:
        raise ConfigError(f"seed: expected an int, got {shown(seed)}")
    registry = load_registry()
    rules = (registry.edition(edition) if isinstance(edition, str) else edition).rules
    lineup = tuple(range(len(bots)))
    spec = GameSpec(key="", edition=rules.edition, block=0, rotation=0, seed=seed, lineup=lineup)
    return Referee({rules.edition: rules}, [_factory(bot, registry) for bot in bots]).play(spec)


def _factory(bot: str | type[Bot] | Bot, registry: Registry) -> Callable[[], Bot]:
    if isinstance(bot, str):
        return registry.factory(registry.identify(bot))
    return (lambda: bot) if isinstance(bot, Bot) else bot
