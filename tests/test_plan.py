"""Plans: as many games as the answers then take."""

import json
from functools import partial
from math import inf
from pathlib import Path
from random import Random

import commands
import pytest
from tournaments import HereExecutor, query, tournament

from arena.cli.plan import _duration
from arena.compare import Terms
from arena.plan import make_plan, measured_rate
from arena.run import run
from arena.stats import BettingSprt, planned_blocks, planned_pairs, rate, rating_games, score, usual_blocks


def test_blocks_follow_from_the_bounds_and_the_levels() -> None:
    usual = 2.65 * 2 * 0.09 / (score(30) - 0.5) ** 2
    assert usual_blocks(0.5, score(30)) == pytest.approx(usual, rel=1e-3)
    assert planned_blocks(0.5, score(30)) == pytest.approx(5 * usual, rel=1e-3)
    assert planned_blocks(0.5, score(30)) == planned_blocks(score(-30), 0.5)
    assert planned_blocks(0.5, score(30), 0.01, 0.01) > planned_blocks(0.5, score(30))
    assert planned_blocks(0.5, score(60)) < planned_blocks(0.5, score(30)) / 3


@pytest.mark.parametrize("truth", [0.0, 50.0])
def test_a_comparison_takes_about_as_many_blocks_as_planned(truth: float) -> None:
    """Scores of 0, 1/2, 1 with the variance that is assumed; the mean of 60 tests."""
    rng, s = Random(5), score(truth)
    weights = [0.18 - (s - 0.5), 0.64, 0.18 + (s - 0.5)]
    blocks = 0
    for _ in range(60):
        test = BettingSprt(0.5, score(50))
        while test.state == "continue":
            test.update(rng.choices([0, 0.5, 1], weights)[0])
            blocks += 1
    assert blocks / 60 == pytest.approx(usual_blocks(0.5, score(50)), rel=0.25)


@pytest.mark.parametrize(("players", "bots"), [(4, 4), (3, 7)])
def test_a_rating_of_as_many_games_as_planned_is_as_precise(players: int, bots: int) -> None:
    rng, each = Random(3), rating_games(25, players, bots)
    names = [f"bot-{i}" for i in range(bots)]
    lineups = [tuple(rng.sample(names, players)) for _ in range(each * bots // players)]
    ratings = rate(lineups, [rng.randrange(players) for _ in lineups])
    errors = [error for error in ratings.error.values() if error is not None]
    assert sum(errors) / bots == pytest.approx(25, rel=0.05)


def test_pairs_tell_the_bounds_apart_with_both_errors() -> None:
    """With so many the standard error is the distance over the two normal quantiles."""
    pairs, share = planned_pairs(0, 30, players=4), 1 / 4
    error = 173.7178 * (2 / (share * (1 - share)) / pairs) ** 0.5
    assert 30 / error == pytest.approx(2 * 1.6449, rel=1e-3)


def test_plan_is_that_of_the_comparison() -> None:
    plan = make_plan(20, players=3, bots=5)
    assert plan.gate_most == 2 * Terms(0, 20, players=3).blocks
    assert plan.gate_most == pytest.approx(5 * plan.gate, rel=0.01)
    assert plan.rating_each == rating_games(20, 3, 5)
    assert plan.rating == pytest.approx(plan.rating_each * 5 / 3, abs=1)


@pytest.mark.parametrize(("games", "seconds", "played"), [(12, inf, 24), (100, inf, 180), (100, 30, 30)])
def test_rate_is_of_the_games_after_the_first(
    games: int, seconds: float, played: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a clock by which a game takes two seconds."""
    executor = HereExecutor()
    monkeypatch.setattr("arena.plan.perf_counter", lambda: 2.0 * len(executor.played))
    assert measured_rate(executor, tournament(tmp_path, blocks=100), games, seconds) == 0.5
    assert len(executor.played) == played


# --- the command


call = partial(commands.call, "plan")


def test_command_takes_times_from_a_database(tmp_path: Path) -> None:
    path = tmp_path / "arena.db"
    run(tournament(tmp_path), path, HereExecutor())
    ((seconds,),) = query(path, "select avg(seconds) from games")
    here = ("--db", path, "--edition", "house-four-shores", "--players", 3, "--workers", 2)
    result = call("--elo", 20, *here, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    data = json.loads(result.stdout)
    assert data["games_per_second"] == pytest.approx(2 / seconds)
    assert data["gate_seconds"] == pytest.approx(data["gate"] * seconds / 2)
    text = call("--elo", 20, *here).stdout
    assert f"about {data['gate']:,} games" in text
    assert f"{data['rating_each']:,} games of each" in text
    line = commands.complaint_of("plan", "--elo", 20, "--db", path, "--players", 4)
    assert "expected games of this edition with 4 players, got none" in line


@pytest.mark.slow
def test_command_measures_where_no_database_is_given() -> None:
    result = call("--elo", 20, "--edition", "house-four-shores", "--players", 6, "--workers", 1, "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["games_per_second"] > 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--elo", "0"), "plan: elo: expected from 1 to 1000, got 0"),
        (("--elo", "nan"), "plan: elo: expected from 1 to 1000, got nan"),
        (("--elo", "9", "--players", "1"), "plan: players: expected at least 2, got 1"),
        (("--elo", "9", "--bots", "3"), "plan: bots: expected at least 4, for one table, got 3"),
        (("--elo", "9", "--players", "9"), "plan: players: edition hasbro-us-2003 is for 2–6 players, got 9"),
        (("--elo", "9", "--db", "not/there.db"), "no database at not/there.db"),
    ],
)
def test_bad_input_is_one_line(arguments: tuple[str, ...], message: str) -> None:
    assert message in commands.complaint_of("plan", *arguments)


def test_durations_are_told_in_the_unit_that_fits() -> None:
    assert [_duration(seconds) for seconds in (0.1, 119, 120, 7200, 200_000)] == [
        "1 s",
        "119 s",
        "2 minutes",
        "2 hours",
        "2 days",
    ]
