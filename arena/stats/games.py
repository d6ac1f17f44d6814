"""Games as callers have them, checked and counted."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np

from arena.errors import StatsError
from arena.stats import luce


def count(
    lineups: Sequence[Sequence[str]], winners: Sequence[int | None], blocks: Sequence[Hashable] | None
) -> tuple[list[str], luce.Tally]:
    """The bots of one pool, sorted, and the tally of its finished games (see `rate`)."""
    kinds, kind = _number(map(tuple, lineups), len(lineups))
    size = _check(kinds, kind, winners, blocks)
    bots = sorted(set(chain.from_iterable(kinds)))
    place = {bot: index for index, bot in enumerate(bots)}
    seated = (
        np.array([[place[bot] for bot in lineup] for lineup in kinds], np.intp).reshape(len(kinds), size).T
    )
    turn: dict[int | None, int] = {None: -1} | {index: index for index in range(size)}
    turns = np.fromiter(map(turn.__getitem__, winners), np.intp, len(winners))
    finished = turns >= 0
    clusters = None if blocks is None else _number(blocks, len(blocks))[1][finished]
    return bots, luce.count_games(len(bots), seated, kind[finished], turns[finished], clusters)


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
    blocks: Sequence[Hashable] | None,
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
    if blocks is not None and len(blocks) != len(kind):
        raise StatsError(f"expected {len(kind)} blocks, one a line-up, got {len(blocks)}")
    size = sizes[0] if sizes else 1
    for winner in set(winners) - {None}:
        if winner not in range(size):
            raise StatsError(f"expected a winner from 0 to {size - 1} or None, got {winner!r}")
    return size
