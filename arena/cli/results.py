"""What was played: `arena games`, `show`, `faults`."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from arena.cli.options import db_option, json_option
from arena.cli.output import print_json, print_table

if TYPE_CHECKING:
    from arena.rows import StoredGame


@click.command("games")
@click.argument("tournament", required=False)
@db_option
@json_option
def games_command(tournament: str | None, db: str, as_json: bool) -> None:
    """List the games of TOURNAMENT (its name), or all."""
    from arena.store import open_history

    with open_history(db) as history:
        games = [asdict(game) for game in history.games(tournament)]
    if as_json:
        print_json(games)
        return
    columns = [
        "key",
        "tournament",
        "edition",
        "players",
        "block",
        "rotation",
        "status",
        "winner",
        "rounds",
    ]
    print_table(None, columns, [[game[column] for column in columns] for game in games])


@click.command("show")
@click.argument("game")
@db_option
@click.option("--at", type=click.IntRange(min=0), help="Show the board after so many orders.")
@click.option("--record", is_flag=True, help="Print the game's orders as text, to keep and to verify.")
@json_option
def show_command(game: str, db: str, at: int | None, record: bool, as_json: bool) -> None:
    """Show a GAME: its key or the first characters of it. With --at and --json: the position."""
    from arena import replay
    from arena.cli.board import print_board
    from arena.store import open_history

    if record and at is not None:
        raise click.UsageError("--record prints the whole game: give no --at with it")
    if record and as_json:
        raise click.UsageError("--record prints text: give no --json with it")
    with open_history(db) as history:
        stored = history.game(history.find(game))
    if record:
        for line in replay.as_text(stored):
            click.echo(line)
    elif at is None:
        _print_game(stored, as_json)
    elif as_json:
        print_json(replay.position_at(stored, at).to_position())
    else:
        print_board(replay.position_at(stored, at), replay.names(stored))


def _print_game(stored: "StoredGame", as_json: bool) -> None:
    result, spec = stored.result.result, stored.result.spec
    seats = [
        {
            "seat": seat,
            "turn": result.turn_position(seat),
            "bot": stored.labels[seat],
            "finish": result.finish[seat],
            "eliminated_round": result.eliminated_round[seat],
            "territories": result.territories[seat],
            "troops": result.troops[seat],
            "faults": sum(fault.seat == seat for fault in stored.result.faults),
            "seconds": stored.result.seat_seconds[seat],
        }
        for seat in range(spec.players)
    ]
    summary = {
        "game": spec.key,
        "tournament": stored.tournament,
        "edition": stored.edition_id,
        "block": spec.block,
        "rotation": spec.rotation,
        "seed": spec.seed,
        "starter": result.starter,
        "status": result.status,
        "winner": result.winner,
        "rounds": result.rounds,
        "rolls": result.rolls,
        "decisions": result.decisions,
        "digest": result.digest,
        "record": stored.result.record is not None,
        "seconds": stored.result.seconds,
        "worker": stored.result.worker,
    }
    if as_json:
        print_json({**summary, "seats": seats})
        return
    for line in _tell(summary, stored.labels):
        click.echo(line)
    print_table(None, list(seats[0]), [[_cell(value) for value in seat.values()] for seat in seats])


def _tell(game: dict[str, Any], labels: tuple[str, ...]) -> Iterator[str]:
    """A game in a few lines: which it is, how it ended, what its replay must come to."""
    yield (
        f"{game['game']} · {game['tournament']} · {game['edition']} · {len(labels)} players"
        f" · block {game['block']}, rotation {game['rotation']} · seed {game['seed']}"
    )
    winner = game["winner"]
    ended = "unfinished after" if winner is None else f"{labels[winner]} (seat {winner}) won in"
    yield f"{ended} round {game['rounds']} · {game['decisions']} decisions · {game['rolls']} rolls"
    orders = "record of all orders" if game["record"] else "no record of its orders"
    yield f"{orders} · digest {game['digest']} · {game['seconds']:.2f} s by {game['worker']}"


def _cell(value: object) -> object:
    return f"{value:.4f}" if isinstance(value, float) else value


@click.command("faults")
@click.argument("game", required=False)
@click.option("--tournament", help="Only those in this tournament (its name).")
@click.option("--bot", help="Only those of this bot, as the standings call it.")
@db_option
@json_option
def faults_command(game: str | None, tournament: str | None, bot: str | None, db: str, as_json: bool) -> None:
    """List the faults of bots in a GAME, or in all games.

    Those of a game with their tracebacks, and what the bot had printed.
    """
    from arena.store import open_history

    with open_history(db) as history:
        faults = history.faults(history.find(game) if game else None, tournament, bot)
    if as_json:
        print_json([row.to_json() for row in faults])
        return
    columns = ["game", "seat", "bot", "kind", "round", "decision", "outcome", "detail"]
    rows = [
        [
            row.game,
            row.fault.seat,
            row.bot,
            row.fault.kind,
            row.fault.round,
            row.fault.decision,
            row.fault.outcome,
            row.fault.detail.partition("\n")[0],
        ]
        for row in faults
    ]
    if not rows:
        click.echo("no faults")
        return
    print_table(None, columns, rows)
    for row in faults if game else ():
        fault = row.fault
        click.echo(f"\nseat {fault.seat}, {row.bot}, decision {fault.decision}:\n{fault.detail}")
        if fault.output:
            click.echo(f"\nprinted before:\n{fault.output}")
