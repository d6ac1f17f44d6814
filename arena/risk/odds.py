"""Exact odds of battles: a roll by enumeration of its dice, a battle as a Markov chain of rolls.

The chain is that of J. A. Osborne, "Markov Chains for the RISK Board Game Revisited", Mathematics Magazine
76 (2003), 129–135. Both sides roll as many dice as they can, at most 3 against 2; ties go to the defender.
"""

from collections.abc import Iterator
from functools import cache
from itertools import chain, islice, repeat
from typing import Final, TypeAlias

from arena.errors import ArenaError
from arena.risk.dice import attacker_losses

KEPT: Final = 512
"""Battles of up to so many troops a side are kept in tables; a larger one is computed by itself."""

_Row: TypeAlias = tuple[int, list[float]]
"""Probabilities by defenders from 0 on: so many that are 1, then these, then zeros without end.

Exactly 1 and 0, as floats round them: between lie some thousand of ten thousand.
"""


def win_probability(attackers: int, defenders: int) -> float:
    """How likely `attackers` troops capture a territory of `defenders` troops when they fight to the end.

    Attackers are the troops that may be lost: the one that stays behind is not counted. The first call for
    a size above KEPT is computed anew: seconds for 10,000 against 10,000. Raises ArenaError where a number
    of troops is negative or no whole number.
    """
    _check("attackers", attackers, 0, None)
    _check("defenders", defenders, 0, None)
    if max(attackers, defenders) > KEPT:
        return _large_battle(attackers, defenders)
    return _battles(_round_up(attackers), _round_up(defenders))[attackers][defenders]


def roll(attack_dice: int, defence_dice: int) -> dict[tuple[int, int], tuple[int, int]]:
    """{(attacker loses, defender loses): (count, of)}: the odds of one roll of 1–3 dice against 1–3.

    `count` of the `of` = 6^(attack_dice + defence_dice) outcomes end so. Raises ArenaError for other
    numbers of dice.
    """
    _check("attack_dice", attack_dice, 1, 3)
    _check("defence_dice", defence_dice, 1, 3)
    losses = attacker_losses(attack_dice, defence_dice, False)
    pairs = min(attack_dice, defence_dice)
    return {(lost, pairs - lost): (losses.count(lost), len(losses)) for lost in range(pairs + 1)}


def _check(what: str, number: int, least: int, most: int | None) -> None:
    if not isinstance(number, int) or number < least or (most is not None and number > most):
        bounds = f"≥ {least}" if most is None else f"from {least} to {most}"
        raise ArenaError(f"{what}: expected a whole number {bounds}, got {number!r}")


def _round_up(troops: int) -> int:
    """The least of 16, 32, 64, … that is no smaller, so that a few tables serve all battles."""
    return 1 << max(4, (troops - 1).bit_length())


@cache
def _battles(attackers: int, defenders: int) -> list[list[float]]:
    """The win probabilities of all battles up to these sizes: by attackers, then by defenders."""
    rows = islice(_rows(defenders), attackers + 1)
    return [list(islice(_values(row, 0), defenders + 1)) for row in rows]


@cache
def _large_battle(attackers: int, defenders: int) -> float:
    last = 0.0
    for row in islice(_rows(defenders), attackers + 1):
        last = next(_values(row, defenders))
        if last == 1:
            break  # more attackers win as surely
    return last


def _values(row: _Row, first: int) -> Iterator[float]:
    """The probabilities against `first`, `first` + 1, … defenders, without end."""
    ones, between = row
    return chain(repeat(1.0, ones - first), between[max(first - ones, 0) :], repeat(0.0))


def _rows(defenders: int) -> Iterator[_Row]:
    """For 0, 1, 2, … attackers the win probabilities against 0 … `defenders`."""
    two_fewer: _Row = (1, [])
    one_fewer: _Row = (1, _lone_attacker(defenders))
    yield two_fewer
    yield one_fewer
    for dice in chain([2], repeat(3)):
        two_fewer, one_fewer = one_fewer, _next_row(dice, defenders, one_fewer, two_fewer)
        yield one_fewer


def _lone_attacker(most: int) -> list[float]:
    """One die against 1, 2, … `most` defenders, who roll two of them as long as they can."""
    row: list[float] = []
    chance = 1.0
    for defenders in range(1, most + 1):
        ways, of = roll(1, min(defenders, 2))[0, 1]
        chance = ways * chance / of
        if not chance:
            break
        row.append(chance)
    return row


def _next_row(dice: int, most: int, one_fewer: _Row, two_fewer: _Row) -> _Row:
    """The row of attackers who roll 2 or 3 dice, from the rows of one and of two attackers fewer.

    More defenders are never easier to beat, rounded or not: ones come first, and after a zero only zeros.
    """
    ones = min(one_fewer[0], two_fewer[0])  # against fewer, every roll leads to a one
    before = last = 1.0
    row: list[float] = []
    if ones == 1 and most:
        won, lost, of = _ways(dice, 1)
        last = (won + lost * next(_values(one_fewer, 1))) / of
        row.append(last)
    first = ones + len(row)
    both, each, neither, of = _ways(dice, 2)
    fewer = zip(_values(one_fewer, first - 1), _values(two_fewer, first), strict=True)
    for one, two in islice(fewer, most + 1 - first):
        before, last = last, (both * before + each * one + neither * two) / of
        if not last:
            break
        row.append(last)
    more_ones = next((place for place, chance in enumerate(row) if chance < 1), len(row))
    return ones + more_ones, row[more_ones:]


def _ways(attack_dice: int, defence_dice: int) -> list[float]:
    """The counts of a roll's outcomes, the attacker's best first, and of how many: floats, for speed."""
    counts = [float(ways) for ways, _ in roll(attack_dice, defence_dice).values()]
    return [*counts, sum(counts)]
