"""One bot of a stored game, asked again in this process, where a debugger can follow it.

The game itself goes on as it was stored, whatever the bot answers now: so it meets the very positions that it
met then, even when its source has changed since, say by a breakpoint.
"""

import traceback
from collections.abc import Collection, Iterator
from itertools import chain, count
from pdb import Pdb
from typing import NoReturn

from arena.bot import Bot
from arena.errors import ConfigError, PluginError, hint
from arena.match import brief, describe, let_through, query, start
from arena.plugins import Registry
from arena.replay import replay
from arena.risk import record
from arena.risk.game import Game
from arena.risk.notation import format_order
from arena.rows import StoredGame


def ask_again(
    stored: StoredGame, registry: Registry, name: str, stop_at: int | None = None, last: int | None = None
) -> Iterator[str]:
    """The game as lines of text, with what the bot called `name` now answers where that is another order.

    `name` is the bot's label in standings, its id with options, or its id alone; all bots so called are
    asked. With `stop_at` the debugger stops in the bot at the order of that number, or the bot's next one, up
    to number `last`. Raises ConfigError where no such bot plays in the game or is asked there, PluginError
    where one cannot sit down, all before the first line; SystemExit when a person quits the debugger.
    """
    called = _names(stored)
    seats = [seat for seat, names in enumerate(called) if name in names]
    if not seats:
        known = hint(name, sorted(set().union(*called)))
        raise ConfigError(f"bot {name}: expected one that plays in this game: {known}")
    stop = None if stop_at is None else _first_asked(stored, name, seats, stop_at, last)
    games = replay(stored)
    game = next(games)  # one object that goes on
    bots = {seat: _sit_down(stored, registry, game, seat) for seat in seats}
    orders = record.steps(chain([game], games))
    for number in count():
        answer = None
        if game.seat in bots:
            answer = _answer(game, bots[game.seat], is_stop=number == stop)
        if (step := next(orders, None)) is None:
            break
        yield str(step) if answer in (None, step.order) else f"{step}\n    now: {answer}"


def _first_asked(stored: StoredGame, name: str, seats: Collection[int], first: int, last: int | None) -> int:
    """The number of the first order from `first` to `last` that one of the seats is asked for."""
    for number, game in enumerate(replay(stored)):
        if number >= first and game.seat in seats and (last is None or number <= last):
            return number
    where = f"from {first} on" if last is None else f"from {first} to {last}"
    raise ConfigError(f"bot {name}: expected an order of its own {where}, found none")


class _Debugger(Pdb):
    """Whose command `quit` ends the program: the debugger's own would only end the bot's answer."""

    def set_quit(self) -> NoReturn:
        raise SystemExit(130)


def _names(stored: StoredGame) -> list[set[str]]:
    """What the bot of each seat may be called."""
    bots = [stored.job.bots[bot] for bot in stored.result.spec.lineup]
    return [{label, bot.name, bot.bot_id} for label, bot in zip(stored.labels, bots, strict=True)]


def _sit_down(stored: StoredGame, registry: Registry, game: Game, seat: int) -> Bot:
    """The bot of that seat as its source is now."""
    spec = stored.result.spec
    then = stored.job.bots[spec.lineup[seat]]
    now = registry.identify(":".join(filter(None, (then.path or then.bot_id, then.options))))
    factory = registry.factory(now)
    try:
        return start(factory, brief(game.rules, spec.players, spec.seed, seat))
    except Exception as error:
        let_through(error)
        raise PluginError(f"bot {now.name}: {describe(error)}") from error


def _answer(game: Game, bot: Bot, is_stop: bool) -> str:
    """What the bot answers now, as text."""
    ask = query(game)
    try:
        order = _Debugger().runcall(ask, bot) if is_stop else ask(bot)
    except Exception as error:
        let_through(error)
        return traceback.format_exc().rstrip()
    reason = game.legal(order)
    return format_order(game.board, game.decision, order) if reason is None else f"illegal: {reason}"
