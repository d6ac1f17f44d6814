"""Who meets whom, in which seats, on which seeds: exact balance, a function of the tournament alone."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations, islice
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.config import GameSpec, ResolvedTournament, Tournament
from arena.plugins import BotIdentity, load_registry
from arena.risk.game import Game
from arena.schedule import Design, combination, pools, specs

PINNED_SEED = 1479465399863524755
PINNED_LINEUP = (3, 2, 0, 1)

EDITION = load_registry().edition("hasbro-us-2003")


def tournament_of(n: int, challengers: int = 0, **keys: Any) -> ResolvedTournament:
    """A tournament of n made-up bots, the last of them challengers."""
    names = [f"bot-{i}" for i in range(n)]
    table = {"name": "t", "edition": "hasbro-us-2003", "players": 4, "bots": names, "blocks": 1, "seed": 5}
    tournament = Tournament.model_validate(table | {"challengers": names[n - challengers :]} | keys)
    bots = tuple(BotIdentity(name, "1", "", "hash") for name in names)
    return ResolvedTournament(tournament, (EDITION,), bots)


def seat_counts(resolved: ResolvedTournament) -> Counter[tuple[int, int]]:
    return Counter((bot, seat) for spec in specs(resolved) for seat, bot in enumerate(spec.lineup))


@pytest.mark.parametrize(
    ("n", "players", "format_"),
    [
        (4, 4, "balanced"),
        (7, 4, "balanced"),
        (9, 3, "balanced"),
        (6, 4, "round-robin"),
        (8, 6, "round-robin"),
    ],
)
def test_every_bot_is_equally_often_in_every_seat_and_turn_position(
    n: int, players: int, format_: str
) -> None:
    resolved = tournament_of(n, players=players, format=format_, blocks=5)
    assert len(set(seat_counts(resolved).values())) == 1
    turns: Counter[tuple[int, int]] = Counter()
    for spec in specs(resolved):
        starter = Game(EDITION.rules, players, spec.seed).starter
        turns.update((bot, (seat - starter) % players) for seat, bot in enumerate(spec.lineup))
    assert len(turns) == n * players
    assert len(set(turns.values())) == 1


@pytest.mark.parametrize(("n", "blocks"), [(13, 13), (13, 39), (10, 30), (10, 90)])
def test_bots_of_few_meet_each_other_equally_often_after_any_repetition(n: int, blocks: int) -> None:
    resolved = tournament_of(n, blocks=blocks)
    met = Counter(pair for spec in specs(resolved) for pair in combinations(sorted(spec.lineup), 2))
    assert len(met) == n * (n - 1) / 2
    assert len(set(met.values())) == 1


def test_bots_get_other_numbers_of_the_design_in_each_repetition() -> None:
    design = Design(tournament_of(13), 4)
    first, second = ({frozenset(design.lineup(block + start)) for block in range(13)} for start in (0, 13))
    assert first != second


@pytest.mark.parametrize(
    ("resolved", "players"),
    [
        (tournament_of(20, players=4), 4),
        (tournament_of(6, players=3, format="round-robin"), 3),
        (tournament_of(7, 2, players=4, format="gauntlet"), 4),
        (tournament_of(3, players=5, copies=True), 5),
        (tournament_of(1, players=2, copies=True), 2),
    ],
)
def test_balance_is_that_of_the_games(resolved: ResolvedTournament, players: int) -> None:
    schedule = list(specs(resolved))
    design = Design(resolved, players)
    assert len(schedule) == design.repetition * players
    seats = seat_counts(resolved)
    met = Counter(pair for spec in schedule for pair in combinations(sorted(set(spec.lineup)), 2))
    everyone = range(len(resolved.bots))
    groups: dict[str, Sequence[int]] = {"the bots": everyone, "the challengers": resolved.challengers}
    groups["the other bots"] = [bot for bot in everyone if bot not in resolved.challengers]
    for balance in design.balance():
        bots = groups[balance.bots]
        counts = [seats[bot, seat] for bot in bots for seat in range(players)]
        assert balance.seat == (min(counts), max(counts))
        others = groups["the other bots"] if balance.others == "the other bots" else bots
        pairs = [met[min(i, j), max(i, j)] for i in bots for j in others if i != j]
        assert balance.pair == ((min(pairs), max(pairs)) if pairs else None)


@pytest.mark.parametrize(("n", "challengers", "players"), [(6, 2, 4), (5, 1, 3), (9, 3, 6)])
def test_a_gauntlet_seats_one_challenger_and_balances_both_sides(
    n: int, challengers: int, players: int
) -> None:
    resolved = tournament_of(n, challengers, players=players, format="gauntlet", blocks=1)
    counts = seat_counts(resolved)
    field = range(n - challengers)
    for spec in specs(resolved):
        assert sum(bot not in field for bot in spec.lineup) == 1
        assert len(set(spec.lineup)) == players
    for group in (field, range(n - challengers, n)):
        assert len({counts[bot, seat] for bot in group for seat in range(players)}) == 1


def test_copies_fill_the_table_and_everybody_has_as_many() -> None:
    resolved = tournament_of(2, players=5, copies=True, blocks=2)
    assert all(set(spec.lineup) == {0, 1} for spec in specs(resolved))
    assert len(set(seat_counts(resolved).values())) == 1


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_a_mirrored_block_is_a_table_of_both_and_the_same_with_them_swapped(players: int) -> None:
    (pool,) = pools(resolved := tournament_of(2, players=players, format="mirrored", blocks=30))
    assert (pool.blocks, pool.games) == (30, 60)
    schedule, patterns = list(specs(resolved)), set()
    assert len({spec.key for spec in schedule}) == 60
    for first, second in zip(schedule[::2], schedule[1::2], strict=True):
        assert (first.block, first.rotation, second.block, second.rotation) == (
            first.block,
            0,
            first.block,
            1,
        )
        assert first.seed == second.seed
        assert second.lineup == tuple(1 - bot for bot in first.lineup)
        assert abs(sum(first.lineup) - sum(second.lineup)) <= players % 2
        patterns.add(first.lineup)
    assert len(patterns) >= min(players, 5)
    assert len({spec.seed for spec in schedule}) == 30


@pytest.mark.parametrize("others", [1, 3, 6])
def test_a_mirrored_block_with_others_seats_each_of_two_once_among_the_same(others: int) -> None:
    schedule = list(specs(tournament_of(2 + others, players=4, format="mirrored", blocks=40)))
    for first, second in zip(schedule[::2], schedule[1::2], strict=True):
        assert (first.lineup.count(0), first.lineup.count(1)) == (1, 0)
        assert second.lineup == tuple(1 if bot == 0 else bot for bot in first.lineup)
    met = Counter(bot for spec in schedule for bot in spec.lineup)
    assert set(met) == set(range(2 + others))
    assert {spec.lineup.index(0) for spec in schedule[::2]} == {0, 1, 2, 3}


def test_more_mirrored_blocks_keep_the_earlier() -> None:
    few, many = (tournament_of(2, format="mirrored", blocks=blocks) for blocks in (3, 9))
    assert list(specs(few)) == list(specs(many))[:6]
    assert few.fingerprint == many.fingerprint


def test_round_robin_meets_every_combination_once_a_repetition() -> None:
    resolved = tournament_of(6, format="round-robin", blocks=1)
    met = Counter(frozenset(spec.lineup) for spec in specs(resolved) if spec.rotation == 0)
    assert met == Counter(frozenset(group) for group in combinations(range(6), 4))


def test_blocks_are_rounded_up_and_more_of_them_keep_the_earlier() -> None:
    few, many = tournament_of(7, blocks=10), tournament_of(7, blocks=40)
    assert ([pool.blocks for pool in pools(few)], [pool.games for pool in pools(few)]) == ([14], [56])
    assert list(specs(few)) == list(islice(specs(many), 56))


def test_a_block_is_one_line_up_on_one_seed_in_all_rotations() -> None:
    block = list(islice(specs(tournament_of(6)), 4))
    first = block[0].lineup
    assert [spec.lineup for spec in block] == [first[r:] + first[:r] for r in range(4)]
    assert len({spec.seed for spec in block}) == 1
    assert len({spec.key for spec in block}) == 4


def test_keys_are_unique_and_seeds_differ_between_blocks_and_table_sizes() -> None:
    resolved = tournament_of(6, players=[3, 4, 6], blocks=12)
    schedule = list(specs(resolved))
    assert len({spec.key for spec in schedule}) == len(schedule)
    assert len({spec.seed for spec in schedule}) == sum(pool.blocks for pool in pools(resolved))


def test_editions_are_played_on_the_same_seeds_and_line_ups() -> None:
    other = load_registry().edition("hasbro-b7404")
    one = tournament_of(5)
    both = ResolvedTournament(one.tournament, (EDITION, other), one.bots)
    games: dict[str, list[GameSpec]] = {}
    for spec in specs(both):
        games.setdefault(spec.edition, []).append(spec)
    first, second = games.values()
    assert [(s.seed, s.lineup) for s in first] == [(s.seed, s.lineup) for s in second]
    assert not {s.key for s in first} & {s.key for s in second}


def test_the_schedule_is_lazy() -> None:
    for format_ in ("balanced", "round-robin"):
        endless = tournament_of(13, blocks=10**12, format=format_, players=4)
        assert len(list(islice(specs(endless), 100))) == 100
        assert Design(endless, 4).lineup(10**9 + 7)


@pytest.mark.parametrize(
    "change",
    [{"seed": 6}, {"format": "round-robin"}, {"players": 3}, {"bots": ["bot-0", "bot-1", "bot-2", "bot-4"]}],
)
def test_the_fingerprint_covers_what_changes_games(change: dict[str, Any]) -> None:
    one = tournament_of(4)
    bots = tuple(BotIdentity(name, "1", "", "hash") for name in change.get("bots", one.tournament.bots))
    tournament = Tournament.model_validate(one.tournament.model_dump() | change)
    assert ResolvedTournament(tournament, (EDITION,), bots).fingerprint != one.fingerprint


def test_the_fingerprint_leaves_out_name_blocks_records_and_limits() -> None:
    one = tournament_of(4)
    change = {"name": "other", "blocks": 99, "records": "none", "limits": {"decision_seconds": 1}}
    tournament = Tournament.model_validate(one.tournament.model_dump() | change)
    assert ResolvedTournament(tournament, (EDITION,), one.bots).fingerprint == one.fingerprint


def test_a_schedule_is_the_same_on_every_machine() -> None:
    """Pinned: a change of these would part every database from its tournament."""
    spec = next(specs(tournament_of(4)))
    assert (spec.seed, spec.lineup) == (PINNED_SEED, PINNED_LINEUP)


@given(st.integers(1, 9).flatmap(lambda n: st.tuples(st.just(n), st.integers(1, n))))
def test_combinations_are_unranked_in_order(size: tuple[int, int]) -> None:
    n, k = size
    expected = [list(group) for group in combinations(range(n), k)]
    assert [combination(n, k, rank) for rank in range(len(expected))] == expected
