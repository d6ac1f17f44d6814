"""Exact odds of battles: a roll by enumeration of its dice, a battle as a Markov chain of rolls.

The chain is that of J. A. Osborne, "Markov Chains for the RISK Board Game Revisited", Mathematics Magazine
76 (2003), 129–135. Both sides roll as many dice as they can, at most 3 against 2; ties go to the defender.
"""

from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Final

from arena.errors import ArenaError
from arena.risk.dice import attacker_losses

KEPT: Final = 512
"""Battles of up to so many troops a side are kept in tables; a larger one is computed by itself."""


def win_probability(attackers: int, defenders: int) -> float:
    """How likely `attackers` troops capture a territory of `defenders` troops when they fight to the end.

    Attackers are the troops that may be lost: the one that stays behind is not counted. The first call for
    a size takes time in proportion to attackers × defenders: seconds for 2,000 against 2,000. Raises
    ArenaError where a number of troops is negative or no whole number.
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
    return list(islice(_rows(defenders), attackers + 1))


@cache
def _large_battle(attackers: int, defenders: int) -> float:
    return next(islice(_rows(defenders), attackers, None))[defenders]


def _rows(defenders: int) -> Iterator[list[float]]:
    """For 0, 1, 2, … attackers the win probabilities against 0 … `defenders`."""
    two_fewer: list[float] = []
    one_fewer = [1.0] + [0.0] * defenders
    yield one_fewer
    dice = 1
    while True:
        two_fewer, one_fewer = one_fewer, _next_row(dice, one_fewer, two_fewer)
        yield one_fewer
        dice = min(dice + 1, 3)


def _next_row(dice: int, one_fewer: list[float], two_fewer: list[float]) -> list[float]:
    """The row of attackers who roll `dice` dice, from the rows of one and of two attackers fewer."""
    row = [1.0]
    rows = (row, one_fewer, two_fewer)
    odds = {defence_dice: roll(dice, defence_dice) for defence_dice in (1, 2)}
    for defenders in range(1, len(one_fewer)):
        defence_dice = min(defenders, 2)
        ways = sum(n * rows[a][defenders - d] for (a, d), (n, _) in odds[defence_dice].items())
        row.append(ways / 6 ** (dice + defence_dice))
    return row
