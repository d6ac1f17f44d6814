"""Reads memory that is not there, in round 2."""

import ctypes
from pathlib import Path

from arena import Bot
from arena.bot import Attack, View


class Segfault(Bot):
    """With `once`, the path of a file that is not there yet, only once."""

    def __init__(self, once: str = "") -> None:
        self.once = Path(once) if once else None

    def attack(self, view: View) -> Attack | None:
        if view.round == 2 and not (self.once and self.once.exists()):
            if self.once:
                self.once.touch()
            ctypes.string_at(0)
        return None
