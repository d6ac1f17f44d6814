"""Games played again: told order by order, and compared with what was stored."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from random import Random

from pydantic import ValidationError

from arena.config import GameResult, GameSpec, ResolvedTournament
from arena.errors import ArenaError, ConfigError, ReplayDiffers, placed
from arena.files import read_text
from arena.history import History
from arena.host import Host
from arena.plugins import BotIdentity, Registry
from arena.risk import record
from arena.risk.edition import Edition
from arena.risk.game import Game
from arena.risk.record import Step
from arena.risk.result import Result
from arena.risk.rules import Rules
from arena.rows import Seating, StoredGame, TournamentRow
from arena.schedule import block_specs, pools
from arena.validation import describe_error


def replay(stored: StoredGame) -> Iterator[Game]:
    """The game before its first order and after each: from its record, or where none was kept with its bots.

    Raises ArenaError where the bots are no longer the same or the record is not one.
    """
    spec, packed = stored.result.spec, stored.result.record
    with placed(f"game {spec.key}"):
        rules = _rules(stored)
        if packed is None:
            packed = _play_again(stored).record
            assert packed is not None
        yield from record.replay(rules, spec.players, spec.seed, packed)


def _rules(stored: StoredGame) -> Rules:
    try:
        return Edition.model_validate_json(stored.job.editions[stored.result.spec.edition]).rules
    except ValidationError as error:
        raise ConfigError(describe_error(error, f"editions.rules of {stored.edition_id}", Edition)) from None


def _play_again(stored: StoredGame) -> GameResult:
    with Host(stored.job) as host:
        played = host.play(stored.result.spec)
    if not isinstance(played, GameResult):
        raise ConfigError(f"cannot be played again: {played.reason}")
    return played


def replayed_result(stored: StoredGame) -> Result | None:
    """How the game ends when it is played again; None where the orders end before the game does."""
    *_, game = replay(stored)
    return game.result


def names(stored: StoredGame) -> list[str]:
    """The bots by seat, with versions."""
    bots = [stored.job.bots[bot] for bot in stored.result.spec.lineup]
    return [f"{label} {bot.version}" for label, bot in zip(stored.labels, bots, strict=True)]


def steps(stored: StoredGame) -> Iterator[Step]:
    """The orders of the game, and what the dice of each came to."""
    return record.steps(replay(stored))


def narrate(stored: StoredGame) -> Iterator[str]:
    """The game as lines of text: each order with its number, round and seat, and then the result."""
    yield from map(str, steps(stored))
    winner, rounds = stored.result.winner, stored.result.result.rounds
    yield (
        f"unfinished after round {rounds}"
        if winner is None
        else (f"seat {winner} ({names(stored)[winner]}) wins in round {rounds}")
    )


def position_at(stored: StoredGame, decisions: int) -> Game:
    """The game after so many orders. Raises ConfigError where it has fewer."""
    last = -1
    for last, game in enumerate(replay(stored)):
        if last == decisions:
            return game
    raise ConfigError(f"game {stored.result.spec.key}: expected at most {last} orders, got {decisions}")


def as_text(stored: StoredGame) -> Iterator[str]:
    """The game as a record in text, which `arena.risk.record.verify_text` plays again without the bots."""
    return record.write_text(replay(stored), names(stored), stored.result.digest)


def verify_record(path: Path, registry: Registry, edition_text: str | None = None) -> list[Step]:
    """The orders of a record in a text file, once they have been played again.

    `edition_text` is an id or a .toml path, needed only where the record's edition is not registered.
    Raises ConfigError for a file that is no record, ReplayDiffers where its game does not come out.
    """
    read = record.read_text(read_text(path), str(path))
    edition = registry.edition(edition_text or read.edition)
    if edition.fingerprint != read.fingerprint:
        raise ConfigError(
            f"{path}: expected edition {read.edition} of rules {read.fingerprint}, got {edition.fingerprint}"
        )
    return list(record.steps(record.replay_text(read, edition.rules, str(path))))


def verify_stored(stored: StoredGame) -> None:
    """Play a game again. Raises ReplayDiffers where it does not end as it is stored."""
    where, result = f"game {stored.result.spec.key}", replayed_result(stored)
    if result is None:
        raise ReplayDiffers(f"{where}: expected an end, got none after its last order")
    for name, expected, found in zip(Result._fields, stored.result.result, result, strict=True):
        if expected != found:
            raise ReplayDiffers(f"{where}: expected {name} {_words(expected)}, got {_words(found)}")


def _words(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


@dataclass(slots=True)
class Verification:
    """What `verify` found."""

    sampled: int = 0
    same: int = 0
    skipped: list[str] = field(default_factory=list)
    """Games that cannot be played again, with the reason."""
    problems: list[str] = field(default_factory=list)
    """Everything that is wrong, a line each; empty when all is well."""


def verify(history: History, sample: int) -> Verification:
    """Check a database's structure and, where that is sound, its schedule and a sample of its games."""
    found = Verification(problems=history.problems())
    if found.problems:
        return found
    for tournament in history.tournaments():
        found.problems.extend(_misplaced(history, tournament))
    keys = [row.key for row in history.games()]
    found.sampled = min(sample, len(keys))
    for key in Random(0).sample(keys, found.sampled):
        _verify_game(history.game(key), found)
    return found


def _misplaced(history: History, tournament: TournamentRow) -> Iterator[str]:
    """A line for each game of a tournament that its schedule has not, or not like this."""
    try:
        resolved = history.resolved(tournament)
    except ArenaError as error:
        yield str(error)
        return
    if resolved.fingerprint != tournament.fingerprint:
        expected, got = tournament.fingerprint, resolved.fingerprint
        yield f"tournament {tournament.name}: expected the fingerprint {expected} of what was run, got {got}"
        return
    known = {(pool.edition.fingerprint, pool.players): pool for pool in pools(resolved)}
    for (edition, players, block), games in groupby(history.seatings(tournament), itemgetter(1, 2, 3)):
        pool = known.get((edition, players))
        planned = list(block_specs(resolved, pool, block)) if pool is not None and block >= 0 else []
        for game in games:
            if problem := _misplacement(game, planned, resolved):
                yield f"game {game.key}: {problem}"


def _misplacement(game: Seating, block: Sequence[GameSpec], resolved: ResolvedTournament) -> str:
    """What of the game is not as it was planned for its block, or empty."""
    if not 0 <= game.rotation < len(block):
        return "expected a place in the schedule, got one that it does not have"
    planned = block[game.rotation]
    if game.key != planned.key:
        return f"expected the key {planned.key} of its place in the schedule"
    if game.seed != planned.seed:
        return f"expected the seed {planned.seed} of its block, got {game.seed}"
    bots = tuple(resolved.bots[bot] for bot in planned.lineup)
    if game.bots != bots:
        return f"expected the line-up {_lineup(bots)} of its place in the schedule, got {_lineup(game.bots)}"
    return ""


def _lineup(bots: Iterable[BotIdentity]) -> str:
    return ", ".join(f"{bot.name} {bot.version}" for bot in bots)


def _verify_game(stored: StoredGame, found: Verification) -> None:
    try:
        verify_stored(stored)
        found.same += 1
    except ReplayDiffers as error:
        found.problems.append(str(error))
    except ArenaError as error:
        kept = stored.result.record is not None
        (found.problems if kept else found.skipped).append(str(error))
