"""The bundled editions, maps and tournaments: a plugin that offers the TOML files beside it."""

from importlib.resources import files

import arena

HERE = files(__name__)


@arena.hookimpl
def register_editions(register: arena.RegisterFile) -> None:
    """Offer the editions."""
    register(HERE / "editions")


@arena.hookimpl
def register_maps(register: arena.RegisterFile) -> None:
    """Offer the maps."""
    register(HERE / "maps")


@arena.hookimpl
def register_tournaments(register: arena.RegisterFile) -> None:
    """Offer the tournaments."""
    register(HERE / "tournaments")
