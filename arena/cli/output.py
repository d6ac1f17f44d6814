"""How commands print JSON, CSV, tables, warnings and progress."""

import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, TextIO

import click

from arena.cli.streams import is_unicode

if TYPE_CHECKING:
    from rich.console import Console

    from arena.plugins import Registry

MOST_CHARACTERS = 10_000
"""A line for a file or a pipe may be as long as that."""

SHORT = 30
"""A cell of up to so many characters is not broken at its spaces, however narrow the terminal."""

NUMBER = re.compile(r"–|[<>±+-]? ?[\d.]+ ?%?(–[\d.]+ ?%?)?")
"""A cell that stands to the right when the whole column is like it."""


def tell_problems(registry: "Registry") -> None:
    """On stderr a line for each plugin that is broken and each id that several claim."""
    for problem in registry.problems:
        warn(problem)


def warn(line: str) -> None:
    """A warning on stderr."""
    click.echo(f"arena: warning: {line}", err=True)


def print_json(data: object) -> None:
    """One JSON document on stdout; numbers are null, never NaN."""
    click.echo(json.dumps(data, indent=2, allow_nan=False, ensure_ascii=not is_unicode(sys.stdout)))


def console(stream: TextIO) -> "Console":
    """A rich console that takes every text as it is, and does not wrap what goes to a file or a pipe."""
    from rich.console import Console

    width = None if stream.isatty() else MOST_CHARACTERS
    return Console(file=stream, width=width, highlight=False, markup=False, emoji=False)


@contextmanager
def progress_bar(name: str, executor: str) -> Iterator[Callable[[int, int, str], None]]:
    """A bar on stderr where that is a terminal; it takes what is done, of how much, and what else to say.

    None with the executor `inline`: it would be drawn over what is typed at a breakpoint.
    """
    from rich import progress

    bar = progress.Progress(
        progress.TextColumn("{task.description}", style="bold", markup=False),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TextColumn("{task.fields[text]}", markup=False),
        progress.TimeElapsedColumn(),
        console=console(sys.stderr),
        transient=True,
    )
    bar.disable = executor == "inline" or not bar.console.is_terminal
    task = bar.add_task(name, total=None, text="")
    with bar:
        yield lambda done, total, text: bar.update(task, completed=done, total=total, text=text)


def print_csv(rows: Sequence[dict[str, Any]]) -> None:
    """Rows with their keys as columns on stdout; what a row lacks, or does not know, is empty."""
    import csv

    columns = dict.fromkeys(key for row in rows for key in row)
    writer = csv.DictWriter(sys.stdout, list(columns), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


def print_notes(notes: Sequence[str], style: str | None = None) -> None:
    """What is to be said below a table, a line each."""
    for note in notes:
        click.echo(f"- {note}" if style == "markdown" else note)
    if style == "markdown":
        click.echo()


def print_table(
    title: str | None, columns: Sequence[str], rows: Sequence[Sequence[object]], style: str | None = None
) -> None:
    """A table on stdout, in Markdown if that is the style; None is shown as –."""
    from rich import box
    from rich.cells import cell_len
    from rich.table import Table
    from rich.text import Text

    texts = [
        [cell if isinstance(cell, Text) else Text("–" if cell is None else str(cell)) for cell in row]
        for row in rows
    ]
    if style == "markdown":
        _print_markdown(title, columns, [[text.plain for text in row] for row in texts])
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for i, name in enumerate(columns):
        cells = [row[i].plain for row in texts]
        whole = [part for cell in cells for part in ([cell] if cell_len(cell) <= SHORT else cell.split())]
        table.add_column(name, justify=_side(cells), min_width=max(map(cell_len, [name, *whole])))
    for row in texts:
        table.add_row(*row)
    screen = console(sys.stdout)
    if title is not None:
        screen.print(Text(title, style="bold"), soft_wrap=True)
    with screen.capture() as drawn:
        screen.print(table, crop=False)  # a terminal may wrap a line, but no key or name is broken
    for line in drawn.get().splitlines():
        click.echo(line.rstrip())


def _side(cells: Sequence[str]) -> Literal["left", "right"]:
    return "right" if all(map(NUMBER.fullmatch, cells)) else "left"


def _print_markdown(title: str | None, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A pipe table below its title."""
    if title is not None:
        click.echo(f"### {title}\n")
    sides = [_side([row[i] for row in rows]) for i in range(len(columns))]
    rule = ["---:" if side == "right" else "---" for side in sides]
    for row in (columns, rule, *rows):
        click.echo(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |")
    click.echo()
