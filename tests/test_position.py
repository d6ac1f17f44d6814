"""Positions: written, read back and played on; and what is refused, with the place."""

import json
import random
import subprocess
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from positions import position_of, seen, variant
from test_game import RULES, random_order

import arena
from arena.bot import default_order
from arena.risk import record
from arena.risk.board import UNCLAIMED
from arena.risk.edition import Edition
from arena.risk.game import Game
from arena.risk.orders import orders_json


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


def nested(make: Any, depth: int) -> Any:
    """Lists in lists."""
    value: Any = []
    for _ in range(depth):
        value = make([value])
    return value


STREAMS = ("setup", "deck", "dice-0", "dice-1", "dice-2")
DEFEND: dict[str, Any] = {"decision": "defend", "seat": 2, "pending": {"src": "alaska", "dst": "kamchatka"}}
BAD: list[tuple[dict[str, Any], str]] = [
    ({"territories": {}}, "territories.alaska: this territory is missing"),
    ({"edition": "no-such"}, "position: edition: unknown edition 'no-such'"),
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
    ({"to_place": 5}, "to_place: expected 0 for the decision attack, got 5"),
    ({"decision": "defend", "pending": {"src": "alaska", "dst": "congo"}}, "alaska does not touch congo"),
    ({"sets_traded": "many"}, "sets_traded: "),
    ({"round": 0}, "round: expected 1 or more for the decision attack, got 0"),
    ({"captured": -1}, "captured: "),
    ({"captured": 43}, "captured: expected 0–42, got 43"),
    ({"captured": "yes"}, "captured: expected a whole number, got 'yes'"),
    ({"asks_defend": [0, 9]}, "asks_defend: expected seats 0–2, got 9"),
    ({"decision": "fortify", "edition": "house-fortify-none"}, "decision: expected another than fortify"),
    ({"decision": None}, "decision: expected one, got null: the game is not over"),
    ({"pending": {"src": "alaska", "dst": "kamchatka"}}, "pending: expected null"),
    (DEFEND | {"pending": DEFEND["pending"] | {"eliminated": False}}, "pending.eliminated: expected null"),
    (DEFEND | {"passive": [0]}, "pending.src: expected a territory of the attacker, got alaska"),
    (DEFEND | {"pending": DEFEND["pending"] | {"dice": 4}}, "pending.dice: expected 1–3, got 4"),
    ({"orders": [{}]}, "orders.0: expected an order, got a dict"),
    ({"orders": [[[[1]]]]}, "orders.0: expected an order, got a list"),
    ({"seed": 10**5000}, "seed: expected an int of at most 128 bits, got a huge int"),
    ({"rolls": 10**5000}, "rolls: expected at most 1000000000, got a huge int"),
    (
        {"streams": {name: [1, -2 * (name == "setup")] for name in STREAMS}},
        "streams.setup.1: expected at least 0, got -2",
    ),
    ({"x" * 999: 1}, ": unknown key"),
    ({"a\nb": 1}, "'a\\nb': unknown key"),
    ({"hands": nested(list, 5000)}, "hands.0.0: expected text, got a list"),
]

SETUP = position_of({"neutral": {"siam": 1}, 1: {"congo": 2}}, players=2, decision="place", seat=1)
BAD_SETUP: list[tuple[dict[str, Any], str]] = [
    ({"placing_for": 0}, "placing_for: expected seat 1 or neutral, got 0"),
    ({"placing_for": True}, "placing_for: expected a seat 0–1, got True"),
    ({"to_place": [0, 0, 3]}, "to_place: expected a troop for the decision, got 0"),
    ({"to_place": [0, 41, 3]}, "to_place.1: expected a number of troops 0–40, got 41"),
    ({"to_place": [0, True, 3]}, "to_place.1: expected a number of troops 0–40, got True"),
    ({"to_place": 3}, "to_place: expected troops for each of 2 seats, the neutral last"),
    ({"eliminated": [0]}, "eliminated: expected no seat before the first turn"),
]


@pytest.mark.parametrize(("change", "message"), BAD)
def test_a_wrong_position_is_refused_with_the_place(change: dict[str, Any], message: str) -> None:
    position = position_of({0: {"alaska": 5}, 1: {"congo": 2}}) | change
    with pytest.raises(arena.ArenaError) as caught:
        arena.load_position(position)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("change", "message"), BAD_SETUP)
def test_a_wrong_position_of_the_setup_is_refused_with_the_place(
    change: dict[str, Any], message: str
) -> None:
    with pytest.raises(arena.ArenaError) as caught:
        arena.load_position(SETUP | change)
    assert message in str(caught.value)


def test_the_neutral_is_placed_for_only_where_one_takes_part() -> None:
    assert arena.load_position(SETUP | {"placing_for": "neutral"}).view().placing_for == -1
    three = position_of({1: {"congo": 2}}, decision="place", seat=1, placing_for="neutral")
    with pytest.raises(arena.ArenaError, match="placing_for: expected seat 1, got 'neutral'"):
        arena.load_position(three)


@pytest.mark.parametrize(
    "value",
    [
        [True, 1],
        [1, True],
        [1.0, 1],
        [1, "2"],
        [1, 10**30],
        [9, 1],
        [0, 0],
        ["pink", 1],
        [None, 0],
        [None, 3],
        [0, -2],
        7,
    ],
)
def test_a_wrong_territory_is_named(value: Any) -> None:
    position = position_of({0: {"alaska": 5}, 1: {"congo": 2}})
    position["territories"]["peru"] = value
    with pytest.raises(arena.ArenaError, match=r"territories\.peru"):
        arena.load_position(position)


def test_text_that_is_no_json_and_a_missing_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(arena.ArenaError, match="expected JSON"):
        arena.load_position("{nonsense")
    with pytest.raises(arena.ArenaError, match=r"none\.json: No such file or directory"):
        arena.load_position(tmp_path / "none.json")
    for text in ("", "[", "[" * 100_000, "two\nlines", '{"seed": NaN, "a":', '{"seed": ' + "7" * 5000 + "}"):
        with pytest.raises(arena.ArenaError, match=r"^position: expected JSON: [^\n]*$"):
            arena.load_position(text)


def test_a_record_plays_the_game_again_and_names_the_order_that_is_refused() -> None:
    game = Game(RULES["hasbro-us-2003"], 4, seed=8, asks_defend=[2])
    rng = random.Random(3)
    for _ in range(120):
        game.apply(random_order(game, rng))
    game.leave(3)
    digest = play_on(game, 6)
    packed = record.pack(game.asks_defend, game.history_json())
    *_, last = record.replay(RULES["hasbro-us-2003"], 4, 8, packed)
    assert last.result is not None
    assert last.result.digest == digest
    history = [*game.history[:50], 99, *game.history[50:]]
    with pytest.raises(arena.ArenaError, match="order 50: place: expected a territory"):
        list(record.replay(RULES["hasbro-us-2003"], 4, 8, record.pack([2], f"[{orders_json(history)}]")))
    with pytest.raises(arena.ArenaError, match="expected packed orders"):
        list(record.replay(RULES["hasbro-us-2003"], 4, 8, b"junk"))
    with pytest.raises(arena.ArenaError, match="expected packed orders"):
        list(record.replay(RULES["hasbro-us-2003"], 4, 8, zlib.compress(b"[" * 100_000)))


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


# --- whatever a game writes and whatever a person breaks

SMALL = {
    1: variant("house-four-shores", victory={"max_rounds": 12}),
    2: variant(
        "house-four-shores",
        setup={"claiming": "random-deal"},
        fortify={"moves": "any"},
        victory={"max_rounds": 9},
    ),
    3: variant(
        "house-four-shores",
        setup={"neutral_troops": {2: 6, 3: 6}},
        combat={"forced": True},
        victory={"max_rounds": 7},
    ),
    4: variant("house-four-shores", cards={"draw": "one-a-capture"}, victory={"scored_rounds": 3}),
    5: variant(
        "house-four-shores", fortify={"reach": "none"}, victory={"decided_by": "last-rival", "max_rounds": 9}
    ),
}


def any_order(game: Game, rng: random.Random) -> Any:
    order = random_order(game, rng)
    return order if game.legal(order) is None else default_order(game.view())


def positions(edition: Edition, players: int, rng: random.Random, leaving: float) -> Iterator[Game]:
    """A random game before each decision and at its end; now and then a seat leaves."""
    game = Game(edition.rules, players, rng.getrandbits(64), rng.sample(range(players), rng.randint(0, 2)))
    while game.result is None:
        yield game
        if rng.random() < leaving:
            game.leave(rng.choice(game.active()))
        else:
            game.apply(any_order(game, rng))
    yield game


def check_troops(game: Game) -> None:
    """Whatever is owned is held, but for what is to be occupied."""
    empty = {game.dst} if game.decision == "occupy" else set()
    assert {t for t, n in enumerate(game.troops) if n < 1 and game.owners[t] != UNCLAIMED} == empty
    assert all(game.troops[t] == 0 for t, owner in enumerate(game.owners) if owner == UNCLAIMED)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    edition=st.sampled_from(sorted(SMALL)),
    players=st.sampled_from([2, 3, 4, 6]),
    leaving=st.sampled_from([0.01, 0.05, 0.2]),
)
def test_every_position_that_a_game_writes_loads_as_the_same_game(
    seed: int, edition: int, players: int, leaving: float
) -> None:
    rules = SMALL[edition]
    assume(players in rules.setup.starting_troops)
    for game in positions(rules, players, random.Random(seed), leaving):
        check_troops(game)
        position = json.loads(json.dumps(game.to_position()))
        assert ("eliminated" in (position["pending"] or {})) == (game.decision == "occupy")
        again = arena.load_position(position, edition=rules)
        assert again.to_position() == position
        assert again.result == game.result
        if game.result is None:
            assert seen(again.view()) == seen(game.view())


def numbers_in(value: Any, *path: Any) -> Iterator[tuple[Any, ...]]:
    """The paths to the ints in a position."""
    if type(value) is int:
        yield path
    for key, part in (
        value.items() if isinstance(value, dict) else enumerate(value if isinstance(value, list) else ())
    ):
        yield from numbers_in(part, *path, key)


def changed(position: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """The position with another value at that place."""
    new: dict[str, Any] = json.loads(json.dumps(position))
    place: Any = new
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return new


def samples() -> list[tuple[Edition, dict[str, Any]]]:
    """Positions of every decision, and at the end of games."""
    found: dict[Any, tuple[Edition, dict[str, Any]]] = {}
    for seed in range(10):
        edition = SMALL[seed % 5 + 1]
        for game in positions(edition, 3, random.Random(seed), 0.01):
            found.setdefault((edition.fingerprint, game.decision), (edition, game.to_position()))
    return list(found.values())


SAMPLES = samples()


def test_a_truth_value_is_no_number_but_for_captured() -> None:
    for edition, position in SAMPLES:
        for path in numbers_in(position):
            wrong = changed(position, path, True)
            if path == ("captured",):
                arena.load_position(wrong, edition=edition)
                continue
            with pytest.raises(arena.ArenaError, match=rf"^position: {path[0]}"):
                arena.load_position(wrong, edition=edition)


JUNK: list[Any] = [
    None,
    True,
    -1,
    0,
    1,
    2,
    5,
    41,
    999,
    10**12,
    10**5000,
    0.5,
    float("nan"),
    "",
    "x" * 99,
    "a\nb",
]
JUNK += ["neutral", "east-1", "wild-1", "claim", "defend", "occupy", [], [[]], {}, {"src": 1}, [0, 1]]


def broken(position: dict[str, Any], rng: random.Random) -> Any:
    """The position with something dropped, added, exchanged or replaced, anywhere in it."""
    new: Any = json.loads(json.dumps(position))
    for _ in range(rng.randint(1, 3)):
        place = new
        while True:
            keys = list(place) if isinstance(place, dict) else list(range(len(place)))
            if not keys:
                break
            key = rng.choice(keys)
            if isinstance(place[key], dict | list) and rng.random() < 0.7:
                place = place[key]
                continue
            match rng.randrange(5):
                case 0:
                    del place[key]
                case 1:
                    place[key] = rng.choice(JUNK)
                case 2:
                    place[key] = nested(lambda value: value, rng.choice([1, 3, 2000]))
                case 3:
                    place[key] = place[rng.choice(keys)]
                case _ if isinstance(place[key], int):
                    place[key] += rng.choice([-1, 1, 2])
            break
    return new


def load_or_complain(position: Any, edition: Edition) -> Game | str:
    try:
        return arena.load_position(position, edition=edition)
    except arena.ArenaError as error:
        return str(error)


@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 2**32))
@example(seed=3450)  # a game that began in round 0 wrote an end that was refused
def test_a_broken_position_is_refused_line_by_line_or_can_be_played_to_its_end(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(20):
        edition, position = rng.choice(SAMPLES)
        game = load_or_complain(broken(position, rng), edition)
        if isinstance(game, str):
            assert all(line.isprintable() for line in game.splitlines()), game
            continue
        while game.result is None:
            check_troops(game)
            game.apply(any_order(game, rng))
        assert arena.load_position(game.to_position(), edition=edition).to_position() == game.to_position()
