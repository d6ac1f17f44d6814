"""Playing again what was played: `arena replay`, `verify`."""

import click

from arena.cli.output import db_option


@click.command("replay")
@click.argument("game")
@db_option
@click.option("--verify", is_flag=True, help="Say only whether the game ends as it is stored; exit 1 if not.")
@click.option("--from", "first", type=click.IntRange(min=0), default=0, help="First order to print.")
@click.option("--to", "last", type=click.IntRange(min=0), help="Last order to print.")
def replay_command(game: str, db: str, verify: bool, first: int, last: int | None) -> None:
    """Play a GAME again, order by order: from its record, or where none was kept with its bots.

    GAME is a key or the first characters of one, or a file that `arena show GAME --record` wrote.
    """
    from itertools import islice

    from arena.replay import narrate, replayed_digest
    from arena.store import open_history

    if game.endswith(".txt"):
        _verify_file(game)
        return
    with open_history(db) as history:
        stored = history.game(history.find(game))
    if not verify:
        for line in islice(narrate(stored), first, None if last is None else last + 1):
            click.echo(line)
        return
    digest = replayed_digest(stored)
    if digest != stored.result.digest:
        click.echo(
            f"{stored.result.spec.key}: expected digest {stored.result.digest}, got {digest}", err=True
        )
        raise SystemExit(1)
    click.echo(f"{stored.result.spec.key}: same digest {digest}")


def _verify_file(name: str) -> None:
    from pathlib import Path

    from arena.errors import ConfigError
    from arena.plugins import load_registry
    from arena.replay import verify_record

    if not Path(name).is_file():
        raise ConfigError(f"{name}: expected a game's record, found no file")
    try:
        read, _ = verify_record(Path(name), load_registry())
    except ConfigError as error:
        click.echo(f"arena: {error}", err=True)
        raise SystemExit(1) from None
    click.echo(f"{name}: same digest {read.digest}")


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
