"""One bot of a stored game, asked again in this process, where a debugger can follow it.

The game itself goes on as it was stored, whatever the bot answers now: so it meets the very positions that it
met then, even when its source has changed since, say by a breakpoint.
"""

import traceback
from bdb import BdbQuit
from collections.abc import Iterator
from pdb import Pdb
from typing import NoReturn

from arena.bot import Bot
from arena.errors import ConfigError, PluginError, shown
from arena.history import StoredGame
from arena.match import brief, start
from arena.plugins import Registry
from arena.replay import names, replay
from arena.risk import record
from arena.risk.game import Game
from arena.risk.notation import format_order
from arena.seal import seal


def ask_again(stored: StoredGame, registry: Registry, name: str, stop_at: int | None = None) -> Iterator[str]:
    """The game as lines of text, with what the bot called `name` now answers where that is another order.

    With `stop_at` the debugger stops in the bot at the order of that number, or the bot's next one. Raises
    ConfigError where no such bot plays in the game or is asked from there on, SystemExit when a person quits
    the debugger.
    """
    spec = stored.result.spec
    seats = [seat for seat, bot in enumerate(spec.lineup) if name in _names_of(stored, bot)]
    if not seats:
        raise ConfigError(f"bot {name}: expected one of {', '.join(names(stored))}")
    bots: dict[int, Bot] = {}
    asked: tuple[int, int | None, str | None] = (0, None, None)
    answer = None
    for number, game in enumerate(replay(stored), -1):
        for seat in seats if number < 0 else ():
            bots[seat] = _sit_down(stored, registry, game, seat)
        if number >= 0:
            line = record.line(number, *asked, game)
            is_same = answer is None or line.endswith(f": {answer}")
            yield line if is_same else f"{line}\n    now: {answer}"
        asked = (game.round, game.seat, game.decision)
        answer = None
        if game.seat in bots:
            is_stop = stop_at is not None and number + 1 >= stop_at
            stop_at = None if is_stop else stop_at
            answer = _answer(game, bots[game.seat], is_stop)
    if stop_at is not None:
        raise ConfigError(f"bot {name}: expected an order of its own from {stop_at} on, found none")


class _Debugger(Pdb):
    """Whose command `quit` ends the program: the debugger's own would only end the bot's answer."""

    def set_quit(self) -> NoReturn:
        raise SystemExit(130)


def _names_of(stored: StoredGame, bot: int) -> tuple[str, str]:
    return stored.job.bots[bot].name, stored.job.bots[bot].bot_id


def _sit_down(stored: StoredGame, registry: Registry, game: Game, seat: int) -> Bot:
    """The bot of that seat as its source is now."""
    spec = stored.result.spec
    then = stored.job.bots[spec.lineup[seat]]
    now = registry.identify(":".join(filter(None, (then.path or then.bot_id, then.options))))
    bot = start(registry.factory(now), brief(game.rules, spec.players, spec.seed, seat))
    if not isinstance(bot, Bot):
        raise PluginError(f"bot {now.name}: expected its factory to make a Bot, got {shown(bot)}")
    return bot


def _answer(game: Game, bot: Bot, is_stop: bool) -> str:
    """What the bot answers now, as text."""
    decide, view = getattr(bot, str(game.decision)), seal(game.view())
    try:
        order = _Debugger().runcall(decide, view) if is_stop else decide(view)
    except BdbQuit:  # at a breakpoint of the bot
        raise SystemExit(130) from None
    except Exception:
        return traceback.format_exc().rstrip()
    reason = game.legal(order)
    return format_order(game.board, game.decision, order) if reason is None else f"illegal: {reason}"
