"""The plugin: what it offers to the arena."""

from importlib.resources import files

import arena

from .bot import Zealot


@arena.hookimpl
def register_bots(register: arena.RegisterBot) -> None:
    """Offer the bot."""
    register("zealot", Zealot)


@arena.hookimpl
def register_editions(register: arena.RegisterFile) -> None:
    """Offer the edition that suits it."""
    register(files(__name__) / "rules" / "must-attack.toml")
