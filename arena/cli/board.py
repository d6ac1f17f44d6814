"""The board in the terminal: continents in rows that fit, each territory in its owner's colour."""

import sys
from collections.abc import Sequence
from shutil import get_terminal_size

from rich.columns import Columns
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from arena.cli.output import console
from arena.risk.game import Game

COLOURS = ("red", "blue", "green", "yellow", "magenta", "cyan")
"""By seat; the neutral and the unclaimed stay grey."""


def print_board(game: Game, names: Sequence[str]) -> None:
    """The position on stdout: what is asked, the seats, and the territories with owner and troops."""
    screen = console(sys.stdout)
    where = f"round {game.round}" if not game.in_setup() else "setup"
    asked = "the game is over" if game.decision is None else f"seat {game.seat} is asked to {game.decision}"
    screen.print(f"{where} · after {game.decisions} decisions · {asked}", style="bold")
    screen.print(_seats(game, names))
    width = get_terminal_size().columns  # also for a file or a pipe, whose lines may be longer
    screen.print(Columns([_continent(game, c) for c in range(len(game.board.continents))]), width=width)


def _seats(game: Game, names: Sequence[str]) -> Table:
    territories, troops = game.holdings()
    table = Table("seat", "bot", "territories", "troops", "cards", "reinforcement", "", box=None)
    for seat, name in enumerate(names):
        state = "passive" if game.passive[seat] else "eliminated" if seat in game.exits else ""
        counts = (
            territories[seat],
            troops[seat],
            len(game.hands[seat]),
            game.rules.income(game.owners, seat),
        )
        table.add_row(str(seat), name, *map(str, counts), state, style=COLOURS[seat])
    return table


def _continent(game: Game, continent: int) -> Panel:
    board = game.board
    table = Table(box=None, show_header=False, pad_edge=False)
    for t in board.members[continent]:
        owner = game.owners[t]
        style = COLOURS[owner] if owner >= 0 else "bright_black"
        table.add_row(
            Text(board.names[t]),
            Text(str(owner) if owner >= 0 else "–"),
            Text(str(game.troops[t])),
            style=style,
        )
    title = Text(f"{board.continents[continent]} +{board.continent_bonus[continent]}")
    return Panel(table, title=title, expand=False)
