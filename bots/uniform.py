"""Uniform: any legal order is as good as another. The baseline that every other bot should beat."""

from collections import Counter

import arena
from arena.bot import Attack, Bot, Fortify, View


class Uniform(Bot):
    """Picks at random among the legal orders of every decision."""

    def claim(self, view: View) -> int:
        """Any empty territory."""
        return self.rng.choice(view.unclaimed)

    def place(self, view: View) -> int:
        """Any territory of the one it places for."""
        return self.rng.choice(view.territories(view.placing_for))

    def trade(self, view: View) -> tuple[int, ...] | None:
        """Any set, or where it may, none."""
        choices = [view.trade_order(cards) for cards in view.sets()]
        return self.rng.choice(choices if view.forced else [*choices, None])

    def reinforce(self, view: View) -> tuple[tuple[int, int], ...]:
        """Each troop by itself on any own territory."""
        return tuple(Counter(self.rng.choices(view.own, k=view.to_place)).items())

    def attack(self, view: View) -> Attack | None:
        """Any attack, fought on to any strength; stopping counts as one choice more."""
        pairs = view.attacks()
        choice = self.rng.randrange(len(pairs) + (not view.forced))
        if choice == len(pairs):
            return None
        src, dst = pairs[choice]
        return Attack(src, dst, until=self.rng.randrange(view.troops[src]))

    def occupy(self, view: View) -> int:
        """Any number that may move in."""
        return self.rng.randint(view.least, view.most)

    def fortify(self, view: View) -> Fortify | None:
        """Any troops of any territory to any other that they can reach, or where none can: stay."""
        src = self.rng.choice(view.own)
        targets = view.fortify_targets(src)
        if view.troops[src] == 1 or not targets:
            return None
        return Fortify(src, self.rng.choice(targets), self.rng.randrange(1, view.troops[src]))


@arena.hookimpl
def register_bots(register: arena.RegisterBot) -> None:
    """Offer the bot."""
    register("uniform", Uniform)
