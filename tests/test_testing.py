"""The conformance kit: good bots pass, and each kind of bad one is told by name."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from commands import call, complaint_of
from playing import BOTS

import arena
from arena.asking import misspelt
from arena.bot import View
from arena.errors import ConfigError
from arena.plugins import load_registry
from arena.testing import CHECKS, SPARRING, Times, _Examination, check_bot, examine

SMALL = ["house-four-shores"]
REGISTRY = load_registry()

METHODS, HARD, LEGAL, SEED, CARRIED, ORDER, HASHES = CHECKS


def verdicts(bot: str) -> dict[str, bool | None]:
    """What became of each check."""
    report = examine(str(BOTS / bot), load_registry(), SMALL)
    return {check.name: check.passed for check in report.checks}


@pytest.mark.parametrize(
    ("bot", "wrong"),
    [
        ("by_chance.py", {SEED, ORDER, HASHES}),
        ("remembers.py", {CARRIED, ORDER}),
        ("set_walker.py", {HASHES}),
    ],
)
def test_bot_that_does_not_play_the_same_game_again_fails_by_the_reason(
    bot: str, wrong: set[str], mark: str
) -> None:
    assert {name for name, passed in verdicts(bot).items() if passed is False} == wrong


def test_bot_that_is_not_legal_fails_with_its_faults_and_is_left_at_that(mark: str) -> None:
    with pytest.raises(AssertionError, match="FAILED    legal at every table") as caught:
        check_bot(BOTS / "raises.py", editions=SMALL)
    place = f"{BOTS / 'raises.py'}:9 in attack"
    game = "house-four-shores for 2 (raises, continental), seed 0, seat 0, round 1"
    told = f"            {game}: strike: exception: RuntimeError: no such luck, at {place}\n"
    assert told in str(caught.value)
    strikes, forfeits = map(int, re.findall(r"(\d+) strikes?, (\d+) forfeits?$", str(caught.value), re.M)[0])
    assert strikes >= 3 * forfeits > 0  # the last of a seat's strikes, too, is one
    for check in (SEED, CARRIED, ORDER, HASHES):
        assert f"left out  {check}\n" in f"{caught.value}\n"


DEEP = """
import arena

class Deep(arena.Bot):
    def attack(self, view):
        return self._best(9)

    def _best(self, depth):
        try:
            1 / 0
        except ZeroDivisionError:
            return self._best(depth - 1) if depth else self.rng.choice([])
"""


def test_place_of_a_fault_is_the_last_calls_of_the_bot(tmp_path: Path, mark: str) -> None:
    """Not those of the errors in whose handling it was raised, nor of arena's own."""
    file = tmp_path / "deep.py"
    file.write_text(DEEP)
    details = examine(str(file), load_registry(), SMALL).checks[CHECKS.index(LEGAL)].details
    here = re.escape(f"{file}:12 in _best")
    assert re.fullmatch(
        rf".*: IndexError: [\w ]+, at {here} > {here} > \S+random\.py:\d+ in choice", details[0]
    )


def test_bot_that_crashes_is_told(mark: str) -> None:
    result = call("check", BOTS / "segfault.py", "--edition", *SMALL)
    assert (result.exit_code, result.stderr) == (1, "")
    assert "FAILED    legal at every table" in result.stdout
    place = f"{BOTS / 'segfault.py'}:20 in attack > "
    assert f"forfeit: crash: killed by signal SIGSEGV, at {place}" in result.stdout
    assert result.stdout.startswith("segfault 0: failed\n")


def test_good_bot_passes_every_check_beside_one_that_fails(mark: str) -> None:
    bots = ["greedy:margin=3", BOTS / "misspelt.py"]
    result = call("check", *bots, "--edition", *SMALL, "--json")
    assert (result.exit_code, result.stderr) == (1, "")
    good, bad = json.loads(result.stdout, parse_constant=pytest.fail)
    assert [(check["name"], check["passed"]) for check in good["checks"]] == [
        (name, None if name == HARD else True)  # no hard position is of so small an edition
        for name in (METHODS, HARD, LEGAL, SEED, CARRIED, ORDER, HASHES)
    ]
    assert (good["bot"], good["games"], good["strikes"], good["forfeits"]) == ("greedy:margin=3", 5, 0, 0)
    assert list(good["times"]) == ["decisions", "median_ms", "p99_ms", "worst_ms"]
    assert good["times"]["decisions"] > 100
    (wrong,) = [check for check in bad["checks"] if check["passed"] is False]
    assert wrong == {
        "name": METHODS,
        "passed": False,
        "details": ["atack is no decision: did you mean attack? (if not, call it _atack)"],
    }
    assert [report["passed"] for report in (good, bad)] == [True, False]


def examination_of(bot: str, editions: list[str]) -> _Examination:
    return _Examination(REGISTRY.identify(bot), REGISTRY, [REGISTRY.edition(name) for name in editions])


@pytest.mark.parametrize("bot", [*SPARRING, "turtle"])
@pytest.mark.parametrize("editions", [SMALL, list(REGISTRY.editions)])
def test_every_bot_of_the_job_sits_somewhere_and_the_checked_one_at_every_table(
    bot: str, editions: list[str]
) -> None:
    examination = examination_of(bot, editions)
    seated = [set(spec.lineup) for spec in examination.specs]
    assert set().union(*seated) == set(range(len(examination.job.bots)))
    assert all(0 in seats for seats in seated)


def test_bot_sits_everywhere_where_no_partner_is_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.testing.SPARRING", ())
    examination = examination_of("turtle", SMALL)
    assert {bot for spec in examination.specs for bot in spec.lineup} == {0}


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["gredy"], "unknown bot 'gredy': did you mean greedy?"),
        (["none.py"], f"bot none.py: {Path('none.py').absolute()}: No such file or directory"),
        (["greedy", "--edition", "chess"], "unknown edition 'chess': known are "),
        (["greedy:margn=2"], "bot greedy:margn=2: unknown option 'margn': did you mean margin?"),
    ],
)
def test_what_is_not_there_is_one_clear_line(arguments: list[str], complaint: str) -> None:
    assert complaint_of("check", *arguments).startswith(complaint)


def test_class_is_checked_as_what_it_is_registered_or_as_its_file(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def stop(text: str, *_: object) -> None:
        asked.append(text)
        raise ConfigError("enough")

    monkeypatch.setattr("arena.testing.examine", stop)
    entry = load_registry().bots["turtle"]
    for bot in (entry.factory, Walker):
        with pytest.raises(ConfigError, match="enough"):
            check_bot(bot)  # type: ignore[arg-type]
    assert asked == ["turtle", __file__]


class Walker(arena.Bot):
    """Helpers of many kinds, and one misspelt decision."""

    def ocupy(self, view: View) -> int:
        return 1

    def _atack(self, view: View) -> None: ...

    def attackers(self, view: View, t: int) -> None: ...

    def worth(self, view: View) -> None: ...

    def claim(self, view: View) -> int:
        return super().claim(view)

    def claims(self, view: View) -> None: ...

    defense = staticmethod(max)

    def place_(self, view: View) -> int:
        return 1


def test_only_what_looks_like_a_missing_decision_is_taken_for_one() -> None:
    lines = list(misspelt(Walker))
    assert lines == [
        "ocupy is no decision: did you mean occupy? (if not, call it _ocupy)",
        "place_ is no decision: did you mean place? (if not, call it _place_)",
    ]
    assert list(misspelt(arena.Bot)) == []


def test_times_are_quantiles_in_milliseconds() -> None:
    assert Times.of([]) is None
    assert Times.of([0.002]) == Times(1, 2.0, 2.0, 2.0)
    assert Times.of([n / 1000 for n in range(1, 201)]) == Times(200, 100.5, 199.0, 200.0)
