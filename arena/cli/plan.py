"""`arena plan`: how many games an answer takes, and how long they take here."""

import os
from dataclasses import asdict

import click

from arena.cli.options import edition_option, json_option, players_option, workers_option
from arena.cli.output import print_json


@click.command("plan")
@click.option("--elo", type=float, required=True, help="Differences to be told.")
@players_option
@click.option("--bots", type=int, help="Bots to be rated (default: one table).")
@edition_option
@click.option("--db", type=click.Path(), help="Take times from the games in this database; play none to see.")
@workers_option
@json_option
def plan_command(
    elo: float,
    players: int,
    bots: int | None,
    edition: str,
    db: str | None,
    workers: int | None,
    as_json: bool,
) -> None:
    """Say how many games it takes to tell differences of --elo.

    And how long that takes here: in a comparison (`arena compare --elo0 0 --elo1 ELO`), and in ratings that
    are right to within ELO.
    """
    from arena.plan import bundled_rate, make_plan, stored_rate
    from arena.plugins import load_registry
    from arena.store import open_history

    bots = players if bots is None else bots
    plan = make_plan(elo, players, bots)
    registry, workers = load_registry(), workers or len(os.sched_getaffinity(0))
    if db is None:
        rate = bundled_rate(registry, edition, players, workers)
    else:
        with open_history(db) as history:
            rate = stored_rate(history, registry.edition(edition).fingerprint, players, workers)
    seconds = {f"{name}_seconds": getattr(plan, name) / rate for name in ("gate", "gate_most", "rating")}
    if as_json:
        question = {"elo": elo, "players": players, "bots": bots}
        print_json({**question, **asdict(plan), **seconds, "workers": workers, "games_per_second": rate})
        return
    gate, most, rating = map(_duration, seconds.values())
    source = "of the bundled bots, measured" if db is None else f"as the games in {db} lasted"
    for line in (
        f"to tell whether a bot is {elo:g} Elo stronger than another, at tables of {players}:",
        f"  about {plan.gate:,} games ({gate}), at most {plan.gate_most:,} ({most})",
        f"to rate {bots} bots of about one strength to within ± {elo:g} Elo:",
        f"  about {plan.rating_each:,} games of each, {plan.rating:,} in all ({rating})",
        f"at {rate:,.1f} games/s with {workers} workers, {source}",
    ):
        click.echo(line)


def _duration(seconds: float) -> str:
    for unit, length in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{max(seconds, 1):.0f} s"
