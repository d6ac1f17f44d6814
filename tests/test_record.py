"""Records: a game as text that is read back and comes to the same end without the bots."""

import json
import random
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from positions import FixedDice, position_of
from test_game import RULES, random_order

import arena
from arena import Attack, Fortify
from arena.bot import default_order
from arena.risk import record
from arena.risk.game import Game
from arena.risk.notation import format_order, parse_order

BOARD = RULES["hasbro-us-2003"].board

ORDERS_BEGIN = 9
"""Line of the first order in a record of three players."""


@cache
def played(edition: str, players: int) -> Game:
    game = Game(RULES[edition], players, seed=21, asks_defend=[0, 1])
    rng = random.Random(players)
    while game.result is None:
        if game.decisions == 700 and players > 2:
            game.leave(game.seat or 0)
        game.apply(random_order(game, rng))
    return game


def as_text(game: Game) -> str:
    packed = record.pack(game.asks_defend, game.history_json())
    games = record.replay(game.rules, game.players, game.seed, packed)
    assert game.result is not None
    lineup = [f"bot:a={seat},b=c d" for seat in range(game.players)]
    return "\n".join(record.write_text(games, lineup, game.result.digest)) + "\n"


@pytest.mark.parametrize(
    ("edition", "players"), [("hasbro-us-2003", 2), ("hasbro-b7404", 3), ("classic-faq", 6)]
)
def test_a_game_written_as_text_is_read_back_to_the_same_result(edition: str, players: int) -> None:
    game = played(edition, players)
    read = record.read_text(as_text(game), "game.txt")
    again = record.verify_text(read, RULES[edition], "game.txt")
    assert again.result == game.result
    assert read.lineup[1] == "bot:a=1,b=c d"


CHANGES: list[tuple[int, str, str]] = [
    (0, "something else", "line 1: expected 'risk-arena record 1', got 'something else'"),
    (2, "sow 7", "header: expected edition, seed"),
    (3, "", "header: expected edition, seed, seats, asks-defend and digest"),
    (ORDERS_BEGIN + 3, "nonsense", "order 3: expected '3. rROUND sSEAT: ORDER', got 'nonsense'"),
    (ORDERS_BEGIN + 3, "4. r0 s0: claim alaska", "order 3: expected '3. rROUND"),
    (ORDERS_BEGIN + 3, f"3. r0 s{'7' * 5000}: claim alaska", "order 3: expected '3. rROUND"),
    (ORDERS_BEGIN + 2, "2. r0 s0: attack mars", "order 2: expected an order, got 'attack mars'"),
    (ORDERS_BEGIN + 2, "2. r0 s9: claim alaska", "got seat 9: claim alaska"),
    (ORDERS_BEGIN + 50, "50. r0 s0: claim alaska", "order 50: expected seat"),
]


@pytest.mark.parametrize(("line", "text", "message"), CHANGES)
def test_a_changed_record_is_refused_with_its_place(line: int, text: str, message: str) -> None:
    lines = as_text(played("hasbro-us-2003", 3)).splitlines()
    lines[line] = text
    with pytest.raises(arena.ArenaError) as caught:
        record.verify_text(record.read_text("\n".join(lines), "g.txt"), RULES["hasbro-us-2003"], "g.txt")
    assert message in str(caught.value)


def test_an_order_that_the_rules_refuse_is_named_by_its_number() -> None:
    lines = as_text(played("hasbro-us-2003", 3)).splitlines()
    lines[ORDERS_BEGIN + 3] = (
        lines[ORDERS_BEGIN + 3].partition(":")[0] + lines[ORDERS_BEGIN].partition(".")[2][6:]
    )
    text = "\n".join(lines)
    with pytest.raises(arena.ArenaError, match=r"order 3: claim: .* is already claimed"):
        record.verify_text(record.read_text(text, "g.txt"), RULES["hasbro-us-2003"], "g.txt")


def test_a_record_that_breaks_off_has_another_digest() -> None:
    lines = as_text(played("hasbro-us-2003", 3)).splitlines()[:-20]
    with pytest.raises(arena.ArenaError, match=r"expected digest [0-9a-f]{32}, got no end"):
        record.verify_text(record.read_text("\n".join(lines), "g.txt"), RULES["hasbro-us-2003"], "g.txt")


ORDERS: list[tuple[str, Any]] = [
    ("claim", 0),
    ("place", 41),
    ("trade", (0, 13, 43)),
    ("trade", (0, 13, 42, 13)),
    ("trade", None),
    ("reinforce", ((3, 1),)),
    ("reinforce", ((3, 1), (40, 12))),
    ("attack", Attack(0, 30)),
    ("attack", Attack(0, 30, 2)),
    ("attack", Attack(0, 30, None, 5)),
    ("attack", Attack(0, 30, 1, 0)),
    ("attack", None),
    ("occupy", 7),
    ("defend", 2),
    ("fortify", Fortify(3, 4, 9)),
    ("fortify", None),
]


@pytest.mark.parametrize(("decision", "order"), ORDERS)
def test_every_form_of_order_is_read_as_it_was_written(decision: str, order: Any) -> None:
    parsed = parse_order(BOARD, format_order(BOARD, decision, order))
    assert parsed == (decision, order)
    assert type(parsed[1]) is type(order)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "attack",
        "claim mars",
        "occupy many",
        "trade alaska peru wild-x",
        "trade alaska peru wild-0",
        "dance",
    ],
)
def test_other_text_is_no_order(text: str) -> None:
    with pytest.raises(arena.ArenaError, match="expected an order"):
        parse_order(BOARD, text)


def test_history_as_json_is_the_history_whatever_was_kept_of_it() -> None:
    game = Game(RULES["hasbro-us-2003"], 3, seed=5)
    for step in range(400):
        assert json.loads(game.history_json()) == json.loads(json.dumps(game.history))
        if game.result is not None:
            break
        if step == 300:
            game = game.copy()
        game.apply(default_order(game.view()))


def test_what_the_dice_of_an_order_came_to_is_told() -> None:
    kamchatka = {"kamchatka": 3}
    position = position_of({0: {"alaska": 6}, 1: kamchatka}, players=3)
    dice = FixedDice(((6, 1, 1), (5, 5)), ((6, 6, 5), (6, 5)), ((3, 2, 2), (2,)))
    alaska, dst = BOARD.index["alaska"], BOARD.index["kamchatka"]

    def play() -> Iterator[Game]:
        game = arena.load_position(position, dice=dice)
        yield game
        for order in (Attack(alaska, dst), Attack(alaska, dst, until=1), 3, None):
            game.apply(order)
            yield game

    assert [str(step) for step in record.steps(play())] == [
        "0. r4 s0: attack kamchatka from alaska · 1 roll: lost 1, killed 1",
        "1. r4 s0: attack kamchatka from alaska until 1 · 2 rolls: lost 1, killed 2, captured",
        "2. r4 s0: occupy 3",
        "3. r4 s0: no attack",
    ]


def test_a_capture_that_ends_the_game_moves_in_without_loss() -> None:
    position = position_of({0: {"alaska": 4}, 1: {"kamchatka": 1}}, players=2)
    names = RULES["hasbro-us-2003"].board.names
    position["territories"] |= {name: [0, 1] for name in names if name not in ("alaska", "kamchatka")}
    game = arena.load_position(position, dice=FixedDice(((6, 1, 1), (5,))))
    alaska, dst = BOARD.index["alaska"], BOARD.index["kamchatka"]

    def play() -> Iterator[Game]:
        yield game
        game.apply(Attack(alaska, dst))
        yield game

    (step,) = record.steps(play())
    assert game.result is not None
    assert step.battle == (1, 0, 1, True)
    assert step.to_json() == {
        "number": 0,
        "round": 4,
        "seat": 0,
        "order": "attack kamchatka from alaska",
        "rolls": 1,
        "lost": 0,
        "killed": 1,
        "captured": True,
    }
