"""Playing again what was played: `arena replay`, `verify`."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

import click

from arena.cli.options import db_option, json_option
from arena.cli.output import print_json
from arena.errors import ConfigError

if TYPE_CHECKING:
    from arena.risk.record import Step

T = TypeVar("T")


@click.command("replay")
@click.argument("game")
@db_option
@click.option("--verify", is_flag=True, help="Say only whether the game ends as it is stored; exit 1 if not.")
@click.option("--from", "first", type=click.IntRange(min=0), default=0, help="First order to print.")
@click.option("--to", "last", type=click.IntRange(min=0), help="Last order to print.")
@json_option
@click.option("--edition", help="For a file whose edition is not registered: that edition's .toml.")
@click.option(
    "--bot",
    help="Ask this bot of the game again, in this process: a breakpoint() in it works. Orders that it would"
    " now give differently are marked.",
)
@click.option(
    "--stop-at",
    type=click.IntRange(min=0),
    help="With --bot: step into it with the debugger at this order, or at its next one.",
)
def replay_command(
    game: str,
    db: str,
    verify: bool,
    first: int,
    last: int | None,
    as_json: bool,
    edition: str | None,
    bot: str | None,
    stop_at: int | None,
) -> None:
    """Play a GAME again, order by order.

    From its record, or where none was kept with its bots; an attack is told with what its dice came to. GAME
    is a key or the first characters of one, or a file that `arena show GAME --record` wrote.
    """
    from os.path import isfile
    from pathlib import Path

    from arena.debug import ask_again
    from arena.plugins import load_registry
    from arena.process import ensure_hash_seed
    from arena.replay import narrate, steps, verify_record, verify_stored
    from arena.store import open_history

    is_file = game.endswith(".txt") or isfile(game)  # which takes whatever is no path, too
    if last is not None and first > last:
        raise click.UsageError(f"--from {first} comes after --to {last}: there is nothing between them")
    if verify and (first or last is not None):
        raise click.UsageError("--verify prints no orders: give no --from and no --to with it")
    if edition is not None and not is_file:
        raise click.UsageError("--edition is for a record in a file: a stored game has its own")
    if bot is None and stop_at is not None:
        raise click.UsageError("--stop-at says where to stop in a bot: give --bot with it")
    if bot is not None and (verify or is_file):
        raise click.UsageError("--bot asks a bot of a stored game: give its key, and no --verify")
    if as_json and (verify or bot is not None):
        raise click.UsageError("--json prints the orders as they were: give no --verify and no --bot with it")
    if bot is not None:
        ensure_hash_seed()
    orders: Iterable[Step]
    lines: Iterable[str]
    if is_file:
        orders = verify_record(Path(game), load_registry(), edition)
        lines = map(str, orders)
    else:
        with open_history(db) as history:
            game = history.find(game)
            stored = history.game(game)
        if verify:
            verify_stored(stored)
        orders = steps(stored)
        lines = narrate(stored) if bot is None else ask_again(stored, load_registry(), bot, stop_at, last)
    if verify:
        click.echo(f"{game}: same digest")
    elif as_json:
        print_json([step.to_json() for step in _between(orders, first, last, game)])
    else:
        for line in _between(lines, first, last, game):
            click.echo(line)


def _between(items: Iterable[T], first: int, last: int | None, game: str) -> Iterator[T]:
    """Those with these numbers and between; ConfigError where there is none."""
    number = 0
    for number, item in enumerate(items):
        if last is not None and number > last:
            break
        if number >= first:
            yield item
    if number < first:
        raise ConfigError(f"{game}: from: expected at most {number}, the last line's number, got {first}")


@click.command("verify")
@db_option
@click.option(
    "--sample", type=click.IntRange(min=0), default=20, show_default=True, help="Games to play again."
)
def verify_command(db: str, sample: int) -> None:
    """Check a database, and play a sample of its games again.

    Also whether each game has the place, seed and line-up of its schedule, and whether counts agree.
    """
    from arena.replay import verify
    from arena.store import open_history

    with open_history(db) as history:
        checked = verify(history, sample)
    for line in checked.skipped:
        click.echo(f"skipped: {line}")
    for line in checked.problems:
        click.echo(f"wrong: {line}")
    click.echo(
        f"{checked.same} of {checked.sampled} games played again agree, {len(checked.skipped)} skipped"
    )
    if checked.problems:
        raise SystemExit(1)
