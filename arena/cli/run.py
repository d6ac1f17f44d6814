"""`arena run`: play a tournament, or what is missing of it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import timedelta
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING

import click

from arena.cli.options import db_option, json_option, play_options
from arena.cli.output import print_json, print_table, progress_bar, tell_problems, warn
from arena.cli.signals import stoppable

if TYPE_CHECKING:
    from arena.config import ResolvedTournament
    from arena.run import Progress
    from arena.schedule import Pool


@click.command("run")
@click.argument("tournament")
@db_option
@click.option("--dry-run", is_flag=True, help="Check the tournament, show its schedule, and play nothing.")
@play_options
@click.option("--blocks", type=click.IntRange(min=1), help="Instead of the file's number of blocks.")
@click.option("--seed", type=click.IntRange(min=0), help="Instead of the file's seed.")
@json_option
def run_command(
    tournament: str,
    db: str,
    dry_run: bool,
    executor: str,
    workers: int | None,
    address: str | None,
    blocks: int | None,
    seed: int | None,
    as_json: bool,
) -> None:
    """Play TOURNAMENT, or what is missing of it.

    TOURNAMENT is an id, or a path ending in .toml. Running again on the same database goes on where it
    stopped. Ends with the standings.
    """
    from arena.cli.standings import print_standings
    from arena.config import load_tournament
    from arena.executors import make_executor
    from arena.host import identify
    from arena.plugins import load_registry
    from arena.process import ensure_hash_seed
    from arena.run import run
    from arena.standings import standings
    from arena.store import open_history

    if dry_run and address is not None:
        raise click.UsageError("--dry-run plays nothing: give no --address with it")
    if executor == "inline" and not dry_run:
        ensure_hash_seed()
    registry = load_registry()
    find = partial(identify, warn=warn)
    resolved = load_tournament(tournament, registry, blocks=blocks, seed=seed, identify=find)
    tell_problems(registry)
    games = make_executor(executor, workers, address)
    if dry_run:
        _print_schedule(resolved, as_json)
        return
    with stoppable(games.stopping), _progress_bar(resolved, executor) as report:
        progress = run(resolved, db, games, report)
    if progress.played == 0:
        click.echo(f"{resolved.tournament.name}: all {progress.total} games are played already", err=True)
    click.echo(f"{resolved.tournament.name}: stored in {db}", err=True)
    with open_history(db) as history:
        print_standings(standings(history, resolved.tournament.name), "json" if as_json else None)


def _tell_schedule(resolved: "ResolvedTournament") -> None:
    name = resolved.tournament.name
    for pool in _pools_by_size(resolved):
        if pool.blocks != pool.wanted:
            rounded = f"rounded up from {pool.wanted} to {pool.blocks} for {pool.players} players"
            click.echo(f"{name}: blocks {rounded}", err=True)
    for line in _balance(resolved):
        click.echo(f"{name}: {line}", err=True)


def _pools_by_size(resolved: "ResolvedTournament") -> "list[Pool]":
    """One pool of each table size: what it plays is the same in every edition."""
    from arena.schedule import pools

    return list({pool.players: pool for pool in pools(resolved)}.values())


def _balance(resolved: "ResolvedTournament") -> Iterator[str]:
    """In words, how evenly the schedule treats the bots."""
    for pool in _pools_by_size(resolved):
        for group in pool.design.balance():
            met = f" and meets each of {group.others} in {_span(group.pair)}" if group.pair else ""
            yield (
                f"{pool.players} players: in every {pool.design.repetition} blocks each of {group.bots}"
                f" plays {_span(group.seat)} games in each seat{met}"
            )


def _span(low_high: tuple[int, int]) -> str:
    return "–".join(map(str, dict.fromkeys(low_high)))


def _print_schedule(resolved: "ResolvedTournament", as_json: bool) -> None:
    from arena.plugins import labels
    from arena.schedule import pools

    rows = [
        {"edition": pool.edition.id, "players": pool.players, "blocks": pool.blocks, "games": pool.games}
        for pool in pools(resolved)
    ]
    names = labels(dict(enumerate(resolved.bots)))
    bots = [
        {"bot": names[i], "version": bot.version, "source": bot.source_hash}
        for i, bot in enumerate(resolved.bots)
    ]
    name, fingerprint = resolved.tournament.name, resolved.fingerprint
    if as_json:
        balance = [
            {"players": pool.players, "blocks": pool.design.repetition, **asdict(group)}
            for pool in _pools_by_size(resolved)
            for group in pool.design.balance()
        ]
        print_json(
            {"tournament": name, "fingerprint": fingerprint, "pools": rows, "balance": balance, "bots": bots}
        )
        return
    print_table(f"{name} ({fingerprint})", list(rows[0]), [list(row.values()) for row in rows])
    for line in _balance(resolved):
        click.echo(line)
    print_table(None, list(bots[0]), [list(bot.values()) for bot in bots])


@contextmanager
def _progress_bar(resolved: "ResolvedTournament", executor: str) -> "Iterator[Callable[[Progress], None]]":
    """The schedule on stderr and, on a terminal, a bar: games done of all, games/s, time left, the leader."""
    begun: float | None = None

    def report(progress: "Progress") -> None:
        nonlocal begun
        if begun is None:
            for warning in progress.warnings:
                warn(warning)
            if progress.done < progress.total:
                _tell_schedule(resolved)
            begun = monotonic()
        update(progress.done, progress.total, " · ".join(_tell(progress, monotonic() - begun)))

    with progress_bar(resolved.tournament.name, executor) as update:
        yield report


def _tell(progress: "Progress", seconds: float) -> Iterator[str]:
    """How fast it goes, how long it will take, and who leads."""
    if progress.played and seconds:
        rate = progress.played / seconds
        yield f"{rate:,.0f} games/s"
        yield f"{timedelta(seconds=round((progress.total - progress.done) / rate))} left"
    for leader, wins in progress.wins.most_common(1):
        yield f"{leader} leads with {wins / progress.played:.0%}"
