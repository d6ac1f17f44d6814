"""What `arena standings` and `matrix` share: which pools they show, and what those are called."""

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from arena.rows import PlayedPool


def check_choice(tournament: str | None, merge: bool, **rest: Any) -> None:
    """Refuse options that do not go together."""
    if tournament and merge:
        raise click.UsageError("--all merges all tournaments: give no TOURNAMENT with it")


def title(pool: "PlayedPool", *more: str) -> str:
    """A pool in the line above its table."""
    parts = [pool.tournament or "all tournaments", pool.edition_id, f"{pool.players} players"]
    return " · ".join([*parts, f"{pool.games} games", *more])
