"""Games dealt from a view: all that the seat knows is kept, what it cannot know is dealt anew."""

from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from positions import position_of, seen
from test_game import RULES, random_order

import arena
from arena.risk.game import Game

TABLES = [("hasbro-us-2003", 2), ("hasbro-us-2003", 4), ("hasbro-b7404", 3), ("classic-faq", 6)]


def cards(game: Game) -> list[int]:
    return sorted([*game.draw_pile, *game.discards, *[card for hand in game.hands for card in hand]])


def play_out(game: Game, seed: int) -> None:
    rng = Random(seed)
    while game.result is None:
        game.apply(random_order(game, rng))


@settings(max_examples=4, deadline=None)
@given(table=st.sampled_from(TABLES), seed=st.integers(0, 2**32), stride=st.integers(10, 100))
def test_a_sample_is_what_the_seat_knows_and_can_be_played_to_the_end(
    table: tuple[str, int], seed: int, stride: int
) -> None:
    edition, players = table
    rng = Random(seed)
    game = Game(RULES[edition], players, seed, asks_defend=[0, 1])
    if players > 2 and seed % 5 == 0:
        game.leave(seed % players)
    while game.result is None:
        if game.decisions % (3 if game.decision in {"trade", "defend"} else stride) == 0:
            sampled = game.view().sample(rng)
            assert seen(sampled.view()) == seen(game.view())
            assert cards(sampled) == list(range(len(game.owners) + game.rules.wilds))
            assert not {stream.key for stream in sampled.streams} & {stream.key for stream in game.streams}
        game.apply(random_order(game, rng))
    play_out(sampled, seed)


def test_every_kind_of_decision_can_be_sampled_and_gone_on_with() -> None:
    decisions = set()
    rng = Random(5)
    game = Game(RULES["hasbro-us-2003"], 2, 8, asks_defend=[1])
    for _ in range(3000):
        if game.result is not None:
            game = Game(RULES["hasbro-us-2003"], 3, rng.getrandbits(30), asks_defend=[1])
        if game.decision not in decisions or rng.random() < 0.01:
            decisions.add(game.decision)
            sampled = game.view().sample(rng)
            order = random_order(game, rng)
            assert sampled.legal(order) is None
            sampled.apply(order)
        game.apply(random_order(game, rng))
    assert decisions == {"claim", "place", "trade", "reinforce", "attack", "occupy", "defend", "fortify"}


HELD: dict[str, Any] = {"hands": [["alaska"], ["brazil", "peru"], ["wild-1"]], "discards": ["congo", "egypt"]}


def test_hidden_cards_are_dealt_evenly_whoever_holds_them_really() -> None:
    game = arena.load_position(position_of({0: {"alaska": 3}, 1: {"brazil": 3}}, **HELD))
    view, rng = game.view(), Random(3)
    games = 4000
    held: Counter[int] = Counter()
    for _ in range(games):
        sampled = view.sample(rng)
        assert sampled.hands[0] == game.hands[0]
        assert sampled.discards == game.discards
        held.update(sampled.hands[1])
    hidden = 44 - 3
    expected = games * 2 / hidden
    assert len(held) == hidden
    assert all(abs(count - expected) < 5 * expected**0.5 for count in held.values())


def test_a_sample_depends_on_the_source_of_chance_and_on_nothing_hidden() -> None:
    one = arena.load_position(position_of({0: {"alaska": 3}, 1: {"brazil": 3}}, seed=1, **HELD))
    hands = [["alaska"], ["siam", "japan"], ["wild-2"]]
    other = arena.load_position(
        position_of({0: {"alaska": 3}, 1: {"brazil": 3}}, seed=2, **{**HELD, "hands": hands})
    )
    first, second, third = (
        view.sample(Random(seed)).to_position()
        for view, seed in ((one.view(), 1), (other.view(), 1), (one.view(), 2))
    )
    assert first == second
    assert first["hands"] != third["hands"]
    assert first["streams"] != third["streams"]


def test_cards_held_over_a_refill_stay_in_hands_and_new_ones_come_from_the_pile() -> None:
    game = arena.load_position(
        position_of(
            {0: {"alaska": 9}, 1: {"brazil": 3}},
            hands=[["wild-1"], ["brazil", "peru"], ["japan"]],
            draw_pile=[],
            discards=[name for name in RULES["hasbro-us-2003"].board.names if name not in HELD_OVER]
            + ["wild-2"],
            captured=True,
        )
    )
    game.apply(None)  # no attack
    game.apply(None)  # no fortify: the card that is due comes from a new pile
    names = game.board.index
    assert set(game.held_over) == {names[name] for name in HELD_OVER} | {len(names)}
    view, rng = game.view(), Random(1)  # seat 1 holds two cards itself and knows every card of that time
    for _ in range(20):
        sampled = view.sample(rng)
        assert sampled.hands[2] in ([names["japan"]], [len(names)])
        assert len(set(sampled.hands[0]) & set(game.held_over)) == 1
        assert arena.load_position(sampled.to_position()).held_over == game.held_over


HELD_OVER = {"brazil", "peru", "japan"}


def test_a_view_leads_to_nothing_hidden() -> None:
    game = Game(RULES["hasbro-us-2003"], 3, 4)
    for value in seen(game.view()).values():
        assert isinstance(value, int | str | None | tuple | type(game.rules) | type(game.board)), value


def test_a_position_refuses_a_held_over_card_of_the_draw_pile() -> None:
    with pytest.raises(arena.ArenaError, match=r"held_over: expected a card in a hand .* got 'siam'"):
        arena.load_position(position_of({0: {"alaska": 3}, 1: {"brazil": 3}}, **HELD, held_over=["siam"]))
