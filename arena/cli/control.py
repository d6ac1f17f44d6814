"""A run from another shell: `arena status`, `stop`."""

from pathlib import Path

import click

from arena.cli.options import db_option, json_option
from arena.cli.output import print_json, print_table


@click.command("status")
@click.argument("tournament", required=False)
@db_option
@json_option
def status_command(tournament: str | None, db: str, as_json: bool) -> None:
    """Show how far the run on the database is, and who leads.

    With TOURNAMENT (its name): how far that one is, running or not.
    """
    from arena.cli.standings import print_standings
    from arena.standings import standings
    from arena.status import status
    from arena.store import open_history

    with open_history(db) as history:
        now = status(history, tournament)
        shown = tournament or (now.run.tournament if now.run else None)
        pools = standings(history, shown) if shown else []
    if as_json:
        print_json({**now.to_json(), "standings": [pool.to_json() for pool in pools]})
        return
    run = f"run: {now.run}, {now.games_per_second:.1f} games/s" if now.run else "no run is on it"
    click.echo(f"{db}: {run}")
    rows = [
        (
            pool.tournament,
            pool.edition_id,
            pool.players,
            pool.done,
            f"at most {pool.total}" if pool.is_most else pool.total,
        )
        for pool in now.pools
    ]
    print_table(None, ("tournament", "edition", "players", "done", "of"), rows)
    if shown:
        print_standings(pools)


@click.command("stop")
@db_option
def stop_command(db: str) -> None:
    """Stop the run on the database, and wait until it has ended.

    As Ctrl-C in its terminal does: the games in flight are finished and stored; a second `arena stop` does
    not wait for them.
    """
    from arena.lock import stop_holder

    run = stop_holder(Path(db))
    click.echo(f"{db}: stopped the run of {run.tournament}: {run}", err=True)
