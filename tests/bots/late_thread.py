"""Starts a thread in round 2 that at once ends the process."""

import os
from threading import Timer

from arena import Bot
from arena.bot import Attack, View


class LateThread(Bot):
    def attack(self, view: View) -> Attack | None:
        if view.round == 2:
            Timer(0, os._exit, (4,)).start()
        return None
