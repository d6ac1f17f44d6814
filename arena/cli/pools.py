"""What `arena standings` and `matrix` share: which pools they show, and what those are called."""

from datetime import date
from typing import TYPE_CHECKING, Any

import click

from arena.cli.output import F, db_option

if TYPE_CHECKING:
    from arena.rows import PlayedPool


class Day(click.ParamType[str]):
    """A date, as its text."""

    name = "date"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Refuse what is no date."""
        try:
            return date.fromisoformat(value).isoformat()
        except ValueError:
            self.fail(f"expected a date such as 2026-11-30, got {value!r}", param, ctx)


def pool_options(command: F) -> F:
    """TOURNAMENT, `--db` and the options that choose pools."""
    options = [
        click.argument("tournament", required=False),
        db_option,
        click.option("--all", "merge", is_flag=True, help="Merge equal pools of all tournaments."),
        click.option("--edition", help="Only pools of this edition."),
        click.option("--players", type=int, help="Only tables of so many players."),
        click.option("--since", type=Day(), help="Only tournaments first run on this day or later."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def check_choice(tournament: str | None, merge: bool, **rest: Any) -> None:
    """Refuse options that do not go together."""
    if tournament and merge:
        raise click.UsageError("--all merges all tournaments: give no TOURNAMENT with it")


def nothing(since: str | None, **rest: Any) -> str:
    """What to say where no pool was chosen."""
    return "no games yet" if since is None else f"no games of tournaments first run on {since} or later"


def title(pool: "PlayedPool", *more: str) -> str:
    """A pool in the line above its table."""
    parts = [pool.tournament or "all tournaments", pool.edition_id, f"{pool.players} players"]
    return " · ".join([*parts, f"{pool.games} games", *more])
