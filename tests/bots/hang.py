"""Thinks for ever, in round 2."""

from arena import Bot
from arena.bot import Attack, View


class Hang(Bot):
    def attack(self, view: View) -> Attack | None:
        while view.round == 2:
            pass
        return None
