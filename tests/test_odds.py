from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import pytest

from arena.errors import ArenaError
from arena.risk import odds

PUBLISHED_ROLLS = {
    (1, 1): {(0, 1): (15, 36), (1, 0): (21, 36)},
    (2, 1): {(0, 1): (125, 216), (1, 0): (91, 216)},
    (3, 1): {(0, 1): (855, 1296), (1, 0): (441, 1296)},
    (1, 2): {(0, 1): (55, 216), (1, 0): (161, 216)},
    (2, 2): {(0, 2): (295, 1296), (1, 1): (420, 1296), (2, 0): (581, 1296)},
    (3, 2): {(0, 2): (2890, 7776), (1, 1): (2611, 7776), (2, 0): (2275, 7776)},
}

# The probabilities of capture in J. A. Osborne, "Markov Chains for the RISK Board Game Revisited",
# Mathematics Magazine 76 (2003): rows for 1 to 10 attacking troops, columns for 1 to 10 defending ones.
OSBORNE = """
0.417 0.106 0.027 0.007 0.002 0.000 0.000 0.000 0.000 0.000
0.754 0.363 0.206 0.091 0.049 0.021 0.011 0.005 0.003 0.001
0.916 0.656 0.470 0.315 0.206 0.134 0.084 0.054 0.033 0.021
0.972 0.785 0.642 0.477 0.359 0.253 0.181 0.123 0.086 0.057
0.990 0.890 0.769 0.638 0.506 0.397 0.297 0.224 0.162 0.118
0.997 0.934 0.857 0.745 0.638 0.521 0.423 0.329 0.258 0.193
0.999 0.967 0.910 0.834 0.736 0.640 0.536 0.446 0.357 0.287
1.000 0.980 0.947 0.888 0.818 0.730 0.643 0.547 0.464 0.380
1.000 0.990 0.967 0.930 0.873 0.808 0.726 0.646 0.558 0.480
1.000 0.994 0.981 0.954 0.916 0.861 0.800 0.724 0.650 0.568
"""


@cache
def exact(attackers: int, defenders: int) -> Fraction:
    """The same probability by fractions, from dice thrown here."""
    if defenders == 0:
        return Fraction(1)
    if attackers == 0:
        return Fraction(0)
    outcomes = thrown(min(attackers, 3), min(defenders, 2))
    ways = sum((n * exact(attackers - a, defenders - d) for (a, d), n in outcomes.items()), Fraction(0))
    return ways / sum(outcomes.values())


@cache
def thrown(attack_dice: int, defence_dice: int) -> dict[tuple[int, int], int]:
    outcomes: dict[tuple[int, int], int] = {}
    for dice in product(range(1, 7), repeat=attack_dice + defence_dice):
        attack, defence = sorted(dice[:attack_dice]), sorted(dice[attack_dice:])
        lost = won = 0
        while attack and defence:
            if attack.pop() > defence.pop():
                won += 1
            else:
                lost += 1
        outcomes[lost, won] = outcomes.get((lost, won), 0) + 1
    return outcomes


@pytest.mark.parametrize("dice", PUBLISHED_ROLLS)
def test_roll_has_the_published_odds(dice: tuple[int, int]) -> None:
    assert odds.roll(*dice) == PUBLISHED_ROLLS[dice]


@pytest.mark.parametrize("attack_dice", [1, 2, 3])
@pytest.mark.parametrize("defence_dice", [1, 2, 3])
def test_roll_agrees_with_dice_thrown_one_by_one(attack_dice: int, defence_dice: int) -> None:
    of = 6 ** (attack_dice + defence_dice)
    expected = {losses: (n, of) for losses, n in thrown(attack_dice, defence_dice).items()}
    assert odds.roll(attack_dice, defence_dice) == expected


def test_roll_gives_a_dict_of_its_own_each_time() -> None:
    odds.roll(3, 2).clear()
    assert odds.roll(3, 2) == PUBLISHED_ROLLS[3, 2]


def test_battles_have_osbornes_probabilities() -> None:
    found = [
        " ".join(f"{odds.win_probability(attackers, defenders):.3f}" for defenders in range(1, 11))
        for attackers in range(1, 11)
    ]
    assert found == OSBORNE.split("\n")[1:-1]


def test_battles_agree_with_exact_fractions() -> None:
    for attackers, defenders in product(range(40), range(40)):
        expected = float(exact(attackers, defenders))
        assert odds.win_probability(attackers, defenders) == pytest.approx(expected, rel=1e-12, abs=0)


@pytest.mark.parametrize(("attackers", "defenders"), [(odds.KEPT, 9), (odds.KEPT + 1, 9), (9, odds.KEPT + 1)])
def test_tables_and_single_battles_meet_without_a_seam(attackers: int, defenders: int) -> None:
    for smaller in product(range(attackers), range(defenders)):
        exact(*smaller)  # in this order the recursion stays shallow
    expected = float(exact(attackers, defenders))
    assert odds.win_probability(attackers, defenders) == pytest.approx(expected, rel=1e-12, abs=0)


def test_a_large_battle_is_the_chain_of_all_its_rolls_to_the_last_bit() -> None:
    size = odds.KEPT + 40
    table = [[1.0] + [0.0] * size]
    for attackers in range(1, size + 1):
        row = [1.0]
        for defenders in range(1, size + 1):
            dice = min(attackers, 3), min(defenders, 2)
            before = {
                losses: row[defenders - losses[1]]
                if losses[0] == 0
                else table[attackers - losses[0]][defenders - losses[1]]
                for losses in PUBLISHED_ROLLS[dice]
            }
            chance = 0.0
            for losses in sorted(before):
                chance += PUBLISHED_ROLLS[dice][losses][0] * before[losses]
            row.append(chance / 6 ** sum(dice))
        table.append(row)
    sizes = [0, 1, 2, 3, 100, 500, 511, 512, 513, size - 1, size]
    found = {pair: odds.win_probability(*pair) for pair in product(sizes, sizes)}
    assert found == {(a, d): table[a][d] for a, d in found}


def test_the_largest_armies_are_answered() -> None:
    assert odds.win_probability(10**9, 3) == odds.win_probability(10**6, 300) == 1
    assert odds.win_probability(3, 10**9) == odds.win_probability(300, 10**6) == 0
    assert 0.9 < odds.win_probability(2000, 1900) < 1
    assert 0 < odds.win_probability(1, 400) < 1e-200


def test_nobody_attacking_never_wins_and_nobody_defending_always_loses() -> None:
    assert [odds.win_probability(0, n) for n in (1, 2, 50, 5000)] == [0, 0, 0, 0]
    assert [odds.win_probability(n, 0) for n in (0, 1, 50, 5000)] == [1, 1, 1, 1]


def test_more_attackers_help_and_more_defenders_hinder_up_to_hundreds() -> None:
    sizes = (10, 30, 100, 300, 500)
    table = [[odds.win_probability(a, d) for d in sizes] for a in sizes]
    assert all(row == sorted(row, reverse=True) for row in table)
    assert all(list(column) == sorted(column) for column in zip(*table, strict=True))
    assert all(0 <= p <= 1 for row in table for p in row)


def test_negative_number_of_troops_is_refused_in_one_clear_line() -> None:
    with pytest.raises(ArenaError, match=r"^attackers: expected a whole number ≥ 0, got -1$"):
        odds.win_probability(-1, 3)
    with pytest.raises(ArenaError, match=r"^defenders: expected a whole number ≥ 0, got -20$"):
        odds.win_probability(3, -20)


@pytest.mark.parametrize("troops", [2.5, "3", None])
def test_what_is_no_whole_number_is_refused(troops: Any) -> None:
    # a compiled module judges the type before our check does
    for call in (odds.win_probability, odds.roll):
        with pytest.raises((ArenaError, TypeError), match="expected"):
            call(troops, 3)
        with pytest.raises((ArenaError, TypeError), match="expected"):
            call(3, troops)


@pytest.mark.parametrize("dice", [0, 4, -1])
def test_wrong_number_of_dice_is_refused_in_one_clear_line(dice: int) -> None:
    with pytest.raises(ArenaError, match=f"^attack_dice: expected a whole number from 1 to 3, got {dice}$"):
        odds.roll(dice, 2)
    with pytest.raises(ArenaError, match=f"^defence_dice: expected a whole number from 1 to 3, got {dice}$"):
        odds.roll(2, dice)
