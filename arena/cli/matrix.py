"""Who beats whom: `arena matrix`."""

from typing import TYPE_CHECKING, Any

import click

from arena.cli.options import pool_options, style_options
from arena.cli.output import print_csv, print_json, print_notes, print_table
from arena.cli.pools import check_choice, title

if TYPE_CHECKING:
    from rich.text import Text

    from arena.matrix import PoolMatrix
    from arena.stats import WinMatrix


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
def matrix_command(db: str, samples: int, seed: int, style: str | None, **choice: Any) -> None:
    """Show who beats whom in TOURNAMENT, or in every tournament.

    TOURNAMENT is its name; each of its pools has a matrix of its own. Also whether the ratings tell
    everything about it, or bots beat each other in a circle.
    """
    from arena.matrix import matrices
    from arena.store import open_history

    check_choice(**choice)
    with open_history(db) as history:
        found = matrices(history, samples=samples, seed=seed, **choice)
    if style == "json":
        print_json([pool.to_json() for pool in found])
    elif style == "csv":
        print_csv([row for pool in found for row in pool.to_rows()])
    elif not found:
        click.echo("no games yet")
    else:
        for pool in found:
            _print(pool, style)


def _print(found: "PoolMatrix", style: str | None) -> None:
    matrix = found.matrix
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
    print_table(f"{title(found.pool)} · {what}", columns, shares, style)
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
        return "too few games, or always the same bots at a table, to tell whether ratings are enough"
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
