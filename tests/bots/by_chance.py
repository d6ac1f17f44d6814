"""Draws from a source that no seed reaches."""

import random

import arena
from arena.bot import View


class ByChance(arena.Bot):
    def reinforce(self, view: View) -> tuple[tuple[int, int], ...]:
        return ((random.choice(view.own), view.to_place),)
