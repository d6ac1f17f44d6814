"""Carries on from game to game what it has seen."""

import arena
from arena.bot import Attack, View


class Remembers(arena.Bot):
    seen: list[int] = []

    def attack(self, view: View) -> Attack | None:
        self.seen.append(view.round)
        pairs = view.attacks()
        turn = len(self.seen) % 20
        return Attack(*pairs[turn]) if turn < len(pairs) else super().attack(view)
