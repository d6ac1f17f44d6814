"""The rules, one hand-made position at a time, and what holds in every game."""

import json
import random
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from positions import FixedDice, position_of, variant

import arena
from arena import Attack, Fortify, IllegalOrder
from arena.bot import default_order
from arena.risk import record
from arena.risk.cards import escalating_value, holds_set, set_value
from arena.risk.edition import Edition
from arena.risk.game import Game
from arena.risk.orders import MOST_TEXTS, orders_json
from arena.risk.stream import Stream, derive_seed
from arena.risk.view import View

EDITIONS = ("hasbro-us-2003", "hasbro-b7404", "classic-faq")
RULES = {edition: arena.load_edition(edition).rules for edition in EDITIONS}
INDEX = RULES["hasbro-us-2003"].board.index
WILD_1, WILD_2 = 42, 43


def t(name: str) -> int:
    return INDEX[name]


def cards(*names: str) -> tuple[int, ...]:
    return tuple({"wild-1": WILD_1, "wild-2": WILD_2}.get(name) or t(name) for name in names)


def game_of(holdings: dict[Any, dict[str, int]], dice: Any = None, **keys: Any) -> Game:
    return arena.load_position(position_of(holdings, **keys), dice=dice)


# Two cards of each symbol that seat 0 below owns or does not own
INFANTRY = ("alaska", "alberta", "western-united-states", "argentina", "iceland")
CAVALRY = ("greenland", "ontario", "central-america", "peru")
ARTILLERY = ("northwest-territory", "quebec", "eastern-united-states", "venezuela")


# --- setup


@pytest.mark.parametrize(("players", "troops"), [(2, 40), (3, 35), (4, 30), (5, 25), (6, 20)])
def test_everybody_starts_with_the_editions_troops(hasbro: Edition, players: int, troops: int) -> None:
    game = Game(hasbro.rules, players, seed=1)
    assert game.view().to_place == troops
    while game.in_setup():
        game.apply(default_order(game.view()))
    placed = [sum(n for o, n in zip(game.owners, game.troops, strict=True) if o == s) for s in range(players)]
    assert placed == [troops] * players


def test_claiming_goes_round_from_the_starter_and_placing_goes_on_with_the_next_seat(hasbro: Edition) -> None:
    game = Game(hasbro.rules, 4, seed=3)
    asked = []
    for _ in range(44):
        asked.append((game.decision, game.seat))
        game.apply(default_order(game.view()))
    turns = [(game.starter + i) % 4 for i in range(44)]
    assert asked == [("claim" if i < 42 else "place", seat) for i, seat in enumerate(turns)]


def test_b7404_places_from_the_starter_again() -> None:
    game = Game(arena.load_edition("hasbro-b7404").rules, 4, seed=3)
    for _ in range(42):
        game.apply(default_order(game.view()))
    assert (game.decision, game.seat) == ("place", game.starter)


def test_two_players_place_for_a_neutral_of_14_territories_and_40_troops_in_alternation(
    hasbro: Edition,
) -> None:
    game = Game(hasbro.rules, 2, seed=5)
    choosers = []
    while game.in_setup():
        view = game.view()
        if view.placing_for == -1:
            choosers.append(game.seat)
        game.apply(default_order(view))
    neutral = [n for owner, n in zip(game.owners, game.troops, strict=True) if owner == -1]
    assert (len(neutral), sum(neutral)) == (14, 40)
    assert choosers == [(game.starter + i) % 2 for i in range(40)]


def test_the_starter_takes_the_first_turn_and_nobody_holds_cards(hasbro: Edition) -> None:
    game = Game(hasbro.rules, 5, seed=9)
    while game.in_setup():
        game.apply(default_order(game.view()))
    assert (game.seat, game.round, game.hands) == (game.starter, 1, [[]] * 5)
    assert sorted(game.draw_pile) == list(range(44))


def test_a_claimed_territory_cannot_be_claimed_again(hasbro: Edition) -> None:
    game = Game(hasbro.rules, 3, seed=1)
    game.apply(7)
    with pytest.raises(IllegalOrder, match="eastern-united-states is already claimed"):
        game.apply(7)


@pytest.mark.parametrize(
    ("edition", "players"), [("hasbro-b7404", 2), ("hasbro-b7404", 6), ("classic-faq", 7)]
)
def test_other_numbers_of_players_are_refused_with_those_allowed(edition: str, players: int) -> None:
    allowed = "3–5" if edition == "hasbro-b7404" else "2–6"
    with pytest.raises(arena.ArenaError, match=f"expected {allowed} players, got {players}"):
        Game(arena.load_edition(edition).rules, players)


def test_a_random_deal_shares_the_territories_out() -> None:
    game = Game(variant(setup={"claiming": "random-deal"}).rules, 4, seed=2)
    assert game.decision == "place"
    assert sorted(game.owners.count(seat) for seat in range(4)) == [10, 10, 11, 11]


def test_the_starter_is_the_first_to_choose_for_the_neutral_after_a_random_deal() -> None:
    edition = variant(setup={"claiming": "random-deal", "neutral_troops": {2: 40, 3: 35}})
    game = Game(edition.rules, 3, seed=1)
    while game.placing_for != -1:
        game.apply(default_order(game.view()))
    assert game.seat == game.starter


# --- reinforcement

SOUTH_AMERICA = ("venezuela", "peru", "brazil", "argentina")
ASIA = tuple(RULES["hasbro-us-2003"].board.names[26:38])


@pytest.mark.parametrize(
    ("own", "troops"),
    [
        (("alaska",), 3),
        (("alaska", *ASIA[:10]), 3),  # 11 territories
        ((*ASIA[:11], "alaska"), 4),  # 12
        (SOUTH_AMERICA, 3 + 2),
        (ASIA, 4 + 7),
        (ASIA + SOUTH_AMERICA, 5 + 7 + 2),
    ],
)
def test_reinforcement_is_a_third_of_the_territories_at_least_3_and_whole_continents(
    own: tuple[str, ...], troops: int
) -> None:
    game = game_of({0: dict.fromkeys(own, 2), 1: {"congo": 1}}, decision="reinforce")
    assert game.view().to_place == troops


def test_a_continent_pays_from_the_next_turn_on() -> None:
    own = {"venezuela": 5, "peru": 1, "brazil": 1}
    game = game_of({0: own, 1: {"congo": 2}}, FixedDice(((6, 6, 6), (1,))))
    game.apply(Attack(t("venezuela"), t("central-america")))  # some capture; then Argentina's turn comes
    game.apply(3)
    assert game.to_place == 0
    held = game_of({0: own | {"argentina": 1}, 1: {"congo": 2}}, decision="reinforce")
    assert held.to_place == 3 + 2


def test_reinforce_places_exactly_what_is_due() -> None:
    game = game_of({0: {"alaska": 1, "alberta": 1}, 1: {"congo": 1}}, decision="reinforce")
    alaska, alberta = t("alaska"), t("alberta")
    for order in (
        (),
        ((alaska, 2),),
        ((alaska, 4),),
        ((alaska, 1), (alaska, 2)),
        ((alaska, 3), (alberta, 0)),
        ((t("congo"), 3),),
        ((alaska, 4), (alberta, -1)),
        ((99, 3),),
        ((alaska, 3.0),),
        ((alaska, True), (alberta, 2)),
        [(alaska, 3)],
        3,
        None,
    ):
        assert game.legal(order) is not None
    game.apply(((alaska, 1), (alberta, 2)))
    assert (game.troops[alaska], game.troops[alberta], game.decision) == (2, 3, "attack")


# --- cards

MINE = {"alaska": 3, "northwest-territory": 1, "greenland": 1}


def trade_game(hand: tuple[str, ...], edition: str = "hasbro-us-2003", **keys: Any) -> Game:
    holdings = {0: MINE, 1: {"congo": 1}}
    return game_of(holdings, edition=edition, decision="trade", hands=[list(hand), [], []], **keys)


@pytest.mark.parametrize(
    ("hand", "a_set"),
    [
        (INFANTRY[1:4], True),
        (("alberta", "ontario", "quebec"), True),
        (("alberta", "argentina", "ontario"), False),
        (("alberta", "argentina", "wild-1"), True),
        (("alberta", "ontario", "wild-1"), "two alike only in b7404"),
        (("alberta", "wild-1", "wild-2"), "no two wilds in b7404"),
    ],
)
def test_which_three_cards_are_a_set(hand: tuple[str, ...], a_set: bool | str) -> None:
    for edition in EDITIONS:
        expected = a_set if isinstance(a_set, bool) else edition != "hasbro-b7404"
        rest = (*hand, *INFANTRY[2:5])  # so that some set is held and the trade is asked
        game = trade_game(tuple(dict.fromkeys(rest)), edition)
        assert (game.legal(cards(*hand)) is None) == expected, edition


def test_five_cards_always_hold_a_set_in_b7404() -> None:
    """By enumeration of all hands of five, up to the identity of cards with one symbol."""
    rules = RULES["hasbro-b7404"]
    by_symbol = [[c for c in range(42) if rules.board.symbols[c] == s][:5] for s in range(3)]
    pool = [*by_symbol[0], *by_symbol[1], *by_symbol[2], WILD_1, WILD_2]
    assert all(holds_set(rules, list(hand)) for hand in combinations(pool, 5))
    assert not holds_set(rules, list(cards("alberta", "ontario", "wild-1", "wild-2")))


def test_set_values_are_one_sequence_shared_by_all_players() -> None:
    rules = RULES["hasbro-us-2003"]
    values = [escalating_value(rules, traded) for traded in range(30)]
    assert values[:9] == [4, 6, 8, 10, 12, 15, 20, 25, 30]
    assert values[29] == 15 + 5 * 24
    game = trade_game(INFANTRY[1:4], sets_traded=1)
    before = game.to_place
    game.apply(cards(*INFANTRY[1:4]))
    assert (game.to_place - before, game.sets_traded) == (6, 2)


def test_two_sets_naming_own_territories_bring_one_bonus_in_the_us_edition_and_two_in_the_others() -> None:
    for edition, bonuses in (("hasbro-us-2003", 1), ("hasbro-b7404", 2), ("classic-faq", 2)):
        game = trade_game(("alaska", *INFANTRY[1:3], "greenland", *CAVALRY[1:3]), edition)
        game.apply(cards("alaska", *INFANTRY[1:3]))
        game.apply(cards("greenland", *CAVALRY[1:3]))
        on_territories = game.troops[t("alaska")] - 3 + game.troops[t("greenland")] - 1
        assert on_territories == 2 * bonuses, edition


def test_a_bonus_territory_is_chosen_where_the_set_names_several_own_ones() -> None:
    hand = ("alaska", "greenland", "northwest-territory")
    for edition in EDITIONS:
        game = trade_game(hand, edition)
        assert "expected a bonus territory" in str(game.legal(cards(*hand)))
        assert game.legal((*cards(*hand), t("congo"))) is not None
        game.apply((*cards(*hand), t("greenland")))
        assert game.troops[t("greenland")] == 1 + 2


def test_a_bonus_territory_is_allowed_when_right_and_refused_when_wrong() -> None:
    game = trade_game(("alaska", *INFANTRY[1:3]))
    order = cards("alaska", *INFANTRY[1:3])
    assert game.legal((*order, t("alaska"))) is None
    assert game.legal((*order, t("alberta"))) is not None
    game = trade_game(INFANTRY[1:4])
    assert game.legal((*cards(*INFANTRY[1:4]), t("alaska"))) is not None


def test_a_named_own_territory_may_be_given_where_no_bonus_is_due_any_more() -> None:
    game = trade_game(("alaska", *INFANTRY[1:3], "greenland", *CAVALRY[1:3]))
    game.apply(cards("alaska", *INFANTRY[1:3]))
    game.apply((*cards("greenland", *CAVALRY[1:3]), t("greenland")))
    assert game.troops[t("greenland")] == 1


def test_a_bonus_per_card_goes_to_every_territory_named() -> None:
    edition = variant(cards={"bonus_limit": "per-card"})
    hand = ("alaska", "greenland", "northwest-territory")
    game = Game(edition.rules, 3)
    loaded = trade_game(hand)
    loaded.copy_to(game)
    game.apply(cards(*hand))
    assert [game.troops[t(name)] for name in hand] == [5, 3, 3]


def test_five_cards_at_the_start_of_a_turn_force_a_trade_and_four_do_not() -> None:
    five = trade_game((*INFANTRY[1:4], *CAVALRY[1:3]))
    assert "forced" in str(five.legal(None))
    four = trade_game((*INFANTRY[1:4], CAVALRY[1]))
    four.apply(None)
    assert four.decision == "reinforce"


def test_after_one_forced_trade_a_second_set_is_voluntary() -> None:
    game = trade_game((*INFANTRY[1:4], *CAVALRY[1:4]))
    game.apply(cards(*INFANTRY[1:4]))
    assert game.decision == "trade"
    game.apply(None)
    assert game.decision == "reinforce"


def test_traded_cards_go_to_the_discards_face_up() -> None:
    game = trade_game(INFANTRY[1:4])
    game.apply(cards(*INFANTRY[1:4]))
    assert game.view().discards == cards(*INFANTRY[1:4])
    assert game.hands[0] == []


def elimination_game(own: int, victims: int, edition: str) -> Game:
    """Seat 0 with `own` cards captures the last territory of seat 1, who holds `victims`."""
    deck = [*INFANTRY, *CAVALRY, *ARTILLERY]
    hands = [deck[:own], deck[own : own + victims], []]
    holdings: dict[Any, dict[str, int]] = {0: {"alaska": 9}, 1: {"kamchatka": 1}}
    game = game_of(holdings, FixedDice(((6, 6, 6), (1,))), edition=edition, hands=hands)
    game.apply(Attack(t("alaska"), t("kamchatka")))
    game.apply(3)
    return game


@pytest.mark.parametrize(
    ("own", "victims", "edition", "sets"),
    [
        (4, 4, "hasbro-us-2003", 1),
        (4, 4, "hasbro-b7404", 2),
        (4, 4, "classic-faq", 2),
        (5, 6, "hasbro-us-2003", 2),
        (5, 6, "hasbro-b7404", 3),
        (5, 6, "classic-faq", 3),
        (2, 3, "hasbro-us-2003", 0),
        (3, 2, "hasbro-b7404", 0),
        (4, 2, "hasbro-us-2003", 1),
        (4, 2, "hasbro-b7404", 1),
    ],
)
def test_trades_after_an_elimination_go_on_to_the_editions_size_and_then_stop(
    own: int, victims: int, edition: str, sets: int
) -> None:
    game = elimination_game(own, victims, edition)
    for _ in range(sets):
        assert game.decision == "trade"
        assert game.legal(None) is not None
        game.apply(game.view().trade_order(game.view().sets()[0]))
    assert game.sets_traded == sets
    left = own + victims - 3 * sets
    assert len(game.hands[0]) == left
    if sets:
        assert game.decision == "reinforce"
        game.apply(((t("alaska"), game.to_place),))
    assert game.decision == "attack"
    hand = tuple(game.hands[0][:3])
    assert game.legal(hand) is not None, "a further trade in mid-turn is refused"


def test_an_empty_draw_pile_is_refilled_from_the_discards_and_the_count_goes_on() -> None:
    holdings: dict[Any, dict[str, int]] = {0: {"alaska": 9}, 1: {"kamchatka": 1, "congo": 1}}
    everything = [*INDEX, "wild-1", "wild-2"]
    game = game_of(
        holdings,
        FixedDice(((6, 6, 6), (1,))),
        hands=[["congo"], [], []],
        draw_pile=[],
        discards=[c for c in everything if c != "congo"],
        sets_traded=7,
    )
    game.apply(Attack(t("alaska"), t("kamchatka")))
    for order in (3, None, None):
        game.apply(order)
    assert (len(game.hands[0]), len(game.draw_pile), game.discards, game.sets_traded) == (2, 42, [], 7)


def test_no_card_is_drawn_where_none_is_left() -> None:
    everything = [*INDEX, "wild-1", "wild-2"]
    game = game_of(
        {0: {"alaska": 9}, 1: {"kamchatka": 1, "congo": 1}},
        FixedDice(((6, 6, 6), (1,))),
        hands=[[], [], everything],
        draw_pile=[],
    )
    game.apply(Attack(t("alaska"), t("kamchatka")))
    for order in (3, None, None):
        game.apply(order)
    assert game.hands[0] == []


@pytest.mark.parametrize(("draw", "drawn"), [("one-a-turn", 1), ("one-a-capture", 2), ("none", 0)])
def test_cards_drawn_for_two_captures(draw: str, drawn: int) -> None:
    holdings: dict[Any, dict[str, int]] = {0: {"alaska": 9}, 1: {"congo": 1}}
    loaded = game_of(holdings, FixedDice(((6, 6, 6), (1,)), ((6, 6, 6), (1,))))
    game = Game(variant(cards={"draw": draw}).rules, 3)
    loaded.copy_to(game)
    for order in (Attack(t("alaska"), t("alberta")), 3, Attack(t("alaska"), t("kamchatka")), 3, None, None):
        game.apply(order)
    assert len(game.hands[0]) == drawn


# --- combat


def test_an_attack_needs_two_troops_a_border_and_an_enemy() -> None:
    game = game_of({0: {"alaska": 3, "alberta": 1}, 1: {"congo": 1}})
    refused = {
        Attack(t("alberta"), t("ontario")): "at least 2 troops",
        Attack(t("alaska"), t("alberta")): "is one's own",
        Attack(t("alaska"), t("ontario")): "does not touch",
        Attack(t("congo"), t("egypt")): "is not one's own",
        Attack(t("alaska"), t("kamchatka"), 3): "expected 1–2 dice",
        Attack(t("alaska"), t("kamchatka"), 0): "expected 1–2 dice",
        Attack(t("alaska"), t("kamchatka"), None, 3): "expected until in 0–2",
        Attack(t("alaska"), 99): "expected a territory",
    }
    for order, reason in refused.items():
        assert reason in str(game.legal(order))
    assert game.legal((t("alaska"), t("kamchatka"), None, None)) is not None, "a plain tuple is no attack"
    assert game.legal(Attack(t("alaska"), t("kamchatka"))) is None


@pytest.mark.parametrize(
    ("rolls", "left", "killed"),
    [
        (((6, 3, 1), (5, 3)), 1, 1),  # the booklet's own example: one each
        (((6, 6, 6), (6, 6)), 2, 0),  # ties to the defender
        (((2, 5, 4), (4, 3)), 0, 2),
        (((1, 1, 2), (1, 1)), 1, 1),
    ],
)
def test_dice_are_compared_highest_against_highest_and_ties_go_to_the_defender(
    rolls: tuple[tuple[int, ...], tuple[int, ...]], left: int, killed: int
) -> None:
    game = game_of({0: {"alaska": 9}, 1: {"congo": 1}, 2: {"kamchatka": 5}}, FixedDice(rolls))
    game.apply(Attack(t("alaska"), t("kamchatka")))
    assert (9 - game.troops[t("alaska")], 5 - game.troops[t("kamchatka")]) == (left, killed)


def test_tied_dice_can_go_to_the_attacker_by_house_rule() -> None:
    game = Game(variant(combat={"ties": "attacker"}).rules, 3)
    game_of({0: {"alaska": 9}, 1: {"congo": 1}, 2: {"kamchatka": 5}}, FixedDice(((6, 6, 6), (6, 6)))).copy_to(
        game
    )
    game.apply(Attack(t("alaska"), t("kamchatka")))
    assert (game.troops[t("alaska")], game.troops[t("kamchatka")]) == (9, 3)


def test_the_defender_chooses_dice_where_the_seat_asks_for_it() -> None:
    dice = FixedDice(((6, 5, 4), (5,)))
    position = position_of({0: {"alaska": 9}, 1: {"congo": 1}, 2: {"kamchatka": 5}}, asks_defend=[2])
    game = arena.load_position(position, dice=dice)
    game.apply(Attack(t("alaska"), t("kamchatka")))
    assert (game.seat, game.decision, game.view().most) == (2, "defend", 2)
    assert game.legal(3) is not None
    assert game.legal(0) is not None
    game.apply(1)
    assert (game.seat, game.decision, game.troops[t("kamchatka")]) == (0, "attack", 4)


def test_a_battle_until_rolls_the_same_dice_as_single_attacks() -> None:
    def battle(until: int | None) -> Game:
        game = game_of({0: {"alaska": 20}, 1: {"congo": 1}, 2: {"kamchatka": 12}}, random.Random(5))
        while game.decision == "attack" and game.troops[t("alaska")] > 3:
            game.apply(Attack(t("alaska"), t("kamchatka"), None, until))
        return game

    one_by_one, at_once = battle(None), battle(3)
    assert (one_by_one.troops, one_by_one.rolls) == (at_once.troops, at_once.rolls)
    assert at_once.decisions == 1 < one_by_one.decisions


def test_until_stops_at_each_asked_defend_and_goes_on_after_it() -> None:
    position = position_of({0: {"alaska": 9}, 1: {"congo": 1}, 2: {"kamchatka": 3}}, asks_defend=[2])
    game = arena.load_position(position, dice=FixedDice(((6, 6, 6), (1, 1)), ((6, 6, 6), (1,))))
    game.apply(Attack(t("alaska"), t("kamchatka"), until=1))
    assert game.decision == "defend"
    game.apply(2)
    assert game.decision == "defend"
    game.apply(1)
    assert game.decision == "occupy"


def test_occupation_moves_at_least_the_dice_rolled_and_leaves_one_behind() -> None:
    game = game_of({0: {"alaska": 6}, 1: {"congo": 1}}, FixedDice(((6, 6), (1,))))
    game.apply(Attack(t("alaska"), t("kamchatka"), dice=2))
    assert (game.view().least, game.view().most) == (2, 5)
    for order in (1, 6, 0, True, None, 2.0):
        assert game.legal(order) is not None
    game.apply(4)
    assert (game.troops[t("alaska")], game.troops[t("kamchatka")]) == (2, 4)


def test_attacking_may_go_on_from_anywhere_and_is_never_forced() -> None:
    game = game_of({0: {"alaska": 6, "siam": 4}, 1: {"congo": 1}}, FixedDice(((6, 6, 6), (1,))))
    game.apply(Attack(t("alaska"), t("kamchatka")))
    game.apply(3)
    assert game.legal(Attack(t("siam"), t("indonesia"))) is None
    assert game.legal(None) is None


def test_an_attack_can_be_forced_by_house_rule() -> None:
    loaded = game_of({0: {"alaska": 6}, 1: {"congo": 1}}, FixedDice(((1, 1, 1), (6,))))
    game = Game(variant(combat={"forced": True}).rules, 3)
    loaded.copy_to(game)
    assert "forced" in str(game.legal(None))
    game.apply(Attack(t("alaska"), t("kamchatka")))
    assert game.legal(None) is None


# --- elimination and victory


def test_the_conqueror_takes_all_cards_of_an_eliminated_seat() -> None:
    game = elimination_game(2, 3, "hasbro-us-2003")
    assert game.view().eliminated == (1,)
    assert (len(game.hands[0]), game.hands[1]) == (5, [])


def test_the_capture_of_the_last_territory_ends_the_game_and_asks_nothing() -> None:
    holdings: dict[Any, dict[str, int]] = {0: dict.fromkeys(INDEX, 4) | {"kamchatka": 4}, 1: {"kamchatka": 1}}
    game = game_of(
        holdings, FixedDice(((6, 6, 6), (1,))), eliminated=[2], hands=[[*INFANTRY], [*CAVALRY], []]
    )
    game.apply(Attack(t("alaska"), t("kamchatka")))
    assert (game.seat, game.decision) == (None, None)
    assert game.result is not None
    assert (game.result.winner, game.result.finish) == (0, (1, 2, 3))
    assert (game.troops[t("alaska")], game.troops[t("kamchatka")]) == (1, 3)


def two_player_game(decided_by: str) -> Game:
    holdings: dict[Any, dict[str, int]] = {0: {"alaska": 9}, "neutral": dict.fromkeys(INDEX, 1), 1: {}}
    holdings["neutral"].pop("alaska")
    holdings["neutral"].pop("kamchatka")
    holdings[1] = {"kamchatka": 1}
    loaded = game_of(holdings, FixedDice(((6, 6, 6), (1,))), players=2)
    game = Game(variant(victory={"decided_by": decided_by}).rules, 2)
    loaded.copy_to(game)
    game.apply(Attack(t("alaska"), t("kamchatka")))
    return game


def test_with_two_players_the_neutral_must_fall_too_unless_the_last_rival_decides() -> None:
    going_on = two_player_game("all-territories")
    assert (going_on.result, going_on.decision) == (None, "occupy")
    decided = two_player_game("last-rival")
    assert decided.result is not None
    assert decided.result.winner == 0


def test_a_game_at_the_round_limit_is_unfinished_and_has_no_winner() -> None:
    game = Game(variant(victory={"max_rounds": 2}).rules, 3, seed=4)
    while game.result is None:
        game.apply(default_order(game.view()))
    assert (game.result.winner, game.result.finish, game.result.rounds) == (None, (None, None, None), 2)


@pytest.mark.parametrize(("score", "winner"), [(["territories"], 2), (["troops"], 0)])
def test_a_declared_score_decides_after_a_fixed_number_of_rounds(score: list[str], winner: int) -> None:
    game = Game(variant(victory={"scored_rounds": 4, "score": score}).rules, 3)
    loaded = game_of({0: {"alaska": 90}, 1: {"congo": 5}}, seat=2, decision="fortify")
    loaded.copy_to(game)
    game.apply(None)
    assert game.result is not None
    assert game.result.winner == winner
    assert game.result.finish[winner] == 1
    assert game.result.finish[1] == 3


# --- fortify


def fortify_game(reach: str, moves: str = "one") -> Game:
    chain = {"alaska": 5, "alberta": 1, "ontario": 2, "congo": 4}
    loaded = game_of({0: chain, 1: {"egypt": 1}}, decision="fortify")
    game = Game(variant(fortify={"reach": reach, "moves": moves}).rules, 3)
    loaded.copy_to(game)
    return game


@pytest.mark.parametrize(
    ("reach", "near", "along_the_chain", "far"),
    [("adjacent", True, False, False), ("connected", True, True, False), ("anywhere", True, True, True)],
)
def test_fortify_reaches_as_far_as_the_edition_says(
    reach: str, near: bool, along_the_chain: bool, far: bool
) -> None:
    game = fortify_game(reach)
    for dst, allowed in (("alberta", near), ("ontario", along_the_chain), ("congo", far)):
        assert (game.legal(Fortify(t("alaska"), t(dst), 4)) is None) == allowed
        assert (t(dst) in game.view().fortify_targets(t("alaska"))) == allowed
    for order in (
        Fortify(t("alaska"), t("alberta"), 5),
        Fortify(t("alaska"), t("alberta"), 0),
        Fortify(t("alaska"), t("alaska"), 1),
        Fortify(t("alberta"), t("alaska"), 1),
        Fortify(t("egypt"), t("congo"), 1),
        Fortify(t("alaska"), t("egypt"), 1),
        (t("alaska"), t("alberta"), 1),
    ):
        assert game.legal(order) is not None


def test_one_fortify_ends_the_turn_and_many_go_on_until_none() -> None:
    game = fortify_game("connected")
    game.apply(Fortify(t("alaska"), t("ontario"), 4))
    assert game.seat == 1
    many = fortify_game("connected", "any")
    many.apply(Fortify(t("alaska"), t("ontario"), 4))
    assert (many.seat, many.decision) == (0, "fortify")
    many.apply(None)
    assert many.seat == 1


def test_fortifying_to_and_fro_for_ever_ends_by_itself() -> None:
    game = fortify_game("connected", "any")
    for i in range(42):
        pair = ("alaska", "alberta") if i % 2 == 0 else ("alberta", "alaska")
        game.apply(Fortify(t(pair[0]), t(pair[1]), 1))
    assert game.seat == 1


def test_without_fortify_the_turn_ends_with_the_attacks() -> None:
    loaded = game_of({0: {"alaska": 5}, 1: {"egypt": 1}})
    game = Game(variant(fortify={"reach": "none"}).rules, 3)
    loaded.copy_to(game)
    game.apply(None)
    assert game.seat == 1


# --- departures


def test_a_seat_that_leaves_defends_and_its_hand_goes_to_the_discards() -> None:
    holdings: dict[Any, dict[str, int]] = {0: {"alaska": 9}, 1: {"kamchatka": 5}, 2: {}}
    game = game_of(
        holdings,
        FixedDice(((1, 1, 1), (6, 6))),
        hands=[[], ["congo", "egypt"], []],
        asks_defend=[1],
    )
    game.leave(1)
    assert (game.hands[1], game.discards) == ([], list(cards("congo", "egypt")))
    game.apply(Attack(t("alaska"), t("kamchatka")))
    assert (game.decision, game.troops[t("alaska")]) == ("attack", 7), (
        "it defends with the most dice, unasked"
    )
    game.apply(None)
    game.apply(None)
    assert game.seat == 2, "its turns are passed over"


def test_the_last_active_seat_wins_and_those_who_left_rank_in_the_order_of_leaving() -> None:
    game = game_of({0: {"alaska": 9}, 1: {"kamchatka": 5}})
    game.leave(0)
    assert (game.seat, game.decision, game.view().passive) == (1, "reinforce", (0,))
    game.leave(2)
    assert game.result is not None
    assert (game.result.winner, game.result.finish) == (1, (3, 1, 2))


def test_nobody_has_won_a_game_that_all_have_left() -> None:
    rules = RULES["hasbro-us-2003"]
    game = Game(rules, 3, seed=1)
    results = []
    for seat in (2, 0, 1):
        game.leave(seat)
        results.append(game.result)
    going_on, won, left = results
    assert going_on is None
    assert won is not None
    assert won.winner == 1
    assert left is not None
    assert (left.winner, left.finish) == (None, (2, 2, 3))
    with pytest.raises(IllegalOrder, match="the game is over"):
        game.leave(1)
    *_, again = record.replay(rules, 3, 1, record.pack(game.asks_defend, game.history_json()))
    assert again.result == left
    assert arena.load_position(game.to_position()).to_position() == game.to_position()


def test_who_has_won_by_conquest_does_not_leave() -> None:
    decided = two_player_game("last-rival")
    with pytest.raises(IllegalOrder, match="the game is over"):
        decided.leave(0)


def test_a_seat_that_leaves_while_it_must_occupy_moves_in_the_dice_and_draws_no_card() -> None:
    game = game_of({0: {"alaska": 9}, 1: {"congo": 5}}, FixedDice(((6, 6, 6), (1,))))
    game.apply(Attack(t("alaska"), t("kamchatka")))
    game.leave(0)
    assert (game.troops[t("kamchatka")], game.hands[0], game.seat) == (3, [], 1)


def occupying_game(**keys: Any) -> Game:
    """Seat 0 has just captured Kamchatka with three dice, and is to say how many of 8 move in."""
    game = game_of({0: {"alaska": 9}, 1: {"congo": 5}}, FixedDice(((6, 6, 6), (1,))), **keys)
    game.apply(Attack(t("alaska"), t("kamchatka")))
    assert (game.seat, game.decision) == (0, "occupy")
    return game


def test_a_seat_that_occupies_goes_on_where_another_leaves() -> None:
    game = occupying_game()
    game.leave(1)
    assert (game.seat, game.decision, game.troops[t("kamchatka")]) == (0, "occupy", 0)
    game.apply(8)
    assert (game.troops[t("alaska")], game.troops[t("kamchatka")]) == (1, 8)


@pytest.mark.parametrize(("leaving", "winner"), [((1, 2), 0), ((2, 1), 0), ((1, 0), 2), ((2, 0), 1)])
def test_the_dice_rolled_move_in_where_a_seat_that_leaves_ends_the_game(
    leaving: tuple[int, int], winner: int
) -> None:
    game = occupying_game()
    for seat in leaving:
        game.leave(seat)
    assert game.result is not None
    assert (game.result.winner, game.decision) == (winner, None)
    assert (game.troops[t("alaska")], game.troops[t("kamchatka")]) == (6, 3)
    assert game.result.troops == tuple(
        sum(n for owner, n in zip(game.owners, game.troops, strict=True) if owner == seat)
        for seat in range(3)
    )


def test_leaving_twice_is_refused() -> None:
    game = game_of({0: {"alaska": 9}, 1: {"congo": 5}})
    game.leave(1)
    with pytest.raises(IllegalOrder, match="seat 1 is already out"):
        game.leave(1)


# --- what holds in every game


def random_order(game: Game, rng: random.Random) -> Any:
    view = game.view()
    match game.decision:
        case "claim":
            return rng.choice(view.unclaimed)
        case "place":
            return rng.choice(view.territories(view.placing_for))
        case "trade":
            return view.trade_order(rng.choice(view.sets()))
        case "reinforce":
            return ((rng.choice(view.own), view.to_place),)
        case "attack":
            pairs = [p for p in view.attacks() if view.troops[p[0]] > 2]
            return Attack(*rng.choice(pairs), until=rng.choice([None, 1, 2])) if pairs else None
        case "occupy" | "defend":
            return rng.randint(view.least, view.most)
        case _:
            moves = [(s, d) for s in view.own if view.troops[s] > 1 for d in view.fortify_targets(s)]
            if not moves or rng.random() < 0.3:
                return None
            src, dst = rng.choice(moves)
            return Fortify(src, dst, rng.randint(1, view.troops[src] - 1))


def fingerprint(game: Game) -> str:
    return str(game.to_position())


GARBAGE: list[Any] = [
    None,
    True,
    -1,
    10**30,
    3.5,
    "alaska",
    (),
    [],
    (1, 2, 3),
    ((0, 0),),
    Attack(0, 0),
    Fortify(0, 0, 0),
]
GARBAGE += [
    Attack(-1, 99, -3, -3),
    {},
    object(),
    ((1, 2), (3,)),
    (None, None, None),
    (0, 0, 0, 0),
    float("nan"),
]


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32), edition=st.sampled_from(EDITIONS), players=st.integers(2, 6))
def test_every_game_keeps_the_rules_of_counting(seed: int, edition: str, players: int) -> None:
    rules = replace(RULES[edition], max_rounds=25)
    assume(players in rules.starting_troops)
    rng = random.Random(seed)
    game = Game(rules, players, seed, asks_defend=rng.sample(range(players), 2))
    while game.result is None:
        for junk in rng.sample(GARBAGE, 2):
            if game.legal(junk) is not None:
                before = fingerprint(game) if rng.random() < 0.02 else None
                with pytest.raises(IllegalOrder):
                    game.apply(junk)
                assert before is None or fingerprint(game) == before, "an illegal order changes nothing"
        total, placing, owners, decision = sum(game.troops), game.to_place, list(game.owners), game.decision
        order = random_order(game, rng)
        game.apply(order)
        changed = [t for t, owner in enumerate(game.owners) if owner != owners[t]]
        assert len(changed) <= (decision in {"claim", "attack", "defend"}), (
            "only a claim or capture changes owners"
        )
        if decision == "reinforce":
            assert sum(game.troops) == total + placing
        elif decision in {"occupy", "fortify"}:
            assert sum(game.troops) == total
        captured = game.dst if game.decision == "occupy" else -1
        assert all(
            n >= 1 or o == -2 or t == captured
            for t, (o, n) in enumerate(zip(game.owners, game.troops, strict=True))
        )
        held = [*game.draw_pile, *game.discards, *(card for hand in game.hands for card in hand)]
        assert sorted(held) == list(range(44)), "44 cards exist at all times"
    assert -2 not in game.owners
    assert len(game.owners) == 42
    assert game.result.rounds <= rules.max_rounds


@pytest.mark.parametrize("players", [2, 3, 6])
def test_a_copy_goes_on_with_the_same_dice_and_deck(hasbro: Edition, players: int) -> None:
    """A copy goes on with the same dice and deck, whatever the original does meanwhile."""
    rng = random.Random(players)
    game = Game(hasbro.rules, players, seed=players)
    while game.round < 3 and game.result is None:
        game.apply(random_order(game, rng))
    copy = game.copy()
    digests = []
    for one in (game, copy):
        orders = random.Random(1)
        while one.result is None:
            one.apply(random_order(one, orders))
        digests.append(one.result.digest)
    assert digests[0] == digests[1]


@pytest.mark.parametrize("dice", [None, random.Random(3)])
def test_what_a_copy_plays_changes_nothing_in_the_original(dice: random.Random | None) -> None:
    hands = [["alaska", "alberta"], ["congo"], []]
    game = game_of({0: {"alaska": 30}, 1: {"congo": 2}}, dice, hands=hands)
    before = fingerprint(game)
    ends = []
    for _ in range(2):
        copy = game.copy()
        orders = random.Random(5)
        for _ in range(40):
            copy.apply(random_order(copy, orders))
        copy.leave(1)
        assert fingerprint(game) == before
        ends.append(fingerprint(copy))
    assert ends[0] == ends[1], "nor does it shift the dice of the next copy"
    assert copy.rolls > 0


@pytest.mark.parametrize("seat", [3, -1, True])
def test_seats_that_choose_their_dice_must_be_at_the_table(hasbro: Edition, seat: int) -> None:
    with pytest.raises(arena.ArenaError, match="asks_defend: expected seats 0–2, got"):
        Game(hasbro.rules, 3, asks_defend=[seat])


def test_a_seed_that_could_not_be_written_is_refused(hasbro: Edition) -> None:
    assert Game(hasbro.rules, 3, seed=-(2**127)).seed == -(2**127)
    with pytest.raises(arena.ArenaError, match="seed: expected an int of at most 128 bits, got a huge int"):
        Game(hasbro.rules, 3, seed=10**5000)


@pytest.mark.parametrize(("players", "seed"), [(3, 1.5), (3, "1"), (3.0, 1), (None, 1)])
def test_a_game_takes_only_ints_in_both_builds(hasbro: Edition, players: object, seed: object) -> None:
    with pytest.raises(TypeError, match="int"):
        Game(hasbro.rules, players, seed)  # type: ignore[arg-type]


def test_true_is_the_seed_1_in_both_builds(hasbro: Edition) -> None:
    assert repr(Game(hasbro.rules, 3, True)) == repr(Game(hasbro.rules, 3, 1))


def test_the_highest_roll_starts_and_tied_highest_rolls_are_rolled_again(hasbro: Edition) -> None:
    rerolled = 0
    for seed in range(60):
        dice = Stream(derive_seed(seed, "setup"))
        rolling = list(range(4))
        while len(rolling) > 1:
            faces = {seat: int(dice.random() * 6) + 1 for seat in rolling}
            rolling = [seat for seat in rolling if faces[seat] == max(faces.values())]
            rerolled += len(rolling) > 1
        assert Game(hasbro.rules, 4, seed).starter == rolling[0]
    assert rerolled > 5


def test_a_turn_is_trades_reinforce_attacks_fortify_in_this_order() -> None:
    game = trade_game(INFANTRY[1:4])
    asked = []
    for order in (cards(*INFANTRY[1:4]), ((t("alaska"), 7),), None, None):
        asked.append(game.decision)
        can_fortify = game.legal(Fortify(t("alaska"), t("greenland"), 1)) is None
        assert can_fortify == (game.decision == "fortify")
        game.apply(order)
    assert asked == ["trade", "reinforce", "attack", "fortify"]
    assert (game.seat, game.decision) == (1, "reinforce")


def test_a_seat_sees_its_own_hand_the_others_sizes_and_the_discards() -> None:
    hands = [["alaska"], ["congo", "egypt"], []]
    view = game_of({0: {"alaska": 3}, 1: {"congo": 1}}, hands=hands, discards=["peru"]).view()
    assert (view.hand, view.hand_sizes, view.discards) == (cards("alaska"), (1, 2, 0), cards("peru"))
    assert view.draw_pile_size == 44 - 4
    shown = [getattr(view, name) for name in View.__slots__]
    hidden = [value for value in shown if isinstance(value, Game | Stream | random.Random)]
    assert not hidden, "nothing leads back to the game, the deck or the dice"


@pytest.mark.parametrize(
    ("hand", "value"),
    [
        (INFANTRY[1:4], 4),
        (CAVALRY[1:4], 6),
        (ARTILLERY[1:4], 8),
        (("alberta", "ontario", "quebec"), 10),
        (("alberta", "argentina", "wild-1"), 4),
        (("alberta", "ontario", "wild-1"), 10),
        (("quebec", "wild-1", "wild-2"), 10),
    ],
)
def test_set_values_can_go_by_symbol_and_a_wild_counts_as_what_pays_most(
    hand: tuple[str, ...], value: int
) -> None:
    rules = arena.load_edition("house-sets-by-symbol").rules
    a, b, c = cards(*hand)
    assert set_value(rules, (a, b, c), traded=9) == value


def test_set_values_can_be_flat() -> None:
    rules = arena.load_edition("house-sets-flat").rules
    assert {escalating_value(rules, traded) for traded in range(30)} == {10}


@pytest.mark.parametrize("attackers", range(1, 7))
def test_battles_through_the_core_come_out_as_the_exact_odds_say(attackers: int) -> None:
    """Chi-square of 20,000 battles for each number of defenders up to 6, at a level of one in a million."""
    for defenders in range(1, 7):
        dice = random.Random(100 * attackers + defenders)
        start = game_of({0: {"alaska": attackers + 1}, 1: {"congo": 1}, 2: {"kamchatka": defenders}}, dice)
        wins = sum(battle_is_won(start) for _ in range(20_000))
        p = arena.odds.win_probability(attackers, defenders)
        chi_square = (wins - 20_000 * p) ** 2 / (20_000 * p * (1 - p))
        assert chi_square < 23.9, (attackers, defenders, wins / 20_000, p)


def battle_is_won(start: Game) -> bool:
    """Fight to the end from a position, and put the troops back."""
    alaska, kamchatka = t("alaska"), t("kamchatka")
    before = list(start.troops)
    start.apply(Attack(alaska, kamchatka, until=1))
    won = start.decision == "occupy"
    start.troops[:] = before
    start.owners[kamchatka] = 2
    start.seat, start.decision = 0, "attack"
    return won


def test_what_one_seat_rolls_does_not_shift_anothers_dice() -> None:
    def second_attack(first_attacks: int) -> tuple[int, int]:
        """Losses of seat 1's first roll, after seat 0 has rolled so often."""
        game = game_of(
            {0: {"alaska": 20, "congo": 2}, 1: {"siam": 20}, 2: {"kamchatka": 9, "indonesia": 9}}, seed=3
        )
        for _ in range(first_attacks):
            game.apply(Attack(t("alaska"), t("kamchatka"), dice=1))
        for order in (None, None, ((t("siam"), 3),), Attack(t("siam"), t("indonesia"))):
            game.apply(order)
        return game.troops[t("siam")], game.troops[t("indonesia")]

    assert second_attack(0) == second_attack(1) == second_attack(5)


ODD: list[Any] = ["alaska", None, 1.0, True, False, 10**30]


@pytest.mark.parametrize("odd", ODD)
def test_fields_of_another_type_are_refused_in_every_place(odd: Any) -> None:
    attacking = game_of({0: {"alaska": 5, "northwest-territory": 5}, 1: {"congo": 1}})
    a, b = t("alaska"), t("kamchatka")
    orders = [Attack(odd, b), Attack(a, odd)]
    orders += [] if odd is None else [Attack(a, b, odd), Attack(a, b, None, odd)]
    for order in orders:
        assert attacking.legal(order) is not None
    fortifying = game_of({0: {"alaska": 5, "northwest-territory": 5}, 1: {"congo": 1}}, decision="fortify")
    for move in (Fortify(odd, 1, 1), Fortify(0, odd, 1), Fortify(0, 1, odd)):
        assert fortifying.legal(move) is not None
    with pytest.raises(IllegalOrder):
        attacking.leave(odd)


@pytest.mark.parametrize("length", [0, 2, 5])
def test_an_order_of_another_length_is_refused(length: int) -> None:
    attack: Any = tuple.__new__(Attack, range(length))
    fortify: Any = tuple.__new__(Fortify, range(length))
    assert "fields" in str(game_of({0: {"alaska": 5}, 1: {"congo": 1}}).legal(attack))
    assert "fields" in str(game_of({0: {"alaska": 5}, 1: {"congo": 1}}, decision="fortify").legal(fortify))


@given(
    st.one_of(
        st.none(),
        st.integers(0, 10**6),
        st.builds(Attack, st.integers(0, 41), st.integers(0, 41), st.none() | st.integers(1, 3), st.none()),
        st.builds(Attack, st.integers(0, 41), st.integers(0, 41), st.none(), st.integers(0, 10**6)),
        st.builds(Fortify, st.integers(0, 41), st.integers(0, 41), st.integers(1)),
        st.lists(st.tuples(st.integers(0, 41), st.integers(1))).map(tuple),
        st.tuples(st.just("leave"), st.integers(0, 5)),
        st.lists(st.integers(0, 41), max_size=4).map(tuple),
    )
)
def test_orders_are_hashed_as_the_json_that_they_are_stored_as(order: object) -> None:
    assert f"[{orders_json([order])}]" == json.dumps([order], separators=(",", ":"))


def test_what_only_equals_a_number_leaves_its_text_as_it_is() -> None:
    orders_json(range(MOST_TEXTS + 1))  # forget what others have asked for
    assert orders_json([True, (True, 2), 1, (1, 2)]) == "1,[1,2],1,[1,2]"


def test_more_orders_are_written_than_are_remembered() -> None:
    orders = list(range(3 * MOST_TEXTS))
    assert orders_json([*orders, *orders]) == ",".join(map(str, [*orders, *orders]))
