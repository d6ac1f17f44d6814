"""Takes its time once a game, within its limit."""

import time

from arena import Bot
from arena.bot import Attack, View


class Slow(Bot):
    def attack(self, view: View) -> Attack | None:
        if view.round == 2:
            time.sleep(2)
        return None
