"""Reads memory that is not there, in round 2."""

import ctypes

from arena import Bot
from arena.bot import Attack, View


class Segfault(Bot):
    def attack(self, view: View) -> Attack | None:
        if view.round == 2:
            ctypes.string_at(0)
        return None
