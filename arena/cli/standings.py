"""Ratings, and who beats whom: `arena standings`, `matrix`."""

from datetime import datetime
from math import inf, isfinite
from typing import TYPE_CHECKING, Any

import click

from arena.cli.output import (
    db_option,
    print_csv,
    print_json,
    print_notes,
    print_table,
    style_options,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.text import Text

    from arena.history import History, PlayedPool
    from arena.standings import Standings
    from arena.stats import WinMatrix


def pool_options(command: "Callable[..., Any]") -> "Callable[..., Any]":
    """TOURNAMENT, `--db` and the options that choose pools."""
    options = [
        click.argument("tournament", required=False),
        db_option,
        click.option("--all", "merge", is_flag=True, help="Merge equal pools of all tournaments."),
        click.option("--edition", help="Only pools of this edition."),
        click.option("--players", type=int, help="Only tables of so many players."),
        click.option(
            "--since",
            type=click.DateTime(["%Y-%m-%d"]),
            metavar="DATE",
            help="Only tournaments first run on this day or later.",
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def _choice(tournament: str | None, merge: bool, since: datetime | None, **rest: Any) -> dict[str, Any]:
    """These options as `standings` and `History.pools` take them."""
    if tournament and merge:
        raise click.UsageError("--all merges all tournaments: give no TOURNAMENT with it")
    first_day = since.date().isoformat() if since else None
    return {"tournament": tournament, "merge": merge, "since": first_day, **rest}


@click.command("standings")
@pool_options
@click.option("--anchor", metavar="BOT=ELO", help="Give this bot this rating, instead of 1500 to the mean.")
@click.option("--los", is_flag=True, help="Also how likely each bot is better than each other.")
@style_options
def standings_command(db: str, anchor: str | None, los: bool, style: str | None, **options: Any) -> None:
    """Show the ratings of each pool of TOURNAMENT (its name), or of every tournament.

    What each number means stands in docs/statistics.md.
    """
    from arena.standings import standings
    from arena.store import open_history

    choice = _choice(**options)
    fixed = _parse_anchor(anchor) if anchor is not None else None
    with open_history(db) as history:
        pools = standings(history, anchor=fixed, **choice)
    _print(pools, los, style)


def _parse_anchor(text: str) -> tuple[str, float]:
    bot, _, elo = text.rpartition("=")
    try:
        rating = float(elo)
    except ValueError:
        rating = inf
    if not isfinite(rating):
        raise click.UsageError(f"--anchor: expected BOT=ELO, got {text!r}")
    return bot, rating


def print_standings(history: "History", tournament: str | None, style: str | None = None) -> None:
    """The standings of one tournament, or of all, on stdout."""
    from arena.standings import standings

    _print(standings(history, tournament), False, style)


def _print(pools: "list[Standings]", los: bool, style: str | None) -> None:
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
        click.echo(f"{strikes} strikes and {forfeits} forfeits of bots: see `arena faults`")


def _title(pool: "PlayedPool", *more: str) -> str:
    parts = [pool.tournament or "all tournaments", pool.edition_id, f"{pool.players} players"]
    return " · ".join([*parts, f"{pool.games} games", *more])


def _print_pool(standings: "Standings", style: str | None) -> None:
    data, bounds = standings.to_json(), standings.ratings.bounds
    q1, median, q3 = (_rounds(data["rounds"], name) for name in ("q1", "median", "q3"))
    missing = [f"{data['missing']} missing"] if data["missing"] else []
    void = [f"{data['void']} void"] if data["void"] else []
    unfinished = f"{data['unfinished']} unfinished"
    title = _title(standings.pool, *missing, unfinished, *void, f"rounds {median} ({q1}–{q3})")
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
    print_table(title, columns, rows, style)
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
    title = "by turn position (0: the starter)"
    print_table(title, ["turn", "games", "wins", "win rate", "95 % ", "Elo", "95 %"], seats, style)


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
    if standings.censored:
        notes.append("+: at least; so many games were unfinished")
    if any(ratings.error.get(bot.label) is None and bot.label not in bounds for bot in standings.bots):
        notes.append("–: too few games to tell")
    for bot, bound in bounds.items():
        did, end = ("won", ratings.intervals[bot][0]) if bound == ">" else ("lost", ratings.intervals[bot][1])
        known = (
            "in 95 % of such cases it is beyond that" if end is not None else "how far off it is is not known"
        )
        notes.append(f"{bound} {bot} {did} every game: {known}")
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


@click.command("matrix")
@pool_options
@click.option(
    "--samples",
    type=click.IntRange(min=1),
    default=199,
    show_default=True,
    help="Pools invented for the test.",
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the invented pools."
)
@style_options
def matrix_command(db: str, samples: int, seed: int, style: str | None, **options: Any) -> None:
    """Show who beats whom in each pool of TOURNAMENT (its name), or of every tournament.

    And whether the ratings tell everything about it, or bots beat each other in a circle.
    """
    from arena.stats import win_matrix
    from arena.store import open_history

    choice = _choice(**options)
    with open_history(db) as history:
        found = [
            (pool, win_matrix(*history.outcomes(pool), samples=samples, seed=seed))
            for pool in history.pools(**choice)
        ]
    if style == "json":
        print_json([_matrix_json(pool, matrix) for pool, matrix in found])
    elif style == "csv":
        print_csv([row for pool, matrix in found for row in _matrix_rows(pool, matrix)])
    elif not found:
        click.echo("no games yet")
    else:
        for pool, matrix in found:
            _print_matrix(pool, matrix, style)


def _matrix_json(pool: "PlayedPool", matrix: "WinMatrix") -> dict[str, Any]:
    place = {"tournament": pool.tournament, "edition": pool.edition_id, "players": pool.players}
    cells = {"bots": matrix.bots, "wins": matrix.wins, "expected": matrix.expected, "z": matrix.residuals}
    return {**place, "games": pool.games, **cells, "x2": matrix.x2, "p_value": matrix.p_value}


def _matrix_rows(pool: "PlayedPool", matrix: "WinMatrix") -> list[dict[str, Any]]:
    return [
        {
            "tournament": pool.tournament,
            "edition": pool.edition_id,
            "players": pool.players,
            "bot": bot,
            "other": other,
            "wins": matrix.wins[i][j],
            "losses": matrix.wins[j][i],
            "expected": matrix.expected[i][j],
            "z": matrix.residuals[i][j],
        }
        for i, bot in enumerate(matrix.bots)
        for j, other in enumerate(matrix.bots)
        if i != j
    ]


def _print_matrix(pool: "PlayedPool", matrix: "WinMatrix", style: str | None) -> None:
    numbers = range(len(matrix.bots))
    columns = ["#", "bot", *(str(j + 1) for j in numbers)]
    shares = [
        [i + 1, matrix.bots[i], *(_coloured(_share(matrix, i, j), matrix.residuals[i][j]) for j in numbers)]
        for i in numbers
    ]
    deviations = [
        [i + 1, matrix.bots[i], *(_coloured(_deviation(z), z) for z in matrix.residuals[i])] for i in numbers
    ]
    what = "of the games that one of two bots won: the share of the row's"
    print_table(f"{_title(pool)} · {what}", columns, shares, style)
    print_table("more often than the ratings say, in standard errors", columns, deviations, style)
    print_notes(
        [
            "green: +2 or more, red: -2 or less; by chance alone about one deviation in 20 is so large",
            _verdict(matrix),
        ],
        style,
    )


def _share(matrix: "WinMatrix", i: int, j: int) -> str:
    won, lost = matrix.wins[i][j], matrix.wins[j][i]
    return f"{won / (won + lost):.0%}" if i != j and won + lost else "–"


def _deviation(z: float | None) -> str:
    return "–" if z is None else f"{round(z, 1) + 0:+.1f}"  # no -0.0


def _coloured(text: str, z: float | None) -> "Text":
    from rich.text import Text

    return Text(text, style="" if z is None or abs(z) < 2 else "green" if z > 0 else "red")


def _verdict(matrix: "WinMatrix") -> str:
    if matrix.p_value is None:
        return "too few games to tell whether ratings are enough"
    share = f"{matrix.p_value:.1%} of pools deviate so much (p = {matrix.p_value:.3g})"
    usual = f"where ratings tell everything, {share}"
    if matrix.p_value > 0.05:
        return f"no sign of cycles: {usual}"
    z, bot, other = max(
        (z, bot, other)
        for bot, row in zip(matrix.bots, matrix.residuals, strict=True)
        for other, z in zip(matrix.bots, row, strict=True)
        if z is not None
    )
    return (
        f"the ratings do not tell everything: {usual}; most of all {bot} beats {other} too often ({z:+.1f})"
    )
