"""Position tests: files are checked whole, and what a bot does is held against them."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import commands
import pytest
from playing import BOTS
from positions import position_of

from arena.bot import Bot
from arena.errors import ConfigError
from arena.plugins import load_registry
from arena.position_tests import POSITIONS, canonical, load_position_tests, run_position_tests
from arena.risk.game import Game

REGISTRY = load_registry()

ATTACK = position_of({0: {"alaska": 2, "greenland": 1}, 1: {"iceland": 2}}, round=2, captured=1)
"""Seat 0 may attack from Alaska only, with little hope."""

OVER = {**ATTACK, "seat": None, "decision": None, "territories": {t: [0, 1] for t in ATTACK["territories"]}}

FIVE_CARDS = position_of(
    {0: {"alaska": 9, "greenland": 1}},
    decision="trade",
    hands=[["alaska", "alberta", "egypt", "peru", "congo"], [], []],
)


def write(folder: Path, name: str = "one", **keys: Any) -> Path:
    """A file; `must_not` and `one_of` stand for the keys with a space."""
    table = {"reason": "to see", "position": ATTACK}
    table |= {key.replace("_", " "): value for key, value in keys.items()}
    path = folder / f"{name}.json"
    path.write_text(json.dumps({key: value for key, value in table.items() if value is not None}))
    return path


call = partial(commands.call, "test-positions")


# --- the bundled ones


def test_bundled_positions_are_twelve_each_with_a_reason_and_an_expectation() -> None:
    tests = load_position_tests(POSITIONS, REGISTRY)
    assert len(tests) == 12
    assert len({test.reason for test in tests}) == 12
    assert all(test.wanted or test.unwanted for test in tests)


def test_hard_positions_expect_only_what_is_legal() -> None:
    tests = load_position_tests(POSITIONS / "hard", REGISTRY)
    decisions = {json.loads(test.question.position)["decision"] for test in tests}
    assert decisions == {"trade", "reinforce", "attack", "defend", "occupy", "place"}
    assert {test.expected for test in tests} == {"any legal order"}


def test_bundled_positions_tell_a_good_bot_from_a_random_one(mark: str) -> None:
    tests = load_position_tests(POSITIONS, REGISTRY)
    good, bad = (run_position_tests(REGISTRY.identify(bot), tests) for bot in ("continental", "uniform"))
    assert [outcome.problem for outcome in good] == [""] * 12
    assert sum(bool(outcome.problem) for outcome in bad) >= 6


# --- what is expected


EXPECTATIONS: list[tuple[dict[str, Any], str]] = [
    ({}, ""),
    ({"must": "no attack"}, ""),
    ({"must": "attack *"}, "expected attack *, got no attack"),
    ({"one_of": ["attack kamchatka from alaska", "no attack"]}, ""),
    (
        {"one_of": ["attack kamchatka from alaska", "attack alberta *"]},
        "expected attack kamchatka from alaska or attack alberta *, got no attack",
    ),
    ({"must_not": ["attack * from alaska*"]}, ""),
    ({"must_not": ["attack * from alaska*", "no attack"]}, "expected not no attack, got no attack"),
    ({"must": "no *", "must_not": ["attack *"]}, ""),
]


def test_order_is_held_against_what_is_expected(tmp_path: Path, mark: str) -> None:
    for number, (expectation, _) in enumerate(EXPECTATIONS):
        write(tmp_path, str(number), **expectation)
    outcomes = run_position_tests(REGISTRY.identify("greedy"), load_position_tests(tmp_path, REGISTRY))
    assert [outcome.problem for outcome in outcomes] == [problem for _, problem in EXPECTATIONS]
    assert {outcome.order for outcome in outcomes} == {"no attack"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("trade peru alaska egypt, bonus on peru", "trade alaska egypt peru, bonus on peru"),
        ("reinforce siam 3, alaska 2", "reinforce alaska 2, siam 3"),
    ],
)
def test_sequence_of_cards_and_territories_does_not_matter(one: str, other: str) -> None:
    assert canonical(one) == other == canonical(other)


def test_trade_in_another_sequence_of_cards_is_the_same(tmp_path: Path, mark: str) -> None:
    write(tmp_path, position=FIVE_CARDS, must="trade egypt alberta alaska")
    tests = load_position_tests(tmp_path, REGISTRY)
    (outcome,) = run_position_tests(REGISTRY.identify("turtle"), tests)
    assert outcome.problem == ""


def test_patterns_name_every_wild_card_of_the_edition_and_no_other(tmp_path: Path) -> None:
    edition = tmp_path / "wild.toml"
    table = {"id": "wild", "name": "Wild", "summary": "Three wilds", "extends": "hasbro-us-2003"}
    lines = [f'{key} = "{value}"' for key, value in table.items()]
    edition.write_text("\n".join([*lines, "[cards]", "wilds = 3"]))
    position = {**FIVE_CARDS, "edition": str(edition)}
    (test,) = load_position_tests(write(tmp_path, position=position, must="trade * * wild-3"), REGISTRY)
    assert test.wanted == ("trade * * wild-3",)
    with pytest.raises(ConfigError, match=r"expected a territory or card in .*, got 'wild-4'"):
        load_position_tests(write(tmp_path, position=position, must="trade * * wild-4"), REGISTRY)


# --- bad files


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"reason": None}, "reason: this key is missing"),
        ({"position": None}, "position: this key is missing"),
        ({"reason": ""}, "reason: expected 1 or more characters, got ''"),
        ({"mustnt": "no attack"}, "mustnt: unknown key"),
        ({"must": "no attack", "one_of": ["no attack"]}, "expected must or 'one of', got both"),
        ({"one_of": []}, "one of: expected 1 or more entries, got 0"),
        ({"must": "atack alaska"}, "must: expected an order, got 'atack alaska'"),
        (
            {"must": "attack atlantis from alaska"},
            "must: expected an order, got 'attack atlantis from alaska'",
        ),
        ({"must": "no fortify"}, "must: expected an order to attack, got 'no fortify'"),
        ({"must": "fortify *"}, "must: expected an order to attack, got 'fortify *'"),
        (
            {"must": "attack peru from alaska"},
            "must: expected a legal order, got 'attack peru from alaska': ",
        ),
        (
            {"must_not": ["attack kamchatak from *"]},
            "must not: expected a territory or card in 'attack kamchatak from *', got 'kamchatak'",
        ),
        (
            {"must_not": ["attack peru from alaska"]},
            "must not: expected a legal order, got 'attack peru from al",
        ),
        ({"position": {**ATTACK, "edition": "chess"}}, "unknown edition 'chess': known are "),
        ({"position": {**ATTACK, "seat": 7}}, "position: seat: expected a seat 0–2, got 7"),
        ({"position": OVER}, "position: expected one in which a seat decides, got one that is over"),
    ],
)
def test_wrong_file_is_one_clear_line_that_names_it(
    keys: dict[str, Any], message: str, tmp_path: Path
) -> None:
    path = write(tmp_path, **keys)
    line = commands.complaint_of("test-positions", "greedy", tmp_path)
    assert line.startswith(f"{path}: {message}")


def test_every_line_about_a_wrong_file_names_it(tmp_path: Path) -> None:
    path = write(tmp_path, position={**ATTACK, "round": -1, "starter": "me"})
    result = call("greedy", tmp_path)
    assert result.stderr.splitlines() == [
        f"arena: {path}: position: round: expected at least 0, got -1",
        f"arena: {path}: position: starter: expected a whole number, got 'me'",
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "expected JSON: "),
        (b'{"reason": "a", "reason": "b"}', "expected JSON: each key of an object once, got 'reason' twice"),
        (b"[" * 100_000, "expected JSON: "),
        (b"\xff", "expected UTF-8 text, but byte 0 is not"),
        (b"[]", "expected a table, got a list"),
    ],
)
def test_file_that_is_no_table_is_one_clear_line(content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_bytes(content)
    with pytest.raises(ConfigError) as caught:
        load_position_tests(tmp_path, REGISTRY)
    assert str(caught.value).startswith(f"{tmp_path / 'x.json'}: {message}")
    assert "\n" not in str(caught.value)


def test_folder_that_is_empty_or_missing_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"expected \.json files of positions, found none"):
        load_position_tests(tmp_path, REGISTRY)
    with pytest.raises(ConfigError, match=r"none: No such file or directory"):
        load_position_tests(tmp_path / "none", REGISTRY)


# --- the command


def test_fault_in_one_position_is_told_and_the_bot_is_asked_in_the_others(tmp_path: Path, mark: str) -> None:
    write(tmp_path, "a", position=FIVE_CARDS)
    write(tmp_path, "b", must="no attack")
    write(tmp_path, "c", position=FIVE_CARDS)
    result = call(BOTS / "raises.py", tmp_path, "--json")
    assert (result.exit_code, result.stderr) == (1, "")
    rows = json.loads(result.stdout)
    assert [row["passed"] for row in rows] == [True, False, True]
    assert rows[1] == {
        "position": "b",
        "passed": False,
        "order": None,
        "expected": "no attack",
        "reason": "to see",
        "problem": "RuntimeError: no such luck",
    }


def test_bot_gets_a_view_that_it_cannot_change(tmp_path: Path, mark: str) -> None:
    write(tmp_path, must="no attack")
    bot = tmp_path / "owner.py"
    bot.write_text(
        "import arena\n\nclass Owner(arena.Bot):\n    def attack(self, view):\n        view.owners = ()\n"
    )
    (outcome,) = run_position_tests(REGISTRY.identify(str(bot)), load_position_tests(tmp_path, REGISTRY))
    assert outcome.problem.startswith("AttributeError: ")


def test_bot_that_crashes_is_asked_in_the_others_a_few_times(tmp_path: Path, mark: str) -> None:
    for name, position in zip("abcde", [FIVE_CARDS, ATTACK, ATTACK, ATTACK, FIVE_CARDS], strict=True):
        write(tmp_path, name, position=position)
    bot = REGISTRY.identify(str(BOTS / "leave.py"))
    outcomes = run_position_tests(bot, load_position_tests(tmp_path, REGISTRY))
    crash, left_out = "exited with status 3", "left out: the bot has cost too many processes"
    assert [outcome.problem for outcome in outcomes] == ["", crash, crash, crash, left_out]


def test_bot_that_changes_what_all_play_by_is_told_so_and_asked_in_the_others(tmp_path: Path) -> None:
    for name, position in zip("abc", [FIVE_CARDS, ATTACK, FIVE_CARDS], strict=True):
        write(tmp_path, name, position=position)
    bot = tmp_path / "vandal.py"
    bot.write_text(
        "import arena, random\n\nclass Vandal(arena.Bot):\n"
        "    def attack(self, view):\n        random.random = lambda: 0.5\n"
    )
    outcomes = run_position_tests(REGISTRY.identify(str(bot)), load_position_tests(tmp_path, REGISTRY))
    changed = "it changed random.random, which all bots play by"
    assert [outcome.problem for outcome in outcomes] == ["", changed, ""]


def test_command_prints_a_table_with_the_reasons_of_what_failed(tmp_path: Path, mark: str) -> None:
    write(tmp_path, "passive", must="no attack")
    write(tmp_path, "active", must="attack *", reason="War is good")
    result = call("greedy", tmp_path)
    assert (result.exit_code, result.stderr) == (1, "")
    assert "active: War is good\n1 of 2 passed\n" in result.stdout
    assert call("greedy", tmp_path / "passive.json").exit_code == 0


def test_position_of_a_stored_game_is_a_test_with_a_reason_more(tmp_path: Path) -> None:
    playing = Game(REGISTRY.edition("hasbro-us-2003").rules, 3, seed=5)
    for _ in range(150):
        playing.apply(getattr(Bot(), str(playing.decision))(playing.view()))
    write(tmp_path, position=playing.to_position())
    (test,) = load_position_tests(tmp_path, REGISTRY)
    assert test.expected == "any legal order"
