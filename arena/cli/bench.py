"""`arena bench`: what a game costs on this machine, and where the time goes."""

from collections.abc import Iterator
from typing import Any

import click

from arena.cli.options import json_option
from arena.cli.output import print_json, print_table


@click.command("bench")
@click.option("--full", is_flag=True, help="More, longer, and how memory grows: an hour, not minutes.")
@json_option
def bench_command(full: bool, as_json: bool) -> None:
    """Measure what games cost on this machine, in two minutes.

    Games, core, executors, start-up and ratings. docs/performance.md explains each figure.
    """
    from arena.bench.report import BRIEF, FULL, report
    from arena.process import ensure_hash_seed

    ensure_hash_seed()
    figures = report(FULL if full else BRIEF, lambda what: click.echo(f"measuring: {what}", err=True))
    if as_json:
        print_json(figures)
        return
    click.echo(
        f"{figures['build']} core · Python {figures['python']} · {figures['machine']}"
        f" · {figures['cores']} cores · load {figures['load']:.1f}"
    )
    print_table(None, LINEUP_COLUMNS, list(_lineups(figures["builds"])))
    print_table(None, SHARE_COLUMNS, list(_shares(figures["builds"])))
    print_table(None, ["figure", "value"], list(_others(figures)))


LINEUP_COLUMNS = ["build", "line-up", "games/s", "rolls/s", "decisions/s", "turns a game", "unfinished"]
SHARE_COLUMNS = ["build", "line-up", "bots", "core", "record", "digest", "transport", "store"]


def _lineups(builds: dict[str, Any]) -> Iterator[list[str]]:
    for build, measured in builds.items():
        for lineup, play in measured["lineups"].items():
            yield [
                build,
                lineup,
                f"{play['games_per_second']:,.1f}",
                f"{play['rolls_per_second']:,.0f}",
                f"{play['decisions_per_second']:,.0f}",
                f"{play['turns_per_game']:.0f}",
                f"{play['unfinished']:.1%}",
            ]


def _shares(builds: dict[str, Any]) -> Iterator[list[str]]:
    for build, measured in builds.items():
        for lineup, play in measured["lineups"].items():
            yield [build, lineup, *(f"{play['shares'][part]:.1%}" for part in SHARE_COLUMNS[2:])]


def _others(figures: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for build, measured in figures["builds"].items():
        core = measured["core"]
        unit = f"× {core['unit_seconds'] * 1e9:.0f} ns"
        yield f"{build} core, an order", f"{core['order_units']:.1f} {unit}"
        yield f"{build} core, a view and an order", f"{core['order_and_view_units']:.1f} {unit}"
    for lineup, ratio in (figures["compiled_over_pure"] or {}).items():
        yield f"compiled over pure, {lineup}", f"{ratio:.2f}"
    for way, rate in figures["executors"].items():
        yield f"quick, {way}", f"{rate:.1f} games/s"
    yield "ray 2 over inline", f"{figures['ray_2_over_inline']:.2f}"
    start = figures["start_seconds"]
    yield "arena --help", f"{start['help'] * 1e3:.0f} ms, {figures['help_over_python']:.1f} × python -c pass"
    for games, seconds in figures["fit_seconds"].items():
        yield f"ratings of {int(games):,} games", f"{seconds:.2f} s"
    for games, held in (figures["memory_mib"] or {}).items():
        sizes = f"driver {held['driver']:.0f} MiB, worker {held['worker']:.0f} MiB"
        yield f"memory after {int(games):,} games", sizes
