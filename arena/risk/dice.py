"""Dice: one uniform draw is the whole outcome of a roll.

The number n = int(u · 6^(a+d)) picks one of the equally likely outcomes; its base-6 digits are the faces
(attacker's first), and a table gives the losses.
"""

from functools import cache
from itertools import product
from typing import TypeAlias

LossTables: TypeAlias = tuple[tuple[tuple[int, ...], ...], ...]
"""How many troops the attacker loses: by attack dice, defence dice and outcome."""


@cache
def attacker_losses(attack_dice: int, defence_dice: int, ties_to_attacker: bool) -> bytes:
    """For each of the 6^(a+d) outcomes how many troops the attacker loses.

    The defender loses the rest of the min(a, d) compared pairs.
    """
    table = bytearray()
    for faces in product(range(6), repeat=attack_dice + defence_dice):
        attack = sorted(faces[:attack_dice], reverse=True)
        defence = sorted(faces[attack_dice:], reverse=True)
        if ties_to_attacker:
            table.append(sum(d > a for a, d in zip(attack, defence, strict=False)))
        else:
            table.append(sum(d >= a for a, d in zip(attack, defence, strict=False)))
    return bytes(table)


@cache
def loss_tables(attack_dice: int, defence_dice: int, ties_to_attacker: bool) -> LossTables:
    """`attacker_losses` for every number of dice up to these."""
    return tuple(
        [
            tuple([tuple(attacker_losses(a, d, ties_to_attacker)) for d in range(defence_dice + 1)])
            for a in range(attack_dice + 1)
        ]
    )
