"""Every extension point of arena, on one page.

A plugin is a module (or object) with functions of these names, marked `@arena.hookimpl`. A package offers it
through an entry point in the group `arena`; a single .py file can be named in a tournament as it is.
"""

from collections.abc import Callable
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Protocol

import pluggy

if TYPE_CHECKING:
    from arena.bot import Bot

PROJECT = "arena"
"""The name of the hooks' project and of the entry points' group."""

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


class RegisterBot(Protocol):
    """What `register_bots` is handed."""

    def __call__(
        self,
        bot_id: str,
        factory: "Callable[..., Bot]",
        *,
        version: str | None = None,
        summary: str | None = None,
    ) -> None:
        """Offer a bot.

        `bot_id` is its kebab-case name. `factory` makes a fresh bot for each game, mostly the `Bot` subclass
        itself; options written behind the id (`greedy:margin=2`) become its keyword arguments, checked by
        its signature (see `arena.options`). `version` is the plugin's distribution version when left out,
        `summary` the factory's first docstring line.
        """


class RegisterFile(Protocol):
    """What the hooks for editions, maps and tournaments are handed."""

    def __call__(self, path: Traversable) -> None:
        """Offer a TOML file or all of a folder, say `importlib.resources.files(__package__) / "editions"`."""


@hookspec
def register_bots(register: RegisterBot) -> None:
    """Offer bots: call `register(bot_id, factory, version=…, summary=…)` once for each."""


@hookspec
def register_editions(register: RegisterFile) -> None:
    """Offer editions: call `register(path)` with a TOML file or a folder of them."""


@hookspec
def register_maps(register: RegisterFile) -> None:
    """Offer maps: call `register(path)` with a TOML file or a folder of them."""


@hookspec
def register_tournaments(register: RegisterFile) -> None:
    """Offer tournaments: call `register(path)` with a TOML file or a folder of them."""
