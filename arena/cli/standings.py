"""Ratings: `arena standings`."""

from collections import defaultdict
from collections.abc import Mapping
from math import inf, isfinite
from typing import TYPE_CHECKING, Any

import click

from arena.cli.options import pool_options, style_options
from arena.cli.output import print_csv, print_json, print_notes, print_table
from arena.cli.pools import check_choice, title
from arena.errors import counted

if TYPE_CHECKING:
    from arena.standings import Standings


@click.command("standings")
@pool_options
@click.option("--anchor", metavar="BOT=ELO", help="Give this bot this rating, instead of 1500 to the mean.")
@click.option("--los", is_flag=True, help="Also how likely each bot is better than each other.")
@style_options
def standings_command(db: str, anchor: str | None, los: bool, style: str | None, **choice: Any) -> None:
    """Show the ratings of TOURNAMENT, or of every tournament.

    TOURNAMENT is its name; each of its pools has ratings of its own. What each number means stands in
    docs/statistics.md.
    """
    from arena.standings import standings
    from arena.store import open_history

    check_choice(**choice)
    fixed = _parse_anchor(anchor) if anchor is not None else None
    with open_history(db) as history:
        pools = standings(history, anchor=fixed, **choice)
    print_standings(pools, style, los=los)


def _parse_anchor(text: str) -> tuple[str, float]:
    bot, _, elo = text.rpartition("=")
    try:
        rating = float(elo)
    except ValueError:
        rating = inf
    if not isfinite(rating):
        raise click.UsageError(f"--anchor: expected BOT=ELO, got {text!r}")
    return bot, rating


def print_standings(pools: "list[Standings]", style: str | None = None, *, los: bool = False) -> None:
    """The standings of these pools on stdout."""
    if style == "json":
        print_json([pool.to_json(los=los) for pool in pools])
        return
    if style == "csv":
        print_csv([row for pool in pools for row in pool.to_rows(los=los)])
        return
    if not pools:
        click.echo("no games yet")
    for pool in pools:
        _print_pool(pool, style)
        if los:
            _print_los(pool, style)
        print_notes(_legend(pool), style)
    totals = [total for pool in pools for total in pool.bots]
    strikes, forfeits = sum(total.strikes for total in totals), sum(total.forfeits for total in totals)
    if strikes or forfeits:
        told = f"{counted(strikes, 'strike')} and {counted(forfeits, 'forfeit')}"
        click.echo(f"{told} of bots: see `arena faults`")


def _print_pool(standings: "Standings", style: str | None) -> None:
    data, bounds = standings.to_json(), standings.ratings.bounds
    q1, median, q3 = (_rounds(data["rounds"], name) for name in ("q1", "median", "q3"))
    missing = [f"{data['missing']} missing"] if data["missing"] else []
    void = [f"{data['void']} void"] if data["void"] else []
    unfinished = f"{data['unfinished']} unfinished"
    heading = title(standings.pool, *missing, unfinished, *void, f"rounds {median} ({q1}–{q3})")
    columns = ["#", "bot", "version", "Elo", "95 %", "games", "wins", "win rate", "LOS"]
    rows = [
        [
            bot["rank"],
            bot["bot"],
            bot["version"],
            _elo(bot, bounds.get(bot["bot"])),
            _interval(bot),
            bot["games"],
            bot["wins"],
            f"{bot['win_rate']:.1%}",
            _percent(bot["los_next"]),
        ]
        for bot in data["bots"]
    ]
    for name in ("unfinished", "forfeits"):  # columns only where there is something in them
        if any(bot[name] for bot in data["bots"]):
            columns.append(name)
            for row, bot in zip(rows, data["bots"], strict=True):
                row.append(bot[name])
    print_table(heading, columns, rows, style)
    seats = [
        [
            seat["turn"],
            seat["games"],
            seat["wins"],
            f"{seat['wins'] / seat['games']:.1%}",
            f"{seat['low']:.1%}–{seat['high']:.1%}",
            None if seat["elo"] is None else f"{seat['elo']:+.0f}",
            None if seat["error"] is None else f"± {seat['error']:.0f}",
        ]
        for seat in data["seats"]
    ]
    heading = "by turn position (0: the starter)"
    print_table(heading, ["turn", "games", "wins", "win rate", "95 %", "Elo", "95 %"], seats, style)


def _print_los(standings: "Standings", style: str | None) -> None:
    los = standings.los()
    rows = [[rank, bot, *map(_percent, row.values())] for rank, (bot, row) in enumerate(los.items(), 1)]
    columns = ["#", "bot", *map(str, range(1, len(los) + 1))]
    print_table("LOS: how likely the bot of the row is better than that of the column", columns, rows, style)


def _legend(standings: "Standings") -> list[str]:
    """What the tables do not say by themselves."""
    from arena.stats import wilson

    ratings, bounds = standings.ratings, standings.ratings.bounds
    notes = ["rounds: median (quartiles) · 95 %: interval · LOS: how likely a bot is better than the next"]
    if standings.of_comparison:
        notes.append(
            "a comparison: each seat of a bot counts as a game of its; these ratings are not the Elo of"
            " `arena compare`: docs/regression.md says why"
        )
    if standings.pool.censored:
        notes.append("+: at least; so many games were unfinished")
    if any(ratings.error.get(bot.label) is None and bot.label not in bounds for bot in standings.bots):
        notes.append("–: too few games to tell")
    notes += _beyond(bounds, ratings.intervals)
    if len(ratings.groups) > 1:
        notes.append("LOS –: cannot be told between bots without wins in both directions")
    left_out = [bot for bot in ratings.ranking if bot not in ratings.reference]
    if left_out and standings.anchor is None:
        notes.append(f"1500 is the mean without {', '.join(left_out)}: too few wins or losses")
    groups = [", ".join(group) for group in ratings.groups if group[0] not in bounds]
    if len(groups) > 1:
        notes.append(f"not comparable, for want of wins in both directions: {' · '.join(groups)}")
    of_all = standings.pool.unfinished / standings.pool.games
    for total in standings.stalling:
        low, high = wilson(total.unfinished, total.games)
        notes.append(
            f"{total.label}: {total.unfinished / total.games:.1%} of its games ({low:.1%}–{high:.1%}) were"
            f" unfinished, of all {of_all:.1%}: it may be stalling"
        )
    return notes


def _beyond(
    bounds: Mapping[str, str], intervals: Mapping[str, tuple[float | None, float | None]]
) -> list[str]:
    """A line for all bots that won, or lost, every game and of which as much is known."""
    alike = defaultdict[tuple[str, bool], list[str]](list)
    for bot, bound in bounds.items():
        end = intervals[bot][0 if bound == ">" else 1]
        alike[bound, end is not None].append(bot)
    return [
        f"{bound} {', '.join(bots)} {'won' if bound == '>' else 'lost'} every game: "
        + ("in 95 % of such cases it is beyond that" if is_known else "how far off it is is not known")
        for (bound, is_known), bots in alike.items()
    ]


def _rounds(rounds: dict[str, Any], name: str) -> str:
    return f"{rounds[name]:g}" + "+" * (name in rounds["censored"])


def _elo(bot: dict[str, Any], bound: str | None) -> str | None:
    """A bot that won or lost everything is beyond the end of its interval."""
    if bound is None:
        return None if bot["elo"] is None else f"{bot['elo']:.0f}"
    end = bot["low"] if bound == ">" else bot["high"]
    return f"{bound} {bot['elo'] if end is None else end:.0f}"


def _interval(bot: dict[str, Any]) -> str | None:
    if bot["error"] is None:
        return None
    if abs(bot["high"] - bot["elo"] - bot["error"]) < 0.5:
        return f"± {bot['error']:.0f}"
    return f"{bot['low']:.0f}–{bot['high']:.0f}"


def _percent(share: float | None) -> str | None:
    return None if share is None else f"{share:.1%}"
