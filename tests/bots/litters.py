"""Leaves something behind in round 2 that hangs when Python collects garbage."""

import time

from arena import Bot
from arena.bot import Attack, View


class Litter:
    def __init__(self) -> None:
        self.me = self

    def __del__(self) -> None:
        time.sleep(1000)


class Litters(Bot):
    def attack(self, view: View) -> Attack | None:
        if view.round == 2:
            Litter()
        return None
