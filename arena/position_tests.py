"""Position tests: what a bot should do in a position, and why; regression tests without playing games.

A file is JSON: a position as `arena show GAME --at N --json` prints it, what is expected, and the reason.

    {"reason": "Five cards must be traded", "must": "trade * * *", "position": {…}}

Orders are written as `arena replay` prints them; `*` stands for anything. `must` is the order to give,
`one of` several that will do, `must not` those that will not. Without any of them every legal order will do.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Field, ValidationError, model_validator

from arena.asking import Answer, Exam, Question
from arena.config import Limits
from arena.errors import ConfigError, placed
from arena.files import parse_json, read_text
from arena.host import ChildDied, ask
from arena.match import NOBODY
from arena.plugins import BotIdentity, Registry, load_position
from arena.risk.game import Game
from arena.risk.map import FileModel
from arena.risk.notation import format_order, parse_order
from arena.risk.position import DECISIONS
from arena.validation import describe_error

POSITIONS = Path(str(files("arena.configs") / "positions"))
"""The bundled tests; those in its folder `hard` only expect that the rules are kept."""

WORDS = {*DECISIONS, "no", "from", "with", "dice", "until", "bonus", "on"}
"""What orders are written with, besides names and numbers."""

LIVES = 3
"""So many processes a bot may take down or spoil; one that hangs costs its time limit in each."""


class PositionFile(FileModel):
    """A position test as its file says it."""

    reason: Annotated[str, Field(min_length=1)]
    must: str | None = None
    one_of: Annotated[list[str], Field(min_length=1)] | None = Field(default=None, alias="one of")
    must_not: Annotated[list[str], Field(min_length=1)] | None = Field(default=None, alias="must not")
    position: dict[str, Any]

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.must is not None and self.one_of is not None:
            raise ValueError("expected must or 'one of', got both")
        return self

    @property
    def wanted(self) -> list[str]:
        """Orders of which one is to be given; empty for any."""
        return [self.must] if self.must is not None else self.one_of or []


@dataclass(frozen=True, slots=True)
class PositionTest:
    """A position test, checked."""

    name: str
    """The file's, without its ending."""
    reason: str
    wanted: tuple[str, ...]
    """Patterns of which the order must match one; empty for any."""
    unwanted: tuple[str, ...]
    """Patterns of which it may match none."""
    edition: str
    """Fingerprint of the position's edition."""
    question: Question

    @property
    def expected(self) -> str:
        """What is expected, in words."""
        wanted, unwanted = " or ".join(self.wanted), " or ".join(self.unwanted)
        return "; ".join(filter(None, [wanted, unwanted and f"not {unwanted}"])) or "any legal order"


@dataclass(frozen=True, slots=True)
class PositionResult:
    """What became of a position test."""

    test: PositionTest
    order: str
    """What the bot did; empty where it gave no legal order."""
    problem: str
    """One line on why it failed, or empty."""

    def to_json(self) -> dict[str, Any]:
        """What `arena test-positions --json` prints of it."""
        return {
            "position": self.test.name,
            "passed": not self.problem,
            "order": self.order or None,
            "expected": self.test.expected,
            "reason": self.test.reason,
            "problem": self.problem or None,
        }


def load_position_tests(path: Path, registry: Registry) -> list[PositionTest]:
    """The tests in a folder's .json files, by name, or in one file.

    Raises ConfigError that names the file, the place, what was expected and what was found.
    """
    found = sorted(path.glob("*.json")) if path.is_dir() else [path]
    if not found:
        raise ConfigError(f"{path}: expected .json files of positions, found none")
    return [_load(file, registry) for file in found]


def _load(path: Path, registry: Registry) -> PositionTest:
    table = parse_json(read_text(path), str(path))
    try:
        file = PositionFile.model_validate(table)
    except ValidationError as error:
        raise ConfigError(describe_error(error, str(path), PositionFile)) from None
    with placed(str(path)):
        edition = registry.edition(str(file.position.get("edition")))
        game = load_position(file.position, edition=edition)
        if game.decision is None:
            raise ConfigError("position: expected one in which a seat decides, got one that is over")
        key = "one of" if file.must is None else "must"
        wanted = tuple(_pattern(game, key, text) for text in file.wanted)
        unwanted = tuple(_pattern(game, "must not", text) for text in file.must_not or [])
    question = Question(json.dumps(file.position), edition.model_dump_json())
    return PositionTest(path.stem, file.reason, wanted, unwanted, edition.fingerprint, question)


def _pattern(game: Game, key: str, text: str) -> str:
    """The pattern as orders are written; one without `*` must be a legal order."""
    decision = str(game.decision)
    if "*" in text:
        if text.partition(" ")[0] not in {decision, "no", "*"}:
            raise ConfigError(f"{key}: expected an order to {decision}, got {text!r}")
        deck = range(len(game.board.names) + game.rules.wilds)
        known = WORDS.union(map(game.board.card_name, deck))  # a territory is named as its card
        for word in text.replace(",", " ").split():
            if not (word in known or "*" in word or word.isdigit()):
                raise ConfigError(f"{key}: expected a territory or card in {text!r}, got {word!r}")
        return text
    with placed(key):
        written, order = parse_order(game.board, text)
    if written != decision:
        raise ConfigError(f"{key}: expected an order to {decision}, got {text!r}")
    reason = game.legal(order)
    if reason is not None:
        raise ConfigError(f"{key}: expected a legal order, got {text!r}: {reason}")
    return canonical(format_order(game.board, decision, order))


def canonical(order: str) -> str:
    """An order's text, with what could stand in any order sorted: a trade's cards, a reinforce's places."""
    if match := re.fullmatch(r"trade (\S+ \S+ [^\s,]+)(.*)", order):
        return f"trade {' '.join(sorted(match[1].split()))}{match[2]}"
    if order.startswith("reinforce "):
        return f"reinforce {', '.join(sorted(order.removeprefix('reinforce ').split(', ')))}"
    return order


def run_position_tests(bot: BotIdentity, tests: Sequence[PositionTest]) -> list[PositionResult]:
    """Ask the bot, in a process of its own, in each position. Raises ArenaError where that cannot start."""
    return [_judge(test, answer) for test, answer in zip(tests, _answers(bot, tests), strict=True)]


def _answers(bot: BotIdentity, tests: Sequence[PositionTest], lives: int = LIVES) -> Iterator[Answer]:
    """The answers; a process that a bot takes down, or spoils, costs only the answer in that position."""
    if not tests:
        return
    if not lives:
        yield from [Answer("", "left out: the bot has cost too many processes")] * len(tests)
        return
    exam = Exam(bot, tuple(test.question for test in tests))
    try:
        answers: list[Answer] = ask(exam, Limits().decision_seconds)
    except ChildDied as death:
        fatal = death.place.seat
        if fatal == NOBODY:
            raise ConfigError(f"bot {bot.name}: {death.reason()}") from None
        yield from _answers(bot, tests[:fatal], lives)
        yield Answer("", str(death))
        yield from _answers(bot, tests[fatal + 1 :], lives - 1)
    else:
        yield from answers
        yield from _answers(bot, tests[len(answers) :], lives - 1)


def _judge(test: PositionTest, answer: Answer) -> PositionResult:
    order, problem = canonical(answer.order), answer.problem
    bad = [pattern for pattern in test.unwanted if fnmatchcase(order, pattern)]
    if not problem and bad:
        problem = f"expected not {bad[0]}, got {order}"
    if not problem and test.wanted and not any(fnmatchcase(order, pattern) for pattern in test.wanted):
        problem = f"expected {' or '.join(test.wanted)}, got {order}"
    return PositionResult(test, answer.order, problem)
