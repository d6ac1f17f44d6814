"""risk-arena: tournaments of AI bots that play Risk. The public names, each loaded when it is first used."""

from importlib import import_module
from importlib.metadata import version as _version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arena import stats
    from arena.bot import Bot, Briefing
    from arena.errors import ArenaError, IllegalOrder
    from arena.hookspecs import RegisterBot, RegisterFile, hookimpl
    from arena.match import play
    from arena.plugins import load_edition, load_position
    from arena.risk import odds
    from arena.risk.game import Game
    from arena.risk.orders import Attack, Fortify

__all__ = [
    "ArenaError",
    "Attack",
    "Bot",
    "Briefing",
    "Fortify",
    "Game",
    "IllegalOrder",
    "RegisterBot",
    "RegisterFile",
    "hookimpl",
    "load_edition",
    "load_position",
    "odds",
    "play",
    "stats",
]

_HOMES = {
    "ArenaError": "arena.errors",
    "Attack": "arena.risk.orders",
    "Bot": "arena.bot",
    "Briefing": "arena.bot",
    "Fortify": "arena.risk.orders",
    "Game": "arena.risk.game",
    "IllegalOrder": "arena.errors",
    "RegisterBot": "arena.hookspecs",
    "RegisterFile": "arena.hookspecs",
    "hookimpl": "arena.hookspecs",
    "load_edition": "arena.plugins",
    "load_position": "arena.plugins",
    "odds": "arena.risk.odds",
    "play": "arena.match",
    "stats": "arena.stats",
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return _version("risk-arena")
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'arena' has no attribute {name!r}")
    module = import_module(home)
    return module if home.rpartition(".")[2] == name else getattr(module, name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
