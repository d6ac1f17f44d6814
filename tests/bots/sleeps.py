"""Sleeps too long."""

import time

from arena import Bot
from arena.bot import Attack, View


class Sleeps(Bot):
    def attack(self, view: View) -> Attack | None:
        time.sleep(1000)
        return None
