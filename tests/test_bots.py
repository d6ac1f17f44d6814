"""The bundled bots: legal in every edition, the same for the same seed, and in a known order of strength."""

from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from positions import variant
from subprocesses import in_another_process

import arena
from arena.bot import Briefing
from arena.plugins import load_registry
from arena.risk.edition import Edition
from arena.risk.result import Result

REGISTRY = load_registry()
OPTIONS = {"planner": "planner:nodes=200"}  # it searches as well with few nodes, and the tests stay fast
BOTS = sorted(
    OPTIONS.get(path.stem, path.stem)
    for path in (Path(__file__).parents[1] / "bots").glob("*.py")
    if path.stem != "__init__"
)
EDITIONS = [REGISTRY.edition(edition_id) for edition_id in REGISTRY.editions]
TABLES = [(edition, players) for edition in EDITIONS for players in edition.setup.starting_troops]

HOUSE_RULES: dict[str, dict[str, dict[str, Any]]] = {
    "must attack": {"combat": {"forced": True}},
    "no fortify": {"fortify": {"reach": "none"}},
    "fortify anywhere, many times": {"fortify": {"reach": "anywhere", "moves": "any"}},
    "random deal": {"setup": {"claiming": "random-deal"}},
    "bonus per card, a card per capture": {"cards": {"bonus_limit": "per-card", "draw": "one-a-capture"}},
    "no cards": {"cards": {"draw": "none"}},
    "one die": {"combat": {"attack_dice": 1, "defence_dice": 1}},
    "scored": {"victory": {"scored_rounds": 5}},
}


def play(edition: Edition, bots: list[str], seed: int) -> Result:
    """A game in which an illegal order or an exception of a bot goes through to the test."""
    seats = [REGISTRY.factory(REGISTRY.identify(bot))() for bot in bots]
    game = arena.Game(edition.rules, len(bots), seed)
    for seat, bot in enumerate(seats):
        bot.briefing = Briefing(seat, len(bots), edition.rules, Random(100 * seed + seat))
        bot.start(bot.briefing)
    while game.result is None:
        assert game.seat is not None
        game.apply(getattr(seats[game.seat], str(game.decision))(game.view()))
    return game.result


def table(players: int, first: int) -> list[str]:
    """Bots for a table, in turn from the one of number `first` on."""
    return [BOTS[(first + seat) % len(BOTS)] for seat in range(players)]


@pytest.mark.parametrize(
    ("edition", "players"), TABLES, ids=[f"{edition.id}-{players}" for edition, players in TABLES]
)
def test_bundled_bots_play_legally_at_every_table(edition: Edition, players: int) -> None:
    number = TABLES.index((edition, players))  # other bots at the next table
    edition = variant(edition.id, victory={"max_rounds": 15})  # some house rules' games never end
    result = play(edition, table(players, number), number)
    if result.winner is not None and not edition.rules.scored_rounds:
        assert result.territories[result.winner] == len(edition.rules.board.names)


@pytest.mark.parametrize("rule", HOUSE_RULES)
def test_bundled_bots_play_legally_under_house_rules(rule: str) -> None:
    edition = variant("hasbro-us-2003", **HOUSE_RULES[rule])
    for players in (2, 4):
        for seed in range(2):
            assert play(edition, table(players, seed), seed).decisions > 0


@pytest.mark.parametrize("bot", BOTS)
def test_bot_against_itself_plays_legally(bot: str) -> None:
    assert play(EDITIONS[0], [bot] * 3, 1).rounds > 0


def test_same_seed_is_the_same_game() -> None:
    edition = EDITIONS[-1]
    for first in range(0, len(BOTS), 3):
        games = [play(edition, table(3, first), seed).digest for seed in (1, 1, 2)]
        assert games[0] == games[1] != games[2]


def test_order_of_hashes_does_not_change_a_game() -> None:
    code = """if True:
        import arena, sys
        for edition in ("hasbro-us-2003", "house-four-shores"):
            print(arena.play(edition, sys.argv[1:], seed=3).digest)
    """
    for at in range(0, len(BOTS), 4):
        bots = table(4, at)
        first, second = (in_another_process(code, *bots, PYTHONHASHSEED=seed) for seed in ("1", "2"))
        assert first == second
        assert len(first.split()) == 2


def wins(bots: list[str], seeds: int) -> Counter[str]:
    """Wins by bot in games of this table on so many seeds, each bot in each seat."""
    edition = REGISTRY.edition("hasbro-us-2003")
    count: Counter[str] = Counter()
    for seed in range(seeds):
        for first in range(len(bots)):
            lineup = bots[first:] + bots[:first]
            winner = play(edition, lineup, seed).winner
            count["nobody" if winner is None else lineup[winner]] += 1
    return count


def test_games_of_the_bundled_bots_end_and_the_stronger_wins_more() -> None:
    won = wins(["uniform", "turtle", "greedy", "continental"], 20)
    assert won["continental"] > won["greedy"] > won["turtle"] > won["uniform"]
    assert won["nobody"] <= 1


def test_the_strategist_wins_more_than_all_who_only_look_one_battle_ahead() -> None:
    won = wins(["strategist", "continental", "oddsmaker", "greedy"], 6)
    assert won["strategist"] > won.total() / 2
