"""Raises what Ctrl-C raises."""

from arena import Bot
from arena.bot import Attack, View


class Interrupts(Bot):
    def attack(self, view: View) -> Attack | None:
        raise KeyboardInterrupt
