"""Needs what any bot may count on: to print, to recurse, some memory, the folder that it was started in."""

import os

from arena import Bot
from arena.bot import Attack, View

HERE = os.getcwd()


class Needy(Bot):
    def attack(self, view: View) -> Attack | None:
        assert os.getcwd() == HERE
        print(descend(200), len(bytes(1 << 26)))
        return None


def descend(steps: int) -> int:
    return 1 + descend(steps - 1) if steps else 0
