"""Games played again: told order by order, and compared with what was stored."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from arena.config import GameResult
from arena.errors import ArenaError, ConfigError
from arena.history import History, StoredGame
from arena.host import Host
from arena.risk import record
from arena.risk.edition import Edition
from arena.risk.game import Game
from arena.schedule import game_key


def replay(stored: StoredGame) -> Iterator[Game]:
    """The game before its first order and after each: from its record, or where none was kept with its bots.

    Raises ArenaError where the bots are no longer the same or the record is not one.
    """
    spec, packed = stored.result.spec, stored.result.record
    if packed is None:
        packed = _play_again(stored).record
        assert packed is not None
    rules = Edition.model_validate_json(stored.job.editions[spec.edition]).rules
    return record.replay(rules, spec.players, spec.seed, packed)


def _play_again(stored: StoredGame) -> GameResult:
    with Host(stored.job) as host:
        played = host.play(stored.result.spec)
    if not isinstance(played, GameResult):
        raise ConfigError(f"game {stored.result.spec.key}: cannot be played again: {played.reason}")
    return played


def replayed_digest(stored: StoredGame) -> str:
    """The digest of the game played again; empty where the orders end before the game does."""
    *_, game = replay(stored)
    return game.result.digest if game.result is not None else ""


def narrate(stored: StoredGame) -> Iterator[str]:
    """The game as lines of text: each order with its number, round, seat and bot, and then the result."""
    spec = stored.result.spec
    names = [stored.job.bots[bot].name for bot in spec.lineup]
    asked: tuple[int, int | None, str | None] = (0, None, None)
    game = None
    for number, game in enumerate(replay(stored)):
        if number > 0:
            round_, seat, decision = asked
            order = game.history[-1]
            left = isinstance(order, tuple) and order[:1] == ("leave",)
            who = order[1] if left else seat
            text = "leaves" if left else record.order_text(game.board, decision, order)
            yield f"{number - 1:>5}  round {round_:<3} seat {who} {names[who or 0]}: {text}"
        asked = (game.round, game.seat, game.decision)
    if game is not None and game.result is not None:
        winner = game.result.winner
        yield "unfinished" if winner is None else f"seat {winner} {names[winner]} wins in round {game.round}"


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
    """Check a database's structure and keys, and play a sample of its games again."""
    found = Verification(problems=history.problems())
    fingerprints = {row.name: row.fingerprint for row in history.tournaments()}
    keys = []
    for row in history.games():
        key = game_key(fingerprints[row.tournament], row.edition, row.players, row.block, row.rotation)
        if key != row.key:
            found.problems.append(f"game {row.key}: expected the key {key} of its place in the schedule")
        keys.append(row.key)
    found.sampled = min(sample, len(keys))
    for key in Random(0).sample(keys, found.sampled):
        _verify_game(history.game(key), found)
    return found


def _verify_game(stored: StoredGame, found: Verification) -> None:
    key, digest = stored.result.spec.key, stored.result.digest
    try:
        again = replayed_digest(stored)
    except ArenaError as error:
        kept = stored.result.record is not None
        (found.problems if kept else found.skipped).append(f"game {key}: {error}")
        return
    if again == digest:
        found.same += 1
    else:
        found.problems.append(f"game {key}: expected digest {digest}, got {again or 'no end'}")
