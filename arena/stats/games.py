"""Games as callers have them, checked and counted."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np

from arena.errors import StatsError
from arena.stats import luce
from arena.stats.figures import expected


def count(
    lineups: Iterable[Sequence[str]], winners: Iterable[int | None], blocks: Iterable[Hashable] | None
) -> tuple[list[str], luce.Tally]:
    """The bots of one pool, sorted, and the tally of its finished games (see `rate`)."""
    with expected("line-ups of bots' names, in lists"):
        lineups = list(lineups)
        kinds, kind = _number(map(tuple, lineups), len(lineups))
        bots = sorted(set(chain.from_iterable(kinds)))
    with expected("winners in a list"):
        winners = list(winners)
        different = set(winners)
    with expected("blocks in a list, each something that can be hashed"):
        blocks = None if blocks is None else list(blocks)
        clusters = None if blocks is None else _number(blocks, len(blocks))[1]
    size = _check(kinds, kind, winners, different, clusters)
    place = {bot: index for index, bot in enumerate(bots)}
    seated = (
        np.array([[place[bot] for bot in lineup] for lineup in kinds], np.intp).reshape(len(kinds), size).T
    )
    turn: dict[int | None, int] = {None: -1} | {index: index for index in range(size)}
    turns = np.fromiter(map(turn.__getitem__, winners), np.intp, len(winners))
    finished = turns >= 0
    shared = None if clusters is None else clusters[finished]
    return bots, luce.count_games(len(bots), seated, kind[finished], turns[finished], shared)


def _number(labels: Iterable[Hashable], count: int) -> tuple[list[Any], luce.Ints]:
    """The different ones of so many labels, and the number of each label among them."""
    number: defaultdict[Hashable, int] = defaultdict()
    number.default_factory = number.__len__
    numbers = np.fromiter(map(number.__getitem__, labels), np.intp, count)
    return list(number), numbers


def _check(
    kinds: list[tuple[str, ...]],
    kind: luce.Ints,
    winners: Sequence[int | None],
    different: set[int | None],
    clusters: luce.Ints | None,
) -> int:
    """The table size; StatsError for what does not fit together."""
    sizes = sorted(set(map(len, kinds)))
    if len(sizes) > 1:
        found = " and ".join(map(str, sizes))
        raise StatsError(f"expected line-ups of one table size, got {found}")
    if sizes == [0]:
        raise StatsError("expected line-ups of at least one bot, got empty ones")
    if len(winners) != len(kind):
        raise StatsError(f"expected {len(kind)} winners, one a line-up, got {len(winners)}")
    if clusters is not None and len(clusters) != len(kind):
        raise StatsError(f"expected {len(kind)} blocks, one a line-up, got {len(clusters)}")
    size = sizes[0] if sizes else 1
    for winner in different - {None}:
        if winner not in range(size):
            raise StatsError(f"expected a winner from 0 to {size - 1} or None, got {winner!r}")
    return size
