"""Ends its process, in round 2."""

import os

from arena import Bot
from arena.bot import Attack, View


class Leave(Bot):
    def attack(self, view: View) -> Attack | None:
        if view.round == 2:
            os._exit(3)
        return None
