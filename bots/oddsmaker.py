"""Oddsmaker: knows the exact odds of every battle, and fights where it expects to gain more than it loses."""

from functools import cache
from typing import Annotated

import arena
from arena.bot import Attack, Bot, View

LARGE = 60
"""Battles with more troops on a side are judged by smaller ones in the same proportion."""


@cache
def expected_losses(attackers: int, defenders: int) -> float:
    """How many of `attackers` troops fall, on average, in a battle to the end: each roll's odds, and on."""
    if attackers == 0 or defenders == 0:
        return 0.0
    odds = arena.odds.roll(min(3, attackers), min(2, defenders))
    return sum(
        [
            count / of * (lost + expected_losses(attackers - lost, defenders - killed))
            for (lost, killed), (count, of) in odds.items()
        ]
    )


def scaled(attackers: int, defenders: int) -> tuple[int, int, int]:
    """The battle in a size for which the tables are small, and by how much it was made smaller."""
    scale = 1 + max(attackers, defenders) // LARGE
    return attackers // scale, -(-defenders // scale), scale


class Oddsmaker(Bot):
    """Takes the battle with the best balance of what it wins, what it kills and what it expects to lose."""

    def __init__(
        self, chance: Annotated[float, "the least probability of winning a battle that it begins"] = 0.6
    ) -> None:
        self.chance = chance

    def prospect(self, view: View, src: int, dst: int, extra: int = 0) -> float:
        """What the battle is worth in troops when `src` gets `extra` more; below 0 where the odds are bad."""
        attackers, defenders, scale = scaled(view.troops[src] - 1 + extra, view.troops[dst])
        chance = arena.odds.win_probability(attackers, defenders)
        if chance < self.chance:
            return chance - 1
        return chance * self.prize(view, dst) - scale * expected_losses(attackers, defenders) / 2

    def prize(self, view: View, dst: int) -> float:
        """What a territory is worth in troops: what its card, its continent and its owner's end bring."""
        owners, board = view.owners, view.board
        card = 0 if view.captured else 1 + view.next_set_value / 3
        c = board.continent_of[dst]
        others = [owners[t] for t in board.members[c] if t != dst]
        share = others.count(view.seat) / len(others) if others else 1.0
        breaks = owners[dst] >= 0 and others.count(owners[dst]) == len(others)
        bonus = board.continent_bonus[c] * (2 * share**2 + breaks)
        last = len(view.territories(owners[dst])) == 1 and owners[dst] >= 0
        cards = view.hand_sizes[owners[dst]] * view.next_set_value / 3 if last else 0
        return 1 + card + bonus + cards + view.troops[dst] / 3

    def reinforce(self, view: View) -> tuple[tuple[int, int], ...]:
        """Everything where it makes the best battle."""
        battles = [(t, u) for t in view.frontier for u in view.enemies(t)]
        src, _ = max(battles, key=lambda pair: self.prospect(view, pair[0], pair[1], view.to_place))
        return ((src, view.to_place),)

    def attack(self, view: View) -> Attack | None:
        """The best battle that gains more than it loses; on to the defender's strength, then judged anew."""
        best = max(view.attacks(), key=lambda pair: self.prospect(view, *pair), default=None)
        if best is None or self.prospect(view, *best) <= 0:
            return super().attack(view)
        src, dst = best
        return Attack(src, dst, until=min(view.troops[src] - 1, view.troops[dst]))

    def occupy(self, view: View) -> int:
        """On with everything while there is somebody ahead."""
        return view.most if view.enemies(view.dst) else view.least


@arena.hookimpl
def register_bots(register: arena.RegisterBot) -> None:
    """Offer the bot."""
    register("oddsmaker", Oddsmaker)
