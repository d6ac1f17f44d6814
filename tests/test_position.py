"""Positions: written, read back and played on; and what is refused, with the place."""

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import position_of
from test_game import RULES, random_order

import arena
from arena.risk import record
from arena.risk.game import Game


def play_on(game: Game, seed: int) -> str:
    rng = random.Random(seed)
    while game.result is None:
        game.apply(random_order(game, rng))
    return game.result.digest


@pytest.mark.parametrize(
    ("edition", "players"), [("hasbro-us-2003", 2), ("hasbro-b7404", 4), ("classic-faq", 6)]
)
def test_a_game_written_and_read_at_any_decision_goes_on_to_the_same_digest(
    edition: str, players: int
) -> None:
    game = Game(RULES[edition], players, seed=11, asks_defend=[1])
    rng = random.Random(4)
    seen: set[str | None] = set()
    for _ in range(4000):
        if game.result is not None:
            break
        if game.decision not in seen or rng.random() < 0.01:
            seen.add(game.decision)
            text = json.dumps(game.to_position())
            again = arena.load_position(text)
            assert again.to_position() == game.to_position()
            branch = game.copy()
            ends = []
            for one in (again, branch):
                orders = random.Random(9)
                for _ in range(300):
                    if one.result is None:
                        one.apply(random_order(one, orders))
                ends.append(one.to_position())
            assert ends[0] == ends[1]
        game.apply(random_order(game, rng))
    assert {"claim", "place", "reinforce", "attack", "occupy", "defend", "fortify"} <= seen


def test_a_position_goes_on_in_another_process(tmp_path: Path) -> None:
    game = Game(RULES["hasbro-us-2003"], 3, seed=2)
    rng = random.Random(1)
    for _ in range(150):
        game.apply(random_order(game, rng))
    path = tmp_path / "position.json"
    path.write_text(json.dumps(game.to_position()))
    script = (
        "import sys; sys.path.insert(0, sys.argv[2])\n"
        "import arena; from test_position import play_on\n"
        "print(play_on(arena.load_position(sys.argv[1]), 5))"
    )
    argv = [sys.executable, "-c", script, str(path), str(Path(__file__).parent)]
    there = subprocess.run(argv, capture_output=True, text=True, check=True).stdout.strip()
    assert there == play_on(game, 5)


def test_a_finished_position_loads_with_its_result() -> None:
    game = Game(RULES["hasbro-us-2003"], 3, seed=2)
    play_on(game, 1)
    assert arena.load_position(game.to_position()).result == game.result


def test_a_hand_made_position_needs_only_what_a_person_would_write() -> None:
    position = position_of({0: {"alaska": 5}, 1: {"congo": 2}}, decision="reinforce")
    for key in ("round", "starter"):
        del position[key]
    game = arena.load_position(position)
    assert (game.decision, game.to_place, game.sets_traded) == ("reinforce", 3, 0)
    assert len(game.draw_pile) == 44


def test_handed_in_dice_roll_every_roll_with_one_draw() -> None:
    class Counting(random.Random):
        draws = 0

        def random(self) -> float:
            self.draws += 1
            return super().random()

    dice = Counting(3)
    game = arena.load_position(
        position_of({0: {"alaska": 30}, 2: {"kamchatka": 10}, 1: {"congo": 1}}), dice=dice
    )
    game.apply(arena.Attack(game.board.index["alaska"], game.board.index["kamchatka"], until=1))
    assert dice.draws == game.rolls > 1


BAD: list[tuple[dict[str, Any], str]] = [
    ({"territories": {}}, "territories.alaska: this territory is missing"),
    ({"edition": "no-such"}, "no-such"),
    ({"players": 9}, "expected 2–6 players, got 9"),
    ({"seat": 3}, "seat: expected a seat 0–2, got 3"),
    ({"decision": "dance"}, "decision: expected one of claim"),
    ({"colour": 1}, "colour: unknown key"),
    ({"hands": [["alaska"], ["alaska"], []]}, "hands.1: alaska stands twice"),
    ({"hands": [["atlantis"], [], []]}, "hands.0: expected a card, got 'atlantis'"),
    ({"hands": [[]]}, "hands: expected 3 hands, got 1"),
    ({"draw_pile": []}, "draw_pile: alaska is nowhere"),
    ({"decision": "occupy"}, "pending: expected src, dst and dice"),
    ({"decision": "trade"}, "hands.0: expected a set for the decision trade"),
    ({"decision": "claim"}, "expected an unclaimed territory"),
    ({"eliminated": [0]}, "eliminated: seat 0 holds territories"),
    ({"passive": [1], "hands": [[], ["congo"], []]}, "hands.1: expected no cards"),
    ({"passive": [0]}, "seat: seat 0 is eliminated or passive"),
    ({"streams": {"dice": [1, 2]}}, "streams: expected setup, deck, dice-0"),
    ({"to_place": [1, 2]}, "to_place: expected a number of troops"),
    ({"decision": "defend", "pending": {"src": "alaska", "dst": "congo"}}, "alaska does not touch congo"),
    ({"sets_traded": "many"}, "sets_traded: "),
    ({"captured": -1}, "captured: "),
]


@pytest.mark.parametrize(("change", "message"), BAD)
def test_a_wrong_position_is_refused_with_the_place(change: dict[str, Any], message: str) -> None:
    position = position_of({0: {"alaska": 5}, 1: {"congo": 2}}) | change
    with pytest.raises(arena.ArenaError) as caught:
        arena.load_position(position)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("value", [[9, 1], [0, 0], ["pink", 1], [None, 0], [None, 3], [0, -2], 7])
def test_a_wrong_territory_is_named(value: Any) -> None:
    position = position_of({0: {"alaska": 5}, 1: {"congo": 2}})
    position["territories"]["peru"] = value
    with pytest.raises(arena.ArenaError, match=r"territories\.peru"):
        arena.load_position(position)


def test_text_that_is_no_json_and_a_missing_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(arena.ArenaError, match="expected JSON"):
        arena.load_position("{nonsense")
    with pytest.raises(arena.ArenaError, match="cannot be read"):
        arena.load_position(tmp_path / "none.json")


def test_a_record_plays_the_game_again_and_names_the_order_that_is_refused() -> None:
    game = Game(RULES["hasbro-us-2003"], 4, seed=8, asks_defend=[2])
    rng = random.Random(3)
    for _ in range(120):
        game.apply(random_order(game, rng))
    game.leave(3)
    digest = play_on(game, 6)
    packed = record.pack(game.asks_defend, game.history)
    *_, last = record.replay(RULES["hasbro-us-2003"], 4, 8, packed)
    assert last.result is not None
    assert last.result.digest == digest
    history = [*game.history[:50], 99, *game.history[50:]]
    with pytest.raises(arena.ArenaError, match="order 50: place: expected a territory"):
        list(record.replay(RULES["hasbro-us-2003"], 4, 8, record.pack([2], history)))
    with pytest.raises(arena.ArenaError, match="expected packed orders"):
        list(record.replay(RULES["hasbro-us-2003"], 4, 8, b"junk"))


@pytest.mark.parametrize("to_place", [None, 0])
@pytest.mark.parametrize("captured", [False, 0])
def test_troops_of_a_turns_start_are_computed_where_they_are_not_given(
    to_place: int | None, captured: int
) -> None:
    position = position_of({0: {"alaska": 5}, 1: {"congo": 2}}, decision="reinforce", captured=captured)
    game = arena.load_position(position | {"to_place": to_place})
    assert (game.to_place, game.captured) == (3, 0)


def test_a_capture_may_be_given_as_a_truth_value() -> None:
    game = arena.load_position(position_of({0: {"alaska": 5}, 1: {"congo": 2}}, captured=True))
    for order in (None, None):
        game.apply(order)
    assert len(game.hands[0]) == 1
