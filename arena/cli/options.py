"""The options that several commands have, each a decorator."""

from collections.abc import Callable
from datetime import date
from typing import Any, TypeAlias

import click

Option: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]


class Day(click.ParamType[str]):
    """A date, as its text."""

    name = "date"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Refuse what is no date."""
        try:
            return date.fromisoformat(value).isoformat()
        except ValueError:
            self.fail(f"expected a date such as 2026-11-30, got {value!r}", param, ctx)


def _together(*options: Option) -> Option:
    """All of them, which help lists in this order."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def _style_option(name: str) -> Option:
    return click.option(
        f"--{name.lower()}", is_flag=True, expose_value=False, callback=_take_style, help=f"Print {name}."
    )


def _take_style(ctx: click.Context, param: click.Parameter, is_given: bool) -> None:
    before = ctx.params.setdefault("style", None)
    if is_given and before is not None:
        raise click.UsageError(f"--{before} and --{param.name}: expected one of them")
    if is_given:
        ctx.params["style"] = param.name


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")

style_options = _together(_style_option("JSON"), _style_option("CSV"), _style_option("Markdown"))
"""The `style` of the output; None for tables."""

db_option = click.option(
    "--db", default="results/arena.db", show_default=True, type=click.Path(), help="The results database."
)

edition_option = click.option(
    "--edition", default="hasbro-us-2003", show_default=True, help="An edition's id or .toml path."
)

players_option = click.option("--players", type=int, default=4, show_default=True, help="Table size.")

workers_option = click.option(
    "--workers", type=click.IntRange(min=1), help="Games at a time (default: one a core)."
)

play_options = _together(
    click.option(
        "--executor",
        type=click.Choice(["inline", "local", "ray"]),
        default="ray",
        show_default=True,
        help="Where games are played: in this process, in processes of this machine, or on Ray.",
    ),
    workers_option,
    click.option("--address", help="Join the Ray cluster at this address instead of starting one."),
)
"""What `make_executor` takes."""

pool_options = _together(
    click.argument("tournament", required=False),
    db_option,
    click.option("--all", "merge", is_flag=True, help="Merge equal pools of all tournaments."),
    click.option("--edition", help="Only pools of this edition."),
    click.option("--players", type=int, help="Only tables of so many players."),
    click.option("--since", type=Day(), help="Only tournaments first run on this day or later."),
)
"""TOURNAMENT, `--db` and the options that choose pools."""
