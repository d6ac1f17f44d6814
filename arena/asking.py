"""What a child process is asked to do besides playing games: the tasks of `arena.host.ask`."""

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple, Protocol

from arena.bot import Bot
from arena.config import GameSpec, Job
from arena.errors import ArenaError
from arena.guard import Crumb, set_limits
from arena.integrity import Memory
from arena.match import NOBODY, Referee, brief, describe, query, start
from arena.plugins import BotIdentity, load_position, load_registry
from arena.risk.edition import Edition
from arena.risk.game import Game
from arena.risk.notation import format_order
from arena.risk.position import DECISIONS


class Task(Protocol):
    """Something to do in a child process; must be picklable."""

    def run(self, crumb: Crumb) -> Any:
        """Do it, leaving the crumb before and after each call into a bot; the answer must be picklable.

        One that lets bots play sets limits once they are imported. An ArenaError is handed to whoever asked.
        """


class Entrant(NamedTuple):
    """A bot that was identified."""

    bot: BotIdentity
    warnings: list[str]
    """A line for each method that looks like a misspelt decision."""


@dataclass(frozen=True, slots=True)
class Entrants:
    """Identifies bots; the crumb has the place in the list for the seat."""

    texts: tuple[str, ...]
    """As `Registry.identify` takes them."""
    base: Path

    def run(self, crumb: Crumb) -> list[Entrant | ArenaError]:
        """What becomes of each, up to the first error."""
        registry, found = load_registry(), list[Entrant | ArenaError]()
        for i, text in enumerate(self.texts):
            crumb.leave(i, 0)
            try:
                identity, bot = registry.meet(text, self.base)
                found.append(Entrant(identity, list(misspelt(type(bot)))))
            except ArenaError as error:
                return [*found, error]
        return found


class Question(NamedTuple):
    """A position in which a bot is to answer."""

    position: str
    """JSON text of a position in which somebody decides."""
    edition: str
    """JSON text of the resolved edition."""


class Answer(NamedTuple):
    """What a bot answered."""

    order: str
    """In words; empty where it gave none that is legal."""
    problem: str
    """One line on what was wrong with it, or empty."""


@dataclass(frozen=True, slots=True)
class Exam:
    """Puts questions to a bot, a fresh one for each. The crumb has the question's number for the seat."""

    bot: BotIdentity
    questions: tuple[Question, ...]

    def run(self, crumb: Crumb) -> list[Answer]:
        """The answers, in order, up to the first in which the bot changed what all play by.

        Raises ArenaError where the bot here is not the one that is meant.
        """
        factory = load_registry().factory(self.bot)
        set_limits()
        answers = []
        for number, question in enumerate(self.questions):
            game = load_position(question.position, edition=_edition(question.edition))
            assert game.seat is not None
            memory = Memory((game.rules, game.board))
            crumb.leave(number, game.decisions)
            try:
                bot = start(factory, brief(game.rules, game.players, game.seed, game.seat))
                answers.append(_answer(game, bot))
            except BaseException as error:  # whatever a bot raises is its fault
                answers.append(Answer("", describe(error)))
            crumb.leave(NOBODY, game.decisions)
            if changed := memory.changed():  # the next position would be read with it
                answers[-1] = Answer("", f"it changed {changed}, which all bots play by")
                break
        return answers


@cache
def _edition(text: str) -> Edition:
    return Edition.model_validate_json(text)


def _answer(game: Game, bot: Bot) -> Answer:
    order = query(game)(bot)
    reason = game.legal(order)
    if reason is not None:
        return Answer("", f"illegal order: {reason}")
    return Answer(format_order(game.board, game.decision, order), "")


class Pace(NamedTuple):
    """Games of a job played one after the other."""

    digests: dict[GameSpec, str]
    seconds: list[float]
    """Wall time of each call into the bot that was timed."""


@dataclass(frozen=True, slots=True)
class Trial:
    """Plays games of a job and takes the time of one of its bots, number `bot`."""

    job: Job
    specs: tuple[GameSpec, ...]
    bot: int

    def run(self, crumb: Crumb) -> Pace:
        """The digests and times. Raises ArenaError where a bot here is not the one that the job names."""
        referee, watch = Referee.for_job(self.job), Stopwatch(crumb)
        set_limits()
        digests = {}
        for spec in self.specs:
            watch.seats = {seat for seat, bot in enumerate(spec.lineup) if bot == self.bot}
            digests[spec] = referee.play(spec, watch).digest
        return Pace(digests, watch.seconds)


class Stopwatch:
    """A `Watch` that takes the time of the calls into the bots of `seats`."""

    def __init__(self, crumb: Crumb) -> None:
        self.seats: set[int] = set()
        self.seconds: list[float] = []
        self._crumb = crumb
        self._started = 0.0

    def before(self, seat: int, decision: int) -> None:
        """See `Watch`."""
        self._crumb.leave(seat, decision)
        self._started = perf_counter()

    def after(self, seat: int, decision: int) -> None:
        """See `Watch`."""
        if seat in self.seats:
            self.seconds.append(perf_counter() - self._started)
        self._crumb.leave(NOBODY, decision)

    def printed(self, seat: int) -> str:
        """See `Watch`."""
        return ""


@dataclass(frozen=True, slots=True)
class Reading:
    """Reads the names of a bot's methods."""

    bot: BotIdentity

    def run(self, crumb: Crumb) -> list[str]:
        """A line for each method that looks like a misspelt decision. Raises ArenaError, see `Exam.run`."""
        crumb.leave(0, 0)
        return list(misspelt(type(load_registry().factory(self.bot)())))


def misspelt(bot: type[Bot]) -> Iterator[str]:
    """A line for each public method that takes a view, is no decision, but is called almost like one.

    It is no misspelling where the bot writes that decision too.
    """
    classes = [cls for cls in bot.__mro__ if not issubclass(Bot, cls)]
    own = {name: value for cls in classes for name, value in vars(cls).items()}
    for name, value in own.items():
        if name.startswith("_") or not inspect.isfunction(value) or hasattr(Bot, name):
            continue
        close = get_close_matches(name.lower(), (*DECISIONS, "start"), 1, 0.75)
        if close and close[0] not in own and value.__code__.co_argcount == 2:
            yield f"{name} is no decision: did you mean {close[0]}? (if not, call it _{name})"
