"""Raises in every attack."""

from arena import Bot
from arena.bot import Attack, View


class Raises(Bot):
    def attack(self, view: View) -> Attack | None:
        raise RuntimeError("no such luck")
