"""Starts a thread that ends the process while the others think."""

import os
from threading import Timer

from arena import Bot
from arena.bot import Attack, View


class LateExit(Bot):
    def attack(self, view: View) -> Attack | None:
        if view.round == 2:
            Timer(1, os._exit, (4,)).start()
        return None
