"""Closes the files of its process, as programs do that go into the background."""

import os

from arena import Bot
from arena.bot import Attack, View


class ClosesFiles(Bot):
    def attack(self, view: View) -> Attack | None:
        if view.round == 2:
            os.closerange(0, 4096)
        return None
