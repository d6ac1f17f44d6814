"""`arena compare`: is a new version of a bot better or worse than the old one?"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import click

from arena.cli.options import db_option, edition_option, json_option, play_options, players_option
from arena.cli.output import print_json, progress_bar, tell_problems, warn
from arena.cli.signals import stoppable
from arena.errors import ArenaError, ConfigError

if TYPE_CHECKING:
    from arena.compare import Judge

EXIT_CODES = {"pass": 0, "fail": 1, "inconclusive": 3, "invalid": 4}


@click.command("compare")
@click.argument("new")
@click.argument("old")
@db_option
@edition_option
@players_option
@click.option(
    "--preset",
    type=click.Choice(["gain", "non-regression", "big"]),
    help="Bounds by name: [0, 30], [-30, 0] or [0, 100].  [default: non-regression]",
)
@click.option("--elo0", type=float, help="Pass when NEW is shown to be more than this stronger than OLD.")
@click.option("--elo1", type=float, help="Fail when NEW is shown to be less than this stronger than OLD.")
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Most chance of a wrong pass.")
@click.option("--beta", type=float, default=0.05, show_default=True, help="Most chance of a wrong fail.")
@click.option(
    "--max-games", type=int, help="Give up after so many games (default: five times the usual need)."
)
@click.option(
    "--field", help="Bots, with commas between: NEW and OLD each play among these, a fixed number of games."
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of all games.")
@play_options
@click.option(
    "--junit", type=click.Path(path_type=Path), help="Write the verdict as JUnit XML to this file too."
)
@json_option
def compare_command(
    new: str,
    old: str,
    db: str,
    edition: str,
    players: int,
    preset: str | None,
    elo0: float | None,
    elo1: float | None,
    alpha: float,
    beta: float,
    max_games: int | None,
    field: str | None,
    seed: int,
    executor: str,
    workers: int | None,
    address: str | None,
    junit: Path | None,
    as_json: bool,
) -> None:
    """Play NEW against OLD until it is clear which is better.

    Run it again to go on. NEW and OLD are ids (with options), .py files or folders. Exit code 0: pass, 1:
    fail, 3: inconclusive, 4: invalid, because more than 1 % of the games had a forfeit of NEW or OLD.
    """
    from arena.compare import Terms, are_identical, compare, resolve_comparison
    from arena.executors import make_executor
    from arena.host import identify
    from arena.plugins import load_registry
    from arena.process import ensure_hash_seed

    if executor == "inline":
        ensure_hash_seed()
    others = tuple(split_bots(field)) if field is not None else ()
    terms = Terms(*read_bounds(preset, elo0, elo1), alpha, beta, players, others, max_games)
    if junit is not None:
        _check_place(junit)
    registry = load_registry()
    resolved = resolve_comparison(new, old, edition, seed, terms, registry, partial(identify, warn=warn))
    tell_problems(registry)
    if are_identical(*resolved.bots[:2]):
        click.echo(f"arena: {new} and {old} are identical: the same source and options", err=True)
    games = make_executor(executor, workers, address)
    try:
        with stoppable(games.stopping), _live_line(executor) as report:
            judge = compare(resolved, terms, db, games, report)
    except ArenaError as error:
        error.exit_code = 2  # a stopped run's 1 would say that NEW is worse
        raise
    text = sentence(judge, new, old)
    if junit is not None:
        _write_junit(junit, judge, new, old, text)
    if as_json:
        print_json({"new": new, "old": old, "tournament": resolved.tournament.name, **judge.to_json()})
    else:
        click.echo(text)
        for line in tell_figures(judge, resolved.tournament.name):
            click.echo(line)
    raise SystemExit(EXIT_CODES[str(judge.verdict)])


def read_bounds(preset: str | None, elo0: float | None, elo1: float | None) -> tuple[float, float]:
    """The two bounds: of the preset, or given by both numbers. Raises UsageError."""
    from arena.compare import PRESETS

    if elo0 is None and elo1 is None:
        return PRESETS[preset or "non-regression"]
    if elo0 is None or elo1 is None or preset is not None:
        raise click.UsageError("expected --preset, or both --elo0 and --elo1, got a mixture")
    return elo0, elo1


def split_bots(text: str) -> list[str]:
    """Bots with commas between; `a:x=1,y=2,b` is two bots, the first with two options."""
    bots: list[str] = []
    for part in text.split(","):
        if bots and ":" in bots[-1] and "=" in part and ":" not in part:
            bots[-1] += f",{part}"
        else:
            bots.append(part)
    return bots


def sentence(judge: "Judge", new: str, old: str) -> str:
    """The verdict for a person without statistics."""
    terms, games = judge.terms, f"{judge.games} games"
    above, below = _above(terms.elo0), _below(terms.elo1)
    if judge.verdict == "pass":
        return (
            f"PASS: {new} is {above} {old}; the chance that this is wrong is at most {100 * terms.alpha:g} %."
        )
    if judge.verdict == "fail":
        return (
            f"FAIL: {new} is {below} {old}; the chance that this is wrong is at most {100 * terms.beta:g} %."
        )
    if judge.verdict == "inconclusive":
        return f"INCONCLUSIVE: {games} do not tell whether {new} is {above} {old}, or {below} it."
    return (
        f"INVALID: in {judge.forfeits} of {games}, more than 1 %, a bot was stopped for its faults:"
        f" {new} in {judge.stopped[0]}, {old} in {judge.stopped[1]}."
        " See `arena faults`, mend the bot and compare again."
    )


def _above(elo: float) -> str:
    if elo == 0:
        return "stronger than"
    return f"more than {elo:g} Elo stronger than" if elo > 0 else f"not as much as {-elo:g} Elo weaker than"


def _below(elo: float) -> str:
    if elo == 0:
        return "weaker than"
    return f"not as much as {elo:g} Elo stronger than" if elo > 0 else f"more than {-elo:g} Elo weaker than"


def tell_figures(judge: "Judge", name: str) -> Iterator[str]:
    """What the verdict rests on, a line each."""
    data = judge.to_json()
    yield (
        f"{name}: {data['games']} of at most {data['max_games']} games, {data['unfinished']} unfinished,"
        f" {data['forfeits']} with a forfeit"
    )
    when = "" if judge.terms.field else ", whenever one looks"
    why = ": one of the two won every game" if data["elo"] is None else ""
    yield f"Elo {_span(judge)} (95 %{when}){why}"
    if not judge.terms.field:
        yield f"{_evidence(judge)}; p-value {data['p_value']:.2g}"
        figures = [f"LLR {data['llr']:.2f} (logistic)"]
        if data["llr_normalized"] is not None:
            figures.append(f"{data['llr_normalized']:.2f} (normalized)")
        if data["elo"] is not None:
            figures.append(f"nElo {data['nelo']:+.0f}")
        yield f"for information: {', '.join(figures)}"
    elif data["p_value"] is not None:
        yield f"p-value {data['p_value']:.2g}"


def _span(judge: "Judge") -> str:
    elo, low, high = judge.estimate()
    ends = ["-∞" if low is None else f"{low:+.0f}", "+∞" if high is None else f"{high:+.0f}"]
    return f"{'?' if elo is None else f'{elo:+.0f}'}, from {ends[0]} to {ends[1]}"


def _evidence(judge: "Judge") -> str:
    """How much of what is needed for each verdict is there."""
    shares = judge.shares()
    return f"evidence: {shares[0]:.0%} of a pass, {shares[1]:.0%} of a fail" if shares else ""


def _write_junit(file: Path, judge: "Judge", new: str, old: str, text: str) -> None:
    """One test case in one suite: a fail is a failure, an invalid comparison an error, else skipped."""
    kinds = {
        "fail": ("failure", "failures"),
        "invalid": ("error", "errors"),
        "inconclusive": ("skipped", "skipped"),
    }
    outcome, counted = kinds.get(str(judge.verdict), (None, None))
    counts = {count: str(int(count == counted)) for _, count in kinds.values()}
    root = ElementTree.Element("testsuites")
    suite = ElementTree.SubElement(root, "testsuite", {"name": "arena compare", "tests": "1", **counts})
    case = ElementTree.SubElement(suite, "testcase", classname="arena.compare", name=f"{new} against {old}")
    properties = ElementTree.SubElement(case, "properties")
    for name, value in judge.to_json().items():
        ElementTree.SubElement(properties, "property", name=name, value="" if value is None else str(value))
    if outcome is not None:
        ElementTree.SubElement(case, outcome, message=text)
    ElementTree.SubElement(case, "system-out").text = text
    ElementTree.indent(root)
    try:
        ElementTree.ElementTree(root).write(file, encoding="utf-8", xml_declaration=True)
    except OSError as error:
        raise ConfigError(f"junit: {file}: {error.strerror}") from None


def _check_place(file: Path) -> None:
    """Complain before anything is played."""
    if (
        file.is_dir()
        or not file.parent.is_dir()
        or not os.access(file.parent, os.W_OK)
        or (file.exists() and not os.access(file, os.W_OK))
    ):
        raise ConfigError(f"junit: expected a file that can be written, got {file}")


@contextmanager
def _live_line(executor: str) -> "Iterator[Callable[[Judge], None]]":
    """A line on stderr when that is a terminal: games, Elo with its interval, evidence for each verdict."""
    is_first = True

    def report(judge: "Judge") -> None:
        nonlocal is_first
        if is_first and judge.is_decided:
            click.echo("arena: decided already: nothing is played", err=True)
        is_first = False
        text = " · ".join(filter(None, ["games", f"Elo {_span(judge)}", _evidence(judge)]))
        update(judge.games, judge.terms.most_games, text)

    with progress_bar("", executor) as update:
        yield report
