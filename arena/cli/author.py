"""What the author of a bot needs before it plays for a rating: `arena new`, `check`, `test-positions`."""

import click

from arena.cli.options import json_option
from arena.cli.output import print_json, print_table, warn


@click.group("new")
def new_command() -> None:
    """Begin something of your own."""


@new_command.command("bot")
@click.argument("name")
def new_bot_command(name: str) -> None:
    """Write a plugin project for a bot into the folder NAME: the bot, its test, what installs it."""
    from pathlib import Path

    from arena.plugins import load_registry
    from arena.scaffold import new_bot

    for file in new_bot(name, load_registry(), Path()):
        click.echo(file)
    click.echo(f"next: cd {name}, pip install -e . pytest, pytest; its README.md says more", err=True)


@click.command("check")
@click.argument("bot", nargs=-1, required=True)
@click.option("--edition", "editions", multiple=True, help="Play only this edition; may be given again.")
@json_option
def check_command(bot: tuple[str, ...], editions: tuple[str, ...], as_json: bool) -> None:
    """Check whether each BOT plays by the rules, and in time.

    And whether it plays the same for the same seed. A BOT is an id, with options where wanted
    (greedy:margin=3), a .py file or a folder. Exit 1 when one fails.
    """
    from arena.plugins import load_registry
    from arena.testing import examine

    registry = load_registry()
    reports = []
    for text in bot:
        reports.append(examine(text, registry, editions or None))
        if not as_json:
            click.echo(reports[-1])
    if as_json:
        print_json([report.to_json() for report in reports])
    if not all(report.passed for report in reports):
        raise SystemExit(1)


@click.command("test-positions")
@click.argument("bot")
@click.argument("folder", required=False, type=click.Path())
@json_option
def test_positions_command(bot: str, folder: str | None, as_json: bool) -> None:
    """Test what BOT does in the positions of FOLDER.

    Each is a .json file (default: the bundled ones). Exit 1 when BOT does in one what it should not.
    """
    from pathlib import Path

    from arena.config import Limits
    from arena.host import identify
    from arena.plugins import load_registry
    from arena.position_tests import POSITIONS, load_position_tests, run_position_tests

    tests = load_position_tests(POSITIONS if folder is None else Path(folder), load_registry())
    (identity,) = identify([bot], Path(), Limits().start_seconds, warn)
    outcomes = run_position_tests(identity, tests)
    failed = sum(bool(outcome.problem) for outcome in outcomes)
    if as_json:
        print_json([outcome.to_json() for outcome in outcomes])
    else:
        rows = [
            ("FAILED" if outcome.problem else "ok", outcome.test.name, outcome.problem or outcome.order)
            for outcome in outcomes
        ]
        print_table(None, ("", "position", identity.name), rows)
        for outcome in outcomes:
            if outcome.problem:
                click.echo(f"{outcome.test.name}: {outcome.test.reason}")
        click.echo(f"{len(outcomes) - failed} of {len(outcomes)} passed")
    if failed:
        raise SystemExit(1)
