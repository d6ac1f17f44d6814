"""Random games, played by the real rules and by the reference side by side."""

from collections import Counter
from random import Random
from typing import Any

import pytest
from positions import variant
from side_by_side import Difference, SideBySide

import arena
from arena.plugins import load_registry
from arena.risk.edition import Edition

PRINTED = ("hasbro-us-2003", "hasbro-b7404", "classic-faq")

# Sections with some fields changed, to be tried one by one and mixed.
CHANGES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("setup", {"claiming": "random-deal"}),
    ("setup", {"placing_starts": "starter"}),
    ("setup", {"starting_troops": {2: 7, 3: 5, 4: 4, 6: 3}, "neutral_troops": {}}),
    ("setup", {"starting_troops": {2: 7, 3: 6}, "neutral_troops": {2: 9, 3: 4}}),
    ("reinforcement", {"divisor": 1, "minimum": 0}),
    ("reinforcement", {"divisor": 5, "minimum": 0}),
    ("cards", {"wilds": 0}),
    ("cards", {"wilds": 9}),
    ("cards", {"wilds": 9, "wild_sets": "two-alike"}),
    ("cards", {"values": {"infantry": 4, "cavalry": 6, "artillery": 8, "mixed": 7}}),
    ("cards", {"values": {"first": [5], "then": 0}}),
    ("cards", {"values": {"first": [1, 9], "then": 3}}),
    ("cards", {"own_territory_bonus": 0}),
    ("cards", {"own_territory_bonus": 3, "bonus_limit": "per-card"}),
    ("cards", {"bonus_limit": "per-set"}),
    ("cards", {"forced_at": 3}),
    ("cards", {"forced_at": 8}),
    ("cards", {"forced_at_elimination": 4, "forced_until": 1}),
    ("cards", {"forced_at_elimination": 8, "forced_until": 4}),
    ("cards", {"draw": "none"}),
    ("cards", {"draw": "one-a-capture"}),
    ("combat", {"attack_dice": 1, "defence_dice": 1}),
    ("combat", {"attack_dice": 2, "defence_dice": 3}),
    ("combat", {"ties": "attacker"}),
    ("combat", {"forced": True}),
    ("fortify", {"reach": "none"}),
    ("fortify", {"reach": "adjacent"}),
    ("fortify", {"reach": "anywhere"}),
    ("fortify", {"moves": "any"}),
    ("victory", {"decided_by": "last-rival"}),
    ("victory", {"max_rounds": 3}),
    ("victory", {"scored_rounds": 1}),
    ("victory", {"scored_rounds": 3, "score": ["troops"]}),
    ("victory", {"scored_rounds": 2, "score": ["territories"], "tied_score": "later-turn"}),
)
# The deck and a deal are handed to the reference, which cannot be wrong about them.
NOTICED = [change for change in CHANGES if not {"wilds", "claiming"} & change[1].keys()]


def small(**sections: dict[str, Any]) -> Edition:
    """The standard rules on a small map, changed: games are short and their deck runs out."""
    return variant("house-four-shores", **sections)


def mixed(rng: Random) -> Edition:
    """Several of the changes at once."""
    sections: dict[str, dict[str, Any]] = {}
    for section, fields in rng.sample(CHANGES, rng.randint(2, 12)):
        sections[section] = sections.get(section, {}) | fields
    return small(**sections)


def play_all_sizes(edition: Edition, seed: object, rounds: int) -> Counter[str]:
    """A game for each number of players that the edition allows; what was met in them."""
    met: Counter[str] = Counter()
    for players in edition.setup.starting_troops:
        rng = Random(f"{seed} {players}")
        leaving, dealing = rng.choice([0, 0.003, 0.03]), rng.choice([False, True])
        both = SideBySide(edition, players, rng)
        both.play(rounds=rounds, leaving=leaving, dealing=dealing)
        met += both.met
    return met


def play_misled(believed: Edition) -> None:
    """Games by the standard rules, in which the reference goes by `believed`."""
    for seed in range(20):
        for players in believed.setup.starting_troops:
            SideBySide(small(), players, Random(seed), believed).play(rounds=20, dealing=True)


@pytest.mark.parametrize("edition_id", sorted(load_registry().editions))
def test_game_and_reference_agree_in_every_registered_edition(edition_id: str) -> None:
    play_all_sizes(arena.load_edition(edition_id), seed=0, rounds=15)


@pytest.mark.parametrize(("section", "fields"), CHANGES, ids=str)
def test_game_and_reference_agree_on_every_switch(section: str, fields: dict[str, Any]) -> None:
    play_all_sizes(small(**{section: fields}), seed=0, rounds=20)


@pytest.mark.parametrize("seed", range(40))
def test_game_and_reference_agree_on_mixed_switches(seed: int) -> None:
    play_all_sizes(mixed(Random(seed)), seed, rounds=20)


def test_random_games_meet_what_is_rare() -> None:
    met: Counter[str] = Counter()
    for seed in range(10):
        met += play_all_sizes(small(), seed, rounds=20)
    decisions = ("claim", "place", "trade", "reinforce", "attack", "occupy", "fortify", "defend")
    expected = {"eliminated", "trade after an elimination", "draw pile refilled", "won"}
    expected |= {f"{decision} {verdict}" for decision in decisions for verdict in ("allowed", "refused")}
    expected |= {f"leaving at {decision}" for decision in decisions}
    assert expected <= met.keys()


@pytest.mark.parametrize(("section", "fields"), NOTICED, ids=str)
def test_a_reference_that_plays_by_another_rule_disagrees(section: str, fields: dict[str, Any]) -> None:
    with pytest.raises(Difference):
        play_misled(small(**{section: fields}))


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(100))
@pytest.mark.parametrize("edition_id", PRINTED)
def test_game_and_reference_agree_in_two_thousand_games(edition_id: str, chunk: int) -> None:
    edition = arena.load_edition(edition_id)
    for part in range(-(-20 // len(edition.setup.starting_troops))):
        play_all_sizes(edition, f"{chunk}.{part}", rounds=16)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40, 440))
def test_game_and_reference_agree_on_hundreds_of_mixtures(seed: int) -> None:
    play_all_sizes(mixed(Random(seed)), seed, rounds=25)
