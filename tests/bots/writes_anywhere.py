"""Writes into every file that its process has open."""

import os
from contextlib import suppress

from arena import Bot
from arena.bot import Attack, View


class WritesAnywhere(Bot):
    def attack(self, view: View) -> Attack | None:
        for file in range(3, 256) if view.round == 2 else ():
            with suppress(OSError):
                os.write(file, b"\0\0\0\5hello")
        return None
