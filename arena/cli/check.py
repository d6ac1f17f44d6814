"""Playing again what was played: `arena replay`, `verify`."""

import click

from arena.cli.output import db_option


@click.command("replay")
@click.argument("game")
@db_option
@click.option("--verify", is_flag=True, help="Say only whether the game ends as it is stored; exit 1 if not.")
def replay_command(game: str, db: str, verify: bool) -> None:
    """Play a GAME again, order by order: from its record, or where none was kept with its bots."""
    from arena.replay import narrate, replayed_digest
    from arena.store import open_history

    with open_history(db) as history:
        stored = history.game(history.find(game))
    if not verify:
        for line in narrate(stored):
            click.echo(line)
        return
    digest = replayed_digest(stored)
    if digest != stored.result.digest:
        click.echo(
            f"{stored.result.spec.key}: expected digest {stored.result.digest}, got {digest}", err=True
        )
        raise SystemExit(1)
    click.echo(f"{stored.result.spec.key}: same digest {digest}")


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
