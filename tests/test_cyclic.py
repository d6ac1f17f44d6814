"""Cyclic designs: counted out in full, against the known difference families and over many sizes."""

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.cyclic import base_blocks


def develop(n: int, k: int) -> list[tuple[int, ...]]:
    return [tuple((x + shift) % n for x in block) for block in base_blocks(n, k) for shift in range(n)]


def meetings(n: int, k: int) -> list[int]:
    """Of every two bots: how many line-ups both are in."""
    met = Counter(pair for lineup in develop(n, k) for pair in combinations(sorted(lineup), 2))
    return [met[pair] for pair in combinations(range(n), 2)]


@pytest.mark.parametrize(
    ("n", "k", "m", "count"),
    [
        (7, 3, 1, 1),  # the Fano plane
        (13, 4, 1, 1),  # the projective plane of order 3
        (21, 5, 1, 1),  # of order 4
        (19, 4, 3, 2),
        (9, 4, 2, 3),
        (4, 4, 1, 4),
        (5, 4, 1, 3),
        (16, 6, 2, 4),  # one base block is not enough: there is no such difference set
    ],
)
def test_meetings_are_exactly_equal_where_a_difference_family_is_found(
    n: int, k: int, m: int, count: int
) -> None:
    assert len(base_blocks(n, k)) == m
    assert set(meetings(n, k)) == {count}


@pytest.mark.parametrize(("n", "k"), [(25, 4), (6, 3)])
def test_meetings_are_within_one_where_there_is_no_difference_family(n: int, k: int) -> None:
    """Of 25, 4 cyclic ones are known not to exist; with n even a difference of n/2 comes up in pairs."""
    assert max(meetings(n, k)) - min(meetings(n, k)) == 1


@given(st.integers(2, 6).flatmap(lambda k: st.tuples(st.integers(k, 40), st.just(k))))
@settings(deadline=None, max_examples=30)
def test_seats_are_exactly_balanced_and_meetings_within_one(size: tuple[int, int]) -> None:
    n, k = size
    lineups = develop(n, k)
    assert all(len(set(lineup)) == k for lineup in lineups)
    seats = Counter((bot, seat) for lineup in lineups for seat, bot in enumerate(lineup))
    assert len(seats) == n * k
    assert set(seats.values()) == {len(lineups) // n}
    counts = meetings(n, k)
    assert max(counts) - min(counts) <= 1
    assert min(counts) > 0 or len(lineups) * k * (k - 1) < 2 * n * n


@pytest.mark.parametrize(("n", "k"), [(200, 2), (200, 4), (199, 6)])
def test_large_designs_are_within_one_and_no_longer_than_needed(n: int, k: int) -> None:
    counts = meetings(n, k)
    assert max(counts) - min(counts) <= 1
    assert sum(counts) / len(counts) < 1.3


@pytest.mark.parametrize(("n", "k"), [(1, 2), (2, 5), (3, 6), (4, 6), (5, 6)])
def test_few_bots_fill_a_large_table_as_evenly_as_seats_allow(n: int, k: int) -> None:
    lineups = develop(n, k)
    for lineup in lineups:
        copies = Counter(lineup)
        assert len(copies) == n
        assert max(copies.values()) - min(copies.values()) <= 1
    seats = Counter((bot, seat) for lineup in lineups for seat, bot in enumerate(lineup))
    assert len(set(seats.values())) == 1
    assert len(set(meetings(n, k))) <= 1


def test_base_blocks_are_the_same_on_every_machine() -> None:
    """Pinned: a change of these would part every database from its tournament (see config.SCHEDULE)."""
    assert base_blocks(13, 4) == ((4, 12, 5, 1),)
    assert base_blocks(10, 4) == base_blocks.__wrapped__(10, 4)
