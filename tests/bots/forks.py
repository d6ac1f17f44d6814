"""Forks in round 2, and both go on."""

import os

from arena import Bot
from arena.bot import Attack, View


class Forks(Bot):
    def attack(self, view: View) -> Attack | None:
        if view.round == 2:
            os.fork()
        return None
