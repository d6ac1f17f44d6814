from itertools import product

import pytest

from arena.risk.dice import attacker_losses

DICE = list(product((1, 2, 3), repeat=2))


def faces(outcome: int, attack_dice: int, defence_dice: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The faces (1–6) that outcome number `outcome` shows: the attacker's dice, the defender's dice."""
    digits: list[int] = []
    for _ in range(attack_dice + defence_dice):
        outcome, digit = divmod(outcome, 6)
        digits.append(digit + 1)
    digits.reverse()
    return tuple(digits[:attack_dice]), tuple(digits[attack_dice:])


def compared(attack: tuple[int, ...], defence: tuple[int, ...], ties_to_attacker: bool) -> int:
    """Troops that the attacker loses: the dice are laid side by side, the highest first."""
    lost = 0
    left, right = list(attack), list(defence)
    while left and right:
        a, d = max(left), max(right)
        left.remove(a)
        right.remove(d)
        if a < d or (a == d and not ties_to_attacker):
            lost += 1
    return lost


@pytest.mark.parametrize(("attack_dice", "defence_dice"), DICE)
def test_outcomes_show_every_throw_of_the_dice_once(attack_dice: int, defence_dice: int) -> None:
    outcomes = range(6 ** (attack_dice + defence_dice))
    shown = [faces(n, attack_dice, defence_dice) for n in outcomes]
    throws = product(range(1, 7), repeat=attack_dice + defence_dice)
    assert sorted(shown) == sorted((throw[:attack_dice], throw[attack_dice:]) for throw in throws)


@pytest.mark.parametrize("ties_to_attacker", [False, True])
@pytest.mark.parametrize(("attack_dice", "defence_dice"), DICE)
def test_faces_of_an_outcome_give_its_losses(
    attack_dice: int, defence_dice: int, ties_to_attacker: bool
) -> None:
    table = attacker_losses(attack_dice, defence_dice, ties_to_attacker)
    assert len(table) == 6 ** (attack_dice + defence_dice)
    for outcome, lost in enumerate(table):
        assert lost == compared(*faces(outcome, attack_dice, defence_dice), ties_to_attacker)


def test_faces_are_base_six_digits_the_attackers_first() -> None:
    assert faces(0, 3, 2) == ((1, 1, 1), (1, 1))
    assert faces(5, 1, 1) == ((1,), (6,))
    assert faces(6, 1, 1) == ((2,), (1,))
    assert faces(6**5 - 1, 3, 2) == ((6, 6, 6), (6, 6))


def test_six_three_one_against_five_three_costs_each_side_one() -> None:
    outcome = next(n for n in range(6**5) if faces(n, 3, 2) == ((6, 3, 1), (5, 3)))
    assert attacker_losses(3, 2, False)[outcome] == 1
    assert attacker_losses(3, 2, True)[outcome] == 0


@pytest.mark.parametrize(("attack_dice", "defence_dice"), DICE)
def test_ties_decide_for_the_side_that_the_rules_name(attack_dice: int, defence_dice: int) -> None:
    all_ones = 0
    assert attacker_losses(attack_dice, defence_dice, False)[all_ones] == min(attack_dice, defence_dice)
    assert attacker_losses(attack_dice, defence_dice, True)[all_ones] == 0


@pytest.mark.parametrize("attack_dice", [1, 2, 3])
@pytest.mark.parametrize("ties_to_attacker", [False, True])
def test_the_roll_that_can_take_every_defender_costs_the_attacker_nothing(
    attack_dice: int, ties_to_attacker: bool
) -> None:
    # so "dice rolled" and "surviving committed attackers" are the same number when a territory falls
    for defenders, dice in product(range(1, 5), range(1, 4)):
        pairs = min(attack_dice, dice)
        if dice <= defenders:
            table = attacker_losses(attack_dice, dice, ties_to_attacker)
            captures = [lost for lost in table if pairs - lost >= defenders]
            assert set(captures) <= {0}
