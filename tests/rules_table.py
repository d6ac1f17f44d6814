"""The table of docs/rules.md: each rule, its switch and value in each printed edition, and its tests.

`make docs` writes it anew; a test compares it and looks each test up.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from arena.plugins import load_registry
from arena.risk.edition import Edition

PAGE = Path(__file__).parents[1] / "docs" / "rules.md"
EDITIONS = ("hasbro-us-2003", "hasbro-b7404", "classic-faq")


SWITCHES = """
## Every switch

What a field of an edition's file may be; [the schema](schemas/edition.json) has the same for editors.

| switch | values | meaning |
|---|---|---|
"""


class Row(NamedTuple):
    """A rule."""

    rule: str
    switches: tuple[str, ...]
    """Fields of an edition's file; none where all sources agree and no variant is known."""
    tests: tuple[str, ...]


ROWS = (
    Row(
        "players",
        ("setup.starting_troops",),
        ("test_game.test_other_numbers_of_players_are_refused_with_those_allowed",),
    ),
    Row(
        "starting troops",
        ("setup.starting_troops",),
        ("test_game.test_everybody_starts_with_the_editions_troops",),
    ),
    Row(
        "two players: a neutral",
        ("setup.neutral_troops",),
        (
            "test_game.test_two_players_place_for_a_neutral_of_14_territories_and_40_troops_in_alternation",
            "test_game.test_with_two_players_the_neutral_must_fall_too_unless_the_last_rival_decides",
        ),
    ),
    Row(
        "who chooses for the neutral",
        (),
        ("test_game.test_two_players_place_for_a_neutral_of_14_territories_and_40_troops_in_alternation",),
    ),
    Row(
        "first player",
        (),
        ("test_game.test_the_highest_roll_starts_and_tied_highest_rolls_are_rolled_again",),
    ),
    Row(
        "claiming",
        ("setup.claiming",),
        (
            "test_game.test_claiming_goes_round_from_the_starter_and_placing_goes_on_with_the_next_seat",
            "test_game.test_a_claimed_territory_cannot_be_claimed_again",
            "test_game.test_a_random_deal_shares_the_territories_out",
        ),
    ),
    Row(
        "placing the rest",
        ("setup.placing_starts",),
        (
            "test_game.test_claiming_goes_round_from_the_starter_and_placing_goes_on_with_the_next_seat",
            "test_game.test_b7404_places_from_the_starter_again",
        ),
    ),
    Row("first turn", (), ("test_game.test_the_starter_takes_the_first_turn_and_nobody_holds_cards",)),
    Row(
        "cards at the start",
        ("cards.wilds",),
        ("test_game.test_the_starter_takes_the_first_turn_and_nobody_holds_cards",),
    ),
    Row(
        "reinforcement",
        ("reinforcement.divisor", "reinforcement.minimum"),
        (
            "test_game.test_reinforcement_is_a_third_of_the_territories_at_least_3_and_whole_continents",
            "test_game.test_a_continent_pays_from_the_next_turn_on",
            "test_game.test_reinforce_places_exactly_what_is_due",
        ),
    ),
    Row(
        "continents",
        ("map.continents",),
        (
            "test_game.test_reinforcement_is_a_third_of_the_territories_at_least_3_and_whole_continents",
            "test_edition.test_the_classic_map_is_the_board_of_most_tables",
        ),
    ),
    Row(
        "sets",
        ("cards.wild_sets",),
        (
            "test_game.test_which_three_cards_are_a_set",
            "test_game.test_five_cards_always_hold_a_set_in_b7404",
        ),
    ),
    Row(
        "set values",
        ("cards.values",),
        (
            "test_game.test_set_values_are_one_sequence_shared_by_all_players",
            "test_game.test_set_values_can_go_by_symbol_and_a_wild_counts_as_what_pays_most",
            "test_game.test_set_values_can_be_flat",
        ),
    ),
    Row(
        "own-territory bonus",
        ("cards.own_territory_bonus", "cards.bonus_limit"),
        (
            "test_game.test_two_sets_naming_own_territories_bring_one_bonus_in_the_us_edition_and_two_in_the_others",
            "test_game.test_a_bonus_territory_is_chosen_where_the_set_names_several_own_ones",
            "test_game.test_a_bonus_territory_is_allowed_when_right_and_refused_when_wrong",
            "test_game.test_a_bonus_per_card_goes_to_every_territory_named",
        ),
    ),
    Row("voluntary trade", (), ("test_game.test_after_one_forced_trade_a_second_set_is_voluntary",)),
    Row(
        "forced trade at the start of a turn",
        ("cards.forced_at",),
        ("test_game.test_five_cards_at_the_start_of_a_turn_force_a_trade_and_four_do_not",),
    ),
    Row(
        "trade after an elimination",
        ("cards.forced_at_elimination", "cards.forced_until"),
        ("test_game.test_trades_after_an_elimination_go_on_to_the_editions_size_and_then_stop",),
    ),
    Row(
        "troops of a mid-turn trade",
        (),
        ("test_game.test_trades_after_an_elimination_go_on_to_the_editions_size_and_then_stop",),
    ),
    Row("attack from", (), ("test_game.test_an_attack_needs_two_troops_a_border_and_an_enemy",)),
    Row(
        "dice",
        ("combat.attack_dice", "combat.defence_dice"),
        (
            "test_game.test_the_defender_chooses_dice_where_the_seat_asks_for_it",
            "test_game.test_battles_through_the_core_come_out_as_the_exact_odds_say",
            "test_odds.test_roll_has_the_published_odds",
        ),
    ),
    Row(
        "comparison",
        ("combat.ties",),
        (
            "test_game.test_dice_are_compared_highest_against_highest_and_ties_go_to_the_defender",
            "test_game.test_tied_dice_can_go_to_the_attacker_by_house_rule",
            "test_dice.test_ties_decide_for_the_side_that_the_rules_name",
        ),
    ),
    Row(
        "stop or continue",
        ("combat.forced",),
        (
            "test_game.test_attacking_may_go_on_from_anywhere_and_is_never_forced",
            "test_game.test_an_attack_can_be_forced_by_house_rule",
        ),
    ),
    Row(
        "occupation",
        (),
        (
            "test_game.test_occupation_moves_at_least_the_dice_rolled_and_leaves_one_behind",
            "test_dice.test_the_roll_that_can_take_every_defender_costs_the_attacker_nothing",
        ),
    ),
    Row("elimination", (), ("test_game.test_the_conqueror_takes_all_cards_of_an_eliminated_seat",)),
    Row(
        "fortify",
        ("fortify.reach", "fortify.moves"),
        (
            "test_game.test_fortify_reaches_as_far_as_the_edition_says",
            "test_game.test_one_fortify_ends_the_turn_and_many_go_on_until_none",
            "test_game.test_without_fortify_the_turn_ends_with_the_attacks",
        ),
    ),
    Row("turn order", (), ("test_game.test_a_turn_is_trades_reinforce_attacks_fortify_in_this_order",)),
    Row("card draw", ("cards.draw",), ("test_game.test_cards_drawn_for_two_captures",)),
    Row(
        "empty draw pile",
        (),
        (
            "test_game.test_an_empty_draw_pile_is_refilled_from_the_discards_and_the_count_goes_on",
            "test_game.test_no_card_is_drawn_where_none_is_left",
        ),
    ),
    Row(
        "victory",
        ("victory.decided_by",),
        (
            "test_game.test_the_capture_of_the_last_territory_ends_the_game_and_asks_nothing",
            "test_game.test_with_two_players_the_neutral_must_fall_too_unless_the_last_rival_decides",
        ),
    ),
    Row(
        "unfinished game",
        ("victory.max_rounds", "victory.scored_rounds", "victory.score", "victory.tied_score"),
        (
            "test_game.test_a_game_at_the_round_limit_is_unfinished_and_has_no_winner",
            "test_game.test_a_declared_score_decides_after_a_fixed_number_of_rounds",
        ),
    ),
    Row(
        "departing player",
        (),
        (
            "test_game.test_a_seat_that_leaves_defends_and_its_hand_goes_to_the_discards",
            "test_game.test_the_last_active_seat_wins_and_those_who_left_rank_in_the_order_of_leaving",
        ),
    ),
    Row(
        "pause and resume",
        (),
        (
            "test_position.test_a_game_written_and_read_at_any_decision_goes_on_to_the_same_digest",
            "test_position.test_a_position_goes_on_in_another_process",
        ),
    ),
    Row("information", (), ("test_game.test_a_seat_sees_its_own_hand_the_others_sizes_and_the_discards",)),
)
"""In the order of a rule book: before the game, the turn, the end, around the game."""

INTRODUCTION = """# Rules

Three sources describe classic Risk and disagree in places: the standard U.S. edition of Hasbro (rules text of
2003), the B7404 booklet, and a collection of frequently asked questions. Each is an edition here, and each
rule on which they differ, or which house rules change, is a field of the edition's file. The files in
[configs/editions](../configs/editions) give the source of every value, and for what a source leaves open the
reason.

What no field changes is marked –: all sources agree, or the silent ones follow the one that speaks.

This page is written by `make docs` from `tests/rules_table.py`; a test keeps it true.
"""


def render() -> str:
    """The whole page."""
    editions = [load_registry().edition(edition).model_dump() for edition in EDITIONS]
    lines = [
        "| # | rule | switch | " + " | ".join(EDITIONS) + " | proven by |",
        "|---|---|---|" + "---|" * len(EDITIONS) + "---|",
    ]
    for number, row in enumerate(ROWS, 1):
        cells = [
            "<br>".join(f"`{_value(edition, switch)}`" for switch in row.switches) or "–"
            for edition in editions
        ]
        switches = "<br>".join(f"`{switch}`" for switch in row.switches) or "–"
        tests = "<br>".join(f"`{test}`" for test in row.tests)
        lines.append(" | ".join([f"| {number}", row.rule, switches, *cells, tests]) + " |")
    return INTRODUCTION + "\n" + "\n".join(lines) + "\n" + SWITCHES + "\n".join(each_switch()) + "\n"


def each_switch() -> Iterator[str]:
    """A line on each switch: the values that it may have, and what it means."""
    edition = Edition.model_json_schema()

    def resolved(schema: dict[str, Any]) -> dict[str, Any]:
        defined: dict[str, Any] = edition["$defs"].get(schema.get("$ref", "").rpartition("/")[2], schema)
        return defined

    for name, section in edition["properties"].items():
        for switch, schema in resolved(section).get("properties", {}).items() if name != "map" else ():
            field = resolved(schema)
            yield f"| `{name}.{switch}` | {_values(field)} | {field['description']} |"


def _values(schema: dict[str, Any]) -> str:
    """The values that a schema allows, in words."""
    match schema:
        case {"enum": values}:
            return ", ".join(f"`{value}`" for value in values)
        case {"type": "boolean"}:
            return "`true`, `false`"
        case {"type": "integer", "minimum": least, "maximum": most}:
            return f"{least}–{most}"
        case {"type": "integer", "minimum": least}:
            return f"{least} or more"
        case {"type": "array", "items": items}:
            return f"a list of {_values(items)}"
        case {"additionalProperties": dict(values)}:
            return f"by number of players: {_values(values)}"
        case {"properties": properties}:
            return "a table: " + ", ".join(f"`{key}`" for key in properties)
    raise ValueError(f"expected a schema of a switch, got {schema}")


def _value(edition: dict[str, Any], switch: str) -> str:
    value: Any = edition
    for part in switch.split("."):
        value = value[part]
    if isinstance(value, dict):
        return ", ".join(f"{key}: {item}" for key, item in value.items() if item not in (None, [])) or "none"
    return str(value).lower() if isinstance(value, bool) else str(value)


if __name__ == "__main__":
    PAGE.write_text(render(), encoding="utf-8")
