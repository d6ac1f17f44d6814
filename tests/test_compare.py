"""Comparisons: the verdict, when it comes, and that nothing but the games themselves can change it."""

import heapq
import json
import os
import re
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import islice
from math import log10, sqrt
from pathlib import Path
from random import Random
from typing import Any, get_args, get_type_hints
from xml.etree import ElementTree

import commands
import pytest
from commands import ARENA, in_a_terminal
from playing import PACE, UNHURRIED
from storing import played
from tournaments import REGISTRY, HereExecutor, games_in, query

from arena.cli.compare import split_bots, tell_figures
from arena.compare import (
    PRESETS,
    FieldJudge,
    Judge,
    Played,
    TableJudge,
    Terms,
    Verdict,
    are_identical,
    compare,
    resolve_comparison,
)
from arena.config import Fault, GameSpec, Job, ResolvedTournament, Void
from arena.errors import ConfigError
from arena.executors import Outcome
from arena.risk.result import Result as GameEnd
from arena.schedule import specs
from arena.stats import BettingSprt, Prefix, planned_blocks, score

FORFEIT = Fault(0, "exception", 1, 3, "ZeroDivisionError", forfeit=True)

HANDICAPPED = """
from arena.bots.greedy import Greedy

class Handicapped(Greedy):
    '''Greedy that now and then forgets to attack.'''

    def attack(self, view):
        return None if self.rng.random() < {share} and not view.forced else super().attack(view)
"""


class InventedExecutor(HereExecutor):
    """Invents games, quickly and always the same: a copy of the first bot wins with this chance."""

    def __init__(self, chance: float, faults: Callable[[int], bool] = lambda block: False) -> None:
        super().__init__()
        self.chance, self.faults = chance, faults

    def outcome(self, spec: GameSpec) -> Outcome:
        self.played.append(spec)
        rng, game = Random(spec.key), played(spec, unfinished=True)
        strong = int(rng.random() >= self.chance)
        seats = [seat for seat, bot in enumerate(spec.lineup) if bot == strong] + [None] * (
            rng.random() < 0.05
        )
        fields = {name: getattr(game.result, name) for name in get_type_hints(GameEnd)}
        fault = [FORFEIT] if self.faults(spec.block) and not spec.rotation else []
        winner = seats[-1] if seats else None
        return replace(game, result=GameEnd(**fields | {"winner": winner}), faults=tuple(fault))


class ShuffledExecutor(InventedExecutor):
    """Has games done in whatever order, up to 60 of them behind."""

    def play(self, job: Job, specs: Iterable[GameSpec]) -> Iterator[list[Outcome]]:
        rng, flying, stream = Random(1), list[GameSpec](), iter(specs)
        while flying or (flying := list(islice(stream, 1))):
            flying += islice(stream, 60 - len(flying))
            rng.shuffle(flying)
            yield [self.outcome(flying.pop()) for _ in range(min(7, len(flying)))]


class InterruptedExecutor(ShuffledExecutor):
    """Is interrupted after so many batches."""

    def __init__(self, chance: float, batches: int) -> None:
        super().__init__(chance)
        self.batches = batches

    def play(self, job: Job, specs: Iterable[GameSpec]) -> Iterator[list[Outcome]]:
        yield from islice(super().play(job, specs), self.batches)
        raise KeyboardInterrupt


def question(
    new: str = "greedy", old: str = "turtle", field: Sequence[str] = (), seed: int = 0, **terms: Any
) -> tuple[ResolvedTournament, Terms]:
    """A comparison on the small map."""
    made = Terms(**{"elo0": 0.0, "elo1": 100.0, "field": tuple(field), **terms})
    return resolve_comparison(new, old, "house-four-shores", seed, made, REGISTRY), made


def figures(judge: Judge) -> dict[str, Any]:
    return judge.to_json()


# --- terms


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"elo0": 30, "elo1": 0}, "expected elo0 at least 1 below elo1, both within ±1000, got 30 and 0"),
        ({"elo0": 0, "elo1": 0.5}, "got 0 and 0.5"),
        ({"elo0": float("nan")}, "got nan and 100"),
        ({"elo1": 2000}, "got 0 and 2000"),
        ({"elo0": -2000}, "got -2000 and 100"),
        ({"alpha": 0}, "alpha: expected above 0, at most 0.5, got 0"),
        ({"beta": 0.6}, "beta: expected above 0, at most 0.5, got 0.6"),
        ({"alpha": float("nan")}, "alpha: expected above 0, at most 0.5, got nan"),
        ({"players": 1}, "players: expected at least 2, got 1"),
        ({"max_games": 1}, "max-games: expected at least 2, got 1"),
    ],
)
def test_terms_without_sense_are_refused_in_one_line(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=r"^compare: ") as caught:
        Terms(**{"elo0": 0.0, "elo1": 100.0, **changes})
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_games_are_as_many_as_planned_unless_they_are_given() -> None:
    assert Terms(0, 30).blocks == planned_blocks(0.5, score(30))
    assert Terms(0, 30, max_games=101).blocks == 50
    assert Terms(0, 30, players=3).blocks == planned_blocks(score(0, 3), score(30, 3))
    with_field = Terms(0, 30, field=("uniform",))
    assert with_field.blocks > 2 * Terms(0, 30).blocks


def test_the_fingerprint_has_no_part_in_the_question() -> None:
    """The same games answer every question about the two."""
    one, _ = question(elo0=0.0, elo1=30.0)
    other, _ = question(elo0=-100.0, elo1=0.0, alpha=0.01, max_games=6)
    assert (one.fingerprint, one.tournament.name) == (other.fingerprint, other.tournament.name)
    assert question(seed=1)[0].tournament.name != one.tournament.name
    assert question(old="uniform")[0].tournament.name != one.tournament.name


# --- judging


def block(*winners: int | None, forfeit: bool = False) -> list[Played]:
    return [Played(winner, frozenset({0} if forfeit else ())) for winner in winners]


def judged(judge: Judge, blocks: Iterable[list[Played]]) -> Judge:
    for games in blocks:
        judge.take(games)
    return judge


def test_a_block_counts_what_its_two_games_were_won_by() -> None:
    judge = TableJudge(Terms(0, 100))
    blocks = [block(0, 0), block(0, 1), block(None, 0), block(None, None), block(1, 1)]
    sprt = BettingSprt(0.5, score(100))
    for games, y in zip(blocks, [1, 0.5, 0.75, 0.5, 0], strict=True):
        judge.take(games)
        sprt.update(y)
    found = figures(judge)
    assert (found["blocks"], found["games"], found["unfinished"], found["verdict"]) == (5, 10, 3, None)
    assert (found["ln_e_plus"], found["ln_e_minus"]) == (sprt.ln_e_plus, sprt.ln_e_minus)
    assert found["elo"] == pytest.approx(400 * log10(0.55 / 0.45))


def test_winning_everything_passes_and_has_no_upper_end() -> None:
    judge = judged(TableJudge(Terms(0, 100)), [block(0, 0)] * 100)
    assert judge.verdict == "pass"
    assert judge.blocks < 20
    elo, low, high = judge.estimate()
    assert (elo, high) == (None, None)
    assert low is not None
    json.dumps(figures(judge), allow_nan=False)


def test_losing_everything_fails() -> None:
    judge = judged(TableJudge(Terms(-30, 0)), [block(1, 1)] * 100)
    assert judge.verdict == "fail"
    assert judge.shares() == (0, 1)


def test_no_decision_within_the_games_is_inconclusive() -> None:
    judge = judged(TableJudge(Terms(0, 30, max_games=20)), [block(0, 1)] * 100)
    assert (judge.verdict, judge.games) == ("inconclusive", 20)


def test_nothing_counts_after_the_verdict() -> None:
    judge = judged(TableJudge(Terms(0, 100)), [block(0, 0)] * 100)
    before = figures(judge)
    assert figures(judged(judge, [block(1, 1)] * 50)) == before


def test_more_than_one_percent_of_forfeits_is_invalid() -> None:
    faulty = [block(0, 0, forfeit=True), block(1, 1, forfeit=True)]
    fair = [block(0, 0), block(1, 1)]
    terms = Terms(0, 30, max_games=400)
    just = judged(TableJudge(terms), [*faulty, *fair * 99])
    assert (just.verdict, just.games, just.forfeits) == ("inconclusive", 400, 4)
    over = judged(TableJudge(terms), [*faulty, *fair * 98, fair[0], faulty[1]])
    assert (over.verdict, over.games, over.forfeits) == ("invalid", 400, 6)


def test_a_decision_with_too_many_forfeits_is_invalid() -> None:
    judge = judged(TableJudge(Terms(0, 100)), [[Played(0, frozenset({1})), Played(0)], *[block(0, 0)] * 100])
    assert (judge.verdict, judge.forfeits) == ("invalid", 1)
    assert (figures(judge)["forfeits_new"], figures(judge)["forfeits_old"]) == (0, 1)
    assert judge.games < 40


def test_forfeits_that_no_further_games_can_mend_end_it() -> None:
    judge = judged(TableJudge(Terms(0, 30, max_games=400)), [block(0, 1, forfeit=True)] * 200)
    assert (judge.verdict, judge.games, judge.forfeits) == ("invalid", 6, 6)


@pytest.mark.parametrize(
    ("new", "old", "verdict"), [(150, 50, "pass"), (50, 150, "fail"), (100, 100, "inconclusive")]
)
def test_a_field_decides_once_all_games_are_there(new: int, old: int, verdict: Verdict) -> None:
    """Of 400 games each the two win so many; others win the rest."""
    judge = FieldJudge(Terms(0, 30, field=("uniform",), max_games=800))
    firsts = [0] * new + [2] * (400 - new)
    seconds = [1] * old + [3] * (400 - old)
    Random(1).shuffle(seconds)
    blocks = [block(first, second) for first, second in zip(firsts, seconds, strict=True)]
    judged(judge, blocks[:-1])
    assert not judge.is_decided
    assert judged(judge, blocks[-1:]).verdict == verdict
    elo, low, high = judge.estimate()
    expected = 400 * log10(new / (400 - new) * (400 - old) / old)
    assert elo == pytest.approx(expected, abs=3)
    assert low is not None
    assert high is not None
    assert low < expected < high
    assert figures(judge)["ln_e_plus"] is None


def completed(scores: Iterator[list[float]], workers: int, rng: Random) -> Iterator[tuple[int, int, float]]:
    """(block, rotation, who won) as it comes from so many workers: games that A wins take far longer."""
    games = ((b, r, x) for b, pair in enumerate(scores) for r, x in enumerate(pair))
    flying: list[tuple[float, int, int, float]] = []
    now = 0.0
    while True:
        while len(flying) < workers:
            b, r, x = next(games)
            heapq.heappush(flying, (now + rng.expovariate(1 / (1 + 9 * x)), b, r, x))
        now, b, r, x = heapq.heappop(flying)
        yield b, r, x


def simulated(s: float, terms: Terms, seed: int) -> Judge:
    """A comparison whose blocks have this mean score: seeds that favour either side, a few draws."""
    rng, judge, prefix = Random(seed), TableJudge(terms), Prefix[Played]()
    fair = (s - 0.01) / 0.98

    def pairs() -> Iterator[list[float]]:
        while True:
            luck = rng.uniform(-0.3, 0.3)
            yield [
                0.5 if rng.random() < 0.02 else float(rng.random() < fair + sign * luck) for sign in (1, -1)
            ]

    for b, r, x in completed(pairs(), 8, rng):
        for whole in prefix.add(b, r, Played({0.0: 1, 0.5: None, 1.0: 0}[x])):
            judge.take(whole)
        if judge.is_decided:
            return judge
    raise AssertionError


COMPARISONS = 2000


@pytest.mark.slow
@pytest.mark.parametrize(("truth", "wrong", "right"), [(0.0, "pass", "fail"), (50.0, "fail", "pass")])
def test_wrong_verdicts_stay_below_their_level(truth: float, wrong: Verdict, right: Verdict) -> None:
    """At each bound of [0, 50]; so many that the 4.2 % that are wrong do not reach 5 % by chance."""
    terms = Terms(0, 50)
    verdicts = [simulated(score(truth), terms, seed).verdict for seed in range(COMPARISONS)]
    assert verdicts.count("invalid") == 0
    assert verdicts.count(wrong) / COMPARISONS <= 0.05
    assert verdicts.count(right) / COMPARISONS >= 0.9


def simulated_field(elo: float, terms: Terms, seed: int) -> Judge:
    """The same among others: the first wins a quarter of its games, and a seed favours or harms both."""
    rng, judge = Random(seed), FieldJudge(terms)
    shares = [0.25, 1 / (1 + 3 * 10 ** (elo / 400))]
    while not judge.is_decided:
        luck = rng.uniform(-0.15, 0.15)
        new, old = (rng.random() < share + luck for share in shares)
        judge.take(block(0 if new else 2, 1 if old else 2))
    return judge


@pytest.mark.slow
@pytest.mark.parametrize(("truth", "wrong", "right"), [(0.0, "pass", "fail"), (50.0, "fail", "pass")])
def test_wrong_verdicts_in_a_field_stay_below_their_level(
    truth: float, wrong: Verdict, right: Verdict
) -> None:
    """1,000 comparisons at each bound of [0, 50]; within two standard deviations of the level."""
    terms = Terms(0, 50, field=("others",))
    verdicts = [simulated_field(truth, terms, seed).verdict for seed in range(1000)]
    assert verdicts.count(wrong) / 1000 <= 0.05 + 2 * sqrt(0.05 * 0.95 / 1000)
    assert verdicts.count(right) / 1000 >= 0.9


# --- playing


def test_play_stops_as_soon_as_it_is_decided(path: Path) -> None:
    resolved, terms = question()
    judge = compare(resolved, terms, path, executor := InventedExecutor(0.9))
    assert judge.verdict == "pass"
    assert judge.games <= len(executor.played) < judge.games + 5
    assert len(games_in(path)) == len(executor.played)
    assert not executor.is_open


@pytest.mark.parametrize("chance", [0.5, 0.65])
def test_order_and_interruptions_do_not_change_a_figure(tmp_path: Path, chance: float) -> None:
    resolved, terms = question()
    found = [figures(compare(resolved, terms, tmp_path / "one.db", InventedExecutor(chance)))]
    found.append(figures(compare(resolved, terms, tmp_path / "two.db", ShuffledExecutor(chance))))
    path = tmp_path / "three.db"
    for _ in range(100):
        try:
            found.append(figures(compare(resolved, terms, path, InterruptedExecutor(chance, batches=2))))
            break
        except KeyboardInterrupt:
            continue
    assert found[0]["verdict"] in ("pass", "fail", "inconclusive")
    assert found == [found[0]] * 3


def test_a_decided_comparison_plays_nothing_and_says_the_same(path: Path) -> None:
    resolved, terms = question()
    before = figures(compare(resolved, terms, path, ShuffledExecutor(0.9)))
    reports: list[bool] = []
    again = compare(resolved, terms, path, executor := HereExecutor(), lambda j: reports.append(j.is_decided))
    assert executor.opened == 0
    assert figures(again) == before
    assert reports == [True]


def test_more_games_go_on_where_fewer_were_inconclusive(path: Path) -> None:
    compare(*question(max_games=10), path, InventedExecutor(0.9))
    assert len(games_in(path)) == 10
    judge = compare(*question(), path, executor := InventedExecutor(0.9))
    assert judge.verdict == "pass"
    assert len(executor.played) == len(games_in(path)) - 10


def test_another_question_is_answered_by_the_same_games(path: Path) -> None:
    compare(*question(elo0=0.0, elo1=30.0), path, InventedExecutor(0.9))
    judge = compare(*question(elo0=-30.0, elo1=0.0), path, executor := InventedExecutor(0.9))
    assert judge.verdict == "pass"
    assert executor.opened == 0


def test_forfeits_count_from_the_database_as_when_they_are_played(path: Path) -> None:
    def faulty(block: int) -> bool:
        return block < 3

    resolved, terms = question(max_games=200)
    before = figures(compare(resolved, terms, path, InventedExecutor(0.5, faults=faulty)))
    assert (before["verdict"], before["forfeits"]) == ("invalid", 3)
    assert figures(compare(resolved, terms, path, HereExecutor())) == before


def test_forfeits_of_the_field_do_not_count(path: Path) -> None:
    resolved, terms = question(field=["uniform"], max_games=40)
    compare(resolved, terms, path, InventedExecutor(0.5, faults=lambda block: True))
    of_the_two = sum(spec.lineup[0] < 2 for spec in islice(specs(resolved), 0, 40, 2))
    judge = compare(resolved, terms, path, HereExecutor())
    assert 0 < of_the_two < 20
    assert judge.forfeits <= of_the_two


@pytest.mark.parametrize("players", [2, 3, 5, 6])
def test_tables_of_every_size_are_compared(path: Path, players: int) -> None:
    resolved, terms = question(players=players, max_games=400)
    judge = compare(resolved, terms, path, InventedExecutor(0.85))
    assert judge.verdict == "pass"
    assert {spec.players for spec in specs(resolved)} == {players}


def test_real_games_of_real_bots_are_judged(path: Path) -> None:
    judge = compare(*question("continental", "uniform"), path, HereExecutor())
    assert judge.verdict == "pass"
    winners = query(path, "select b.name from seats join bots b on b.id = bot where finish = 1")
    assert winners.count(("continental",)) > 0.7 * len(winners)


# --- who is compared


def test_identical_means_the_same_source_and_options(tmp_path: Path) -> None:
    for folder in ("new", "old"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.py").write_text("from arena import Bot\nclass Mine(Bot): ...\n")
    new, old = (REGISTRY.identify(f"{folder}/mine.py", tmp_path) for folder in ("new", "old"))
    assert are_identical(new, old)
    assert are_identical(REGISTRY.identify("greedy:margin=3"), REGISTRY.identify("greedy:margin=3"))
    assert not are_identical(REGISTRY.identify("greedy:margin=3"), REGISTRY.identify("greedy"))
    assert not are_identical(REGISTRY.identify("greedy"), REGISTRY.identify("turtle"))
    (tmp_path / "new" / "mine.py").write_text("from arena import Bot\nclass Mine(Bot): pass\n")
    assert not are_identical(REGISTRY.identify("new/mine.py", tmp_path), old)


def test_folders_of_one_content_are_identical_whatever_they_are_called(tmp_path: Path) -> None:
    for folder in ("new", "old"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "__init__.py").write_text("from arena import Bot\nclass Mine(Bot): ...\n")
    assert are_identical(REGISTRY.identify("new", tmp_path), REGISTRY.identify("old", tmp_path))


def test_two_bots_of_one_plugin_are_not_identical() -> None:
    one = REGISTRY.identify("greedy")
    assert not are_identical(one, replace(one, bot_id="other"))


@pytest.mark.parametrize(
    ("text", "bots"),
    [
        ("a", ["a"]),
        ("a,b.py,c/d", ["a", "b.py", "c/d"]),
        ("a:x=1,y=2,b", ["a:x=1,y=2", "b"]),
        ("a:x=1,b:y=2,z=3", ["a:x=1", "b:y=2,z=3"]),
        ("a,,b", ["a", "", "b"]),
    ],
)
def test_bots_of_a_field_are_split_at_commas_that_separate_no_options(text: str, bots: list[str]) -> None:
    assert split_bots(text) == bots


# --- the command


call = partial(commands.call, "compare")


CHEAP = ("--edition", "house-four-shores", "--executor", "local", "--workers", "1")


def test_command_tells_the_verdict_in_one_sentence_and_as_json(path: Path) -> None:
    arguments = ("continental", "uniform", "--preset", "big", "--db", path, *CHEAP)
    result = call(*arguments)
    assert (result.exit_code, result.stderr) == (0, "")
    first, *rest = result.stdout.splitlines()
    assert first == (
        "PASS: continental is stronger than uniform; the chance that this is wrong is at most 5 %."
    )
    assert len(rest) == 4
    again = call(*arguments, "--json")
    assert again.exit_code == 0
    assert again.stderr == "arena: decided already: nothing is played\n"
    data = json.loads(again.stdout, parse_constant=pytest.fail)
    assert (data["verdict"], data["elo0"], data["elo1"], data["forfeits"]) == ("pass", 0, 100, 0)
    keys = "verdict blocks games elo low high elo0 elo1 ln_e_plus ln_e_minus p_value llr unfinished forfeits"
    assert set(keys.split()) <= set(data)
    assert data["games"] == 2 * data["blocks"] <= len(games_in(path))
    assert (data["new"], data["old"]) == ("continental", "uniform")


def test_standings_of_a_comparison_say_why_they_differ(path: Path) -> None:
    call("greedy", "uniform", "--max-games", "6", "--db", path, *CHEAP)
    (pool,) = commands.data_of("standings", "--db", path)
    assert [bot["games"] for bot in pool["bots"]] == [2 * pool["games"]] * 2
    for choice in ([], ["--all"]):
        notes = commands.stdout_of("standings", "--db", path, *choice).splitlines()
        assert sum("not the Elo of `arena compare`: docs/regression.md" in note for note in notes) == 1


def test_worse_is_exit_code_1(path: Path) -> None:
    result = call("uniform", "continental", "--db", path, *CHEAP)
    assert result.exit_code == 1
    assert result.stdout.startswith("FAIL: uniform is weaker than continental; the chance ")


def test_undecided_is_exit_code_3_and_an_identical_pair_is_named(path: Path) -> None:
    result = call("greedy", "greedy", "--max-games", "6", "--db", path, *CHEAP)
    assert result.exit_code == 3
    assert result.stderr == "arena: greedy and greedy are identical: the same source and options\n"
    assert result.stdout.startswith(
        "INCONCLUSIVE: 6 games do not tell whether"
        " greedy is not as much as 30 Elo weaker than greedy, or weaker than it.\n"
    )


def test_faulty_is_exit_code_4(path: Path, tmp_path: Path) -> None:
    (tmp_path / "faulty.py").write_text(
        "import arena\nclass Faulty(arena.Bot):\n    def reinforce(self, view): return 1 / 0\n"
    )
    result = call(tmp_path / "faulty.py", "turtle", "--max-games", "20", "--db", path, *CHEAP)
    assert result.exit_code == 4
    first = result.stdout.splitlines()[0]
    assert re.fullmatch(
        rf"INVALID: in (\d+) of \d+ games, more than 1 %, a bot was stopped for its faults:"
        rf" {tmp_path}/faulty\.py in \1, turtle in 0\. See `arena faults`, mend the bot and compare again\.",
        first,
    )


def test_faults_of_both_are_told_apart(path: Path, tmp_path: Path) -> None:
    source = "import arena\nclass Faulty(arena.Bot):\n    def attack(self, view): return 1 / {}\n"
    (tmp_path / "some.py").write_text(source.format("(view.seat % 2)"))
    (tmp_path / "all.py").write_text(source.format("0"))
    bots = tmp_path / "some.py", tmp_path / "all.py"
    data = json.loads(call(*bots, "--max-games", 2, "--db", path, *CHEAP, "--json").stdout)
    stopped = "select count(distinct game) from seats join bots on bot = id where forfeit and bot_id = '{}'"
    assert data["forfeits_new"] == query(path, stopped.format("some"))[0][0]
    assert data["forfeits_old"] == query(path, stopped.format("all"))[0][0] == 2


@pytest.mark.parametrize(("winner", "ends"), [(0, r"-\d+ to \+∞"), (1, r"-∞ to \+\d+")])
def test_result_without_a_number_is_explained(winner: int, ends: str) -> None:
    judge = judged(TableJudge(Terms(-30, 30)), [block(winner, winner)] * 100)
    lines = list(tell_figures(judge, "cup"))
    assert re.fullmatch(
        rf"Elo \?, from {ends} \(95 %, whenever one looks\): one of the two won every game", lines[1]
    )
    assert not any("nElo" in line for line in lines)
    usual = judged(TableJudge(Terms(-30, 30)), [block(0, 1), block(0, 0)])
    assert "nElo +" in list(tell_figures(usual, "cup"))[-1]


def test_field_is_played_to_its_end(path: Path) -> None:
    result = call(
        "continental",
        "uniform",
        "--field",
        "greedy,turtle",
        "--max-games",
        60,
        "--db",
        path,
        *CHEAP,
        "--json",
    )
    data = json.loads(result.stdout)
    assert (result.exit_code, data["verdict"], data["games"]) == (0, "pass", 60)
    assert data["ln_e_plus"] is None
    assert data["p_value"] < 0.05
    assert "a comparison:" not in commands.stdout_of("standings", "--db", path)


def test_a_run_that_gives_up_is_no_verdict(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Unlucky(HereExecutor):
        def outcome(self, spec: GameSpec) -> Outcome:
            return Void(spec, "a fuse blew")

    monkeypatch.setattr("arena.executors.make_executor", lambda *arguments: Unlucky())
    line = commands.complaint_of("compare", "greedy", "turtle", "--db", path, *CHEAP)
    assert line.startswith("two games in a row of ")


def test_terminal_shows_a_live_line(path: Path) -> None:
    seen = in_a_terminal("compare", "continental", "uniform", *CHEAP, "--db", path, piped=True)
    assert seen.exit_code == 0
    for words in ("/2572", "games · Elo ?, from -∞ to +∞ · evidence: 0% of a pass", "100% of a pass"):
        assert words in seen.screen
    assert seen.stdout.startswith("PASS: ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("greedy", "gredy"), "compare: bots: unknown bot 'gredy': did you mean greedy?"),
        (
            ("greedy", "turtle", "--elo0", "9", "--elo1", "3"),
            "compare: expected elo0 at least 1 below elo1, both",
        ),
        (("greedy", "turtle", "--alpha", "1"), "compare: alpha: expected above 0, at most 0.5, got 1"),
        (
            ("greedy", "turtle", "--players", "9"),
            "compare: players: edition hasbro-us-2003 is for 2–6 players",
        ),
        (("greedy", "turtle", "--players", "1"), "compare: players: expected at least 2, got 1"),
        (("greedy", "turtle", "--max-games", "1"), "compare: max-games: expected at least 2, got 1"),
        (("greedy", "turtle", "--edition", "chess"), "compare: edition: unknown edition 'chess'"),
        (("greedy", "turtle", "--field", ""), "compare: bots: unknown bot ''"),
        (
            ("greedy", "turtle", "--field", "uniform,uniform"),
            "compare: bots: expected different ones, got 'uniform'",
        ),
        (
            ("greedy", "turtle", "--junit", "not/there.xml"),
            "junit: expected a file that can be written, got not/",
        ),
        (("greedy", "not.py"), "compare: bots: bot "),
    ],
)
def test_bad_input_is_one_line(arguments: tuple[str, ...], message: str, path: Path) -> None:
    assert message in commands.complaint_of("compare", *arguments, "--db", path)
    assert not path.exists()


@pytest.mark.parametrize(
    "bounds",
    [
        ("--elo0", "3"),
        ("--elo1", "3"),
        ("--elo0", "3", "--preset", "gain"),
        ("--elo0", "3", "--elo1", "9", "--preset", "gain"),
    ],
)
def test_bounds_are_given_in_one_way(bounds: tuple[str, ...], path: Path) -> None:
    error = commands.usage_error_of("compare", "greedy", "turtle", *bounds, "--db", path)
    assert error == "expected --preset, or both --elo0 and --elo1, got a mixture"
    assert not path.exists()


@pytest.mark.parametrize(
    ("new", "old", "tag"),
    [
        ("continental", "uniform", None),
        ("uniform", "continental", "failure"),
        ("greedy", "greedy", "skipped"),
    ],
)
def test_junit_file_holds_one_test_case(
    new: str, old: str, tag: str | None, path: Path, tmp_path: Path
) -> None:
    file = tmp_path / "gate.xml"
    result = call(new, old, "--junit", file, "--max-games", 40, "--db", path, *CHEAP)
    suite = ElementTree.parse(file).getroot()[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors"), suite.get("skipped")) == (
        "1",
        str(int(tag == "failure")),
        "0",
        str(int(tag == "skipped")),
    )
    (case,) = suite.findall("testcase")
    assert case.get("name") == f"{new} against {old}"
    assert case.findtext("system-out") == result.stdout.splitlines()[0]
    for kind in ("failure", "error", "skipped"):
        assert (case.find(kind) is not None) == (kind == tag)
    assert {item.get("name"): item.get("value") for item in case.iter("property")}["elo0"] == "-30.0"


def test_every_verdict_has_its_exit_code() -> None:
    from arena.cli.compare import EXIT_CODES

    assert set(EXIT_CODES) == set(get_args(Verdict))
    assert set(PRESETS) == {"gain", "non-regression", "big"}


# --- the real thing


@pytest.mark.slow
def test_a_comparison_killed_in_the_middle_goes_on_to_the_same_verdict(tmp_path: Path, mark: str) -> None:
    question = ("turtle", UNHURRIED, "--elo0", "0", "--elo1", "15", "--max-games", "160")
    command = [ARENA, "compare", *question, *CHEAP, "--json", "--db"]

    def verdict(database: Path) -> Any:
        return json.loads(subprocess.run([*command, database], stdout=subprocess.PIPE, check=False).stdout)

    database = tmp_path / "two.db"
    hurry = {**os.environ, PACE: "0.02"}
    with subprocess.Popen([*command, database], stdout=subprocess.DEVNULL, env=hurry) as killed:
        while _count(database) <= 20:
            assert killed.poll() is None
            time.sleep(0.02)
        killed.kill()
    before = len(games_in(database))
    assert verdict(database) == verdict(tmp_path / "one.db")
    assert 20 < before < len(games_in(database))


@pytest.mark.slow
@pytest.mark.parametrize("executor", ["local", "ray"])
def test_checkouts_of_one_bot_are_told_apart_wherever_they_play(
    executor: str, tmp_path: Path, mark: str
) -> None:
    """The new one says 0 in its inner module and the old one 1: each fault must be the own bot's."""
    for number, version in enumerate(("new", "old")):
        folder = tmp_path / version / "mybot"
        folder.mkdir(parents=True)
        (folder / "mind.py").write_text(f"NUMBER = {number}\n")
        (folder / "__init__.py").write_text(
            "from arena import Bot\nimport mybot.mind\nclass Mine(Bot):\n"
            "    def attack(self, view): raise ValueError(f'number {mybot.mind.NUMBER}')\n"
        )
    question = ("new/mybot", "old/mybot", "--edition", "house-four-shores", "--max-games", "8")
    command = [ARENA, "compare", *question, "--executor", executor, "--workers", "1", "--db", "arena.db"]
    assert subprocess.run(command, cwd=tmp_path, check=False, stdout=subprocess.DEVNULL).returncode == 4
    sql = "select distinct bot, substr(detail, 1, 20) from faults order by bot"
    assert query(tmp_path / "arena.db", sql) == [(1, "ValueError: number 0"), (2, "ValueError: number 1")]


def _count(database: Path) -> int:
    with suppress(sqlite3.Error):  # no tables yet
        return len(games_in(database)) if database.exists() else 0
    return 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("new", "preset", "verdicts"),
    [
        ("greedy", "non-regression", ("pass", "inconclusive")),  # itself
        ("worse.py", "non-regression", ("fail",)),
        ("continental", "gain", ("pass",)),
    ],
)
def test_a_real_gate_on_real_bots(
    new: str, preset: str, verdicts: tuple[str, ...], tmp_path: Path, path: Path
) -> None:
    (tmp_path / "worse.py").write_text(HANDICAPPED.format(share=0.25))
    new = str(tmp_path / new) if new.endswith(".py") else new
    result = call(new, "greedy", "--preset", preset, "--max-games", 600, "--db", path, *CHEAP[:4], "--json")
    assert json.loads(result.stdout)["verdict"] in verdicts
