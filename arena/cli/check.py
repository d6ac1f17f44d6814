"""Playing again what was played: `arena replay`, `verify`."""

import click

from arena.cli.output import db_option


@click.command("replay")
@click.argument("game")
@db_option
@click.option("--verify", is_flag=True, help="Say only whether the game ends as it is stored; exit 1 if not.")
@click.option("--from", "first", type=click.IntRange(min=0), default=0, help="First order to print.")
@click.option("--to", "last", type=click.IntRange(min=0), help="Last order to print.")
@click.option("--edition", help="For a file whose edition is not registered: that edition's .toml.")
def replay_command(
    game: str, db: str, verify: bool, first: int, last: int | None, edition: str | None
) -> None:
    """Play a GAME again, order by order: from its record, or where none was kept with its bots.

    GAME is a key or the first characters of one, or a file that `arena show GAME --record` wrote.
    """
    from itertools import islice
    from pathlib import Path

    from arena.plugins import load_registry
    from arena.replay import narrate, verify_record, verify_stored
    from arena.store import open_history

    if game.endswith(".txt") or Path(game).is_file():
        lines = verify_record(Path(game), load_registry(), edition)
    else:
        with open_history(db) as history:
            game = history.find(game)
            stored = history.game(game)
        if verify:
            verify_stored(stored)
        lines = narrate(stored)
    if verify:
        click.echo(f"{game}: same digest")
        return
    for line in islice(lines, first, None if last is None else last + 1):
        click.echo(line)


@click.command("verify")
@db_option
@click.option(
    "--sample", type=click.IntRange(min=0), default=20, show_default=True, help="Games to play again."
)
def verify_command(db: str, sample: int) -> None:
    """Check a database: keys, counts, foreign keys, and a sample of games played again."""
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
