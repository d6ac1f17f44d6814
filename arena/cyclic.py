"""Cyclic designs: few line-ups in which all bots sit equally often in each seat and meet each other alike.

m ordered base blocks of k of the numbers 0 … n-1 are developed modulo n: adding 0 … n-1 to their members
makes m·n line-ups. Each number then stands exactly m times in each place, and two numbers meet as often as
their difference comes up within the base blocks: m·k(k-1)/(n-1) times on the average, and exactly so where
these are a difference family (Bose 1939; Colbourn & Dinitz, Handbook of Combinatorial Designs, VI.16).
"""

from functools import cache
from itertools import permutations
from math import gcd, inf
from typing import TypeAlias

from arena.risk.stream import Stream, derive_seed

Blocks: TypeAlias = list[list[int]]

SHORT = 200
"""So many line-ups are few enough to be worth all meetings exactly equal."""

STEPS = 100_000
"""Steps of a search before it is given up: under a second."""

UPHILL = 0.001
"""How often the search takes a small step to the worse, which leads out of dead ends."""


@cache
def base_blocks(n: int, k: int) -> tuple[tuple[int, ...], ...]:
    """The base blocks for n bots at tables of k, a pure function of the two.

    Every two bots meet equally often where no more than SHORT line-ups bring that about; else about once or
    more, with as few blocks as keep the counts within 1 of each other (with n far above 200 within 2). At a
    table with more seats than bots all sit equally often and a part of them once more.
    """
    copies, left = divmod(k, n)
    if copies:
        whole = tuple(range(n)) * copies
        return tuple(whole + block for block in base_blocks(n, left)) if left else (whole,)
    if k == 1:
        return ((0,),)
    best: Blocks = []
    least = inf
    for m, target in _sizes(n, k):
        blocks = _search(n, k, m, target)
        spread = _spread(_meetings(n, blocks))
        if spread < least:
            best, least = blocks, spread
        if spread <= target:
            break
    return tuple(map(tuple, best))


def _sizes(n: int, k: int) -> list[tuple[int, int]]:
    """Numbers of base blocks to try, and how far apart counts of meetings may be."""
    exact = (n - 1) // gcd(n - 1, k * (k - 1))
    least = -(-(n - 1) // (k * (k - 1)))
    return [(exact, 0)] * (exact * n <= SHORT) + [(m, 1) for m in range(least, least + 3)]


def _meetings(n: int, blocks: Blocks) -> list[int]:
    """By difference of two numbers: how often they meet."""
    counts = [0] * n
    for block in blocks:
        for one, other in permutations(block, 2):
            counts[one - other] += 1  # below 0 it counts from the end: modulo n
    return counts


def _spread(counts: list[int]) -> int:
    return max(counts[1:]) - min(counts[1:])


def _search(n: int, k: int, m: int, target: int) -> Blocks:
    """Base blocks by local search: one member is exchanged where the sum of squared counts does not grow."""
    chance = Stream(derive_seed("base blocks", n, k, m))
    blocks = [list(range(n)) for _ in range(m)]
    for block in blocks:
        chance.shuffle(block)
        del block[k:]
    counts = _meetings(n, blocks)
    for step in range(STEPS):
        if step % 50 == 0 and _spread(counts) <= target:
            break
        block, place, new = blocks[chance.below(m)], chance.below(k), chance.below(n)
        if new in block:
            continue
        old, others = block[place], block[:place] + block[place + 1 :]
        growth = _shift(counts, old, others, -1) + _shift(counts, new, others, 1)
        if growth <= 0 or (growth <= 4 and chance.random() < UPHILL):
            block[place] = new
        else:
            _shift(counts, new, others, -1)
            _shift(counts, old, others, 1)
    return blocks


def _shift(counts: list[int], number: int, others: list[int], by: int) -> int:
    """Let the number meet the others once more, or with -1 once less; by how much the squared counts grow."""
    growth = 0
    for other in others:
        for difference in (number - other, other - number):
            growth += 2 * by * counts[difference] + 1
            counts[difference] += by
    return growth
