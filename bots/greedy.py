"""Greedy: no plan but the next attack, and everything behind it."""

from typing import Annotated

import arena
from arena.bot import Attack, Bot, Fortify, View


class Greedy(Bot):
    """Attacks wherever it has `margin` troops more than the defender, the best odds first."""

    def __init__(
        self, margin: Annotated[int, "troops more than the defender that it takes to attack"] = 2
    ) -> None:
        self.margin = margin

    def reinforce(self, view: View) -> tuple[tuple[int, int], ...]:
        """Everything where it outnumbers a neighbour most, or is least outnumbered."""
        troops = view.troops
        spot = max(view.frontier, key=lambda t: troops[t] - min([troops[u] for u in view.enemies(t)]))
        return ((spot, view.to_place),)

    def attack(self, view: View) -> Attack | None:
        """The greatest superiority; on to the defender's strength, then the choice is made anew."""
        pairs, troops = view.attacks(), view.troops
        if not pairs:
            return None
        src, dst = max(pairs, key=lambda pair: troops[pair[0]] - troops[pair[1]])
        if troops[src] - troops[dst] < self.margin and not view.forced:
            return None
        return Attack(src, dst, until=min(troops[dst], troops[src] - 1))

    def occupy(self, view: View) -> int:
        """On with everything while there is somebody ahead."""
        return view.most if view.enemies(view.dst) else view.least

    def fortify(self, view: View) -> Fortify | None:
        """What moves by default goes to the strongest place at the front that it reaches."""
        move = super().fortify(view)
        if move is None:
            return None
        front = [t for t in view.fortify_targets(move.src) if t in view.frontier]
        return Fortify(move.src, max(front, key=lambda t: view.troops[t]), move.troops)


@arena.hookimpl
def register_bots(register: arena.RegisterBot) -> None:
    """Offer the bot."""
    register("greedy", Greedy)
