"""Ends the process when the referee lays its answer aside."""

import os
from pathlib import Path

from arena import Bot
from arena.bot import View


class Bomb:
    def __del__(self) -> None:
        os._exit(7)


class TimeBomb(Bot):
    """With `once`, the path of a file that is not there yet, only the first answer goes off."""

    def __init__(self, once: str = "") -> None:
        self.once = Path(once) if once else None

    def attack(self, view: View) -> Bomb | None:  # type: ignore[override]
        if self.once is not None:
            if self.once.exists():
                return None
            self.once.touch()
        return Bomb()
